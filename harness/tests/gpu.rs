//! The GPU device, on a real GPU: what a kernel does to it must be seen, and the next job must work.
//!
//! Ignored, because most machines and the project's continuous tests have no GPU. Where there is one:
//! `cargo test -p harness --test gpu -- --ignored`.

use std::sync::LazyLock;

use harness::{
    compiler::{CompileRequest, compile},
    device::{
        Code, DeviceChoice, Execution, ExecutionStatus, GpuInfo, Job, Passes, Request, Target,
        worker::GpuSession,
    },
    exercise::{About, Baseline, Case, Constants, Exercise, On, OutputElement, Reference, SpeedGoals},
    judge::{self, CheckOptions, Kernel},
    plan::{Bytes, Element, Fill, Launch, Plan, Step, Tolerance},
    report::{Goal, Report, Verdict},
    toolchain::{CompilerChoice, InstallProgress, Toolchain},
};

mod trusted;

#[test]
fn __worker() {
    harness::worker::intercept();
}

static GPU: LazyLock<GpuInfo> = LazyLock::new(|| {
    let gpus = judge::gpus().unwrap_or_else(|why| panic!("these tests need an NVIDIA GPU: {why}"));
    gpus.into_iter().next().expect("the list of GPUs is never empty")
});

static TOOLCHAIN: LazyLock<Toolchain> = LazyLock::new(|| {
    let gpu = Some(GPU.needs());
    Toolchain::locate_or_install(&CompilerChoice::Pinned, gpu, InstallProgress::Terminal)
        .unwrap_or_else(|error| panic!("{error}"))
});

const N: usize = 1000;

fn code(source: &str, gpu: &GpuInfo) -> Code {
    let mut request = CompileRequest::new("kernel.cu", source);
    request.architecture = gpu.compute_capability;
    let compiled = compile(&TOOLCHAIN, &request).unwrap_or_else(|error| panic!("{error}\n{source}"));
    Code::from(&compiled)
}

fn plan(times: u32) -> Plan {
    let input: Vec<i32> = (0..N as i32).collect();
    let mut plan = Plan::new();
    let from = plan.buffer("input", Element::I32, &[N], Fill::Data(Bytes::of(&input)));
    let to = plan.buffer("output", Element::I32, &[N], Fill::Uninitialized);
    plan.launch(Launch::new("kernel", N.div_ceil(256), 256).buffers([from, to]).ints([N]));
    if times > 1 {
        let launch = plan.steps.remove(0);
        plan.steps.push(Step::Repeat { times, steps: vec![launch] });
    }
    let expected: Vec<i32> = input.iter().map(|value| 2 * value).collect();
    plan.expect(to, Bytes::of(&expected), Tolerance::Exact);
    plan
}

fn run(session: &mut GpuSession, gpu: &GpuInfo, source: &str, plan: Plan) -> Execution {
    session.execute(Request {
        target: Target::Gpu { uuid: gpu.uuid.clone() },
        code: code(source, gpu),
        jobs: vec![Job { plan, case: 0, passes: Passes::All, budget: 1, seconds: 2.0, clock: None }],
        secret: 42,
    })
}

fn source(body: &str) -> String {
    format!(
        "__device__ int counter;\nextern \"C\" __global__ void kernel(const int *in, int *out, int n) {{\n\
         int i = blockIdx.x * blockDim.x + threadIdx.x;\n{body}\n}}\n"
    )
}

const RIGHT: &str = "if (i < n) out[i] = 2 * in[i];";

