//! What a right kernel's counters cannot exceed, by how its compaction goes.

use harness::{
    exercise::{Counter, CounterBound},
    report::number_of,
    traffic::{LANES, RAGGED_SECTORS, sectors},
};

use crate::{Shape, Way};

/// Sectors that a segment may read of what others tell it. A warp that looks at 32 of them needs 8, and looks again while
/// it waits.
const SECTORS_PER_LOOK_BACK: usize = 64;
/// Sectors that a segment may write for the others: its ticket, its number and the number up to its end.
const SECTORS_TOLD: usize = 3;

/// What some launches need at the most.
#[derive(Clone, Copy)]
struct Work {
    /// Sectors of global memory.
    loads: usize,
    stores: usize,
    launches: usize,
    /// Segments that are scanned.
    segments: usize,
}

impl Work {
    /// A scan of n elements on all its levels.
    fn of_scan(shape: Shape, n: usize) -> Self {
        let levels = shape.levels(n);
        // On all levels but the last, elements are read and written once more.
        let added = &levels[..levels.len() - 1];
        let sectors_of = |levels: &[usize]| -> usize { levels.iter().map(|&n| sectors(0..n)).sum() };
        let segments: usize = levels.iter().map(|&n| shape.segments(n)).sum();
        // Every warp of a segment's block reads the offset.
        let offsets: usize = added.iter().map(|&n| shape.segments(n) * shape.block / LANES).sum();
        let elements = sectors_of(&levels) + sectors_of(added);
        Work {
            loads: elements + offsets,
            stores: elements + segments,
            launches: levels.len() + added.len(),
            segments,
        }
    }

    /// `mark`, `compact`, and the scan between them.
    fn of_compaction(shape: Shape, n: usize) -> Self {
        let (input, segments, warps) = (sectors(0..n), shape.segments(n), n.div_ceil(LANES));
        // What a warp writes side by side begins anywhere.
        let kept = input + 2 * warps + 1;
        match shape.way {
            Way::Marks => {
                let scan = Work::of_scan(shape, n);
                Work {
                    loads: scan.loads + 3 * input + 2,
                    stores: scan.stores + input + kept,
                    launches: scan.launches + 2,
                    ..scan
                }
            }
            Way::Counts => {
                let scan = Work::of_scan(shape, segments);
                Work {
                    loads: scan.loads + 2 * input + segments * shape.block / LANES,
                    stores: scan.stores + segments + kept,
                    launches: scan.launches + 2,
                    // Both kernels add up the segments themselves.
                    segments: scan.segments + 2 * segments,
                }
            }
            Way::OnePass => Work {
                loads: input + segments * SECTORS_PER_LOOK_BACK,
                stores: sectors(0..shape.told(n)) + segments * SECTORS_TOLD + kept,
                launches: 2,
                segments,
            },
        }
    }
}

/// The bounds of a case that scans n elements and compacts them.
pub(super) fn of(shape: Shape, n: usize) -> Vec<CounterBound> {
    let (scan, compaction) = (Work::of_scan(shape, n), Work::of_compaction(shape, n));
    let sum = |of: fn(&Work) -> usize| of(&scan) + of(&compaction);
    let (scanned, launches) = (sum(|work| work.segments), sum(|work| work.launches));
    let scans = number_of(scanned, "scan") + " of a segment";
    let ragged = launches * RAGGED_SECTORS;
    let (reads, exchanges) = (shared_loads(shape.segment), exchanges(shape.segment));
    let moved = 4 * (2 * n).div_ceil(LANES);
    let tickets = if shape.way == Way::OnePass { shape.segments(n) } else { 0 };
    let passed = match shape.way {
        Way::Marks => "two scans, the inputs of mark and compact, the marks and the kept elements",
        Way::Counts => "a scan, the inputs of mark and compact, a scan of counts and the kept elements",
        Way::OnePass => "a scan, the input of compact, what segments tell each other and the kept elements",
    };
    let global = |sectors: usize| {
        let why = format!(
            "{passed}, and {RAGGED_SECTORS} more for the last elements of each of {launches} launches"
        );
        (sectors + ragged, why)
    };
    let (loads, why_loads) = global(sum(|work| work.loads));
    let (stores, why_stores) = global(sum(|work| work.stores));
    vec![
        Counter::SharedLoadRequests.at_most(
            scanned * reads,
            format!(
                "{scans} × {reads} reads: two for each warp at each distance, where distances double from round to \
                 round, and two for the result"
            ),
        ),
        Counter::ExchangeRequests.at_most(
            scanned * exchanges + moved,
            format!(
                "{scans} × {exchanges} exchanges (eight for each 32 elements and for the warps' sums), and four more \
                 for each 32 elements that are marked or moved"
            ),
        ),
        Counter::GlobalLoadSectors.at_most(loads, why_loads),
        Counter::GlobalAtomicRequests
            .at_most(tickets, "each element, sum and count is the work of one thread"),
        Counter::GlobalStoreSectors.at_most(stores, why_stores),
    ]
}

/// Shared loads (warp-level) of one segment's scan: at every distance, which doubles, each warp reads two
/// elements; the result and a sum may be read, too.
fn shared_loads(segment: usize) -> usize {
    let distances = segment.next_power_of_two().ilog2() as usize;
    let warps = segment.div_ceil(LANES);
    2 * distances * warps + 2 * warps + 2
}

/// Exchanges between lanes that one segment's scan can need.
fn exchanges(segment: usize) -> usize {
    const FOR_A_WARP: usize = 8;
    let warps = segment.div_ceil(LANES);
    FOR_A_WARP * (warps + warps.div_ceil(LANES) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const N: usize = 100_000;

    fn shape(way: Way) -> Shape {
        Shape { block: 256, segment: 1024, way }
    }

    #[test]
    fn marks_cost_what_they_always_did() {
        // 98 segments, and one of their sums: twice, and the marks.
        let work = Work::of_compaction(shape(Way::Marks), N);
        assert_eq!(work.loads, 2 * 12_500 + 13 + 98 * 8 + 3 * 12_500 + 2);
        assert_eq!(work.stores, 2 * 12_500 + 13 + 99 + 12_500 + 12_500 + 2 * 3125 + 1);
        assert_eq!(work.launches, 3 + 2);
    }

    #[test]
    fn what_moves_less_may_move_less() {
        let [marks, counts, one_pass] =
            [Way::Marks, Way::Counts, Way::OnePass].map(|way| Work::of_compaction(shape(way), N));
        assert!(counts.loads < marks.loads / 2 && counts.stores < marks.stores / 2);
        assert!(one_pass.loads < counts.loads && one_pass.stores < counts.stores + 300);
    }
}
