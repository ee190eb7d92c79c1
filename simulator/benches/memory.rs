//! What one warp-wide memory access costs with all checks on.
//!
//! The pattern is a 16×16 tiled matmul's: each warp stores its two rows of both tiles, a barrier, sixteen
//! steps that read one word of A for each row (broadcast) and a row of B, a barrier.

use std::{hint::black_box, sync::Arc};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use warpsim::internals::{
    Access, AddressSpace, BlockMemory, Global, GlobalMemory, LaneWords, Order, Scope, SharedLayout, Site,
};

fn access(space: AddressSpace, site: u32, warp: u16, address: impl Fn(u64) -> u64) -> Access {
    Access {
        space,
        addresses: std::array::from_fn(|lane| address(lane as u64)),
        mask: u32::MAX,
        bytes: 4,
        order: Order::Weak,
        scope: Scope::Gpu,
        site: Site(site),
        warp,
    }
}

fn tiles(criterion: &mut Criterion) {
    let layout = SharedLayout::new(&[("a", 1024, 4), ("b", 1024, 4)], true);
    let (a, b) = (layout.offset("a").unwrap_or(0).into(), layout.offset("b").unwrap_or(0).into());
    let memory = {
        let mut memory = GlobalMemory::new();
        memory.begin_launch();
        memory
    };
    let mut block = BlockMemory::new(Arc::new(layout), 256, false);
    let mut group = criterion.benchmark_group("shared tile");
    let element = |start: u64, row: u64, column: u64| start + 4 * (16 * row + column);
    let stores: Vec<Access> = (0..8u16)
        .flat_map(|warp| {
            let at = move |start| move |lane: u64| element(start, 2 * u64::from(warp) + lane / 16, lane % 16);
            [access(AddressSpace::Shared, 1, warp, at(a)), access(AddressSpace::Shared, 2, warp, at(b))]
        })
        .collect();
    let loads: Vec<Access> = (0..8u16)
        .flat_map(|warp| {
            (0..16).flat_map(move |k| {
                [
                    access(AddressSpace::Shared, 3 + 2 * k as u32, warp, move |lane| {
                        element(a, 2 * u64::from(warp) + lane / 16, k)
                    }),
                    access(AddressSpace::Shared, 4 + 2 * k as u32, warp, move |lane| {
                        element(b, k, lane % 16)
                    }),
                ]
            })
        })
        .collect();
    let value = LaneWords::ZERO;
    let mut out = LaneWords::ZERO;
    let mut global = Global::Overlay(&memory);
    block.begin(&mut global, 0);
    group.throughput(Throughput::Elements((stores.len() + loads.len()) as u64));
    group.bench_function("accesses", |bencher| {
        bencher.iter(|| {
            for access in &stores {
                black_box(block.store(&mut global, access, &value));
            }
            block.barrier(&mut global);
            for access in &loads {
                black_box(block.load(&mut global, access, &mut out));
            }
            block.barrier(&mut global);
        });
    });
    group.finish();
    assert!(block.findings.is_empty());
}

fn rows(criterion: &mut Criterion) {
    let mut memory = GlobalMemory::new();
    let buffer = memory.allocate(1 << 20, "buffer");
    let _ = memory.write(buffer, &vec![1; 1 << 20]);
    memory.begin_launch();
    let mut block = BlockMemory::new(Arc::new(SharedLayout::default()), 256, false);
    let value = LaneWords::ZERO;
    let mut out = LaneWords::ZERO;
    let mut group = criterion.benchmark_group("global row");
    group.throughput(Throughput::Elements(512));
    for (name, shift) in [("aligned", 0), ("shifted by one", 4)] {
        let accesses: Vec<Access> = (0..512u64)
            .map(|row| {
                access(AddressSpace::Global, 1, (row % 8) as u16, move |lane| {
                    buffer + shift + 128 * row + 4 * lane
                })
            })
            .collect();
        group.bench_function(format!("load, {name}"), |bencher| {
            let mut global = Global::Overlay(&memory);
            bencher.iter(|| {
                block.begin(&mut global, 0);
                for access in &accesses {
                    black_box(block.load(&mut global, access, &mut out));
                }
            });
        });
        group.bench_function(format!("store, {name}"), |bencher| {
            let mut global = Global::Overlay(&memory);
            bencher.iter(|| {
                block.begin(&mut global, 0);
                for access in &accesses {
                    black_box(block.store(&mut global, access, &value));
                }
            });
        });
    }
    group.finish();
}

criterion_group!(benches, tiles, rows);
criterion_main!(benches);
