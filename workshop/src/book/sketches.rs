//! The book's figures that are drawn by hand: `book/figures/*.svg`.
//!
//! A sketch knows no theme: what it draws in `currentColor` is dark on a light ground and light on a dark one. Here it gets
//! the ground, the colours and the font that the computed figures have, with room around it. A plot that `grader check --plot`
//! made on a GPU lies there as it came.

use std::{fs, path::Path};

use grader::exit::{Result, Trouble};

use super::figure::{self, PLOT};
use crate::texts::Text;

/// Where they lie, below the course's root.
const FOLDER: &str = "book/figures";

/// Room around a sketch, in its own units.
const MARGIN: f64 = 12.0;

/// All of them, by file name, as they are in light.
///
/// # Errors
/// Wrong usage: a file that is no sketch.
pub fn all(root: &Path) -> Result<Vec<Text>> {
    let entries = fs::read_dir(root.join(FOLDER)).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names.into_iter().filter(|name| name.ends_with(".svg")).map(|name| one(root, name)).collect()
}

fn one(root: &Path, name: String) -> Result<Text> {
    let unfit = |what: &str| {
        Trouble::usage(
            format!("{FOLDER}/{name}: {what}"),
            "begin it with <svg viewBox=\"LEFT TOP WIDTH HEIGHT\" aria-label=\"WHAT IT SHOWS\">, as its neighbours do",
        )
    };
    let text =
        fs::read_to_string(root.join(FOLDER).join(&name)).map_err(|error| unfit(&error.to_string()))?;
    let made = plotted(&text)
        .or_else(|| drawn(&text))
        .ok_or_else(|| unfit("its first tag has no viewBox of four numbers or no aria-label"))?;
    Ok((name, made))
}

/// The sketch as a file; none if it has no size or says nothing.
fn drawn(sketch: &str) -> Option<String> {
    let (head, rest) = sketch.strip_prefix("<svg ")?.split_once('>')?;
    let inside = rest.trim_start().trim_end().strip_suffix("</svg>")?;
    let numbers: Vec<f64> =
        attribute(head, "viewBox")?.split(' ').map_while(|number| number.parse().ok()).collect();
    let &[left, top, width, height] = numbers.as_slice() else { return None };
    let room = [left - MARGIN, top - MARGIN, width + 2.0 * MARGIN, height + 2.0 * MARGIN];
    Some(figure::framed(room, attribute(head, "aria-label")?, inside))
}

/// A plot of the grader's as a file; none if it is no plot.
fn plotted(plot: &str) -> Option<String> {
    let (head, rest) = plot.strip_prefix("<svg ")?.split_once(">\n")?;
    let (_, rest) =
        rest.strip_prefix("<style>@media(prefers-color-scheme:dark)")?.split_once("</style>\n")?;
    let inside = rest.trim_end().strip_suffix("</svg>")?;
    let size = |name: &str| attribute(head, name)?.parse::<f64>().ok();
    // Its first text is its title.
    let title = inside.split_once("<text ")?.1.lines().nth(1)?;
    let drawn = format!("<g class=\"{PLOT}\">\n{inside}</g>\n");
    let says = format!("This plot shows what a GPU measured: {title}");
    Some(figure::framed([0.0, 0.0, size("width")?, size("height")?], &says, &drawn))
}

