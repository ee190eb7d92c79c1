//! The book's figures that are computed from a rule: which thread is which lane, which word is in which bank.
//!
//! The rule is written here once more, as the kernel or the hardware has it, and drawn; no place is typed by hand.

mod banks;
mod lanes;
mod patch;
mod rounds;
mod strides;

use super::figure::{Anchor, Figure, INK, LIMIT, MAIN, PALE, SLOW, STEP};
use crate::{record::Record, texts::Text};

pub use strides::script;

/// All of them, by file name; `record` has the latencies and bandwidths of the memories.
pub fn all(record: &Record) -> Vec<Text> {
    let mut all = vec![
        ("warps-of-a-block.svg".to_owned(), warps_of_a_block()),
        ("03-reduction-trees.svg".to_owned(), rounds::trees()),
        ("05-bank-conflicts-wavefronts.svg".to_owned(), strides::table()),
        ("06-transpose-banks.svg".to_owned(), banks::layouts()),
        ("06-transpose-patch.svg".to_owned(), patch::in_registers()),
        ("10-warp-shuffle-mask.svg".to_owned(), lanes::partial_warp()),
        ("12-histogram-lost.svg".to_owned(), lanes::lost_update()),
        ("14-block-scan-hillis-steele.svg".to_owned(), rounds::hillis_steele()),
        ("18-capstone-gemm-lanes.svg".to_owned(), lanes_of_a_product()),
    ];
    all.extend(memories(record).map(|svg| ("memories.svg".to_owned(), svg)));
    all
}

/// Colours of neighbouring warps.
const TURNS: [&str; 4] = [STEP, MAIN, LIMIT, SLOW];

/// Blocks of 16 × 4 and of 8 × 8 threads, each thread with its lane, coloured by warp.
fn warps_of_a_block() -> String {
    const SIDE: f64 = 22.0;
    let mut figure = Figure::new(
        [720.0, 262.0],
        "A block of 16 by 4 threads: rows 0 and 1 are warp 0, rows 2 and 3 warp 1. A block of 8 by 8 threads: a warp is four rows. \
         A block of 5 by 8 threads: a row begins with lane 0, 5, 10 and so on, and warp 1 begins in the middle of row 6.",
    );
    let mut left = 14.0;
    for [width, height] in [[16, 4], [8, 8], [5, 8]] {
        figure.text([left, 24.0], Anchor::Start, INK, &format!("dim3({width}, {height})"));
        for y in 0..height {
            for x in 0..width {
                // As the CUDA guide numbers the threads of a block: x fastest.
                let thread = y * width + x;
                let place = [left + SIDE * f64::from(x), 38.0 + SIDE * f64::from(y)];
                figure.cell(place, [SIDE - 3.0, SIDE - 3.0], TURNS[thread as usize / 32 % TURNS.len()]);
                let middle = [place[0] + 0.5 * (SIDE - 3.0), place[1] + 13.5];
                figure.text(middle, Anchor::Middle, "small ink", &(thread % 32).to_string());
            }
        }
        left += SIDE * f64::from(width) + 28.0;
    }
    figure.text(
        [14.0, 244.0],
        Anchor::Start,
        PALE,
        "The number is the lane, the colour the warp. x (threadIdx.x) runs to the right, y down.",
    );
    figure.svg()
}

/// What 18's last step computes where: the block's two warps, a warp's lanes, and their order.
fn lanes_of_a_product() -> String {
    let mut figure = Figure::new(
        [720.0, 290.0],
        "steps/9-deeper.cu: a block's tile of 64 by 128 is divided between two warps of 32 by 128. Each lane has eight groups of 4 by 4 sums, \
         16 rows and 32 columns apart. The lanes form a rectangle of 4 by 8 in Z order.",
    );
    // The block, 1.25 pixels an element.
    figure.text([20.0, 24.0], Anchor::Start, INK, "a block: 64 × 128, two warps");
    for warp in 0..2 {
        figure.cell([20.0, 38.0 + 40.0 * f64::from(warp)], [160.0, 38.0], TURNS[warp as usize]);
        figure.text(
            [100.0, 61.0 + 40.0 * f64::from(warp)],
            Anchor::Middle,
            "ink small",
            &format!("warp {warp}: 32 × 128"),
        );
    }
    // Warp 0, 3.5 pixels an element: its groups of 4 × 4 sums.
    const ELEMENT: f64 = 3.75;
    let [left, top] = [220.0, 38.0];
    figure.text([left, 24.0], Anchor::Start, INK, "warp 0: groups of 4 × 4 sums; those of lane 0 are filled");
    for row in 0..8 {
        for column in 0..32 {
            let place = [left + 4.0 * ELEMENT * f64::from(column), top + 4.0 * ELEMENT * f64::from(row)];
            // Lanes form a rectangle of 4 × 8 groups, which repeats.
            let is_first = row % 4 == 0 && column % 8 == 0;
            let size = [4.0 * ELEMENT - 2.0, 4.0 * ELEMENT - 2.0];
            if is_first { figure.bar(place, size, STEP) } else { figure.cell(place, size, STEP) }
        }
    }
    // The rectangle's order.
    figure.text([220.0, 184.0], Anchor::Start, INK, "its 32 lanes, in Z order");
    for lane in 0u32..32 {
        let row = (lane >> 1 & 1) | (lane >> 2 & 2);
        let column = (lane & 1) | (lane >> 1 & 2) | (lane >> 2 & 4);
        let place = [220.0 + 30.0 * f64::from(column), 196.0 + 20.0 * f64::from(row)];
        figure.cell(place, [28.0, 18.0], TURNS[lane as usize / 8]);
        figure.text([place[0] + 14.0, place[1] + 13.5], Anchor::Middle, "ink small", &lane.to_string());
    }
    let beside = [
        "Eight lanes of one colour are a quarter-",
        "warp: their 16-byte reads are served",
        "together. Lane xor 1 is in the same row,",
        "lane xor 2 in the same column.",
    ];
    for (row, line) in (0u32..).zip(beside) {
        figure.text([470.0, 212.0 + 18.0 * f64::from(row)], Anchor::Start, "pale small", line);
    }
    figure.svg()
}

