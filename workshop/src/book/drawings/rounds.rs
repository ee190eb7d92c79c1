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
        figure.text([left, 42.0], Anchor::Start, "pale small", "tN is the thread that compares");
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
        "Hillis and Steele scan eight values: at distance 1, 2 and 4 each element adds the one so far to its left. After three rounds all running totals are there.",
    );
    let values = [3, 1, 7, 0, 4, 1, 6, 3];
    figure.text([14.0, 26.0], Anchor::Start, INK, "Hillis and Steele");
    figure.text([14.0, 42.0], Anchor::Start, "pale small", "tN is the thread that adds");
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::figure::{lines_of, texts_of};

    /// The lines of one algorithm, round by round: from which element to which, each once. `left` is where it begins.
    fn drawn(svg: &str, left: f64) -> Vec<Vec<[usize; 2]>> {
        let element = |x: f64| ((x - left - 16.0) / 34.0).round();
        let mut rounds = vec![Vec::new(); 3];
        for [from, to] in lines_of(svg) {
            let ends = [element(from[0]), element(to[0])];
            if ends.iter().all(|end| (0.0..8.0).contains(end)) && ends[0] != ends[1] {
                let round = ((from[1] - 70.0) / 62.0).round() as usize;
                rounds[round].push(ends.map(|end| end as usize));
            }
        }
        rounds.iter_mut().for_each(|round| round.sort_unstable());
        rounds
    }

    /// Runs lines over values, all lines of a round at once.
    fn run(values: &[i32], rounds: &[Vec<[usize; 2]>], combine: fn(i32, i32) -> i32) -> Vec<i32> {
        rounds.iter().fold(values.to_vec(), |before, round| {
            let mut after = before.clone();
            round.iter().for_each(|&[from, to]| after[to] = combine(before[to], before[from]));
            after
        })
    }

    #[test]
    fn the_lines_of_the_trees_are_those_of_the_kernels() {
        let svg = trees();
        // As 03's step 1 has it: thread t, a multiple of twice the stride, takes over t + stride.
        let spread = vec![vec![[1, 0], [3, 2], [5, 4], [7, 6]], vec![[2, 0], [6, 4]], vec![[4, 0]]];
        assert_eq!(drawn(&svg, 14.0), spread);
        // As the solution has it: a thread below the stride takes over the one a stride on.
        let folded = vec![vec![[4, 0], [5, 1], [6, 2], [7, 3]], vec![[2, 0], [3, 1]], vec![[1, 0]]];
        assert_eq!(drawn(&svg, 388.0), folded);
        for left in [14.0, 388.0] {
            assert_eq!(run(&VALUES, &drawn(&svg, left), i32::max)[0], 9);
        }
        let threads = texts_of(&svg).into_iter().filter(|(_, text)| text.starts_with('t') && text.len() == 2);
        assert_eq!(threads.count(), 2 * (4 + 2 + 1));
    }

    #[test]
    fn the_lines_of_hillis_and_steele_make_all_running_totals() {
        let svg = hillis_steele();
        let rounds = drawn(&svg, 14.0);
        assert_eq!(rounds.iter().map(Vec::len).collect::<Vec<_>>(), [7, 6, 4]);
        let shown = texts_of(&svg);
        let row = |y: f64| -> Vec<i32> {
            shown
                .iter()
                .filter(|(place, _)| place[1] == y)
                .filter_map(|(_, text)| text.parse().ok())
                .collect()
        };
        let totals = run(&row(64.0), &rounds, |a, b| a + b);
        assert_eq!(totals, row(70.0 + 3.0 * 62.0 - 6.0));
        assert_eq!(totals, [3, 4, 11, 11, 15, 16, 22, 25]);
    }
}
