//! The public entry: what a launch may ask for, what lives on between launches, what counters count.

use std::sync::Arc;

use proptest::prelude::*;
use warpsim::{Argument, Launch, LaunchError, LaunchReport, Module, Profile, Simulator, Status};

const PTX: &str = r#"
.version 8.0
.target sm_80
.address_size 64
.global .align 4 .u32 total;
.const .align 4 .u32 step = 3;
.visible .entry bump(.param .u64 out, .param .u32 by)
{
    .reg .b32 %r<4>;
    .reg .b64 %a;
    ld.param.u64 %a, [out];
    ld.param.u32 %r0, [by];
    ld.const.u32 %r1, [step];
    mul.lo.u32 %r0, %r0, %r1;
    atom.global.add.u32 %r2, [total], %r0;
    st.global.u32 [%a], %r2;
    ret;
}
.visible .entry strided(.param .u64 out, .param .u32 stride)
{
    .reg .b32 %r<4>;
    .reg .b64 %a<3>;
    .shared .align 4 .b8 tile[8192];
    ld.param.u32 %r0, [stride];
    mov.u32 %r1, %tid.x;
    mul.lo.u32 %r0, %r0, %r1;
    shl.b32 %r0, %r0, 2;
    mov.u32 %r2, tile;
    add.u32 %r2, %r2, %r0;
    st.shared.u32 [%r2], %r2;
    ld.shared.u32 %r3, [%r2];
    ld.param.u64 %a0, [out];
    mul.wide.u32 %a1, %r1, 4;
    add.s64 %a2, %a0, %a1;
    st.global.u32 [%a2], %r3;
    ret;
}
.visible .entry waits() .reqntid 64, 1, 1
{
    ret;
}
"#;

fn simulator() -> Simulator {
    let module = Arc::new(Module::load(PTX).expect("this is PTX"));
    Simulator::new(module, &Profile::A100)
}

fn launch(kernel: &str, block: u32, arguments: Vec<Argument>) -> Launch {
    Launch {
        kernel: kernel.into(),
        grid: [1; 3],
        block: [block, 1, 1],
        dynamic_shared: 0,
        arguments,
        cooperative: false,
        budget: 1_000_000,
    }
}

fn word(value: u32) -> Argument {
    Argument::Bytes(value.to_le_bytes().to_vec())
}

fn number(simulator: &Simulator, address: u64) -> u32 {
    let contents = simulator.read(address, 4).expect("four bytes");
    assert!(contents.uninitialised.is_empty());
    u32::from_le_bytes(contents.bytes.try_into().expect("four bytes"))
}

#[test]
fn memory_lives_on_between_launches() {
    let mut simulator = simulator();
    let out = simulator.allocate(4, "out");
    assert_eq!(simulator.read(out, 4).expect("four bytes").uninitialised, std::slice::from_ref(&(0..4)));
    let total = simulator.global_address("total").expect("a variable");
    simulator.write(total, &10u32.to_le_bytes()).expect("four bytes");
    for expected in [10, 16, 22] {
        let arguments = vec![Argument::Pointer { base: out, offset: 0 }, word(2)];
        let report = simulator.launch(&launch("bump", 1, arguments)).expect("a valid launch");
        assert_eq!((report.status, report.findings.len()), (Status::Finished, 0));
        assert_eq!(number(&simulator, out), expected);
    }
    assert_eq!(number(&simulator, total), 28);
}

#[test]
fn modules_tell_what_is_in_them() {
    let module = Module::load(PTX).expect("this is PTX");
    assert_eq!(module.kernels().map(|kernel| kernel.name).collect::<Vec<_>>(), ["bump", "strided", "waits"]);
    let bump = module.kernel("bump").expect("a kernel");
    assert_eq!(bump.parameters.iter().map(|p| (p.offset, p.bytes)).collect::<Vec<_>>(), [(0, 8), (8, 4)]);
    assert_eq!(module.global("step").expect("a variable").initial, 3u32.to_le_bytes());
    assert!(module.global("nothing").is_none());
    assert!(Module::load("this is not PTX").is_err());
}

