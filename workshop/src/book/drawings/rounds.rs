//! Trees and scans, round by round: the values are computed as they are drawn.

use super::super::figure::{Anchor, Figure, INK, MAIN, PALE, STEP};

/// The values that 03's and 14's figures begin with.
const VALUES: [i32; 8] = [3, 9, 1, 4, 7, 2, 8, 5];

/// One round: the distance, and which element takes over which.
struct Round {
    distance: usize,
    /// The element that changes, the one it reads, and the thread that does it.
    pairs: Vec<[usize; 3]>,
}

/// Draws the rounds of an algorithm over eight values from `left` on, and returns the last values.
fn rounds(
    figure: &mut Figure,
    left: f64,
    values: &[i32],
    rounds: &[Round],
    combine: fn(i32, i32) -> i32,
    is_alive: fn(&Round, usize) -> bool,
) -> Vec<i32> {
    const STEP_X: f64 = 34.0;
    const STEP_Y: f64 = 62.0;
    let x = |element: usize| left + STEP_X * element as f64 + 16.0;
    let mut values = values.to_vec();
    for (element, value) in values.iter().enumerate() {
        figure.text([x(element), 64.0], Anchor::Middle, INK, &value.to_string());
    }
    for (number, round) in rounds.iter().enumerate() {
        let top = 70.0 + STEP_Y * number as f64;
        let before = values.clone();
        for &[to, from, _] in &round.pairs {
            figure.line(&[[x(from), top], [x(to), top + STEP_Y - 20.0]], STEP);
            figure.line(&[[x(to), top], [x(to), top + STEP_Y - 20.0]], STEP);
            values[to] = combine(before[to], before[from]);
        }
        for &[to, _, thread] in &round.pairs {
            let place = [x(to), top + STEP_Y - 28.0];
            figure.text(place, Anchor::Middle, "ink small over", &format!("t{thread}"));
        }
        for (element, value) in values.iter().enumerate() {
            let changed = round.pairs.iter().any(|pair| pair[0] == element);
            let class = if changed { MAIN } else { PALE };
            if changed || is_alive(round, element) {
                figure.text([x(element), top + STEP_Y - 6.0], Anchor::Middle, class, &value.to_string());
            }
        }
        figure.text(
            [left + 8.0 * STEP_X + 16.0, top + 30.0],
            Anchor::Start,
            "pale small",
            &format!("distance {}", round.distance),
        );
    }
    values
}

/// 03's two trees: neighbours first, by threads spread over the warps, and halves first, by packed ones.
pub fn trees() -> String {
    let spread: Vec<Round> = [1, 2, 4]
        .map(|distance| Round {
            distance,
            pairs: (0..8).step_by(2 * distance).map(|to| [to, to + distance, to]).collect(),
        })
        .into();
    let folded: Vec<Round> = [4, 2, 1]
        .map(|distance| Round { distance, pairs: (0..distance).map(|to| [to, to + distance, to]).collect() })
        .into();
    let mut figure = Figure::new(
        [752.0, 268.0],
        "Two trees find the maximum of eight values in three rounds. On the left, neighbours come first, and the working threads are 0, 2, 4, 6, then 0, 4, then 0. \
         On the right, halves come first, and the working threads are 0 to 3, then 0 and 1, then 0.",
    );
    let largest: fn(i32, i32) -> i32 = i32::max;
    for (left, name, of) in [(14.0, "neighbours first", &spread), (388.0, "halves first", &folded)] {
        figure.text([left, 26.0], Anchor::Start, INK, name);
        figure.text([left, 42.0], Anchor::Start, "pale small", "tN: the thread that compares");
        let last = rounds(&mut figure, left, &VALUES, of, largest, |_, _| false);
        assert_eq!(Some(&last[0]), VALUES.iter().max(), "a tree that loses the maximum is not drawn");
    }
    figure.svg()
}

/// Hillis and Steele's scan of eight values.
pub fn hillis_steele() -> String {
    let scan: Vec<Round> = [1, 2, 4]
        .map(|distance| Round { distance, pairs: (distance..8).map(|to| [to, to - distance, to]).collect() })
        .into();
    let mut figure = Figure::new(
        [420.0, 268.0],
        "Hillis and Steele's scan of eight values: at distance 1, 2 and 4 each element adds the one so far to its left. After three rounds all running totals are there.",
    );
    let values = [3, 1, 7, 0, 4, 1, 6, 3];
    figure.text([14.0, 26.0], Anchor::Start, INK, "Hillis and Steele");
    figure.text([14.0, 42.0], Anchor::Start, "pale small", "tN: the thread that adds");
    let last = rounds(&mut figure, 14.0, &values, &scan, |a, b| a + b, |_, _| true);
    let totals: Vec<i32> = values
        .iter()
        .scan(0, |total, value| {
            *total += value;
            Some(*total)
        })
        .collect();
    assert_eq!(last, totals, "a scan that adds wrongly is not drawn");
    figure.svg()
}
