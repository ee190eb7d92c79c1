//! The public entry: what a launch may ask for, what lives on between launches, what counters count.

use std::sync::Arc;

use proptest::prelude::*;
use warpsim::{
    Argument, Counters, Launch, LaunchError, LaunchReport, LaunchStatus, Module, Profile, RequestKind,
    Resource, Simulator,
};

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
.visible .entry timed(.param .u64 out, .param .u32 stride)
{
    .reg .b32 %r<4>;
    .reg .b64 %a<3>;
    .reg .b64 %t<4>;
    .shared .align 4 .b8 tile[8192];
    ld.param.u32 %r0, [stride];
    mov.u32 %r1, %tid.x;
    mul.lo.u32 %r0, %r0, %r1;
    shl.b32 %r0, %r0, 2;
    mov.u32 %r2, tile;
    add.u32 %r2, %r2, %r0;
    mov.u64 %t0, %clock64;
    st.shared.u32 [%r2], %r2;
    mov.u64 %t1, %clock64;
    ld.shared.u32 %r3, [%r2];
    and.b32 %r3, %r3, %r3;
    mov.u64 %t2, %clock64;
    sub.s64 %t3, %t1, %t0;
    sub.s64 %t2, %t2, %t1;
    ld.param.u64 %a0, [out];
    st.global.u64 [%a0], %t3;
    st.global.u64 [%a0+8], %t2;
    ret;
}
.visible .entry arithmetic(.param .u64 out)
{
    .reg .pred %p;
    .reg .b32 %r<2>;
    .reg .f32 %f<3>;
    .reg .f64 %d<2>;
    .reg .b64 %a<2>;
    mov.u32 %r0, %tid.x;
    cvt.rn.f32.u32 %f0, %r0;
    add.rn.f32 %f1, %f0, %f0;
    fma.rn.f32 %f2, %f1, %f0, %f0;
    setp.lt.u32 %p, %r0, 8;
    @%p mul.rn.f32 %f2, %f2, %f1;
    cvt.f64.f32 %d0, %f2;
    div.rn.f64 %d1, %d0, %d0;
    max.f32 %f2, %f2, %f1;
    cvt.rn.f16x2.f32 %r1, %f2, %f1;
    fma.rn.f16x2 %r1, %r1, %r1, %r1;
    ld.param.u64 %a0, [out];
    mul.wide.u32 %a1, %r0, 64;
    add.s64 %a1, %a0, %a1;
    @%p st.global.u32 [%a1], %r1;
    ret;
}
.visible .entry overlaps(.param .u64 from)
{
    .reg .b32 %r<4>;
    .reg .b64 %a<3>;
    .reg .pred %p<1>;
    .shared .align 4 .b8 tile[256];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, tile;
    shl.b32 %r2, %r0, 2;
    add.u32 %r1, %r1, %r2;
    ld.param.u64 %a0, [from];
    mul.wide.u32 %a1, %r0, 4;
    add.s64 %a2, %a0, %a1;
    st.global.u32 [%a2], %r0;
    st.shared.u32 [%r1+128], %r0;
    cp.async.ca.shared.global [%r1], [%a2], 4;
    cp.async.commit_group;
    ld.shared.u32 %r3, [%r1+128];
    cp.async.wait_group 0;
    ld.shared.u32 %r3, [%r1];
    shfl.sync.down.b32 %r2, %r3, 1, 31, -1;
    setp.lt.u32 %p0, %r0, 8;
    vote.sync.any.pred %p0, %p0, -1;
    atom.global.add.u32 %r2, [%a2], %r3;
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
    Launch::new(kernel, [1; 3], [block, 1, 1], arguments).with_budget(1_000_000)
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
fn what_no_gpu_takes_of_clusters_is_refused() {
    let ptx = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry any() { ret; }\n\
               .visible .entry pairs() .explicitcluster .reqnctapercluster 2, 1, 1 { ret; }\n\
               .visible .entry few() .explicitcluster .maxclusterrank 4 { ret; }\n";
    let mut gpu = Simulator::new(Arc::new(Module::load(ptx).expect("this is PTX")), &Profile::H200);
    let mut tried = |kernel: &str, blocks: u32, cluster: Option<[u32; 3]>| {
        let launch = Launch::new(kernel, [blocks, 1, 1], [32, 1, 1], Vec::new()).with_cluster(cluster);
        gpu.launch(&launch).map(|report| report.resident_blocks)
    };
    assert_eq!(tried("any", 6, None), Ok(132 * 32));
    // What is left over of a cluster is not resident.
    assert_eq!(tried("any", 6, Some([3, 1, 1])), Ok(132 * 32));
    assert_eq!(tried("any", 5, Some([5, 1, 1])), Ok(132 * 32 - 4));
    assert_eq!(tried("pairs", 6, None), Ok(132 * 32));
    assert!(matches!(tried("pairs", 5, None), Err(LaunchError::ClusterMismatch { .. })));
    assert!(matches!(tried("any", 6, Some([1, 2, 1])), Err(LaunchError::ClusterMismatch { .. })));
    assert!(matches!(tried("any", 9, Some([9, 1, 1])), Err(LaunchError::ClusterSize { most: 8, .. })));
    assert!(matches!(tried("any", 9, Some([0, 1, 1])), Err(LaunchError::ClusterSize { .. })));
    assert!(matches!(tried("pairs", 6, Some([3, 1, 1])), Err(LaunchError::OtherCluster { .. })));
    assert!(matches!(tried("few", 8, Some([8, 1, 1])), Err(LaunchError::OtherCluster { .. })));
    assert!(matches!(tried("few", 8, None), Err(LaunchError::OtherCluster { .. })));
    assert!(tried("few", 8, Some([4, 1, 1])).is_ok());
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
        assert_eq!((report.status, report.findings.len()), (LaunchStatus::Finished, 0));
        assert_eq!(number(&simulator, out), expected);
    }
    assert_eq!(number(&simulator, total), 28);
}

