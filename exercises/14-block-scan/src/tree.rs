//! What the work-efficient scan of a segment costs in shared memory: a tree up and down.

use std::ops::Range;

use harness::traffic::{BANKS, LANES, pieces, wavefronts};

/// The distances of a tree over a segment, each with its number of pairs.
fn distances(segment: usize) -> impl Iterator<Item = (usize, usize)> {
    std::iter::successors(Some(1), |distance| Some(2 * distance))
        .take_while(move |&distance| distance < segment)
        .map(move |distance| (distance, segment.div_ceil(2 * distance)))
}

/// Shared loads (warp-level) of one segment: at every distance each warp with a pair reads two nodes on the
/// way up and on the way down two, or three where `+=` reads the right one again; in the end every element is
/// read once.
pub fn loads(segment: usize) -> usize {
    let pairs: usize = distances(segment).map(|(_, pairs)| pairs.div_ceil(LANES)).sum();
    5 * pairs + segment.div_ceil(LANES)
}

/// Bank conflicts of one segment whose element i lies at word i + i / 32, with pair t at each distance in
/// thread t.
///
/// Up reads left and right and writes right; down reads and writes both: left nodes are accessed three times,
/// right nodes four times. Loads and stores of consecutive elements have no conflicts.
pub fn padded_conflicts(segment: usize) -> usize {
    let conflicts = |pairs: Range<usize>, distance: usize, first: usize| {
        let nodes = pairs.map(|pair| 2 * distance * pair + first);
        wavefronts(nodes.map(|node| node + node / BANKS)) - 1
    };
    let all = |(distance, pairs)| -> usize {
        let warp = |warp: Range<usize>| {
            let (left, right) = (distance - 1, 2 * distance - 1);
            3 * conflicts(warp.clone(), distance, left) + 4 * conflicts(warp, distance, right)
        };
        pieces(0..pairs, LANES).map(warp).sum()
    };
    distances(segment).map(all).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_over_512_reads_116_times() {
        // Pairs: 256, 128, 64, 32, 16, 8, 4, 2, 1, so 8 + 4 + 2 + 6 × 1 warps; five reads each, and 16 for
        // the result.
        assert_eq!(loads(512), 116);
    }

    #[test]
    fn padding_leaves_conflicts_only_in_long_segments() {
        assert_eq!(padded_conflicts(512), 0);
        assert_eq!(padded_conflicts(1024), 0);
        assert!(padded_conflicts(2048) > 0);
    }
}
