//! A partial warp and its shuffles, and two threads that update one bin.

use super::super::figure::{Anchor, Figure, INK, MAIN, PALE, SLOW, STEP};

/// A warp of 20 lanes in the round of distance 16: which lanes ask for a lane that does not exist.
pub fn partial_warp() -> String {
    const LANES: usize = 32;
    const THERE: usize = 20;
    const DISTANCE: usize = 16;
    let mut figure = Figure::new(
        [720.0, 190.0],
        "The last warp of a block has 20 lanes. In the round of distance 16, lanes 0 to 3 read lanes 16 to 19, which exist. Lanes 4 to 15 ask for lanes 20 to 31, which don't; \
         lanes 16 to 19 get their own value back.",
    );
    let x = |lane: usize| 16.0 + 21.5 * lane as f64;
    figure.text(
        [16.0, 22.0],
        Anchor::Start,
        INK,
        &format!("a warp of {THERE} lanes, __shfl_down_sync(mask, v, {DISTANCE})"),
    );
    for lane in 0..LANES {
        let class = if lane < THERE { MAIN } else { PALE };
        figure.cell([x(lane), 34.0], [19.5, 20.0], class);
        figure.text(
            [x(lane) + 9.75, 48.5],
            Anchor::Middle,
            if lane < THERE { "ink small" } else { "pale small" },
            &lane.to_string(),
        );
    }
    for lane in 0..THERE {
        let asked = lane + DISTANCE;
        let class = match asked {
            asked if asked < THERE => MAIN,
            asked if asked < LANES => SLOW,
            _ => STEP,
        };
        figure.cell([x(lane), 120.0], [19.5, 20.0], class);
        let shown = if asked < LANES { asked } else { lane };
        figure.text([x(lane) + 9.75, 134.5], Anchor::Middle, "ink small", &shown.to_string());
        if asked < LANES {
            figure.line(&[[x(asked) + 9.75, 56.0], [x(lane) + 9.75, 118.0]], class);
        }
    }
    figure.text([x(THERE) + 6.0, 134.5], Anchor::Start, "pale small", "Each gets the value of this lane.");
    // The mask as the kernel writes it: a bit for each lane that is there.
    let mask = (1u64 << THERE) - 1;
    figure.text(
        [16.0, 164.0],
        Anchor::Start,
        PALE,
        &format!("The mask of these lanes is (1u << {THERE}) - 1 = {mask:#x}."),
    );
    figure.text(
        [16.0, 181.0],
        Anchor::Start,
        PALE,
        "Red lanes ask for a lane that is not there: their value is undefined. Blue ones get their own.",
    );
    figure.svg()
}

/// What a thread does to the bin, and what it then holds.
struct Step {
    thread: usize,
    does: &'static str,
    bin: i32,
}

/// Two threads that count into one bin: in three steps each, where they meet, and by atomics.
pub fn lost_update() -> String {
    let steps = |does: &[(usize, &'static str)]| -> Vec<Step> {
        let (mut bin, mut held) = (7, [0, 0]);
        does.iter()
            .map(|&(thread, does)| {
                match does {
                    "reads" => held[thread] = bin,
                    "adds 1" => held[thread] += 1,
                    "writes" => bin = held[thread],
                    _ => bin += 1,
                }
                Step { thread, does, bin }
            })
            .collect()
    };
    let apart =
        steps(&[(0, "reads"), (1, "reads"), (0, "adds 1"), (1, "adds 1"), (0, "writes"), (1, "writes")]);
    let atomic = steps(&[(0, "atomicAdd"), (1, "atomicAdd")]);
    let mut figure = Figure::new(
        [720.0, 190.0],
        "Two threads count into a bin that holds 7. With ++bin both read 7, both add 1 and both write 8: one count is lost. With atomicAdd the bin holds 8 and then 9.",
    );
    let mut draw = |left: f64, name: &str, steps: &[Step]| {
        figure.text([left, 22.0], Anchor::Start, INK, name);
        for (row, what) in ["thread 0", "thread 1", "the bin"].iter().enumerate() {
            figure.text([left, 60.0 + 42.0 * row as f64], Anchor::Start, PALE, what);
        }
        figure.text([left + 62.0, 144.0], Anchor::Start, INK, "7");
        for (number, step) in steps.iter().enumerate() {
            let x = left + 76.0 + 66.0 * number as f64;
            let class = [STEP, MAIN][step.thread];
            figure.cell([x, 42.0 + 42.0 * step.thread as f64], [62.0, 28.0], class);
            figure.text([x + 31.0, 60.5 + 42.0 * step.thread as f64], Anchor::Middle, "ink small", step.does);
            figure.text([x + 31.0, 144.0], Anchor::Middle, INK, &step.bin.to_string());
        }
        let right = if steps.last().is_some_and(|last| last.bin == 9) {
            "both counts are there"
        } else {
            "one count is lost"
        };
        figure.text([left, 172.0], Anchor::Start, if right.starts_with("one") { SLOW } else { MAIN }, right);
    };
    draw(14.0, "++bins[v]", &apart);
    draw(506.0, "atomicAdd(&bins[v], 1)", &atomic);
    figure.svg()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::figure::{lines_of, texts_of};

    #[test]
    fn the_lanes_of_a_partial_warp_get_what_a_shuffle_gives() {
        let svg = partial_warp();
        let texts = texts_of(&svg);
        let row = |y: f64| -> Vec<usize> {
            texts
                .iter()
                .filter(|(place, _)| place[1] == y)
                .filter_map(|(_, text)| text.parse().ok())
                .collect()
        };
        assert_eq!(row(48.5), (0..32).collect::<Vec<_>>());
        // As `__shfl_down_sync` has it: past the warp's end a lane gets its own value.
        let given: Vec<usize> = (0..20).map(|lane| if lane + 16 < 32 { lane + 16 } else { lane }).collect();
        assert_eq!(row(134.5), given);
        let lane = |x: f64| ((x - 25.75) / 21.5).round() as usize;
        let asked: Vec<[usize; 2]> =
            lines_of(&svg).into_iter().map(|line| line.map(|[x, _]| lane(x))).collect();
        assert_eq!(asked, (0..16).map(|lane| [lane + 16, lane]).collect::<Vec<_>>());
        let undefined = svg.matches("class=\"slow cell\"").count();
        assert_eq!(undefined, (0..20).filter(|lane| (20..32).contains(&(lane + 16))).count());
        assert!(svg.contains(&format!("{:#x}", (0..20).map(|lane| 1u32 << lane).sum::<u32>())));
    }
}
