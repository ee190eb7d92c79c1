//! Cells remember the same readers whether an access comes as runs of words, many at once, or lane by lane;
//! and whether or not it was put off.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{
    super::{
        cells::Cells,
        order::BlockOrder,
        pattern::{self, Shape},
        shadow::{Conflict, CurrentAccess},
        time::Time,
    },
    *,
};

const WORDS: usize = 80;

#[derive(Clone, Debug)]
enum Step {
    Access { writes: bool, warp: u16, mask: u32, word: u32, stride: u32, wraps: u32, wide: bool, site: u32 },
    SyncWarp { warp: u16, mask: u32 },
    Barrier,
    Fence { warp: u16 },
}

fn step() -> impl Strategy<Value = Step> {
    let mask = prop_oneof![3 => Just(u32::MAX), 1 => any::<u32>().prop_map(|mask| mask | 1 << 9), 2 => (0u32..32).prop_map(|lane| 1 << lane)];
    let place = (0u32..8, 0u32..3, prop_oneof![Just(32u32), Just(16), Just(2)]);
    let access = (
        prop_oneof![4 => Just(false), 1 => Just(true)],
        0u16..3,
        mask.clone(),
        place,
        any::<bool>(),
        0u32..3,
    );
    prop_oneof![
        12 => access.prop_map(|(writes, warp, mask, (word, stride, wraps), wide, site)| {
            Step::Access { writes, warp, mask, word, stride, wraps, wide, site }
        }),
        2 => (0u16..3, mask).prop_map(|(warp, mask)| Step::SyncWarp { warp, mask }),
        1 => Just(Step::Barrier),
        1 => (0u16..3).prop_map(|warp| Step::Fence { warp }),
    ]
}

/// All that still counts of what a cell remembers.
fn remembered(cells: &Cells, dead: u32) -> Vec<impl PartialEq + std::fmt::Debug + use<>> {
    (0..WORDS)
        .map(|cell| {
            let alive = |stamp: u32| stamp > dead;
            let write = cells.write_of(cell);
            let reads = [cells.read_of(cell), cells.other_of(cell)];
            let reads = reads.iter().chain(cells.more_reads_of(cell)).filter(|read| alive(read.stamp));
            let reads: Vec<_> = reads.map(|read| (read.stamp, read.by, read.lanes)).collect();
            (alive(write.0).then_some(write), reads)
        })
        .collect()
}

/// Who is accused of racing with which site. Of an access of several words, which earlier thread stands
/// for a site is left open.
fn told(conflicts: &[Conflict]) -> BTreeSet<(usize, Site)> {
    let of = |conflict: &Conflict| {
        let site = conflict.other_site;
        crate::memory::lanes(conflict.lanes).map(move |lane| (lane, site)).collect::<Vec<_>>()
    };
    conflicts.iter().flat_map(of).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn runs_and_lanes_leave_the_same_readers(steps in prop::collection::vec(step(), 1..60), every_reader: bool) {
        let mut time = Time::new(false);
        time.begin();
        time.running = 0;
        let mut order = BlockOrder::new(96, every_reader);
        order.begin(0, time.now);
        time.tick();
        let (mut by_runs, mut by_lanes) = (Cells::new(WORDS), Cells::new(WORDS));
        for step in steps {
            match step {
                Step::Barrier => order.barrier(&mut time),
                // Who orders parts counts every reader.
                Step::SyncWarp { warp, mask } => order.sync_warp(&mut time, warp, if every_reader { mask } else { u32::MAX }),
                Step::Fence { warp } => order.fence(&mut time, warp, u32::MAX, Scope::Gpu, FenceKind::SequentiallyConsistent),
                Step::Access { writes, warp, mask, word, stride, wraps, wide, site } => {
                    let bytes = if wide { 8u8 } else { 4 };
                    let unit = u32::from(bytes);
                    let offsets: [u32; 32] =
                        std::array::from_fn(|lane| unit * (word + stride * lane as u32 % wraps) % (4 * WORDS as u32 - 8));
                    let shape = Shape::of(&pattern::relative(&offsets, mask), mask, bytes);
                    let first = offsets[mask.trailing_zeros() as usize];
                    let (mut conflicts, mut other_conflicts) = (Vec::new(), Vec::new());
                    if writes {
                        let mut closer = 0;
                        let mut current = CurrentAccess::of_own(&time, &order, warp, Site(site), &mut conflicts);
                        for words in shape.runs() {
                            let cell = first.wrapping_add(words.start) / 4;
                            if !(shape.is_exclusive() && by_runs.write_run(&current, cell as usize, words)) {
                                closer |= words.readers.iter().fold(0, |all, lanes| all | lanes);
                            }
                        }
                        let mut other = CurrentAccess::of_own(&time, &order, warp, Site(site), &mut other_conflicts);
                        for lane in crate::memory::lanes(mask) {
                            if closer >> lane & 1 == 1 {
                                by_runs.write(&mut current, offsets[lane], lane, bytes, false);
                            }
                            by_lanes.write(&mut other, offsets[lane], lane, bytes, false);
                        }
                    } else {
                        let mut current = CurrentAccess::of_own(&time, &order, warp, Site(site), &mut conflicts);
                        for words in shape.runs() {
                            let cell = first.wrapping_add(words.start) / 4;
                            by_runs.read_run(&mut current, cell as usize, words);
                        }
                        let mut current = CurrentAccess::of_own(&time, &order, warp, Site(site), &mut other_conflicts);
                        by_lanes.read(&mut current, &offsets, mask, bytes);
                    }
                    prop_assert_eq!(told(&conflicts), told(&other_conflicts));
                }
            }
            prop_assert_eq!(remembered(&by_runs, order.base), remembered(&by_lanes, order.base));
        }
    }
}
