//! A tile of 32 × 32 words as it lies in the banks: plain, padded, and swizzled.

use harness::traffic::{BANKS, LANES, wavefronts};

use super::super::figure::{Anchor, Figure, INK, PALE, SLOW, STEP};

/// Where element (row, column) of the tile lies, in words.
type Layout = fn(usize, usize) -> usize;

const LAYOUTS: [(&str, usize, Layout); 3] = [
    ("tile[32][32]", LANES, |row, column| LANES * row + column),
    ("tile[32][33], padded", LANES + 1, |row, column| (LANES + 1) * row + column),
    ("tile[32][32], column ^ row", LANES, |row, column| LANES * row + (column ^ row)),
];

/// The column that a warp reads, whose elements are marked.
const COLUMN: usize = 5;

/// The three layouts side by side. Squares are words of shared memory, 32 in a row: a column of squares is a bank.
pub fn layouts() -> String {
    const SIDE: f64 = 6.4;
    let mut figure = Figure::new(
        [700.0, 312.0],
        "This figure shows a column of a 32 by 32 tile in shared memory. Plain, all its words lie in one bank and take 32 wavefronts. With a padded \
         row they lie on a diagonal, in 32 banks. With column xor row they are scattered over 32 banks. Both take one wavefront.",
    );
    let mut left = 16.0;
    for (name, width, layout) in LAYOUTS {
        figure.text([left, 22.0], Anchor::Start, INK, name);
        for word in 0..LANES * width {
            let place = [left + SIDE * (word % BANKS) as f64, 32.0 + SIDE * (word / BANKS) as f64];
            let is_wanted = (0..LANES).any(|row| layout(row, COLUMN) == word);
            let is_meeting = word % BANKS == layout(0, COLUMN) % BANKS;
            let size = [SIDE - 1.0, SIDE - 1.0];
            match (is_wanted, is_meeting) {
                (true, true) => figure.bar(place, size, SLOW),
                (true, false) => figure.bar(place, size, STEP),
                (false, _) => figure.cell(place, size, PALE),
            }
        }
        let takes = |words: Vec<usize>| {
            let turns = wavefronts(words);
            format!("{turns} wavefront{}", if turns == 1 { "" } else { "s" })
        };
        let column = takes((0..LANES).map(|row| layout(row, COLUMN)).collect());
        let row = takes((0..LANES).map(|column| layout(COLUMN, column)).collect());
        figure.text([left, 262.0], Anchor::Start, INK, &format!("column {COLUMN}: {column}"));
        figure.text([left, 280.0], Anchor::Start, PALE, &format!("row {COLUMN}: {row}"));
        left += SIDE * BANKS as f64 + 28.0;
    }
    figure.text(
        [16.0, 302.0],
        Anchor::Start,
        "pale small",
        "A column of squares is a bank. Filled squares hold column 5 of the tile; red ones are in the bank of its first element.",
    );
    figure.svg()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layout_has_a_place_for_every_element() {
        for (name, width, layout) in LAYOUTS {
            let places: std::collections::BTreeSet<usize> =
                (0..LANES * LANES).map(|element| layout(element / LANES, element % LANES)).collect();
            assert_eq!(places.len(), LANES * LANES, "{name}");
            assert!(places.iter().all(|place| *place < LANES * width), "{name}");
        }
    }
}