fn works(session: &mut GpuSession, gpu: &GpuInfo) {
    let execution = run(session, gpu, &source(RIGHT), plan(1));
    assert_eq!(execution.status, ExecutionStatus::Finished);
    let expected: Vec<i32> = (0..N as i32).map(|value| 2 * value).collect();
    assert_eq!(execution.outputs[0].bytes, Bytes::of(&expected));
    assert!(execution.outputs[0].unwritten.is_empty());
    assert!(execution.guard_violations.is_empty());
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn right_outputs_come_back_and_a_session_is_reused() {
    let gpu = &*GPU;
    let mut session = GpuSession::new();
    works(&mut session, gpu);
    works(&mut session, gpu);
    eprintln!("sandbox: {:?}", session.sandbox());
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn unwritten_elements_are_seen() {
    let gpu = &*GPU;
    let execution = run(&mut GpuSession::new(), gpu, &source("if (i < 500) out[i] = 0;"), plan(1));
    assert_eq!(execution.outputs[0].unwritten, std::slice::from_ref(&(2000..4000)));
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn writes_beside_a_buffer_hit_a_guard() {
    let gpu = &*GPU;
    let execution = run(&mut GpuSession::new(), gpu, &source("if (i <= n) out[i] = 0;"), plan(1));
    assert_eq!(execution.status, ExecutionStatus::Finished);
    assert_eq!(
        execution.guard_violations,
        ["wrote 4 bytes beyond the end of `output`, the first 0 bytes after it"]
    );
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn faults_are_reported_and_the_next_job_works() {
    let gpu = &*GPU;
    let mut session = GpuSession::new();
    for (body, name) in [
        ("out[i + (1ll << 40)] = 0;", "ILLEGAL_ADDRESS"),
        ("*(int *)((char *)out + 1) = i;", "MISALIGNED_ADDRESS"),
        ("__trap();", "CUDA_ERROR_"),
        ("if (i == 3) assert(n == 0);", "ASSERT"),
    ] {
        let source = if body.contains("assert") {
            format!("#include <cassert>\n{}", source(body))
        } else {
            source(body)
        };
        let execution = run(&mut session, gpu, &source, plan(1));
        match &execution.status {
            ExecutionStatus::Faulted(why) => assert!(why.contains(name), "{body}: {why}"),
            other => panic!("{body}: {other:?}"),
        }
        works(&mut session, gpu);
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_kernel_that_never_ends_is_unfinished_and_the_next_job_works() {
    let gpu = &*GPU;
    let mut session = GpuSession::new();
    let execution = run(&mut session, gpu, &source("volatile int *v = out; while (v[0] != -7) {}"), plan(1));
    assert!(matches!(execution.status, ExecutionStatus::Unfinished(_)), "{:?}", execution.status);
    works(&mut session, gpu);
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn launches_that_are_refused_say_why() {
    let gpu = &*GPU;
    let mut session = GpuSession::new();
    let mut big = plan(1);
    if let Step::Launch(launch) = &mut big.steps[0] {
        launch.dynamic_shared = 300 << 10;
    }
    let execution = run(&mut session, gpu, &source(RIGHT), big);
    assert!(
        matches!(&execution.status, ExecutionStatus::Faulted(why) if why.contains("launch of `kernel` failed")),
        "{execution:?}"
    );
    let execution = run(&mut session, gpu, "extern \"C\" __global__ void kernel(int *out) {}", plan(1));
    assert!(
        matches!(&execution.status, ExecutionStatus::Faulted(why) if why.contains("takes [8]")),
        "{execution:?}"
    );
    let execution = run(&mut session, gpu, "extern \"C\" __global__ void other(int *out) {}", plan(1));
    assert!(
        matches!(&execution.status, ExecutionStatus::Faulted(why) if why.contains("no kernel")),
        "{execution:?}"
    );
    works(&mut session, gpu);
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn printf_is_captured() {
    let gpu = &*GPU;
    let body = format!("{RIGHT}\nif (i == 7) printf(\"seven %d\\n\", in[i]);");
    let execution = run(&mut GpuSession::new(), gpu, &source(&body), plan(1));
    assert_eq!(execution.printf, "seven 7\n");
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn ptx_is_compiled_by_the_driver_where_no_cubin_fits() {
    let gpu = &*GPU;
    let mut code = code(&source(RIGHT), gpu);
    code.cubin = Bytes::default();
    let execution = GpuSession::new().execute(Request {
        target: Target::Gpu { uuid: gpu.uuid.clone() },
        code,
        jobs: vec![Job { plan: plan(3), case: 0, passes: Passes::All, budget: 1, seconds: 2.0, clock: None }],
        secret: 1,
    });
    assert_eq!(execution.status, ExecutionStatus::Finished, "{execution:?}");
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_cooperative_launch_has_a_barrier_of_the_grid_and_must_be_resident() {
    let gpu = &*GPU;
    let kernel = "#include <cooperative_groups.h>\n__device__ int parts[1 << 20];\n\
        extern \"C\" __global__ void kernel(const int *in, int *out, int n) {\n\
        int i = blockIdx.x * blockDim.x + threadIdx.x;\n\
        parts[i] = i < n ? in[i] : 0;\n\
        cooperative_groups::this_grid().sync();\n\
        if (i < n) out[n - 1 - i] = 2 * parts[n - 1 - i];\n}\n";
    let cooperative = |grid: u32| {
        let mut plan = plan(1);
        let Some(Step::Launch(launch)) = plan.steps.first_mut() else { panic!("the plan is a launch") };
        launch.cooperative = true;
        launch.grid = [grid, 1, 1];
        plan
    };
    let mut session = GpuSession::new();
    let execution = run(&mut session, gpu, kernel, cooperative(4));
    assert_eq!(execution.status, ExecutionStatus::Finished, "{execution:?}");
    let execution = run(&mut session, gpu, kernel, cooperative(4096));
    let ExecutionStatus::Faulted(why) = &execution.status else {
        panic!("too many blocks were accepted: {execution:?}")
    };
    assert!(why.contains("cooperative launch"), "{why}");
}

/// The judge's own kernels on the GPU, which the simulator's tests run, too.
fn on_gpu(plan: Plan) -> Execution {
    let gpu = &*GPU;
    GpuSession::new().execute(Request {
        target: Target::Gpu { uuid: gpu.uuid.clone() },
        code: code(trusted::CHECKS, gpu),
        jobs: vec![Job { plan, case: 0, passes: Passes::All, budget: 1, seconds: 10.0, clock: None }],
        secret: 42,
    })
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn fills_are_the_hosts_to_the_bit() {
    trusted::fills_are_the_hosts_to_the_bit(1_000_003, on_gpu);
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn comparing_is_the_hosts() {
    trusted::comparing_is_the_hosts(on_gpu);
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn changed_bytes_are_found() {
    trusted::changed_bytes_are_found(on_gpu);
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn products_are_verified() {
    trusted::products_are_verified([512, 1000, 700], on_gpu);
}

/// An exercise with a timed case: twice every input.
struct Twice {
    size: usize,
    baseline: &'static str,
    goals: SpeedGoals,
    /// What the host computes for an input.
    factor: f64,
}

impl Twice {
    fn plan(&self) -> Plan {
        twice(self.size)
    }
}

fn twice(size: usize) -> Plan {
    let mut plan = Plan::new();
    let from = plan.buffer("input", Element::I32, &[size], Fill::Random { seed: 1, low: -1e6, high: 1e6 });
    let to = plan.buffer("output", Element::I32, &[size], Fill::Uninitialized);
    plan.launch(Launch::new("kernel", size.div_ceil(256), 256).buffers([from, to]).ints([size]));
    plan.expect_reference(to, Tolerance::Exact);
    plan.minimum_bytes = 8 * size as u64;
    plan
}

/// Elements of a timed case that leaves the cache.
const LARGE: usize = 1 << 26;
/// Elements whose memory lies in one page of the device.
const SMALL: usize = 1024;

impl Exercise for Twice {
    fn about(&self) -> About {
        let baseline = Baseline {
            source: self.baseline,
            plan: |case, _| twice(if case.name == "timed" { LARGE } else { N }),
        };
        let plan = match self.size {
            LARGE => |_: &Case, _, _: &Constants| twice(LARGE),
            _ => |_: &Case, _, _: &Constants| twice(SMALL),
        };
        About {
            id: "99-twice",
            title: "Twice",
            kernels: &["kernel"],
            baseline: Some(baseline),
            reference: Some(Reference { source: self.baseline, plan }),
            speed_goals: self.goals,
            ..About::default()
        }
    }
    fn cases(&self) -> Vec<Case> {
        Case::list([("small", On::Everywhere), ("timed", On::GpuTimed)])
    }
    fn plan(&self, case: &Case, _: u64, _: &Constants) -> Plan {
        if case.on == On::GpuTimed { self.plan() } else { plan(1) }
    }
    fn recompute(&self, _: &Case, asked: &OutputElement<'_>) -> Option<f64> {
        Some(self.factor * asked.inputs.value("input", asked.index))
    }
}

fn leaked(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

fn exercise(baseline: &str, goals: SpeedGoals) -> Twice {
    Twice { size: LARGE, baseline: leaked(source(baseline)), goals, factor: 2.0 }
}

fn judged(exercise: &dyn Exercise, kernel: &str) -> Report {
    let kernel = Kernel { path: "kernel.cu".into(), source: kernel.to_owned() };
    let options = CheckOptions {
        device: DeviceChoice::Gpu(None),
        toolchain: Some(TOOLCHAIN.clone()),
        ..CheckOptions::default()
    };
    let begun = std::time::Instant::now();
    let report = judge::check(exercise, &kernel, &options, &|_| {});
    eprintln!("judged in {:.2} s", begun.elapsed().as_secs_f64());
    for speed in &report.speed {
        eprintln!(
            "{}: {:.1} µs against {:.1} µs, {:.4} ({:.4} to {:.4}, {} rounds), roof {:?}",
            speed.case,
            speed.kernel_microseconds,
            speed.baseline_microseconds,
            speed.speedup,
            speed.interval[0],
            speed.interval[1],
            speed.pairs,
            speed.roof_share
        );
    }
    eprintln!("{:?} {:?} {:?}", report.conditions, report.notes, report.judge_error);
    report
}

fn goal(report: &Report, goal: Goal) -> Verdict {
    report
        .goals
        .iter()
        .find(|known| known.goal == goal)
        .unwrap_or_else(|| panic!("no {goal}: {report:#?}"))
        .verdict
}

fn complaint(report: &Report) -> &str {
    let all = report.cases.iter().find_map(|case| case.complaints.first());
    all.unwrap_or_else(|| panic!("no complaint: {report:#?}"))
}

const STRIDED: &str =
    "int j = (int)((i * 33ll) & (n - 1)); if (n < 1024) j = i; if (j < n) out[j] = 2 * in[j];";

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_copy_runs_at_the_roof_and_strided_access_is_slower() {
    let goals = SpeedGoals { pass_speedup: Some(1.5), expert_speedup: Some(100.0), expert_roof_share: None };
    let report = judged(&exercise(STRIDED, goals), &source(RIGHT));
    assert_eq!(
        (goal(&report, Goal::Speedup), goal(&report, Goal::Expert)),
        (Verdict::Passed, Verdict::Failed),
        "{report:#?}"
    );
    let share = report.speed[0].roof_share.expect("large enough");
    assert!((0.6..1.1).contains(&share), "{share}");
    assert_eq!(report.speed[0].samples.kernel.len(), report.speed[0].pairs as usize);
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_kernel_against_itself_is_no_faster() {
    let goals = SpeedGoals { pass_speedup: Some(1.1), ..SpeedGoals::default() };
    let report = judged(&exercise(RIGHT, goals), &source(RIGHT));
    assert_eq!(goal(&report, Goal::Speedup), Verdict::Failed, "{report:#?}");
    assert!((report.speed[0].speedup - 1.0).abs() < 0.03);
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn what_a_module_keeps_is_put_back_before_each_timed_run() {
    // Right once only, unless the counter is set back to zero.
    let once = "__shared__ int old; if (threadIdx.x == 0) old = atomicAdd(&counter, 1); __syncthreads();\n\
                if (i < n) out[i] = old < gridDim.x ? 2 * in[i] : 0;";
    let report = judged(&exercise(RIGHT, SpeedGoals::default()), &source(once));
    assert_eq!(goal(&report, Goal::Correct), Verdict::Passed, "{report:#?}");
    assert!(report.speed[0].pairs >= 15);
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_kernel_that_is_wrong_only_when_timed_is_wrong() {
    let wrong = "if (i < n) out[i] = 2 * in[i] + (i == 12345);";
    let report = judged(&exercise(RIGHT, SpeedGoals::default()), &source(wrong));
    assert_eq!(
        (goal(&report, Goal::Correct), report.verdict),
        (Verdict::Failed, Verdict::Failed),
        "{report:#?}"
    );
    assert!(complaint(&report).contains("`output[12345]` was"), "{}", complaint(&report));
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_changed_input_and_a_stray_write_are_caught_in_a_timed_run() {
    let changing = "if (i < n) { out[i] = 2 * in[i]; if (i == 2222) const_cast<int *>(in)[i] = 7; }";
    let report = judged(&exercise(RIGHT, SpeedGoals::default()), &source(changing));
    assert!(complaint(&report).contains("it changed its input: `input[2222]`"), "{}", complaint(&report));
    let stray = "if (i < n) out[i] = 2 * in[i]; if (i == 0 && n > 10000) out[n + 100] = 1;";
    let report = judged(&exercise(RIGHT, SpeedGoals::default()), &source(stray));
    assert!(
        complaint(&report).contains("beyond the end of `output`, the first 400 bytes"),
        "{}",
        complaint(&report)
    );
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_kernel_that_uses_the_heap_is_not_timed() {
    let allocating = "int *p = (int *)malloc(8); if (p) *p = i; if (i < n) out[i] = 2 * in[i]; free(p);";
    let exercise = Twice { size: SMALL, ..exercise(RIGHT, SpeedGoals::default()) };
    let report = judged(&exercise, &source(allocating));
    assert!(complaint(&report).contains("malloc"), "{}", complaint(&report));
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_very_slow_kernel_ends_with_a_verdict() {
    // A block that waits for more than a second, once the input is large.
    let slow = "if (i < n) out[i] = 2 * in[i];\n\
                if (i == 0 && n > 10000) { long long end = clock64() + 2500000000ll; while (clock64() < end) {} }";
    let goals = SpeedGoals { pass_speedup: Some(1.1), ..SpeedGoals::default() };
    let begun = std::time::Instant::now();
    let report = judged(&exercise(RIGHT, goals), &source(slow));
    assert_eq!(goal(&report, Goal::Speedup), Verdict::Failed, "{report:#?}");
    assert!(begun.elapsed().as_secs() < 60);
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_reference_kernel_that_the_host_contradicts_is_the_judges_failure() {
    let exercise = Twice { factor: 3.0, ..exercise(RIGHT, SpeedGoals::default()) };
    let report = judged(&exercise, &source(RIGHT));
    assert!(report.judge_error.expect("it cannot judge").contains("the host computes"));
}

/// An exercise whose timed case is a product of matrices.
struct Multiply;

const EXTENTS: [usize; 3] = [1024, 2048, 4096];

fn multiply(_: &Case, _: u64) -> Plan {
    let [m, n, k] = EXTENTS;
    let mut plan = Plan::new();
    let random = |seed| Fill::Random { seed, low: -1.0, high: 1.0 };
    let a = plan.buffer("a", Element::F32, &[m, k], random(1));
    let b = plan.buffer("b", Element::F32, &[k, n], random(2));
    let c = plan.buffer("c", Element::F32, &[m, n], Fill::Uninitialized);
    let grid = [n.div_ceil(16), m.div_ceil(16)];
    plan.launch(Launch::new("kernel", grid, [16, 16]).buffers([a, b, c]).ints([m, n, k]));
    plan.expect_product(c, a, b, EXTENTS);
    plan
}

fn product_source(value: &str, wrong: &str) -> String {
    format!(
        "__device__ float value(float x) {{ return {value}; }}\n\
         extern \"C\" __global__ void kernel(const float *a, const float *b, float *c, int m, int n, int k) {{\n\
         int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;\n\
         float sum = 0;\n\
         for (int p = 0; p < k; p++) sum += value(a[row * k + p]) * value(b[p * n + column]);\n\
         {wrong}\n\
         c[row * n + column] = sum;\n}}\n"
    )
}

impl Exercise for Multiply {
    fn about(&self) -> About {
        let baseline = Baseline { source: leaked(product_source("x", "")), plan: multiply };
        About {
            id: "99-multiply",
            title: "Multiply",
            kernels: &["kernel"],
            baseline: Some(baseline),
            ..About::default()
        }
    }
    fn cases(&self) -> Vec<Case> {
        Case::list([("timed", On::GpuTimed)])
    }
    fn plan(&self, case: &Case, seed: u64, _: &Constants) -> Plan {
        multiply(case, seed)
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_large_product_is_verified_without_computing_it_again() {
    let report = judged(&Multiply, &product_source("x", ""));
    assert_eq!(goal(&report, Goal::Correct), Verdict::Passed, "{report:#?}");
    for (value, at_least) in [
        // TF32 keeps ten bits of the mantissa, bf16 seven.
        ("__int_as_float((__float_as_int(x) + 0x1000) & 0xFFFFE000)", 10.0),
        ("__int_as_float((__float_as_int(x) + 0x8000) & 0xFFFF0000)", 100.0),
    ] {
        let report = judged(&Multiply, &product_source(value, ""));
        let found = complaint(&report);
        eprintln!("{found}");
        // Few residuals may be too large for themselves; else all together are.
        let times = found.split(" times").next().and_then(|text| text.rsplit(' ').next());
        let times = times.and_then(|times| times.parse::<f64>().ok());
        assert!(found.contains("expected about") || times.is_some_and(|times| times > at_least), "{found}");
    }
    let one = "if (row == 777 && column == 1999) sum += 0.02f;";
    let report = judged(&Multiply, &product_source("x", one));
    assert!(complaint(&report).contains("`c[777][1999]` was"), "{}", complaint(&report));
    let nan = "if (row == 0 && column == 2047) sum = NAN;";
    let report = judged(&Multiply, &product_source("x", &nan.replace("NAN", "__int_as_float(0x7fffffff)")));
    assert!(complaint(&report).contains("`c[0][2047]` was NaN"), "{}", complaint(&report));
}
