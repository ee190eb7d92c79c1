//! The numbers behind 05's picture to play with: what a read of `data[lane * stride]` takes for every stride and size.
//!
//! The page's script draws which lane wants which bank; how many wavefronts that takes it looks up here, so that the
//! hardware's rule is in one language only, and is held against what a GPU counted.

use std::fmt::Write as _;

use harness::traffic::{LANES, pieces, wavefronts};

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
