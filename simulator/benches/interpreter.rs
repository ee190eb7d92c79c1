//! Simulated warp instructions per second, and blocks per second where blocks communicate; one
//! host thread, all checks on.
//!
//! `cargo bench -p warpsim`; throughput is printed as elements per second, an element
//! being one warp instruction.

use std::{hint::black_box, sync::Arc};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use warpsim::{Argument, Launch, LaunchReport, Module, Profile, Schedules, Simulator};

struct Subject {
    simulator: Simulator,
    launch: Launch,
}

impl Subject {
    fn run(&mut self) -> LaunchReport {
        self.simulator.launch(&self.launch).expect("a launch that a GPU accepts")
    }
}

/// The tiled product of two n × n matrices with 16 × 16 tiles; `checked` or `optimised`
/// says how it was compiled.
fn product(ptx: &str) -> Subject {
    const N: u32 = 128;
    let module = Arc::new(Module::load(ptx).expect("the kernel is PTX"));
    let mut simulator = Simulator::new(module, &Profile::H200);
    let mut buffer = |name: &str, filled: bool| {
        let bytes = 4 * N * N;
        let address = simulator.allocate(bytes.into(), name);
        if filled {
            let values: Vec<u8> = (0..N * N).flat_map(|i| ((i % 97) as f32).to_le_bytes()).collect();
            simulator.write(address, &values).expect("a buffer of this size");
        }
        Argument::Pointer { base: address, offset: 0 }
    };
    let arguments = vec![
        buffer("a", true),
        buffer("b", true),
        buffer("c", false),
        Argument::Bytes(N.to_le_bytes().to_vec()),
    ];
    let launch = Launch::new("tiled", [N / 16, N / 16, 1], [16, 16, 1], arguments).with_budget(u64::MAX);
    Subject { simulator, launch }
}

/// The product of two matrices of bfloat16 by tensor cores (`tensor/product.cu`), in two by two blocks.
fn tensor_product() -> Subject {
    const N: u32 = 256;
    let module = Arc::new(Module::load(include_str!("tensor/optimised.ptx")).expect("the kernel is PTX"));
    let mut simulator = Simulator::new(module, &Profile::H200);
    let mut buffer = |name: &str, bytes: u32, filled: bool| {
        let address = simulator.allocate(u64::from(bytes * N * N), name);
        if filled {
            // From 1 to 1.9, in steps of an eighth.
            let values: Vec<u8> =
                (0..N * N).flat_map(|i| (0x3F80 + (i % 8 * 16) as u16).to_le_bytes()).collect();
            simulator.write(address, &values).expect("a buffer of this size");
        }
        Argument::Pointer { base: address, offset: 0 }
    };
    let arguments = vec![
        buffer("a", 2, true),
        buffer("b", 2, true),
        buffer("c", 4, false),
        Argument::Bytes(N.to_le_bytes().to_vec()),
    ];
    let launch = Launch::new("product", [N / 128, N / 128, 1], [256, 1, 1], arguments).with_budget(u64::MAX);
    Subject { simulator, launch }
}

/// Eight chains of fused multiply-adds, and nothing else to speak of.
fn multiply_add() -> Subject {
    let mut body = String::new();
    for step in 0..64 {
        let register = step % 8;
        body += &format!("fma.rn.f32 %f{register}, %f{register}, %f8, %f9;\n");
    }
    let ptx = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry fma(.param .u64 out)\n{{\n.reg .pred %p;\n\
         .reg .f32 %f<10>;\n.reg .b32 %r<3>;\n.reg .b64 %a<3>;\nld.param.u64 %a0, [out];\nmov.u32 %r0, %tid.x;\n\
         cvt.rn.f32.u32 %f0, %r0;\n{}mov.f32 %f8, 0f3F7FFFFE;\nmov.f32 %f9, 0f3A83126F;\nmov.u32 %r1, 0;\n$L:\n{body}\
         add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p, %r1, 500;\n@%p bra $L;\nmul.wide.u32 %a1, %r0, 4;\n\
         add.s64 %a2, %a0, %a1;\nst.global.f32 [%a2], %f0;\nret;\n}}\n",
        (1..8).map(|i| format!("mov.f32 %f{i}, %f0;\n")).collect::<String>()
    );
    let module = Arc::new(Module::load(&ptx).expect("the kernel is PTX"));
    let mut simulator = Simulator::new(module, &Profile::H200);
    let out = simulator.allocate(4 * 256, "out");
    let launch = Launch::new("fma", [1; 3], [256, 1, 1], vec![Argument::Pointer { base: out, offset: 0 }])
        .with_budget(u64::MAX);
    Subject { simulator, launch }
}

