//! What holds for all inputs.

use proptest::prelude::*;

use super::*;
use crate::memory::{
    lanes,
    traffic::{
        Flow, Requested, Turn, Wavefronts, atomic_sectors, atomic_wavefronts, copied_sectors,
        copy_wavefronts, sectors, turns, wavefronts,
    },
};

/// Wavefronts of a load, taken and ideal.
fn load(offsets: &[u32; 32], mask: u32, bytes: u8) -> (u16, u16) {
    let Wavefronts { taken, ideal } = wavefronts(Flow::Load, offsets, mask, bytes);
    (taken, ideal)
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[test]
fn wavefronts_of_a_stride() {
    for stride in 0..200u32 {
        let offsets = std::array::from_fn(|lane| 4 * stride * lane as u32);
        let expected = if stride == 0 { 1 } else { gcd(stride, 32) };
        assert_eq!(load(&offsets, ALL, 4), (expected as u16, 1), "stride {stride}");
    }
}

#[test]
fn wavefronts_of_wider_elements() {
    let row = |bytes: u32| std::array::from_fn(|lane| bytes * lane as u32);
    assert_eq!(load(&row(8), ALL, 8), (2, 2));
    assert_eq!(load(&row(16), ALL, 16), (4, 4));
    assert_eq!(load(&row(8), 0xffff, 8), (1, 1));
    assert_eq!(load(&[64; 32], ALL, 8), (1, 1));
    // Bytes and halves of one word are one word.
    assert_eq!(load(&row(1), ALL, 1), (1, 1));
    assert_eq!(load(&row(2), ALL, 2), (1, 1));
    // A stride of two doubles: two-way in each half-warp.
    assert_eq!(load(&row(16), ALL, 8), (4, 2));
}

#[test]
fn stores_are_not_served_together() {
    let odd_lanes = 0xaaaa_aaaa;
    let offsets = std::array::from_fn(|lane| 32 * lane as u32);
    assert_eq!(wavefronts(Flow::Load, &offsets, odd_lanes, 16), Wavefronts { taken: 8, ideal: 2 });
    assert_eq!(wavefronts(Flow::Store, &offsets, odd_lanes, 16), Wavefronts { taken: 8, ideal: 4 });
}

#[test]
fn copies_take_turns_on_both_sides() {
    let from = |stride: u64, bytes: u64| std::array::from_fn(|lane| 4096 + stride * bytes * lane as u64);
    let to = |stride: u32, bytes: u32| std::array::from_fn(|lane| stride * bytes * lane as u32);
    let copy = |from: [u64; 32], to: [u32; 32], reading: u32, bytes: u8| {
        let Wavefronts { taken, ideal } = copy_wavefronts(&from, &to, (ALL, reading), bytes);
        (taken, taken - ideal)
    };
    // Launches of `grader/tests/counters/copy_to_shared_*.cu`: wavefronts and conflicts that ncu counted.
    assert_eq!(copy(from(1, 4), to(1, 4), ALL, 4), (1, 0), "distinct");
    assert_eq!(copy(from(8, 4), to(1, 4), ALL, 4), (8, 6), "from_stride_8");
    assert_eq!(copy(from(32, 4), to(1, 4), ALL, 4), (32, 24), "from_stride_32");
    assert_eq!(copy(from(0, 4), to(1, 4), ALL, 4), (32, 31), "from_same");
    assert_eq!(copy(from(1, 4), to(32, 4), ALL, 4), (32, 31), "to_stride_32");
    assert_eq!(copy(from(1, 4), to(33, 4), ALL, 4), (1, 0), "to_stride_33");
    assert_eq!(copy(from(8, 8), to(8, 8), ALL, 8), (16, 12), "both_stride_8");
    assert_eq!(copy(from(1, 16).map(|at| at + 48), to(1, 16), ALL, 16), (5, 0), "from_offset_3");
    assert_eq!(copy(from(1, 16), to(1, 16), 0x5555_5555, 16), (8, 0), "zeros_odd");
    assert_eq!(copy(from(1, 16), to(1, 16), 0, 16), (4, 0), "zeros_all");
    assert_eq!(copied_sectors(&from(1, 16), &to(1, 16), ALL), 16, "distinct");
    assert_eq!(copied_sectors(&from(2, 16), &to(1, 16), ALL), 16, "from_stride_2");
    assert_eq!(copied_sectors(&from(1, 16), &to(2, 16), ALL), 32, "to_stride_2");
    assert_eq!(copied_sectors(&from(0, 16), &to(1, 16), ALL), 16, "from_same");
}

#[test]
fn atomics_take_turns() {
    let stride = |words: u32| std::array::from_fn(|lane| 4 * words * lane as u32);
    let add = |offsets: [u32; 32], bytes| atomic_wavefronts(AtomicOp::Add, &offsets, ALL, bytes);
    assert_eq!(add(stride(1), 4), Wavefronts { taken: 1, ideal: 1 });
    assert_eq!(add(stride(0), 4), Wavefronts { taken: 32, ideal: 1 });
    assert_eq!(add(stride(2), 4), Wavefronts { taken: 2, ideal: 1 });
    assert_eq!(add(stride(2), 8), Wavefronts { taken: 2, ideal: 2 });
    // `shared_atomic_exch_16` and `shared_atomic_cas_16` of `grader/tests/counters`.
    let swap = |operation, offsets| atomic_wavefronts(operation, &offsets, ALL, 16);
    assert_eq!(swap(AtomicOp::Exchange, stride(4)), Wavefronts { taken: 4, ideal: 4 });
    assert_eq!(swap(AtomicOp::Exchange, stride(32)), Wavefronts { taken: 32, ideal: 4 });
    assert_eq!(swap(AtomicOp::CompareAndSwap, stride(8)), Wavefronts { taken: 16, ideal: 12 });
    assert_eq!(add(stride(4), 8), Wavefronts { taken: 4, ideal: 2 });
    let same = stride(0);
    assert_eq!(
        atomic_wavefronts(AtomicOp::CompareAndSwap, &same, ALL, 4),
        Wavefronts { taken: 64, ideal: 33 }
    );
    assert_eq!(atomic_wavefronts(AtomicOp::Count, &same, ALL, 4), Wavefronts { taken: 1, ideal: 1 });
    assert_eq!(atomic_wavefronts(AtomicOp::Count, &stride(32), ALL, 4), Wavefronts { taken: 32, ideal: 1 });
    let four: [u64; 32] = std::array::from_fn(|lane| (1 << 34) + 4 * (lane as u64 % 4));
    assert_eq!(atomic_sectors(&four, ALL, 4), 8);
    let pairs: [u64; 32] = std::array::from_fn(|lane| (1 << 34) + 4 * (lane as u64 / 2));
    assert_eq!(atomic_sectors(&pairs, ALL, 4), 4);
}

#[test]
fn sectors_of_a_stride() {
    let row = |bytes: u64| std::array::from_fn(|lane| (1 << 34) | (bytes * lane as u64));
    assert_eq!(sectors(&row(4), ALL, 4), 4);
    assert_eq!(sectors(&row(8), ALL, 4), 8);
    assert_eq!(sectors(&row(32), ALL, 4), 32);
    assert_eq!(sectors(&row(16), ALL, 16), 16);
    assert_eq!(sectors(&row(0), ALL, 4), 1);
    let shifted: [u64; 32] = std::array::from_fn(|lane| (1 << 34) + 4 + 4 * lane as u64);
    assert_eq!(sectors(&shifted, ALL, 4), 5);
}

/// (block, warp, mask, word, bytes as a power of two, value, is a store)
type Step = (usize, u16, u32, u64, u32, u32, bool);

fn steps() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(
        (0usize..3, 0u16..2, any::<u32>(), 0u64..96, 0u32..5, any::<u32>(), any::<bool>()),
        1..60,
    )
}