#[test]
fn launches_that_a_gpu_refuses_are_refused() {
    let mut simulator = simulator();
    let mut refuse = |launch: Launch| simulator.launch(&launch).expect_err("a GPU refuses this");
    assert_eq!(
        refuse(launch("bumb", 1, vec![])).to_string(),
        "expected a kernel of this module (bump, strided, waits), found `bumb`"
    );
    assert!(matches!(
        refuse(launch("bump", 1, vec![word(1)])),
        LaunchError::ArgumentCount { expected: 2, found: 1, .. }
    ));
    assert!(matches!(
        refuse(launch("bump", 1, vec![word(1), word(1)])),
        LaunchError::ArgumentSize { index: 0, expected: 8, found: 4, .. }
    ));
    let pointer = || Argument::Pointer { base: 0, offset: 0 };
    let strided = |block| launch("strided", block, vec![pointer(), word(1)]);
    assert!(matches!(refuse(strided(1025)), LaunchError::BlockTooBig { .. }));
    assert!(matches!(refuse(strided(0)), LaunchError::Empty { .. }));
    assert!(matches!(refuse(launch("waits", 32, vec![])), LaunchError::BlockMismatch { .. }));
    let big = Launch { dynamic_shared: 163 * 1024 - 8191, ..strided(32) };
    assert!(matches!(refuse(big), LaunchError::TooMuchSharedMemory { static_bytes: 8192, .. }));
    let many = Launch { grid: [10_000, 1, 1], cooperative: true, ..launch("waits", 64, vec![]) };
    assert!(matches!(refuse(many), LaunchError::CooperativeGridTooBig { blocks: 10_000, .. }));
    let tall = Launch { grid: [1, 70_000, 1], ..launch("waits", 64, vec![]) };
    assert!(matches!(refuse(tall), LaunchError::GridTooBig { .. }));

    let module = Arc::new(Module::load(&PTX.replace("sm_80", "sm_90")).expect("this is PTX"));
    let mut older = Simulator::new(module, &Profile::A100);
    assert!(matches!(
        older.launch(&launch("waits", 64, vec![])),
        Err(LaunchError::TooNew { target: 90, has: 80, .. })
    ));
}

fn strided(stride: u32) -> LaunchReport {
    let mut simulator = simulator();
    let out = simulator.allocate(128, "out");
    let arguments = vec![Argument::Pointer { base: out, offset: 0 }, word(stride)];
    let report = simulator.launch(&launch("strided", 32, arguments)).expect("a valid launch");
    assert_eq!(report.status, Status::Finished);
    report
}

fn greatest_common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_stride_takes_its_greatest_common_divisor_with_32(stride in 1..65u32) {
        let counters = strided(stride).counters;
        let expected = u64::from(greatest_common_divisor(stride, 32));
        prop_assert_eq!(counters.shared_load_wavefronts, expected);
        prop_assert_eq!(counters.shared_store_wavefronts, expected);
        prop_assert_eq!(counters.shared_bank_conflicts(), 2 * (expected - 1));
    }
}

#[test]
fn one_word_for_all_is_a_broadcast() {
    let counters = strided(0).counters;
    assert_eq!((counters.shared_load_wavefronts, counters.shared_load_requests), (1, 1));
}

#[test]
fn what_overflows_every_product_is_refused() {
    let most = u32::MAX;
    let arguments = || vec![Argument::Bytes(vec![0; 8]), Argument::Bytes(vec![0; 4])];
    let mut asked = launch("bump", 1, arguments());
    asked.grid = [most; 3];
    let error = simulator().launch(&asked).expect_err("no such grid");
    assert!(matches!(error, LaunchError::GridTooBig { .. }), "{error}");
    let mut asked = launch("bump", 1, arguments());
    asked.block = [most; 3];
    let error = simulator().launch(&asked).expect_err("no such block");
    assert!(matches!(error, LaunchError::BlockTooBig { .. }), "{error}");
    for kernel in ["bump", "strided"] {
        let mut asked = launch(kernel, 1, arguments());
        asked.dynamic_shared = most;
        let error = simulator().launch(&asked).expect_err("no such shared memory");
        assert!(matches!(error, LaunchError::TooMuchSharedMemory { .. }), "{error}");
    }
}
