//! The judge end to end on a miniature exercise: real compiler, real workers, simulator.

use std::sync::{LazyLock, Mutex};

use harness::{
    device::DeviceChoice,
    exercise::{About, Case, ConstantBound, Constants, Counter, CounterBound, Exercise, On, Outputs},
    fill,
    judge::{CheckOptions, Exit, KeptPlans, Kernel, Onlooker, check, check_before},
    plan::{Bytes, Element, Fill, Launch, Plan, Tolerance},
    report::{CaseReport, CaseStatus, Content, Goal, GoalResult, Report, Verdict},
    toolchain::{CompilerChoice, InstallProgress, Toolchain},
    worker::standby,
};
use warpsim::FindingKind;

#[test]
fn __worker() {
    harness::worker::intercept();
}

static TOOLCHAIN: LazyLock<Toolchain> = LazyLock::new(|| {
    Toolchain::locate_or_install(&CompilerChoice::Pinned, None, InstallProgress::Terminal)
        .unwrap_or_else(|error| panic!("{error}"))
});

/// Reverses each block's elements through shared memory.
struct Reverse;

const SIZES: [(&str, usize, On); 3] =
    [("n = 1", 1, On::Everywhere), ("n = 300", 300, On::Everywhere), ("n = 2^20", 1 << 20, On::Gpu)];

/// The seed whose outputs the exercise's own check cannot take.
const SEED_OF_A_BROKEN_CHECK: u64 = 666;

impl Exercise for Reverse {
    fn about(&self) -> About {
        About {
            id: "00-reverse",
            title: "Reverse each block",
            kernels: &["reverse"],
            constants: &[ConstantBound { name: "BLOCK", at_least: 32, at_most: 2048, multiple_of: 32 }],
            ..About::default()
        }
    }
    fn cases(&self) -> Vec<Case> {
        Case::list(SIZES.map(|(name, _, on)| (name, on)))
    }
    fn plan(&self, case: &Case, seed: u64, constants: &Constants) -> Plan {
        let n = SIZES[case.index].1;
        let block = usize::try_from(constants.get("BLOCK")).expect("bounded");
        let mut plan = Plan::new();
        let input: Vec<i32> = fill::values(n, seed, -1e6, 1e6);
        let from = plan.buffer("input", Element::I32, &[n], Fill::Data(Bytes::of(&input)));
        let to = plan.buffer("output", Element::I32, &[n], Fill::Uninitialized);
        plan.launch(Launch::new("reverse", n.div_ceil(block), block).buffers([from, to]).ints([n]));
        let expected: Vec<i32> = input.chunks(block).flat_map(|chunk| chunk.iter().rev().copied()).collect();
        plan.expect(to, Bytes::of(&expected), Tolerance::Exact);
        plan
    }
    fn check_outputs(&self, _: &Case, seed: u64, _: &Outputs) -> Vec<String> {
        assert_ne!(seed, SEED_OF_A_BROKEN_CHECK);
        Vec::new()
    }
    fn counter_bounds(&self, case: &Case, _: &Constants) -> Vec<CounterBound> {
        vec![Counter::GlobalLoadSectors.at_most(SIZES[case.index].1.div_ceil(8), "each sector once")]
    }
}

fn judge(body: &str) -> Report {
    judge_source(&source(body))
}

fn source(body: &str) -> String {
    format!(
        "#include \"course.cuh\"\n\
         LAUNCH_CONSTANT(BLOCK, 256);\n\
         extern \"C\" __global__ void reverse(const int *in, int *out, int n) {{\n{body}\n}}\n"
    )
}

fn judge_source(source: &str) -> Report {
    judge_seeded(source, None)
}

fn judge_seeded(source: &str, seed: Option<u64>) -> Report {
    judge_with(source, CheckOptions { seed, ..CheckOptions::default() })
}

fn judge_case(source: &str, case: Option<usize>) -> Report {
    judge_with(source, CheckOptions { case, ..CheckOptions::default() })
}

fn judge_with(source: &str, options: CheckOptions) -> Report {
    let kernel = Kernel { path: "kernel.cu".into(), source: source.into() };
    let options =
        CheckOptions { device: DeviceChoice::Simulator(None), toolchain: Some(TOOLCHAIN.clone()), ..options };
    check(&Reverse, &kernel, &options, &|_| {})
}