/// An attribute's text in a tag.
fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = tag.split_once(&format!("{name}=\""))?;
    rest.split_once('"').map(|(text, _)| text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sketch_gets_a_ground_and_room() {
        let made = drawn("<svg viewBox=\"-4 0 628 190\" aria-label=\"a > b\">\n  <path/>\n</svg>\n");
        assert_eq!(made, None, "`>` is written &gt;");
        let made = drawn("<svg viewBox=\"-4 0 628 190\" aria-label=\"a block\">\n  <path/>\n</svg>\n")
            .expect("a figure");
        assert!(made.contains("viewBox=\"-16 -12 652 214\" width=\"652\" height=\"214\""), "{made}");
        assert!(made.contains("aria-label=\"a block\"") && made.contains("\n<path/>\n</svg>\n"), "{made}");
        let plot = "<svg width=\"760\" height=\"840\">\n<style>@media(prefers-color-scheme:dark){svg{}}</style>\n<rect/>\n<text x=\"1\">\nTitle\n</text>\n</svg>\n";
        let made = plotted(plot).expect("a figure");
        assert!(
            made.contains("aria-label=\"This plot shows what a GPU measured: Title\"")
                && made.contains("<g class=\"plot\">\n<rect/>"),
            "{made}"
        );
        for wrong in
            ["<svg viewBox=\"0 0 1 1\"></svg>", "<svg viewBox=\"0 0 1\" aria-label=\"a\"></svg>", "<svg/>"]
        {
            assert_eq!(drawn(wrong), None, "{wrong}");
        }
    }
    /// The whole numbers of a sketch at one height, from left to right.
    fn row(name: &str, y: f64) -> Vec<i32> {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(FOLDER).join(name);
        let texts = figure::texts_of(&fs::read_to_string(file).expect("a sketch"));
        texts.iter().filter(|(place, _)| place[1] == y).filter_map(|(_, text)| text.parse().ok()).collect()
    }

    /// A fold in halves; after each round the lower half.
    fn folds(values: &[i32], combine: fn(i32, i32) -> i32) -> Vec<Vec<i32>> {
        let mut rounds = vec![values.to_vec()];
        while rounds[rounds.len() - 1].len() > 1 {
            let (low, high) = rounds[rounds.len() - 1].split_at(rounds[rounds.len() - 1].len() / 2);
            rounds.push(low.iter().zip(high).map(|(a, b)| combine(*a, *b)).collect());
        }
        rounds
    }

    #[test]
    fn the_numbers_of_folds_are_right() {
        for (name, heights, combine) in [
            ("03-reduction-fold.svg", [24.0, 74.0, 124.0, 174.0], i32::max as fn(i32, i32) -> i32),
            ("10-warp-shuffle-folds.svg", [24.0, 76.0, 128.0, 180.0], |a, b| a + b),
        ] {
            let drawn = heights.map(|y| row(name, y));
            assert_eq!(drawn.to_vec(), folds(&drawn[0], combine), "{name}");
        }
    }

    /// Every sum of the values before, and 0 first.
    fn exclusive(values: &[i32]) -> Vec<i32> {
        values.iter().scan(0, |sum, value| Some(std::mem::replace(sum, *sum + value))).collect()
    }

    #[test]
    fn the_numbers_of_the_two_sweeps_are_right() {
        let name = "14-block-scan-two-sweeps.svg";
        let mut values = row(name, 24.0);
        assert_eq!(values.len(), 8);
        let totals = exclusive(&values);
        for (distance, y) in [(1, 64.0), (2, 104.0)] {
            (2 * distance - 1..8).step_by(2 * distance).for_each(|to| values[to] += values[to - distance]);
            assert_eq!(row(name, y), values, "up, distance {distance}");
        }
        values[7] = 0;
        assert_eq!(row(name, 154.0), values);
        for (distance, y) in [(4, 194.0), (2, 234.0), (1, 274.0)] {
            for to in (2 * distance - 1..8).step_by(2 * distance) {
                values.swap(to - distance, to);
                values[to] += values[to - distance];
            }
            assert_eq!(row(name, y), values, "down, distance {distance}");
        }
        assert_eq!(values, totals);
    }

    #[test]
    fn the_numbers_of_the_three_phases_are_right() {
        let name = "15-device-scan-three-phases.svg";
        let values = row(name, 30.0);
        let segments: Vec<&[i32]> = values.chunks(3).collect();
        let scanned: Vec<i32> = segments.iter().flat_map(|segment| exclusive(segment)).collect();
        let sums: Vec<i32> = segments.iter().map(|segment| segment.iter().sum()).collect();
        assert_eq!(row(name, 80.0), scanned);
        assert_eq!(row(name, 126.0), sums);
        assert_eq!(row(name, 156.0), exclusive(&sums));
        assert_eq!(row(name, 200.0), exclusive(&values));
    }
}
