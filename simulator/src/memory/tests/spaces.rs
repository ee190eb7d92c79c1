//! Addresses: bounds, alignment, initialisation, local frames, the host's view.

use super::*;
use crate::{
    finding::Space,
    findings::Findings,
    ir::SYSTEM_RESERVED,
    memory::{LOCAL_LIMIT, LOCAL_WINDOW, SHARED_WINDOW},
};

#[test]
fn past_the_end_is_named_with_its_distance() {
    let (mut world, buffer, _) = World::new(1, 32);
    world.global.rename(buffer, "argument 1");
    let access = world.access(warp(0, 0), InGlobal, |lane| buffer + 4096 - 124 + 4 * lane, 4);
    let (_, outcome) = world.do_load(warp(0, 0), &access);
    assert_eq!(outcome.faulted, 1 << 31);
    let finding = world.findings()[0].clone();
    assert_eq!((finding.kind, finding.count), (FindingKind::OutOfBounds, 1));
    let allocation = finding.allocation.expect("the nearest");
    assert_eq!((allocation.offset, allocation.distance), (4096, 4));
    assert_eq!(
        world.sentences(),
        [
            "Thread 31 of block 0 reads 4 bytes past the end of argument 1 (4096 bytes). Correct the index or the guard \
             (`if (i < n)`, with the number of elements): the last block usually has threads to spare."
        ]
    );
}

#[test]
fn before_the_start_and_null_have_their_own_words() {
    let (mut world, buffer, _) = World::new(1, 32);
    let access = world.access(thread(0, 3), InGlobal, |_| buffer - 8, 4);
    assert_eq!(world.do_store(thread(0, 3), &access, |_| 0).faulted, 8);
    let access = world.access(thread(0, 3), InGlobal, |_| 16, 4);
    assert_eq!(world.do_load(thread(0, 3), &access).1.faulted, 8);
    let sentences = world.sentences();
    assert!(
        sentences[0]
            .starts_with("Thread 3 of block 0 writes 8 bytes before the start of `buffer` (4096 bytes)."),
        "{sentences:?}"
    );
    assert!(
        sentences[1].starts_with("Thread 3 of block 0 reads through a null pointer plus 16."),
        "{sentences:?}"
    );
}

#[test]
fn what_the_system_keeps_is_zero_and_not_the_kernels() {
    let all = [("a", 4, 4), (SYSTEM_RESERVED, 1024, 16), ("b", 128, 4)];
    for red_zones in [false, true] {
        let layout = SharedLayout::new(&all, red_zones);
        assert_eq!(layout.packed_bytes, 132);
        let without = SharedLayout::new(&[all[0], all[2]], red_zones);
        assert_eq!(
            layout.variables[2].offset % 128,
            without.variables[1].offset % 128,
            "banks must not change"
        );
        for pair in layout.variables.windows(2) {
            assert!(pair[1].offset >= pair[0].offset + pair[0].bytes, "{layout:?}");
        }
        assert!(layout.arena_bytes >= layout.variables[2].offset + 128);
    }
    let layout = SharedLayout::new(&all, true);
    let offsets = [SYSTEM_RESERVED, "b"].map(|name| layout.offset(name).expect("it is there"));
    let mut global = GlobalMemory::new();
    global.begin_launch();
    let mut block = BlockMemory::new(Arc::new(layout), 32, true);
    for _ in 0..2 {
        block.begin(&mut Global::Direct(&mut global), 0);
        let poison = offsets.map(|offset| {
            let access = Access {
                space: InShared,
                addresses: [u64::from(offset); 32],
                mask: 1,
                bytes: 4,
                order: Order::Weak,
                scope: Scope::Gpu,
                site: Site(1),
                warp: 0,
            };
            let mut out = LaneWords::ZERO;
            block.load(&mut Global::Direct(&mut global), &access, &mut out);
            out.poison[0]
        });
        assert_eq!(poison, [0, 1]);
    }
}

#[test]
fn a_shared_variable_is_not_its_neighbour() {
    let layout = SharedLayout::new(&[("a", 4, 4), ("b", 128, 4), ("c", 64, 16)], true);
    let dense = SharedLayout::new(&[("a", 4, 4), ("b", 128, 4), ("c", 64, 16)], false);
    assert_eq!(dense.variables.iter().map(|v| v.offset).collect::<Vec<_>>(), [0, 4, 144]);
    assert_eq!(dense.packed_bytes, 208);
    assert_eq!(layout.packed_bytes, 208);
    for (padded, packed) in layout.variables.iter().zip(&dense.variables) {
        assert_eq!(padded.offset % 128, packed.offset % 128, "banks must not change");
    }
    for pair in layout.variables.windows(2) {
        assert!(pair[1].offset - (pair[0].offset + pair[0].bytes) >= 256);
    }
    let mut global = GlobalMemory::new();
    global.begin_launch();
    let b = u64::from(layout.offset("b").expect("it is there"));
    let mut block = BlockMemory::new(Arc::new(layout), 32, true);
    block.begin(&mut Global::Direct(&mut global), 0);
    let access = Access {
        space: InShared,
        addresses: [b + 128; 32],
        mask: 1,
        bytes: 4,
        order: Order::Weak,
        scope: Scope::Gpu,
        site: Site(1),
        warp: 0,
    };
    let outcome = block.store(&mut Global::Direct(&mut global), &access, &LaneWords::ZERO);
    assert_eq!(outcome.faulted, 1);
    let finding = &block.findings.list()[0];
    assert_eq!(finding.space, Some(Space::Shared));
    let allocation = finding.allocation.as_ref().expect("the nearest");
    assert_eq!((allocation.name.as_str(), allocation.distance), ("b", 4));
}