fn verdict(report: &Report, goal: Goal) -> Verdict {
    report
        .goals
        .iter()
        .find(|each| each.goal == goal)
        .unwrap_or_else(|| panic!("no {goal}: {report:#?}"))
        .verdict
}

const SOLUTION: &str = "\
    __shared__ int tile[BLOCK];
    int first = blockIdx.x * BLOCK, count = min(BLOCK, n - first), t = threadIdx.x;
    if (t < count) tile[t] = in[first + t];
    __syncthreads();
    if (t < count) out[first + t] = tile[count - 1 - t];";

#[test]
fn a_right_kernel_passes() {
    let report = judge(SOLUTION);
    assert_eq!(report.judge_error, None);
    assert_eq!(report.verdict, Verdict::Passed, "{report:#?}");
    assert_eq!(Exit::of(&report, false), Exit::Passed);
    assert_eq!(report.devices, ["sim:h200"]);
    assert_eq!(report.cases.len(), 3);
    assert!(matches!(report.cases[2].status, CaseStatus::Skipped(_)));
    assert_eq!(report.resources[0].kernel, "reverse");
    assert_eq!(report, judge(SOLUTION), "twice the same");
}

/// What an onlooker was told of each case in the end is what the report says of it; before that at most a preview.
fn assert_told(report: &Report, told: &[CaseReport]) {
    let is_simulated =
        |case: &&CaseReport| case.device == "sim:h200" && !matches!(case.status, CaseStatus::Skipped(_));
    for case in report.cases.iter().filter(is_simulated) {
        let of_case: Vec<&CaseReport> = told.iter().filter(|told| told.number == case.number).collect();
        assert!((1..=2).contains(&of_case.len()), "case {} was told {} times", case.number, of_case.len());
        let [previews @ .., last] = &of_case[..] else { unreachable!() };
        assert_eq!(last, &case);
        // It is of checked code, which has other counters.
        assert!(previews.iter().all(|preview| preview.counters.is_none() && preview.lines.is_empty()));
    }
}

/// What `watch` keeps between saves makes it faster and nothing else.
#[test]
fn ready_workers_and_kept_plans_change_no_report() {
    let racy = SOLUTION.replace("__syncthreads();", "");
    let kernels = [SOLUTION, &racy, "in[", SOLUTION, &racy, SOLUTION];
    // With other constants the plans are others.
    let sources = kernels.iter().map(|body| source(body));
    let sources: Vec<String> = sources
        .chain([
            source(SOLUTION).replace("BLOCK, 256", "BLOCK, 64"),
            // The compiler has something to say, of a kernel that is simulated before it is optimised.
            source(&format!("int unused = 3;\n{SOLUTION}")),
            // Only the assembler refuses it.
            source(SOLUTION).replace("tile[BLOCK]", "tile[1 << 20]"),
            source(SOLUTION).replace("reverse", "other"),
            source(SOLUTION).replace("BLOCK, 256", "BLOCK, 2048"),
        ])
        .collect();
    let fresh: Vec<Report> = sources.iter().map(|source| judge_source(source)).collect();
    // What is kept belongs to a thread.
    let kept = std::thread::spawn({
        let sources = sources.clone();
        move || {
            standby::keep();
            let plans = KeptPlans::default();
            let checked = sources.iter().enumerate().map(|(at, source)| {
                let options = CheckOptions {
                    device: DeviceChoice::Simulator(None),
                    toolchain: Some(TOOLCHAIN.clone()),
                    plans: Some(plans.clone()),
                    ..CheckOptions::default()
                };
                let kernel = Kernel { path: "kernel.cu".into(), source: source.clone() };
                let told: Mutex<Vec<CaseReport>> = Mutex::default();
                let seen = |case: &CaseReport| told.lock().expect("no panic").push(case.clone());
                let onlooker = Onlooker { first: at % 3, seen: &seen };
                let report = check_before(&Reverse, &kernel, &options, &|_| {}, Some(onlooker));
                standby::refill();
                assert_told(&report, &told.into_inner().expect("no panic"));
                report
            });
            checked.collect::<Vec<Report>>()
        }
    });
    let kept = kept.join().expect("no panic");
    for (source, (fresh, kept)) in sources.iter().zip(fresh.iter().zip(&kept)) {
        assert_eq!(fresh, kept, "{source}");
    }
    assert!(kept.iter().any(|report| report.verdict == Verdict::Passed));
    assert!(fresh.iter().any(|report| report.verdict == Verdict::Passed && !report.diagnostics.is_empty()));
    let refused = fresh[8].goals[0].found_in_words();
    assert!(refused.contains("too much shared data"), "{refused}");
}