/// Blocks that reach each other through atomics: what costs is knowing who knows of whom.
fn many_blocks(kernel: &str, blocks: u32) -> Subject {
    let module = Arc::new(
        Module::load(include_str!("../tests/footprint/optimised.ptx")).expect("the kernels are PTX"),
    );
    // Each launch alone: other orders of the blocks would multiply it.
    let mut simulator = Simulator::new(module, &Profile::H200).with_schedules(Schedules::Only(0));
    let mut buffer = |words: u32| {
        let base = simulator.allocate(4 * u64::from(words), "buffer");
        simulator.write(base, &vec![0; 4 * words as usize]).expect("a buffer of this size");
        Argument::Pointer { base, offset: 0 }
    };
    let words = 256 * blocks;
    let arguments = match kernel {
        "arrivals" => vec![buffer(words), buffer(1)],
        "bins" => vec![buffer(words), buffer(256), Argument::Bytes(words.to_le_bytes().to_vec())],
        _ => vec![buffer(words), buffer(words), buffer(2 * blocks + 3)],
    };
    let launch = Launch::new(kernel, [blocks, 1, 1], [256, 1, 1], arguments).with_budget(u64::MAX);
    Subject { simulator, launch }
}

impl Subject {
    /// The state of the scan begins at zero each time.
    fn reset(&mut self) {
        if let ("scan", Some(Argument::Pointer { base, .. })) =
            (self.launch.kernel.as_str(), self.launch.arguments.last())
        {
            let bytes = vec![0; 4 * (2 * self.launch.grid[0] as usize + 3)];
            self.simulator.write(*base, &bytes).expect("a buffer of this size");
        }
    }
}

/// Per block: near-linear cost would be the same at every size.
fn communicating(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("many_blocks");
    group.sample_size(10);
    for kernel in ["arrivals", "bins", "scan"] {
        for blocks in [64, 512, 2048] {
            group.throughput(Throughput::Elements(blocks.into()));
            // Made only if it is asked for: the large ones take seconds.
            group.bench_function(format!("{kernel}/{blocks}"), |bencher| {
                let mut subject = many_blocks(kernel, blocks);
                bencher.iter(|| {
                    subject.reset();
                    let report = black_box(subject.run());
                    assert!(report.findings.is_empty(), "{kernel}: {:?}", report.findings);
                });
            });
        }
    }
    group.finish();
}

fn interpreter(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("warp_instructions");
    group.sample_size(10);
    for (name, mut subject) in [
        ("tiled_product_optimised", product(include_str!("tiled_optimised.ptx"))),
        ("tensor_product", tensor_product()),
        ("tiled_product_checked", product(include_str!("../tests/pass/compiled/tiled_product.ptx"))),
        ("multiply_add", multiply_add()),
    ] {
        let report = subject.run();
        assert!(report.findings.is_empty(), "{name}: {:?}", report.findings);
        group.throughput(Throughput::Elements(report.counters.ptx_instructions));
        group.bench_function(name, |bencher| bencher.iter(|| black_box(subject.run())));
    }
    group.finish();
}

criterion_group!(benches, interpreter, communicating);
criterion_main!(benches);