#[test]
fn misalignment_faults() {
    let (mut world, buffer, tile) = World::new(1, 32);
    let access = world.access(thread(0, 0), InGlobal, |_| buffer + 2, 4);
    assert_eq!(world.do_load(thread(0, 0), &access).1.faulted, 1);
    let access = world.access(thread(0, 0), InShared, |_| tile + 8, 16);
    assert_eq!(world.do_load(thread(0, 0), &access).1.faulted, 1);
    assert!(world.findings().iter().all(|finding| finding.kind == FindingKind::Misaligned));
    assert_eq!(world.findings().len(), 2);
}

#[test]
fn constants_are_read_only() {
    let (mut world, ..) = World::new(1, 32);
    let filter = world.global.allocate_in(Space::Constant, 64, "filter");
    world.global.write(filter, &[3; 64]).expect("in bounds");
    let access = world.access(warp(0, 0), AddressSpace::Constant, |_| filter, 4);
    let (out, outcome) = world.do_load(warp(0, 0), &access);
    assert_eq!((out.words[0][17], outcome.faulted), (0x0303_0303, 0));
    let access = world.access(thread(0, 0), Generic, |_| filter, 4);
    assert_eq!(world.do_store(thread(0, 0), &access, |_| 1).faulted, 1);
    assert!(
        world.sentences()[0].contains("`filter`, which kernels may only read"),
        "{:?}",
        world.sentences()
    );
}

#[test]
fn a_generic_access_may_mix_spaces() {
    let (mut world, buffer, tile) = World::new(1, 32);
    let local = world.blocks[0].push_local(0, ALL, 64, 4, 0).expect("there is room")[0];
    let address = |lane: u64| match lane % 3 {
        0 => buffer + 4 * lane,
        1 => SHARED_WINDOW + tile + 4 * lane,
        _ => LOCAL_WINDOW + lane * u64::from(LOCAL_LIMIT) + local + 4 * (lane % 16),
    };
    let access = world.access(warp(0, 0), Generic, address, 4);
    let outcome = world.do_store(warp(0, 0), &access, |lane| 100 + lane as u32);
    assert_eq!(outcome.faulted, 0);
    let traffic = outcome.traffic;
    assert_eq!((traffic.global_requests, traffic.shared_requests, traffic.local_requests), (1, 1, 1));
    let (out, _) = world.do_load(warp(0, 0), &access);
    assert_eq!(out.words[0], std::array::from_fn(|lane| 100 + lane as u32));
    assert_eq!(out.poison[0], 0);
    world.clean();
}

#[test]
fn what_nothing_wrote_is_poison() {
    let (mut world, _, tile) = World::new(1, 32);
    let out_buffer = world.global.allocate(10, "out");
    let access = world.access(warp(0, 0), InShared, |lane| tile + 8 * (lane % 4), 8);
    assert_eq!(world.do_load(warp(0, 0), &access).0.poison, [ALL, ALL, 0, 0]);
    world.barrier(0);
    let access = world.access(thread(0, 0), InShared, |_| tile + 1, 1);
    world.do_store(thread(0, 0), &access, |_| 5);
    let access = world.access(thread(0, 0), InShared, |_| tile, 4);
    // The other bytes of a word of which something was written stay undefined.
    let (out, _) = world.do_load(thread(0, 0), &access);
    assert_eq!((out.poison[0], out.undefined(0, 0)), (1, 0xffff_00ff));
    let access = world.access(thread(0, 0), InShared, |_| tile, 1);
    assert_eq!(world.do_load(thread(0, 0), &access).0.poison[0], 1);
    let access = world.access(thread(0, 0), InShared, |_| tile + 1, 1);
    let (out, _) = world.do_load(thread(0, 0), &access);
    assert_eq!((out.poison[0], out.words[0][0]), (0, 5));
    // A poisoned store leaves the bytes uninitialised, also for the host.
    let access = world.access(thread(0, 0), InGlobal, |_| out_buffer + 4, 4);
    world.do_store(thread(0, 0), &access, |_| 1);
    let access = world.access(thread(0, 0), InGlobal, |_| out_buffer, 4);
    let poisoned = LaneWords { poison: [1, 0, 0, 0], ..LaneWords::ZERO };
    world.blocks[0].store(&mut Global::Direct(&mut world.global), &access, &poisoned);
    let (_, undefined) = world.global.read(out_buffer, 10).expect("in bounds");
    assert_eq!(undefined, [0..4, 8..10]);
    world.clean();
}