#[test]
fn a_block_that_no_device_can_launch_is_told_once() {
    let report = judge_source(&source(SOLUTION).replace("BLOCK, 256", "BLOCK, 2048"));
    assert_eq!(report.next_step, "Lower BLOCK (2048): a block of 2048 threads is more than 1024.");
    assert!(report.cases.is_empty(), "{:#?}", report.cases);
    assert_eq!(Exit::of(&report, false), Exit::Failed);
}

#[test]
fn a_missing_barrier_is_a_race_at_its_lines() {
    let report = judge(&SOLUTION.replace("__syncthreads();", ""));
    assert_eq!(verdict(&report, Goal::Clean), Verdict::Failed);
    let race = &report.findings[0];
    assert_eq!(race.kind, FindingKind::Race);
    let lines: Vec<_> = [&race.place, &race.other].into_iter().flatten().map(|place| place.line).collect();
    assert!(lines.contains(&6) && lines.contains(&8), "{race:#?}");
    assert_eq!(Exit::of(&report, false), Exit::Failed);
    assert!(
        report.next_step.contains("line 6") || report.next_step.contains("line 8"),
        "{}",
        report.next_step
    );
}

/// A kernel that tells environments apart may pass one case and fail the next. Which, is for the case to say, not for
/// what else is asked for.
#[test]
fn a_case_alone_meets_the_environment_that_it_meets_among_all() {
    let mut apart = 0;
    for bit in [12, 16, 20, 24, 28, 32] {
        let source = source(&format!(
            "{SOLUTION}\n    if (reinterpret_cast<size_t>(in) >> {bit} & 1) out[first] = 0;"
        ));
        let failed = |report: &Report, number: usize| {
            let case = report.cases.iter().find(|case| case.number == number);
            let case = case.unwrap_or_else(|| panic!("no case {number}: {report:#?}"));
            !case.mismatches.is_empty()
        };
        let together = judge_source(&source);
        let among_all = [0, 1].map(|number| failed(&together, number));
        let alone = [0, 1].map(|number| failed(&judge_case(&source, Some(number)), number));
        assert_eq!(alone, among_all, "bit {bit}");
        apart += usize::from(among_all[0] != among_all[1]);
    }
    assert!(apart > 0, "no bit tells one case from the other");
}

#[test]
fn a_wrong_output_is_shown_and_an_unwritten_one_named() {
    let report = judge(&SOLUTION.replace("count - 1 - t", "t"));
    assert_eq!(verdict(&report, Goal::Correct), Verdict::Failed);
    assert_eq!(verdict(&report, Goal::Clean), Verdict::Passed);
    assert_eq!(report.cases[1].mismatches[0].index, [0]);
    let report = judge("if (threadIdx.x == 0 && n > 1) out[blockIdx.x * BLOCK] = 0;");
    assert_eq!(report.cases[0].mismatches[0].found, Content::NeverWritten);
    assert_eq!(verdict(&report, Goal::Clean), Verdict::Passed);
}

#[test]
fn reading_out_of_bounds_is_explained() {
    let report = judge(&SOLUTION.replace("if (t < count) tile", "tile"));
    assert_eq!(verdict(&report, Goal::Clean), Verdict::Failed);
    assert_eq!(report.findings[0].kind, FindingKind::OutOfBounds);
    assert_eq!(report.findings[0].allocation.as_ref().map(|each| each.name.as_str()), Some("input"));
    assert!(matches!(report.cases[1].status, CaseStatus::Faulted(_)));
}

#[test]
fn what_stopped_a_kernel_is_told_and_not_a_race_on_the_way() {
    let racing = SOLUTION.replace("__syncthreads();", "");
    let faulting = format!("{racing}\n    __syncthreads(); if (n > 1) out[1000000] = 0;");
    let endless = format!("{racing}\n    volatile int *v = out; while (n > 1 && v[0] != 12345) {{}}");
    let [fault, hang] = [faulting, endless].map(|body| {
        let report = judge(&body);
        assert!(
            report.findings.iter().any(|finding| finding.kind == FindingKind::Race),
            "{:#?}",
            report.findings
        );
        report.cases[1].status.clone()
    });
    assert!(matches!(&fault, CaseStatus::Faulted(why) if why.contains("past the end")), "{fault:?}");
    assert!(matches!(&hang, CaseStatus::Unfinished(why) if !why.contains("may come first")), "{hang:?}");
}

