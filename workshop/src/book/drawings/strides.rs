//! The numbers behind 05's picture to play with: what a read of `data[lane * stride]` takes for every stride and size.
//!
//! What stands there without scripts is a figure of the same numbers.
//!
//! The page's script draws which lane wants which bank; how many wavefronts that takes it looks up here, so that the
//! hardware's rule is in one language only, and is held against what a GPU counted.

use std::fmt::Write as _;

use harness::traffic::{LANES, pieces, wavefronts};

use crate::book::figure::{Anchor, Figure, INK, LIMIT, MAIN, PALE, SLOW, STEP};

/// Bytes of an element.
const SIZES: [usize; 3] = [4, 8, 16];
/// Strides from 0, in elements.
const STRIDES: usize = 66;

/// Wavefronts of a warp's read of `data[lane * stride]`. Wider elements are served by halves or quarters of a warp, and two
/// parts at once where every lane wants what its neighbour does: with a stride, where all want the same.
fn of(stride: usize, bytes: usize) -> usize {
    let words = bytes / 4;
    let parts = if stride == 0 { words.div_ceil(2) } else { words };
    let wanted = |lane: usize| (0..words).map(move |part| lane * stride * words + part);
    pieces(0..LANES, LANES / parts).map(|lanes| wavefronts(lanes.flat_map(wanted))).sum()
}

/// The script that the book loads before the one that draws.
pub fn script() -> String {
    let mut text = "// Made by `workshop book`: wavefronts of a warp's read of data[lane * stride], by bytes of an element, from stride 0 on.\n\
                    const WAVEFRONTS = {\n"
        .to_owned();
    for bytes in SIZES {
        let counts: Vec<String> = (0..STRIDES).map(|stride| of(stride, bytes).to_string()).collect();
        let _ = writeln!(text, "    {bytes}: [{}],", counts.join(", "));
    }
    text + "};\n"
}

/// Strides that the figure shows: of 0, and of all that differ in banks.
const SHOWN: usize = 34;

/// Wavefronts for each size and stride, as a picture.
pub fn table() -> String {
    const CELL: [f64; 2] = [18.0, 26.0];
    const LEFT: f64 = 92.0;
    let said: Vec<String> = SIZES
        .iter()
        .map(|&bytes| {
            let worst = (0..SHOWN).map(|stride| of(stride, bytes)).max().unwrap_or_default();
            let conflicts = (1..SHOWN).filter(|&stride| of(stride, bytes) > bytes / 4).count();
            format!(
                "elements of {bytes} bytes: {conflicts} of {} strides conflict, at worst {worst} wavefronts",
                SHOWN - 1
            )
        })
        .collect();
    let mut figure = Figure::new(
        [720.0, 160.0],
        &format!(
            "This table shows the wavefronts of a warp's read of data[lane * stride], for strides from 0 to {}: {}",
            SHOWN - 1,
            said.join("; ")
        ),
    );
    figure.text([14.0, 24.0], Anchor::Start, INK, "wavefronts of a warp's read of data[lane * stride]");
    for (row, bytes) in (0u32..).zip(SIZES) {
        let top = 36.0 + CELL[1] * f64::from(row);
        figure.text([14.0, top + 17.0], Anchor::Start, INK, &format!("{bytes} bytes"));
        for stride in 0..SHOWN {
            let took = of(stride, bytes);
            let ideal = if stride == 0 { (bytes / 4).div_ceil(2) } else { bytes / 4 };
            let class = match took / ideal {
                1 => MAIN,
                2..4 => STEP,
                4..16 => LIMIT,
                _ => SLOW,
            };
            let left = LEFT + CELL[0] * stride as f64;
            figure.cell([left, top], [CELL[0] - 2.0, CELL[1] - 2.0], class);
            let middle = [left + 0.5 * (CELL[0] - 2.0), top + 16.5];
            figure.text(middle, Anchor::Middle, "ink small", &took.to_string());
        }
    }
    let below = 50.0 + CELL[1] * SIZES.len() as f64;
    figure.text([14.0, below], Anchor::Start, PALE, "stride");
    for stride in (0..SHOWN).step_by(4) {
        let middle = LEFT + CELL[0] * stride as f64 + 8.0;
        figure.text([middle, below], Anchor::Middle, "pale small", &stride.to_string());
    }
    figure.text(
        [14.0, below + 20.0],
        Anchor::Start,
        PALE,
        "Green is ideal. Every other colour has bank conflicts, red the most.",
    );
    figure.svg()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gpu_counts_the_same() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../grader/tests/counters/hardware.json");
        let kept: serde_json::Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        let mut compared = 0;
        for session in kept.as_array().unwrap() {
            let names = session["counters"].as_array().into_iter().flatten();
            let Some(place) = names.clone().position(|name| name == "shared_load_wavefronts") else {
                continue;
            };
            for (launch, readings) in session["launches"].as_object().unwrap() {
                let parsed = launch.strip_prefix("shared_load_").and_then(|rest| rest.split_once("/stride_"));
                let Some((Ok(bytes), Ok(stride))) =
                    parsed.map(|(bytes, stride)| (bytes.parse::<usize>(), stride.parse::<usize>()))
                else {
                    continue;
                };
                if SIZES.contains(&bytes) && stride < STRIDES {
                    assert_eq!(readings[place], of(stride, bytes), "{launch}");
                    compared += 1;
                }
            }
        }
        assert!(compared >= 40, "{compared} readings");
    }
}
