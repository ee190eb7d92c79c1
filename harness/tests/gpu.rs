//! The GPU device, on a real GPU: what a kernel does to it must be seen, and the next job must work.
//!
//! Ignored, because most machines and the project's continuous tests have no GPU. Where there is one:
//! `cargo test -p harness --test gpu -- --ignored`.

use std::sync::LazyLock;

use harness::{
    compiler::{CompileRequest, compile},
    device::{Code, Execution, GpuInfo, Job, Request, Status, Target, worker::GpuSession},
    measure::{self, MeasureLimits, Thresholds, Variant},
    plan::{Argument, Bytes, Element, Fill, Launch, Plan, Step, Tolerance},
    report::Verdict,
    toolchain::{CompilerChoice, Progress, Toolchain},
};

#[test]
fn __worker() {
    harness::worker::intercept();
}

static GPU: LazyLock<GpuInfo> = LazyLock::new(|| {
    let gpus = harness::judge::gpus().unwrap_or_else(|why| panic!("these tests need an NVIDIA GPU: {why}"));
    gpus.into_iter().next().expect("the list of GPUs is never empty")
});

static TOOLCHAIN: LazyLock<Toolchain> = LazyLock::new(|| {
    let gpu = Some(GPU.needs());
    Toolchain::locate_or_install(&CompilerChoice::Pinned, gpu, Progress::Terminal)
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
    plan.launch(Launch {
        kernel: "kernel".into(),
        grid: [N.div_ceil(256) as u32, 1, 1],
        block: [256, 1, 1],
        dynamic_shared: 0,
        arguments: vec![Argument::buffer(from), Argument::buffer(to), Argument::scalar(N as i32)],
        cooperative: false,
    });
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
        jobs: vec![Job { plan, budget: 1, seconds: 2.0 }],
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
    assert_eq!(execution.status, Status::Finished);
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
    assert_eq!(execution.status, Status::Finished);
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
            Status::Faulted(why) => assert!(why.contains(name), "{body}: {why}"),
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
    assert!(matches!(execution.status, Status::Unfinished(_)), "{:?}", execution.status);
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
        matches!(&execution.status, Status::Faulted(why) if why.contains("launch of `kernel` failed")),
        "{execution:?}"
    );
    let execution = run(&mut session, gpu, "extern \"C\" __global__ void kernel(int *out) {}", plan(1));
    assert!(matches!(&execution.status, Status::Faulted(why) if why.contains("takes [8]")), "{execution:?}");
    let execution = run(&mut session, gpu, "extern \"C\" __global__ void other(int *out) {}", plan(1));
    assert!(matches!(&execution.status, Status::Faulted(why) if why.contains("no kernel")), "{execution:?}");
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
        jobs: vec![Job { plan: plan(3), budget: 1, seconds: 2.0 }],
        secret: 1,
    });
    assert_eq!(execution.status, Status::Finished, "{execution:?}");
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
    assert_eq!(execution.status, Status::Finished, "{execution:?}");
    let execution = run(&mut session, gpu, kernel, cooperative(4096));
    let Status::Faulted(why) = &execution.status else {
        panic!("too many blocks were accepted: {execution:?}")
    };
    assert!(why.contains("cooperative launch"), "{why}");
}

fn measure_against(
    gpu: &GpuInfo,
    kernel: &str,
    baseline: &str,
    thresholds: Thresholds,
) -> Result<measure::Measured, measure::Stopped> {
    measure_sized(1 << 26, gpu, kernel, baseline, thresholds)
}

