//! What a warp's accesses cost by the rules of the machine: sectors of global memory and wavefronts of shared
//! memory. Exercises compute their counter bounds from it.
//!
//! Counted here once more and by hand, knowing nothing of the simulator's counters, so that a bound that
//! a right kernel just meets is a check of both. Words have 4 bytes and are numbered from a sector's
//! edge; buffers start at one.

use std::ops::Range;

/// Threads of a warp.
pub const LANES: usize = 32;
/// 4-byte words in a 32-byte sector.
pub const WORDS_PER_SECTOR: usize = 8;
/// Banks of shared memory, each a word wide.
pub const BANKS: usize = 32;
/// Sectors that a launch may touch twice, where the last elements go by themselves, or an unrolled loop ends in
/// another round for some lanes of a warp.
pub const RAGGED_SECTORS: usize = 8;

/// A range in pieces of `size`; the last may be shorter.
pub fn pieces(range: Range<usize>, size: usize) -> impl Iterator<Item = Range<usize>> {
    let end = range.end;
    range.step_by(size).map(move |first| first..(first + size).min(end))
}

/// Sectors in which neighbouring words lie. One that is cut by the range's end counts whole.
pub fn sectors(words: Range<usize>) -> usize {
    if words.is_empty() { 0 } else { words.end.div_ceil(WORDS_PER_SECTOR) - words.start / WORDS_PER_SECTOR }
}

/// At most so many sectors: `words` words in `runs` runs of neighbours that begin and end anywhere. A run of
/// k words touches (k + 14) / 8 of them at the most.
pub fn most_sectors(words: usize, runs: usize) -> usize {
    (words + 2 * (WORDS_PER_SECTOR - 1) * runs) / WORDS_PER_SECTOR
}

/// At most so many sectors: a row of neighbouring words, each for its own thread of a block of so many threads
/// in a row. Warps take it piece by piece, and two may share the sector between them.
pub fn most_row_sectors(words: Range<usize>, threads_in_a_row: usize) -> usize {
    if threads_in_a_row.is_multiple_of(LANES) || LANES.is_multiple_of(threads_in_a_row) {
        return pieces(words, LANES).map(sectors).sum();
    }
    // Where a warp begins depends on the rows before; no more than so many begin within one.
    let seams = words.len().div_ceil(LANES);
    sectors(words) + seams
}

/// Sectors of a matrix that is read or written once in runs of `run` words along its rows, each by itself.
pub fn matrix_sectors(rows: usize, columns: usize, run: usize) -> usize {
    pieces(0..rows * columns, columns).flat_map(|row| pieces(row, run)).map(sectors).sum()
}

/// Sectors that the warps of so many threads ask for, of which thread k touches word `word(k)`.
pub fn warp_sectors(threads: usize, word: impl Fn(usize) -> usize) -> usize {
    pieces(0..threads, LANES)
        .map(|warp| distinct(warp.map(|thread| word(thread) / WORDS_PER_SECTOR)).len())
        .sum()
}

/// Wavefronts of shared memory that lanes served together take: the greatest number of
/// different words in one bank.
pub fn wavefronts(words: impl IntoIterator<Item = usize>) -> usize {
    let mut in_bank = [0; BANKS];
    distinct(words).into_iter().for_each(|word| in_bank[word % BANKS] += 1);
    in_bank.into_iter().max().unwrap_or(0)
}

fn distinct(values: impl IntoIterator<Item = usize>) -> Vec<usize> {
    let mut values: Vec<usize> = values.into_iter().collect();
    values.sort_unstable();
    values.dedup();
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_takes_every_sector_that_it_touches() {
        assert_eq!(
            [sectors(0..0), sectors(0..1), sectors(0..8), sectors(7..9), sectors(1..33)],
            [0, 1, 1, 2, 5]
        );
        for (first, words) in [(0, 1), (7, 2), (7, 10), (3, 32), (8, 8)] {
            let here = sectors(first..first + words);
            assert_eq!(here, warp_sectors(words, |thread| first + thread), "{words} words from {first}");
            assert!(here <= most_sectors(words, 1));
        }
        // The bound is met.
        assert_eq!(sectors(7..17), most_sectors(10, 1));
    }

    #[test]
    fn rows_are_cut_into_runs() {
        // Rows of 10 words from 0, 10, 20: runs of 8 and 2.
        assert_eq!(matrix_sectors(3, 10, 8), (1 + 1) + (2 + 1) + (2 + 1));
        assert!(pieces(3..10, 4).eq([3..7, 7..10]));
    }

    #[test]
    fn warps_that_begin_anywhere_in_a_row_cut_it() {
        // Rows of 24 threads: the second is cut behind its eighth word, which here is inside a sector.
        let second = 27 + 3..27 + 3 + 24;
        let cut: usize =
            [second.start..second.start + 8, second.start + 8..second.end].map(sectors).iter().sum();
        assert_eq!((sectors(second.clone()), cut), (4, 5));
        assert_eq!(most_row_sectors(second, 24), 5);
        assert_eq!((most_row_sectors(3..67, 64), most_row_sectors(3..19, 16)), (5 + 5, 3));
    }

    #[test]
    fn strides_and_broadcasts() {
        let strided = |stride: usize| wavefronts((0..LANES).map(|lane| lane * stride));
        assert_eq!([0, 1, 2, 3, 8, 32, 33].map(strided), [1, 1, 2, 1, 8, 32, 1]);
        assert_eq!(wavefronts([5, 5, 37]), 2);
        assert_eq!(wavefronts([]), 0);
    }
}