proptest! {
    /// Shifting by whole words moves banks around and changes no count.
    #[test]
    fn wavefronts_do_not_depend_on_the_start(offsets in prop::array::uniform32(0u32..2000), mask in 1u32.., shift in 0u32..64, size in 0u32..5) {
        let bytes = 1 << size;
        let aligned = offsets.map(|offset| offset & !(bytes - 1));
        let moved = aligned.map(|offset| offset + 16 * shift);
        for flow in [Flow::Load, Flow::Store] {
            prop_assert_eq!(wavefronts(flow, &aligned, mask, bytes as u8), wavefronts(flow, &moved, mask, bytes as u8));
        }
    }

    /// Who is served when is what is counted: as many turns, each active lane in one of them for each of its words, and a
    /// bank in each with one word.
    #[test]
    fn turns_are_the_wavefronts_that_are_counted(offsets in prop::array::uniform32(0u32..600), mask in 1u32.., size in 0u32..5) {
        let bytes = 1 << size;
        let offsets = offsets.map(|offset| offset & !(bytes - 1));
        let words = bytes.div_ceil(4);
        let is_whole = |turns: &[Turn], times: usize| {
            let mut served = [0; 32];
            let lanes_of = turns.iter().flat_map(|turn| turn.values().flatten());
            lanes_of.for_each(|&lane| served[lane as usize] += 1);
            let one_word = |bank: u32, of: &[u32]| {
                let word = |lane: u32| (offsets[lane as usize] >> 2..).take(words as usize).find(|word| word & 31 == bank);
                of.iter().all(|&lane| word(lane).is_some() && word(lane) == word(of[0]))
            };
            turns.iter().flatten().all(|(&bank, of)| one_word(bank, of))
                && (0..32).all(|lane| served[lane] == if mask >> lane & 1 == 1 { times * words as usize } else { 0 })
        };
        for flow in [Flow::Load, Flow::Store] {
            let turns = turns(Requested::Plain(flow), &offsets, mask, bytes as u8);
            prop_assert_eq!(turns.len(), usize::from(wavefronts(flow, &offsets, mask, bytes as u8).taken));
            prop_assert!(is_whole(&turns, 1));
        }
        for (operation, times) in [(AtomicOp::Add, 1), (AtomicOp::Count, 1), (AtomicOp::CompareAndSwap, 2)] {
            let turns = turns(Requested::Atomic(operation), &offsets, mask, bytes as u8);
            prop_assert_eq!(turns.len(), usize::from(atomic_wavefronts(operation, &offsets, mask, bytes as u8).taken));
            prop_assert!(is_whole(&turns, times));
        }
    }

    /// Publishing overlays in block order leaves what running the blocks one after another directly leaves.
    #[test]
    fn a_committed_overlay_equals_direct_writes(steps in steps()) {
        let layout = Arc::new(SharedLayout::default());
        let run = |parallel: bool| {
            let mut memory = GlobalMemory::new();
            let buffer = memory.allocate(2048, "buffer");
            memory.write(buffer, &vec![9; 777]).expect("in bounds");
            memory.begin_launch();
            let mut loaded = Vec::new();
            let mut blocks: Vec<BlockMemory> = Vec::new();
            for number in 0..3 {
                let mut block = BlockMemory::new(Arc::clone(&layout), 64, true);
                {
                    let mut global =
                        if parallel { Global::Overlay(&memory) } else { Global::Direct(&mut memory) };
                    block.begin(&mut global, number as u32);
                    for &(_, warp, mask, word, size, value, is_store) in steps.iter().filter(|step| step.0 == number) {
                        let bytes = 1u64 << size;
                        // Blocks keep apart, as parallel ones must.
                        let start = buffer + 640 * number as u64;
                        let access = Access {
                            space: InGlobal,
                            addresses: std::array::from_fn(|lane| start + (word * 4 + lane as u64 * bytes) % 624 / bytes * bytes),
                            mask,
                            bytes: bytes as u8,
                            order: Order::Weak,
                            scope: Scope::Gpu,
                            site: Site(1),
                            warp,
                        };
                        let mut words = LaneWords::ZERO;
                        if is_store {
                            for part in 0..4 {
                                words.words[part] = std::array::from_fn(|lane| value.wrapping_mul(1 + lane as u32 + 32 * part as u32));
                            }
                            for lane in lanes(value) {
                                words.set_undefined(0, lane, value.rotate_left(lane as u32) | value << 9);
                            }
                            block.store(&mut global, &access, &words);
                        } else {
                            block.load(&mut global, &access, &mut words);
                            loaded.push(words);
                        }
                    }
                }
                blocks.push(block);
            }
            let mut races = 0;
            for block in &mut blocks {
                if parallel {
                    memory.commit(block);
                }
                races += block.findings.list().iter().filter(|finding| finding.threads[0].block != finding.threads[1].block).count();
            }
            (memory.read(buffer, 2048).expect("in bounds"), memory.stored_undefined(buffer, 2048), loaded, races)
        };
        let (direct, parallel) = (run(false), run(true));
        prop_assert_eq!(direct.3, 0);
        prop_assert_eq!(direct, parallel);
    }

    /// Both kinds of launch find the same races between blocks, by place.
    #[test]
    fn parallel_and_interleaved_blocks_race_alike(steps in prop::collection::vec((0usize..3, 0u32..32, 0u64..6, any::<bool>()), 1..40)) {
        let layout = Arc::new(SharedLayout::default());
        let run = |parallel: bool| {
            let mut memory = GlobalMemory::new();
            let buffer = memory.allocate(64, "buffer");
            memory.write(buffer, &[0; 64]).expect("in bounds");
            memory.begin_launch();
            let mut words_raced = std::collections::BTreeSet::new();
            let mut blocks = Vec::new();
            for number in 0..3 {
                let mut block = BlockMemory::new(Arc::clone(&layout), 32, true);
                let mut global = if parallel { Global::Overlay(&memory) } else { Global::Direct(&mut memory) };
                block.begin(&mut global, number as u32);
                for (index, &(_, lane, word, is_store)) in steps.iter().enumerate().filter(|(_, step)| step.0 == number) {
                    let access = Access {
                        space: InGlobal,
                        addresses: [buffer + 4 * word; 32],
                        mask: 1 << lane,
                        bytes: 4,
                        order: Order::Weak,
                        scope: Scope::Gpu,
                        site: Site(index as u32),
                        warp: 0,
                    };
                    let mut words = LaneWords::ZERO;
                    words.words[0] = [1 + index as u32; 32];
                    if is_store {
                        block.store(&mut global, &access, &words);
                    } else {
                        block.load(&mut global, &access, &mut words);
                    }
                }
                blocks.push(block);
            }
            for block in &mut blocks {
                if parallel {
                    memory.commit(block);
                }
                for finding in block.findings.list() {
                    if finding.threads[0].block != finding.threads[1].block {
                        // Merged findings keep one example address: ask for the pair of sites instead.
                        words_raced.insert(steps[finding.site.map_or(0, |site| site.0) as usize].2);
                    }
                }
            }
            words_raced
        };
        prop_assert_eq!(run(false), run(true));
    }

    /// Cells of bytes accuse whom cells of words accuse, for whole-word accesses.
    #[test]
    fn word_and_byte_cells_agree(steps in prop::collection::vec((0u16..2, any::<u32>(), 0u64..40, any::<bool>(), 0u8..8), 1..40)) {
        let run = |split: bool| {
            let (mut world, _, tile) = World::new(1, 64);
            if split {
                let access = world.access(thread(0, 0), InShared, |_| tile + 4000, 1);
                world.do_load(thread(0, 0), &access);
            }
            world.site = 100;
            for &(warp, mask, word, is_store, sync) in &steps {
                let who = Who { block: 0, warp, mask };
                let address = |lane: u64| tile + 4 * (word + lane) % 256;
                if is_store {
                    world.store(who, InShared, address);
                } else {
                    world.load(who, InShared, address);
                }
                match sync {
                    0 => world.barrier(0),
                    1 => world.sync_warp(0, warp, ALL),
                    2 => world.sync_warp(0, warp, mask),
                    _ => {}
                }
            }
            world.findings().into_iter().cloned().collect::<Vec<_>>()
        };
        prop_assert_eq!(run(false), run(true));
    }
}