fn measure_sized(
    size: usize,
    gpu: &GpuInfo,
    kernel: &str,
    baseline: &str,
    thresholds: Thresholds,
) -> Result<measure::Measured, measure::Stopped> {
    let make = |seed: u64| {
        let mut plan = Plan::new();
        let input: Vec<i32> = harness::fill::values(size, seed, -1e6, 1e6);
        let expected: Vec<i32> = input.iter().map(|value| value.wrapping_mul(2)).collect();
        let from = plan.buffer("input", Element::I32, &[size], Fill::Data(Bytes::of(&input)));
        let to = plan.buffer("output", Element::I32, &[size], Fill::Uninitialized);
        plan.launch(Launch {
            kernel: "kernel".into(),
            grid: [(size / 256) as u32, 1, 1],
            block: [256, 1, 1],
            dynamic_shared: 0,
            arguments: vec![Argument::buffer(from), Argument::buffer(to), Argument::scalar(size as i32)],
            cooperative: false,
        });
        plan.expect(to, Bytes::of(&expected), Tolerance::Exact);
        plan.minimum_bytes = 8 * size as u64;
        plan
    };
    let probes = include_str!("../../kernels/probes.cu");
    GpuSession::new().measure(measure::Request {
        uuid: gpu.uuid.clone(),
        kernel: code(kernel, gpu),
        baseline: code(baseline, gpu),
        probes: code(probes, gpu),
        variants: (1..3).map(|seed| Variant::new(make(seed), make(seed))).collect(),
        thresholds,
        limits: MeasureLimits::default(),
        secret: 7,
    })
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_copy_runs_at_the_roof_and_strided_access_is_slower() {
    let gpu = &*GPU;
    let strided = "int j = (int)((i * 33ll) & (n - 1)); out[j] = 2 * in[j];";
    let thresholds =
        Thresholds { pass_speedup: Some(1.5), expert_speedup: Some(100.0), expert_roof_share: None };
    let measured =
        measure_against(gpu, &source(RIGHT), &source(strided), thresholds).expect("it can be measured");
    eprintln!("{measured:#?}");
    assert_eq!(measured.pass, Some(Verdict::Passed));
    assert_eq!(measured.expert, Some(Verdict::Failed));
    let share = measured.roof_share.expect("large enough").median;
    assert!((0.6..1.1).contains(&share), "{share}");
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_kernel_against_itself_is_no_faster() {
    let gpu = &*GPU;
    let thresholds = Thresholds { pass_speedup: Some(1.1), ..Thresholds::default() };
    let measured =
        measure_against(gpu, &source(RIGHT), &source(RIGHT), thresholds).expect("it can be measured");
    eprintln!("{measured:#?}");
    assert_ne!(measured.pass, Some(Verdict::Passed));
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn what_a_module_keeps_is_put_back_before_each_timed_run() {
    let gpu = &*GPU;
    // Right once only, unless the counter is set back to zero.
    let once = "__shared__ int old; if (threadIdx.x == 0) old = atomicAdd(&counter, 1); __syncthreads();\n\
                if (i < n) out[i] = old < gridDim.x ? 2 * in[i] : 0;";
    let measured = measure_against(gpu, &source(once), &source(RIGHT), Thresholds::default());
    assert!(measured.is_ok(), "{measured:?}");
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_kernel_that_is_wrong_only_when_timed_is_caught() {
    let gpu = &*GPU;
    let wrong = "if (i < n) out[i] = 2 * in[i] + (i == 12345);";
    let measured = measure_against(gpu, &source(wrong), &source(RIGHT), Thresholds::default());
    assert!(matches!(measured, Err(measure::Stopped::Kernel(_))), "{measured:?}");
}

/// Elements of a plan whose memory, and all copies of it, lie in one page of the device.
const SMALL: usize = 1024;

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn writing_to_the_judges_copies_is_caught() {
    let gpu = &*GPU;
    // Looks through the page for another piece of memory with the same input, and writes where its output is.
    let tampering = "if (i < n) out[i] = 2 * in[i];\n\
                     if (i == 0) {\n\
                       char *page = (char *)((unsigned long long)in & ~0x1fffffULL);\n\
                       for (int at = 0; at < 0x200000; at += 256) {\n\
                         const volatile int *other = (const volatile int *)(page + at);\n\
                         if ((const int *)other != in && other[0] == in[0] && other[77] == in[77] && other[900] == in[900])\n\
                           *(volatile int *)((char *)other + ((char *)out - (char *)in)) = 2 * in[0];\n\
                       }\n\
                     }";
    let measured = measure_sized(SMALL, gpu, &source(tampering), &source(RIGHT), Thresholds::default());
    let Err(measure::Stopped::Kernel(why)) = &measured else { panic!("{measured:?}") };
    assert!(why.contains("memory of the judge"), "{why}");
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_kernel_that_uses_the_heap_is_not_timed() {
    let gpu = &*GPU;
    let allocating = "int *p = (int *)malloc(8); if (p) *p = i; if (i < n) out[i] = 2 * in[i]; free(p);";
    let measured = measure_sized(SMALL, gpu, &source(allocating), &source(RIGHT), Thresholds::default());
    assert!(
        matches!(&measured, Err(measure::Stopped::Kernel(why)) if why.contains("malloc")),
        "{measured:?}"
    );
}