#[test]
fn an_atomic_on_undefined_bytes_is_reported() {
    let (mut world, _, tile) = World::new(1, 32);
    world.atomic(warp(0, 0), InShared, tile, Order::Relaxed, Scope::Gpu);
    let kinds: Vec<FindingKind> = world.findings().iter().map(|finding| finding.kind).collect();
    assert_eq!(kinds, [FindingKind::UninitializedRead]);
    assert!(world.sentences()[0].contains("nothing has written it before"));
}

#[test]
fn the_host_reads_and_writes() {
    let mut global = GlobalMemory::new();
    let buffer = global.allocate(10, "buffer");
    assert_eq!(buffer % 256, 0);
    global.write(buffer + 1, &[1, 2, 3, 4, 5, 6]).expect("in bounds");
    let (bytes, undefined) = global.read(buffer, 10).expect("in bounds");
    assert_eq!(bytes, [0, 1, 2, 3, 4, 5, 6, 0, 0, 0]);
    assert_eq!(undefined, [0..1, 7..10]);
    let (bytes, undefined) = global.read(buffer + 5, 3).expect("in bounds");
    assert_eq!(bytes, [5, 6, 0], "from the middle of a word on");
    assert!(undefined.iter().eq([&(2..3)]), "{undefined:?}");
    assert_eq!(global.address_of("buffer"), Some(buffer));
    let error = global.write(buffer + 8, &[0; 4]).expect_err("too long");
    assert!(error.to_string().contains("`buffer` of 10 bytes"), "{error}");
    global.forget(buffer, 10).expect("in bounds");
    let (_, undefined) = global.read(buffer, 10).expect("in bounds");
    assert!(undefined.iter().eq([&(0..10)]), "{undefined:?}");
    assert!(global.release(buffer));
    assert!(global.read(buffer, 1).is_err());
    let other = global.allocate(1 << 20, "other");
    assert!(other > buffer);
    global.write(other, &vec![7; 1 << 20]).expect("in bounds");
}

#[test]
fn local_frames_nest_per_lane() {
    let (mut world, ..) = World::new(1, 32);
    let outer = world.blocks[0].push_local(0, ALL, 16, 8, 0).expect("there is room");
    let access = world.access(warp(0, 0), InLocal, |lane| outer[lane as usize] + 4, 4);
    world.do_store(warp(0, 0), &access, |lane| lane as u32);
    let inner = world.blocks[0].push_local(0, 0xf, 16, 8, 1).expect("there is room");
    assert_ne!(inner[0], outer[0]);
    let access = world.access(Who { block: 0, warp: 0, mask: 0xf }, InLocal, |lane| inner[lane as usize], 4);
    assert_eq!(world.do_load(warp(0, 0), &access).0.poison[0], 0xf);
    world.do_store(warp(0, 0), &access, |_| 9);
    world.blocks[0].pop_local(0, 0xf, 1);
    let access = world.access(warp(0, 0), InLocal, |lane| outer[lane as usize] + 4, 4);
    assert_eq!(world.do_load(warp(0, 0), &access).0.words[0][3], 3);
    let access = world.access(thread(0, 2), InLocal, |_| outer[2] + 16, 4);
    assert_eq!(world.do_load(thread(0, 2), &access).1.faulted, 4);
    assert!(
        world.sentences()[0].contains("4 bytes past the end of local memory (16 bytes)"),
        "{:?}",
        world.sentences()
    );
    assert!(world.blocks[0].push_local(0, 1, 600 * 1024, 8, 1).is_err());
}

#[test]
fn findings_merge_and_resolve() {
    let (mut world, _, tile) = World::new(2, 64);
    for block in 0..2 {
        for _ in 0..3 {
            world.site = 0;
            world.store(warp(block, 0), InShared, |lane| tile + 4 * lane);
            world.load(warp(block, 1), InShared, |lane| tile + 4 * lane);
            world.barrier(block);
        }
    }
    let mut all = Findings::new();
    for block in &mut world.blocks {
        all.absorb(&mut block.findings);
    }
    let place = |site: Site| {
        Some(crate::source::Place { file: "kernel.cu".to_owned(), line: 10 * site.0, column: 3 })
    };
    let findings = all.finish([2, 1, 1], [16, 4, 1], place);
    assert_eq!(findings.len(), 1);
    let finding = &findings[0];
    assert_eq!(finding.count, 2 * 3 * 32);
    assert_eq!(finding.place.as_ref().map(|place| place.line), Some(20));
    assert_eq!(finding.other.as_ref().map(|place| place.line), Some(10));
    assert_eq!(finding.threads[0].thread, [0, 2, 0]);
    assert_eq!(
        finding.message,
        "Thread (0, 2) of block 0 reads byte 0 of `tile`, and thread 0 wrote it, with no barrier between the two: either may \
         come first. Put `__syncthreads()` between these lines, where every thread of the block passes it."
    );
}