#[test]
fn modules_tell_what_is_in_them() {
    let module = Module::load(PTX).expect("this is PTX");
    assert_eq!(
        module.kernels().map(|kernel| kernel.name).collect::<Vec<_>>(),
        ["bump", "strided", "timed", "arithmetic", "overlaps", "waits"]
    );
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
        "expected a kernel of this module (bump, strided, timed, arithmetic, overlaps, waits), found `bumb`"
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
    let big = strided(32).with_dynamic_shared(163 * 1024 - 8191);
    assert!(matches!(refuse(big), LaunchError::TooMuchSharedMemory { static_bytes: 8192, .. }));
    let mut many = launch("waits", 64, vec![]).with_cooperative(true);
    many.grid = [10_000, 1, 1];
    assert!(matches!(refuse(many), LaunchError::CooperativeGridTooBig { blocks: 10_000, .. }));
    let mut tall = launch("waits", 64, vec![]);
    tall.grid = [1, 70_000, 1];
    assert!(matches!(refuse(tall), LaunchError::GridTooBig { .. }));

    let clusters = |of: [u32; 3]| launch("waits", 64, vec![]).with_cluster(Some(of));
    assert!(matches!(refuse(clusters([2, 1, 1])), LaunchError::NoClusters { has: 80, .. }));

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
    assert_eq!(report.status, LaunchStatus::Finished);
    report
}