#[test]
fn a_broken_check_of_outputs_is_no_grade() {
    let report = judge_seeded(&source(SOLUTION), Some(SEED_OF_A_BROKEN_CHECK));
    assert!(report.judge_error.as_deref().is_some_and(|why| why.contains("panicked")), "{report:#?}");
    assert_eq!(Exit::of(&report, false), Exit::JudgeError);
    assert!(report.next_step.contains("grader doctor"), "{}", report.next_step);
}

#[test]
fn a_kernel_that_never_ends_is_unfinished_and_the_next_check_works() {
    let report = judge("volatile int *v = out; while (v[0] != 12345) {}");
    assert_eq!(report.verdict, Verdict::Failed, "{report:#?}");
    assert_eq!(report.judge_error, None);
    assert!(matches!(report.cases[0].status, CaseStatus::Unfinished(_)), "{:?}", report.cases[0].status);
    assert_eq!(judge(SOLUTION).verdict, Verdict::Passed);
}

#[test]
fn what_does_not_compile_fails_and_is_no_judge_error() {
    let report = judge("int x = ;");
    assert_eq!(verdict(&report, Goal::Compile), Verdict::Failed);
    assert_eq!(report.diagnostics[0].place.as_ref().map(|place| place.line), Some(4));
    assert_eq!(Exit::of(&report, false), Exit::Failed);
}

#[test]
fn kernels_and_launch_constants_must_be_there() {
    let report = judge_source("__global__ void reverse() {}");
    assert!(report.goals[0].found_in_words().contains("expected a kernel `reverse`"), "{:?}", report.goals);
    let report = judge_source("extern \"C\" __global__ void reverse(const int *in, int *out, int n) {}");
    assert!(report.goals[0].found_in_words().contains("LAUNCH_CONSTANT(BLOCK, 32);"), "{:?}", report.goals);
    let report = judge_source(
        "#include \"course.cuh\"\nLAUNCH_CONSTANT(BLOCK, 256);\n\
         extern \"C\" __global__ void reverse(const int *in, int *out) {}\n",
    );
    assert_eq!(verdict(&report, Goal::Compile), Verdict::Failed);
    assert!(
        report.goals[0].found_in_words().contains("takes 2 parameters, and the exercise passes 3"),
        "{:?}",
        report.goals
    );
}

#[test]
fn wasted_sectors_fail_their_counter_only() {
    let report = judge(
        "    int first = blockIdx.x * BLOCK, count = min(BLOCK, n - first), t = threadIdx.x;
    if (t < count) { int sum = 0; for (int i = 0; i < 2; i++) sum += __ldcv(in + first + count - 1 - t); \
         out[first + t] = sum / 2; }",
    );
    assert_eq!(verdict(&report, Goal::Correct), Verdict::Passed, "{report:#?}");
    assert_eq!(verdict(&report, Goal::Counter(Counter::GlobalLoadSectors)), Verdict::Failed);
    assert_eq!(verdict(&report, Goal::Clean), Verdict::Passed);
}

#[test]
fn a_gpu_that_is_not_there_is_no_grade() {
    let kernel = Kernel { path: "kernel.cu".into(), source: String::new() };
    let options = CheckOptions { device: DeviceChoice::Gpu(Some(99)), ..CheckOptions::default() };
    let report = check(&Reverse, &kernel, &options, &|_| {});
    let why = report.judge_error.expect("an error");
    // Where there are others, it says which.
    let none = "`grader doctor` says what is missing; --device sim needs no GPU";
    let is_told = match why.strip_prefix("no GPU: ") {
        Some(_) => report.next_step == none,
        None => why == "there is no GPU 99" && report.next_step.starts_with("there is gpu:0"),
    };
    assert!(is_told, "{why}: {}", report.next_step);
    assert_eq!(report.verdict, Verdict::Unmeasured);
}