/// The memories from the registers to the host, with what an H200's record says of each.
fn memories(record: &Record) -> Option<String> {
    let find =
        |name: &str| record.figures.iter().find(|figure| figure.figure == name).map(|figure| figure.value);
    let cycles = |name: &str| find(name).map(|cycles| format!("{cycles:.0} cycles"));
    let bandwidth = |name: &str| find(name).map(|bandwidth| format!("{bandwidth:.1} TB/s"));
    let host = format!("{:.0} GB/s", find("host copy, pinned")?);
    let rows = [
        ("registers", "of a thread", "no wait".to_owned(), "not measured".to_owned(), MAIN),
        ("shared memory", "of a block", cycles("shared latency")?, bandwidth("shared bandwidth")?, MAIN),
        ("L1 cache", "of a multiprocessor", cycles("L1 latency")?, bandwidth("L1 bandwidth")?, STEP),
        ("L2 cache", "of the GPU", cycles("L2 latency")?, bandwidth("L2 bandwidth")?, STEP),
        (
            "device memory",
            "global, local, constant",
            cycles("DRAM latency")?,
            bandwidth("DRAM read bandwidth")?,
            LIMIT,
        ),
        ("host memory", "over the bus", cycles("host memory latency")?, host, SLOW),
    ];
    let said: Vec<String> =
        rows.iter().map(|row| format!("{}, {}: {}, {}", row.0, row.1, row.2, row.3)).collect();
    let mut figure = Figure::new(
        [720.0, 300.0],
        &format!(
            "This figure shows the memories from near to far, with latency and bandwidth on an H200. {}",
            said.join("; ")
        ),
    );
    figure.text([530.0, 24.0], Anchor::End, PALE, "a read takes");
    figure.text([690.0, 24.0], Anchor::End, PALE, "all together");
    for (row, (name, whose, latency, bandwidth, class)) in rows.iter().enumerate() {
        let top = 36.0 + 43.0 * row as f64;
        // What is nearer is smaller.
        let half = 60.0 + 22.0 * row as f64;
        figure.cell([200.0 - half, top], [2.0 * half, 37.0], class);
        figure.text([200.0, top + 16.0], Anchor::Middle, INK, name);
        figure.text([200.0, top + 31.0], Anchor::Middle, "pale small", whose);
        figure.text([530.0, top + 23.0], Anchor::End, INK, latency);
        figure.text([690.0, top + 23.0], Anchor::End, INK, bandwidth);
    }
    Some(figure.svg())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::figure::texts_of;

    #[test]
    fn the_lanes_of_18_lie_as_its_kernel_places_them() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../solutions/18-capstone-gemm/steps/9-deeper.cu");
        let kernel = std::fs::read_to_string(file).expect("a kernel");
        for rule in [
            "int lane_row = (lane >> 1 & 1) | (lane >> 2 & 2);",
            "int lane_column = (lane & 1) | (lane >> 1 & 2) | (lane >> 2 & 4);",
        ] {
            assert!(kernel.contains(rule), "{file} has no `{rule}`: draw the lanes as it has them");
        }
        let shown = texts_of(&lanes_of_a_product());
        for lane in 0u32..32 {
            // Z order: the bits of column and row take turns.
            let bit = |number: u32| (lane >> number) & 1;
            let (column, row) = (bit(0) + 2 * bit(2) + 4 * bit(4), bit(1) + 2 * bit(3));
            let place = [234.0 + 30.0 * f64::from(column), 209.5 + 20.0 * f64::from(row)];
            assert!(shown.contains(&(place, lane.to_string())), "lane {lane} does not stand at {place:?}");
        }
    }
}