/// The line's worst request, lane by lane, and none where nobody asked for it.
#[test]
fn the_worst_request_of_a_line_is_kept_where_it_is_asked_for() {
    // Only what has a line is kept by lines.
    let (store, load) = ("    st.shared.u32 [%r2], %r2;\n", "    ld.shared.u32 %r3, [%r2];\n");
    let lines = PTX.replacen(".visible .entry", ".file 1 \"k.cu\"\n.visible .entry", 1).replacen(
        &format!("{store}{load}"),
        &format!(".loc 1 7 1\n{store}.loc 1 8 1\n{load}"),
        1,
    );
    let module = Arc::new(Module::load(&lines).expect("this is PTX"));
    let simulator = || Simulator::new(module.clone(), &Profile::A100);
    let run = |mut simulator: Simulator, stride: u32| {
        let out = simulator.allocate(128, "out");
        let mut launch =
            launch("strided", 32, vec![Argument::Pointer { base: out, offset: 0 }, word(stride)]);
        launch.grid = [200, 1, 1];
        simulator.launch(&launch).expect("a valid launch").worst_requests
    };
    assert_eq!(run(simulator(), 8), []);
    assert_eq!(run(simulator().with_worst_requests(), 1), []);
    let requests = run(simulator().with_threads(1).with_worst_requests(), 8);
    assert_eq!(requests, run(simulator().with_threads(4).with_worst_requests(), 8));
    let kinds: Vec<_> = requests.iter().map(|request| (request.place.line, request.kind)).collect();
    assert_eq!(kinds, [(7, RequestKind::Store), (8, RequestKind::Load)]);
    for request in requests {
        assert_eq!((request.block, request.warp, request.bytes), (0, 0, 4));
        assert_eq!((request.wavefronts.len(), request.ideal_wavefronts, request.conflicts()), (8, 1, 7));
        let start = request.offsets[0].expect("every lane takes part");
        assert!((0..32).all(|lane: u32| request.offsets[lane as usize] == Some(start + 32 * lane)));
        // Lanes 0, 4, 8 … are a whole round of the banks apart.
        let (bank, lanes) = request.busiest_bank().expect("lanes met in one");
        assert_eq!((bank, lanes), (start / 4 % 32, (0..8).map(|turn| vec![4 * turn]).collect()));
    }
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
fn operations_and_bytes_are_those_of_the_active_lanes() {
    let mut simulator = simulator();
    let out = simulator.allocate(32 * 64, "out");
    let arguments = vec![Argument::Pointer { base: out, offset: 0 }];
    let report = simulator.launch(&launch("arithmetic", 32, arguments)).expect("a valid launch");
    let counters = report.counters;
    // Addition, fused multiply-add, the multiplication of eight lanes, division, fused
    // multiply-add of two halves.
    assert_eq!(counters.floating_point_operations, 32 + 2 * 32 + 8 + 32 + 4 * 32);
    assert_eq!(counters.global_store_bytes, 8 * 4);
    assert_eq!(counters.global_bytes_moved(), 8 * 32);
    assert_eq!(counters.arithmetic_intensity(), Some(264.0 / 256.0));
    assert_eq!(counters.ptx_instructions, 16);
    assert_eq!(counters.simt_efficiency(), Some((14.0 * 32.0 + 2.0 * 8.0) / (16.0 * 32.0)));
}

#[test]
fn each_line_has_its_share_of_the_counters() {
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"k.cu\"\n.visible .entry k(.param .u64 out)\n{\n\
        .reg .b32 %r<4>;\n.reg .b64 %a<3>;\n.shared .align 4 .b8 tile[512];\n\
        .loc 1 2 5\nld.param.u64 %a0, [out];\nmov.u32 %r0, %tid.x;\n\
        .loc 1 3 5\nmul.wide.u32 %a1, %r0, 4;\nadd.s64 %a2, %a0, %a1;\nst.global.u32 [%a2], %r0;\n\
        .loc 1 5 9\nmov.u32 %r1, tile;\nshl.b32 %r2, %r0, 3;\nadd.u32 %r3, %r1, %r2;\nst.shared.u32 [%r3], %r0;\n\
        .loc 1 3 20\nld.global.u32 %r2, [%a2];\nret;\n}\n";
    let mut simulator = Simulator::new(Arc::new(Module::load(text).expect("valid PTX")), &Profile::A100);
    let out = simulator.allocate(2 * 32 * 4, "out");
    let arguments = vec![Argument::Pointer { base: out, offset: 0 }];
    let report =
        simulator.launch(&Launch::new("k", [1, 1, 1], [64, 1, 1], arguments)).expect("a valid launch");
    let lines: Vec<(&str, u32, u32)> = report
        .lines
        .iter()
        .map(|line| (line.place.file.as_str(), line.place.line, line.place.column))
        .collect();
    // In source order, whatever the columns, and each once.
    assert_eq!(lines, [("k.cu", 2, 0), ("k.cu", 3, 0), ("k.cu", 5, 0)]);
    let [parameters, global, shared] = &report.lines[..] else { unreachable!("three lines") };
    // Two warps.
    assert_eq!(parameters.counters.ptx_instructions, 2 * 2);
    assert_eq!(global.counters.ptx_instructions, 2 * 5);
    assert_eq!((global.counters.global_store_requests, global.counters.global_store_sectors), (2, 8));
    assert_eq!((global.counters.global_load_requests, global.counters.global_load_bytes), (2, 256));
    assert_eq!(global.counters.active_lanes, 2 * 5 * 32);
    assert_eq!((shared.counters.shared_store_wavefronts, shared.counters.shared_bank_conflicts()), (4, 2));
    assert_eq!(shared.counters.global_store_requests, 0);
    // Together they are the whole.
    let mut sum = Counters::default();
    for line in &report.lines {
        sum += line.counters;
    }
    // A block's loads are counted for the launch alone.
    sum.busiest_block_load_sectors = report.counters.busiest_block_load_sectors;
    assert_eq!(sum, report.counters);
}

#[test]
fn registers_limit_how_many_blocks_are_resident() {
    let with = |registers: Option<u32>, block: u32| {
        launch("arithmetic", block, vec![Argument::Bytes(vec![0; 8])]).with_registers(registers)
    };
    let occupancy = |registers| {
        let mut simulator = simulator();
        let out = simulator.allocate(512 * 64, "out");
        let arguments = vec![Argument::Pointer { base: out, offset: 0 }];
        let mut launch = with(registers, 512);
        launch.arguments = arguments;
        let report = simulator.launch(&launch).expect("a valid launch");
        assert_eq!(report.resident_blocks, 108 * report.occupancy.blocks);
        (report.occupancy.blocks, report.occupancy.limited_by)
    };
    assert_eq!(occupancy(None), (4, vec![Resource::Threads]));
    assert_eq!(occupancy(Some(32)), (4, vec![Resource::Threads, Resource::Registers]));
    assert_eq!(occupancy(Some(33)), (3, vec![Resource::Registers]));
    let refused = simulator().launch(&with(Some(65), 1024)).expect_err("a GPU refuses this");
    assert!(matches!(refused, LaunchError::TooManyRegisters { registers: 65, threads: 1024, .. }));
}

#[test]
fn exchanges_atomics_and_reads_behind_copies_are_counted() {
    let mut simulator = simulator();
    let from = simulator.allocate(128, "from");
    let arguments = vec![Argument::Pointer { base: from, offset: 0 }];
    let counters = simulator.launch(&launch("overlaps", 32, arguments)).expect("a valid launch").counters;
    assert_eq!(counters.exchange_requests, 2, "a shuffle and a vote");
    assert_eq!((counters.global_atomic_requests, counters.global_atomic_sectors), (1, 4));
    // Of two reads the second comes after the wait.
    assert_eq!((counters.shared_load_requests, counters.shared_load_requests_during_copies), (2, 1));
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

#[test]
fn loads_from_shared_memory_cost_what_was_said() {
    let mut simulator = simulator();
    let out = simulator.allocate(16, "times");
    let times = |simulator: &mut Simulator, stride: u32| -> [u64; 2] {
        let arguments =
            vec![Argument::Pointer { base: out, offset: 0 }, Argument::Bytes(stride.to_le_bytes().to_vec())];
        let report =
            simulator.launch(&Launch::new("timed", [1, 1, 1], [32, 1, 1], arguments)).expect("it runs");
        assert_eq!(report.counters.shared_load_wavefronts, u64::from(stride));
        let bytes = simulator.read(out, 16).expect("it is allocated").bytes;
        [0, 8].map(|at| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes")))
    };
    // The store's cycles and the load's with its use, each with the reading of the clock behind it.
    let [store, load] = times(&mut simulator, 1);
    assert_eq!((store, load), (2, 3));
    assert_eq!(times(&mut simulator, 4), [store + 3, load + 3]);
    simulator.set_load_cycles(vec![0, 10, 11, 100]);
    assert_eq!(times(&mut simulator, 1), [store, load]);
    assert_eq!(times(&mut simulator, 2), [store + 1, load + 10]);
    assert_eq!(times(&mut simulator, 4), [store + 3, load + 100]);
    assert_eq!(times(&mut simulator, 8), [store + 7, load + 7]);
}

const CLOCKS_AND_ARRAYS: &str = r#"
.version 8.0
.target sm_80
.address_size 64
.visible .entry impatient(.param .u64 out, .param .u32 stride)
{
    .reg .b32 %r<4>;
    .reg .b64 %a<3>;
    .reg .b64 %t<4>;
    .shared .align 4 .b8 tile[8192];
    ld.param.u32 %r0, [stride];
    mov.u32 %r1, %tid.x;
    mul.lo.u32 %r0, %r0, %r1;
    shl.b32 %r0, %r0, 2;
    mov.u32 %r2, tile;
    add.u32 %r2, %r2, %r0;
    st.shared.u32 [%r2], %r2;
    mov.u64 %t0, %clock64;
    ld.shared.u32 %r3, [%r2];
    mov.u64 %t1, %clock64;
    ld.shared.u32 %r1, [%r2];
    and.b32 %r3, %r3, %r3;
    mov.u64 %t2, %clock64;
    and.b32 %r1, %r1, %r1;
    mov.u64 %t3, %clock64;
    ld.param.u64 %a0, [out];
    sub.s64 %t1, %t1, %t0;
    sub.s64 %t2, %t2, %t0;
    sub.s64 %t3, %t3, %t0;
    st.global.u64 [%a0], %t1;
    st.global.u64 [%a0+8], %t2;
    st.global.u64 [%a0+16], %t3;
    ret;
}
.visible .entry spacious(.param .u64 out)
{
    .reg .b64 %a<2>;
    .local .align 4 .b8 own[400000];
    mov.u64 %a0, own;
    st.local.u32 [%a0], 1;
    ret;
}
"#;

/// A look at the clock behind a load says nothing of it before its value has been used; two loads take their
/// wavefronts one after the other.
#[test]
fn a_load_takes_no_time_before_its_value_is_used() {
    let module = Arc::new(Module::load(CLOCKS_AND_ARRAYS).expect("PTX"));
    let mut simulator = Simulator::new(module, &Profile::H200);
    let out = simulator.allocate(24, "times");
    let times = |simulator: &mut Simulator, stride: u32| -> [u64; 3] {
        let arguments = vec![Argument::Pointer { base: out, offset: 0 }, word(stride)];
        simulator.launch(&Launch::new("impatient", [1, 1, 1], [32, 1, 1], arguments)).expect("it runs");
        let bytes = simulator.read(out, 24).expect("it is allocated").bytes;
        [0, 8, 16].map(|at| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes")))
    };
    assert_eq!(times(&mut simulator, 1), [2, 5, 7]);
    simulator.set_load_cycles((0..32).map(|more| 100 * more).collect());
    let [at_once, first, both] = times(&mut simulator, 8);
    assert_eq!(at_once, 2, "nothing has been waited for");
    assert_eq!(first, 703);
    assert_eq!(both, 1403);
}

/// Local memory is set aside for every thread that the GPU can hold, as its driver does.
#[test]
fn local_memory_that_the_gpu_lacks_is_refused() {
    let module = Arc::new(Module::load(CLOCKS_AND_ARRAYS).expect("PTX"));
    let launch = |profile: &'static Profile| {
        let mut simulator = Simulator::new(module.clone(), profile);
        let out = simulator.allocate(4, "out");
        let arguments = vec![Argument::Pointer { base: out, offset: 0 }];
        simulator.launch(&Launch::new("spacious", [1; 3], [1; 3], arguments)).map(|report| report.status)
    };
    // 400 kB for each of 2048 threads on 132 multiprocessors are 108 GB, of 1536 on 128 are 79 GB.
    assert_eq!(launch(&Profile::H200), Ok(LaunchStatus::Finished));
    let error = launch(&Profile::RTX4090).expect_err("it has 24 GB");
    assert!(matches!(error, LaunchError::TooMuchLocalMemory { bytes: 400_000, .. }), "{error}");
}