/// The solution with a barrier of the toolkit's C++ library in place of `__syncthreads()`.
fn with_barrier(wait: &str) -> String {
    let body = SOLUTION.replace("__syncthreads();", wait).replace(
        "    int first",
        "    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;\n\
         \x20   if (threadIdx.x == 0) init(&barrier, BLOCK);\n\
         \x20   __syncthreads();\n\
         \x20   int first",
    );
    format!("#include <cuda/barrier>\n{}", source(&body))
}

#[test]
fn a_header_s_wait_is_no_look_at_the_clock() {
    for wait in ["barrier.arrive_and_wait();", "barrier.wait(barrier.arrive());"] {
        let report = judge_source(&with_barrier(wait));
        assert_eq!(report.verdict, Verdict::Passed, "{wait}: {report:#?}");
    }
}

#[test]
fn a_header_that_tells_the_time_is_one() {
    let line = |wait: &str| {
        format!("at line {}", with_barrier(wait).lines().position(|l| l.contains(wait)).unwrap() + 1)
    };
    for wait in [
        // A wait that says whether it was in time.
        "if (!barrier.try_wait_for(barrier.arrive(), cuda::std::chrono::seconds(1))) return;",
        // The clock itself, to wait by it or to know it.
        "__syncthreads(); if (cuda::std::chrono::system_clock::now().time_since_epoch().count() == 1) return;",
        "__syncthreads(); auto a = cuda::std::chrono::high_resolution_clock::now(); while (cuda::std::chrono::high_resolution_clock::now() == a) {}",
        "__syncthreads(); if (clock() == 1) return;",
        "__syncthreads(); if (clock64() == 1) return;",
        // The same, called by a function of a header that is handed it.
        "__syncthreads(); if (cuda::std::invoke(&cuda::std::chrono::system_clock::now).time_since_epoch().count() == 1) return;",
        // A header's wait for what the learner says, with a limit.
        "__syncthreads(); int n_ = 0; cuda::std::__cccl_thread_poll_with_backoff([&] { return ++n_ == 99; }, cuda::std::chrono::seconds(1)); if (n_ == 1) return;",
    ] {
        let report = judge_source(&with_barrier(wait));
        let goal = report.goals.iter().find(|goal| goal.goal == Goal::Permitted);
        let goal = goal.unwrap_or_else(|| panic!("{wait}: {report:#?}"));
        let found = goal.found_in_words();
        assert!(found.contains(&line(wait)), "{wait}: {found}");
    }
}

/// A macro that puts this into what a header writes as `asm volatile(…)`, and a trap that depends on it.
fn own_ptx(reading: &str) -> String {
    format!(
        r#"#define volatile(...) volatile(__VA_ARGS__); asm volatile("{{\n.reg .pred p;\n.reg .u64 t;\n{reading} \
           setp.eq.u64 p, t, 1;\n@p trap;\n}}")"#
    )
}

#[test]
fn a_header_s_lines_hide_no_look_at_the_clock() {
    let solution = with_barrier("barrier.arrive_and_wait();");
    for hidden in [
        // The learner's own PTX, by a macro in lines of a header.
        &own_ptx(r"mov.u64 t, %clock64;"),
        &own_ptx(r"/* // */ mov.u64 t, %clock64;"),
        &own_ptx(r".loc 1 1 1 mov.u64 t, %clock64;"),
        // What the header's function does with the time, in the header's lines.
        "#define nanoseconds(t) nanoseconds((t) == 1 ? (__trap(), 0) : (t))",
        "__device__ inline long long look(long long t) { if (t == 1) __trap(); return t; }\n#define nanoseconds(t) nanoseconds(look(t))",
    ] {
        let report = judge_source(&format!("{hidden}\n{solution}"));
        let permitted = report.goals.iter().find(|goal| goal.goal == Goal::Permitted);
        assert!(
            permitted.is_some_and(|goal| goal.found_in_words().contains("clock")),
            "{hidden}: {report:#?}"
        );
    }
}

#[test]
fn a_header_s_lines_hide_no_ptx() {
    let solution = with_barrier("barrier.arrive_and_wait();");
    let report = judge_source(&format!("{}\n{solution}", own_ptx("mov.u64 t, 7;")));
    let permitted = report.goals.iter().find(|goal| goal.goal == Goal::Permitted);
    let found = permitted.map_or(String::new(), GoalResult::found_in_words);
    assert!(found.contains("its macro `volatile` at line 1 can write PTX into a header"), "{report:#?}");
    assert!(report.next_step.contains("below the last `#include`"), "{}", report.next_step);
}
