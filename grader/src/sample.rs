//! Exercises and reports made up for tests, those of the workshop, too. Knows the harness only.

use harness::{
    exercise::{About, Case, Constants, Counter, Exercise},
    measure::Interval,
    plan::Plan,
    report::{
        Asked, CaseReport, CaseStatus, Conditions, Content, Failure, Found, Goal, GoalResult, Mismatch,
        Report, Resources, SCHEMA, Samples, SpeedAsked, SpeedFound, SpeedReport, Unmeasured, Verdict,
    },
};
use warpsim::{Allocation, Finding, FindingKind, Place, Severity, Space, Thread};

/// An exercise that has only a name.
pub struct Named(pub &'static str);

impl Exercise for Named {
    fn about(&self) -> About {
        About {
            id: self.0,
            title: "An exercise that has only a name",
            stub: "extern \"C\" __global__ void nothing() {}\n",
            hints: "# any\n\nLook again.\n\nLook closer.\n\n# passed\n\nIt adds.\n\nAdd faster.\n",
            kernels: &["nothing"],
            stub_fails: &[Failure::CORRECT],
            ..About::default()
        }
    }
    fn cases(&self) -> Vec<Case> {
        Vec::new()
    }
    fn plan(&self, _: &Case, _: u64, _: &Constants) -> Plan {
        Plan::new()
    }
}

/// A kernel with a race, as a learner writes it.
pub const SOURCE: &str = r#"#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 256);

extern "C" __global__ void block_max(const float* input, float* partial, unsigned n) {
    __shared__ float tile[BLOCK_SIZE];
    unsigned t = threadIdx.x;
    unsigned i = blockIdx.x * BLOCK_SIZE + t;
    tile[t] = i < n ? input[i] : -INFINITY;
    for (unsigned half = BLOCK_SIZE / 2; half > 0; half /= 2) {
        if (t < half) tile[t] = fmaxf(tile[t], tile[t + half]);
        __syncthreads();
    }
    if (t == 0) partial[blockIdx.x] = tile[0];
}
"#;

fn place(line: u32, column: u32) -> Option<Place> {
    Some(Place { file: "kernel.cu".to_owned(), line, column })
}

fn thread(x: u32) -> Thread {
    Thread { block: [0, 0, 0], thread: [x, 0, 0] }
}

/// A race between two lines.
pub fn race() -> Finding {
    let mut finding = Finding::new(
        FindingKind::Race,
        Severity::Error,
        "thread 0 reads tile[128], which thread 128 wrote, and nothing orders the two. \
                  Put a __syncthreads() between the write and the read.",
    );
    finding.space = Some(Space::Shared);
    finding.place = place(11, 48);
    finding.other = place(9, 5);
    finding.threads = vec![thread(0), thread(128)];
    finding.address = Some(0x200);
    finding.allocation = Some(Allocation { name: "tile".to_owned(), bytes: 1024, offset: 512, distance: 0 });
    finding.count = 128;
    finding
}

/// An access beyond an allocation.
pub fn out_of_bounds() -> Finding {
    let mut finding = Finding::new(
        FindingKind::OutOfBounds,
        Severity::Error,
        "reads 4 bytes that start 4 bytes past the end of `input`.",
    );
    finding.space = Some(Space::Global);
    finding.place = place(9, 23);
    finding.threads = vec![thread(31)];
    finding.address = Some(0x7f00_0000_007c);
    finding.allocation = Some(Allocation { name: "input".to_owned(), bytes: 120, offset: 124, distance: 8 });
    finding
}

fn goal(goal: Goal, verdict: Verdict, asked: Asked, found: Found) -> GoalResult {
    GoalResult { goal, verdict, required: goal != Goal::Expert, asked, found }
}

fn speed(median: f64) -> Found {
    Found::Speed(SpeedFound {
        cases: vec!["n = 16777216".to_owned()],
        speedup: Interval { median, low: median - 0.02, high: median + 0.02 },
        pairs: 30,
        roof_share: Some(0.79),
        doubt: None,
    })
}

fn case(name: &str) -> CaseReport {
    CaseReport::new(0, name, "sim:h200", CaseStatus::Finished)
}

/// A check that failed for a race and a wrong output.
pub fn failed() -> Report {
    let mut wrong = case("n = 257, all negative");
    wrong.number = 1;
    wrong.mismatches.push(Mismatch {
        buffer: "maximum".to_owned(),
        index: vec![0],
        expected: "-0.25".to_owned(),
        found: Content::Value("0".to_owned()),
        wrong: 1,
        of: 1,
    });
    wrong.printf = "half = 128\nhalf = 64\n".to_owned();
    let mut faulted = case("n = 30");
    faulted.number = 2;
    faulted.status = CaseStatus::Faulted("out of bounds in block_max".to_owned());
    Report {
        schema: SCHEMA,
        exercise: "03-reduction".to_owned(),
        title: "Reduction: the maximum of n floats".to_owned(),
        kernel: "learn/03-reduction/kernel.cu".to_owned(),
        kernel_hash: "0123abcd".to_owned(),
        source: SOURCE.to_owned(),
        devices: vec!["sim:h200".to_owned()],
        compiler: "NVRTC 13.0.88".to_owned(),
        seed: 1,
        sandbox: "full".to_owned(),
        verdict: Verdict::Failed,
        judge_error: None,
        one_case_of: None,
        speed_unmeasured: true,
        goals: vec![
            goal(
                Goal::Correct,
                Verdict::Failed,
                Asked::Nothing,
                Found::Cases { right: 1, ran: 3, first_wrong: Some("n = 257, all negative".to_owned()) },
            ),
            goal(
                Goal::Clean,
                Verdict::Failed,
                Asked::Nothing,
                Found::Findings { errors: vec![FindingKind::Race, FindingKind::OutOfBounds], warnings: 0 },
            ),
            goal(
                Goal::Counter(Counter::SharedBankConflicts),
                Verdict::Passed,
                Asked::Bound(Counter::SharedBankConflicts.at_most(0, "neighbours read neighbours").bound),
                Found::Count { value: 0, case: "n = 1".to_owned() },
            ),
            goal(
                Goal::Speedup,
                Verdict::Unmeasured,
                Asked::Speed(SpeedAsked { speedup: Some(1.5), roof_share: None }),
                Found::Unmeasured(Unmeasured::NotTimed("needs a GPU".to_owned())),
            ),
            goal(
                Goal::Expert,
                Verdict::Unmeasured,
                Asked::Speed(SpeedAsked { speedup: None, roof_share: Some(0.8) }),
                Found::Unmeasured(Unmeasured::NotTimed("needs a GPU".to_owned())),
            ),
        ],
        cases: vec![case("n = 1"), wrong, faulted],
        findings: vec![race(), out_of_bounds()],
        diagnostics: Vec::new(),
        resources: vec![Resources {
            kernel: "block_max".to_owned(),
            architecture: "sm_90".to_owned(),
            registers: 16,
            spill_bytes: 0,
            shared_bytes: 1024,
            local_bytes: 0,
        }],
        speed: Vec::new(),
        conditions: None,
        plots: Vec::new(),
        notes: vec!["no GPU was found: the simulator judged everything but speed".to_owned()],
        next_step: "line 11 reads what line 9 wrote: put a barrier between them".to_owned(),
    }
}

/// A check that passed on a GPU.
pub fn passed() -> Report {
    let mut report = failed();
    report.verdict = Verdict::Passed;
    report.speed_unmeasured = false;
    report.devices.push("gpu:0 (NVIDIA H200)".to_owned());
    for goal in &mut report.goals {
        goal.verdict = Verdict::Passed;
    }
    report.goals[0].found = Found::Cases { right: 3, ran: 3, first_wrong: None };
    report.goals[1].found = Found::Findings { errors: Vec::new(), warnings: 0 };
    report.goals[3].found = speed(1.82);
    report.goals[4].verdict = Verdict::Inconclusive;
    report.goals[4].found = speed(1.82);
    report.cases = vec![case("n = 1"), case("n = 257, all negative"), case("n = 30")];
    report.findings.clear();
    report.notes.clear();
    report.speed.push(SpeedReport {
        case: "n = 16777216".to_owned(),
        kernel_microseconds: 21.4,
        baseline_microseconds: 38.9,
        speedup: 1.82,
        interval: [1.80, 1.84],
        pairs: 30,
        roof_share: Some(0.79),
        kernel_quartiles: [21.3, 21.6],
        baseline_quartiles: [38.8, 39.1],
        samples: Samples::default(),
    });
    report.conditions = Some(Conditions {
        multiprocessor_megahertz: [1980, 1980],
        memory_megahertz: [3201, 3201],
        celsius: [33, 36],
        throttle_reasons: vec!["sw_power_cap".to_owned()],
        redone_rounds: 0,
    });
    report.next_step = "read the chapter's solution: grader hint 03-reduction".to_owned();
    report
}
