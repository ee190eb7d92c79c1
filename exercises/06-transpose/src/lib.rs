//! 06-transpose: rows become columns, through a tile in shared memory.
//!
//! | goal | asked |
//! |---|---|
//! | baseline | `kernels/baselines/transpose.cu`: reads along rows, writes down columns |
//! | counters | global sectors of runs along the rows, on both sides; no bank conflicts |
//! | pass speedup, expert | see [`Exercise::speed_goals`] |

use harness::{
    exercise::{
        Baseline, Case, ConstantBound, Constants, Counter, CounterBound, Exercise, Inputs, On, SpeedGoals,
    },
    fill,
    plan::{Argument, Bytes, Element, Fill, Launch, Plan, Tolerance},
};

/// The exercise.
pub static EXERCISE: Transpose = Transpose;

/// Transposes a matrix.
pub struct Transpose;

const TILE_SIDE: &str = "TILE_SIDE";
const BLOCK_WIDTH: &str = "BLOCK_WIDTH";
const BLOCK_HEIGHT: &str = "BLOCK_HEIGHT";
const FLOATS_PER_SECTOR: usize = 8;

/// A block's tile and threads.
#[derive(Clone, Copy)]
struct Shape {
    tile: usize,
    width: usize,
    height: usize,
}

/// The baseline's own choice.
const BASELINE: Shape = Shape { tile: 32, width: 32, height: 8 };

impl Shape {
    fn of(constants: &Constants) -> Self {
        let get = |name| constants.get(name) as usize;
        Shape { tile: get(TILE_SIDE), width: get(BLOCK_WIDTH), height: get(BLOCK_HEIGHT) }
    }
}

/// Name, height and width of `in`, where.
const CASES: &[(&str, [usize; 2], On)] = &[
    ("1 × 1", [1, 1], On::Everywhere),
    ("1 × 200, a single row", [1, 200], On::Everywhere),
    ("200 × 1, a single column", [200, 1], On::Everywhere),
    ("5 × 3, smaller than a tile", [5, 3], On::Everywhere),
    ("128 × 64, full tiles", [128, 64], On::Everywhere),
    ("65 × 33, one more than full tiles", [65, 33], On::Everywhere),
    ("100 × 72, multiples of 4", [100, 72], On::Everywhere),
    ("51 × 131", [51, 131], On::Everywhere),
    ("5003 × 3001", [5003, 3001], On::Gpu),
    ("16 384 × 16 384, timed", [16384, 16384], On::GpuTimed),
];

impl Exercise for Transpose {
    fn id(&self) -> &'static str {
        "06-transpose"
    }
    fn title(&self) -> &'static str {
        "Transpose: rows become columns"
    }
    fn stub(&self) -> &'static str {
        include_str!("../kernel.cu")
    }
    fn kernels(&self) -> &'static [&'static str] {
        &["transpose"]
    }
    fn hints(&self) -> &'static str {
        include_str!("../hints.md")
    }
    fn stub_fails(&self) -> &'static [&'static str] {
        &["correct"]
    }
    fn constants(&self) -> &'static [ConstantBound] {
        &[
            ConstantBound { name: TILE_SIDE, at_least: 16, at_most: 64, multiple_of: 16 },
            ConstantBound { name: BLOCK_WIDTH, at_least: 8, at_most: 32, multiple_of: 8 },
            ConstantBound { name: BLOCK_HEIGHT, at_least: 1, at_most: 32, multiple_of: 1 },
        ]
    }
    fn cases(&self) -> Vec<Case> {
        (0..).zip(CASES).map(|(index, &(name, _, on))| Case { name: name.to_owned(), index, on }).collect()
    }
    fn plan(&self, case: &Case, seed: u64, constants: &Constants) -> Plan {
        plan(case, seed, Shape::of(constants))
    }
    fn counter_bounds(&self, case: &Case, constants: &Constants) -> Vec<CounterBound> {
        let (_, [height, width], on) = CASES[case.index];
        if on != On::Everywhere {
            return Vec::new();
        }
        let shape = Shape::of(constants);
        let run = shape.width.min(shape.tile);
        vec![
            CounterBound {
                counter: Counter::GlobalLoadSectors,
                at_least: 0,
                at_most: run_sectors(height, width, shape),
                why: format!("`in` is read once, in runs of {run} words along its rows of {width}"),
            },
            CounterBound {
                counter: Counter::GlobalStoreSectors,
                at_least: 0,
                at_most: run_sectors(width, height, shape),
                why: format!("`out` is written once, in runs of {run} words along its rows of {height}"),
            },
            CounterBound {
                counter: Counter::SharedBankConflicts,
                at_least: 0,
                at_most: 0,
                why: "rows and columns of a padded or swizzled tile go through different banks".to_owned(),
            },
        ]
    }
    /// Measured on an H200: the padded tile is more than four times as fast as the baseline; 16-byte accesses reach nine tenths of
    /// a copy's speed.
    fn speed_goals(&self) -> SpeedGoals {
        SpeedGoals { pass_speedup: Some(2.0), expert_roof_share: Some(0.9), ..SpeedGoals::default() }
    }
    fn baseline(&self) -> Option<Baseline> {
        Some(Baseline {
            source: include_str!("../../../kernels/baselines/transpose.cu"),
            plan: |case, seed| plan(case, seed, BASELINE),
        })
    }
    fn recompute(
        &self,
        case: &Case,
        _: &Constants,
        inputs: &Inputs<'_>,
        _: &str,
        index: usize,
    ) -> Option<f64> {
        let [height, width] = CASES[case.index].1;
        Some(inputs.value("in", index % height * width + index / height))
    }
}

/// Sectors of a matrix that is read or written once, tile by tile, in runs as wide as the block along its rows. A run
/// that begins or ends inside a sector asks for it whole.
fn run_sectors(rows: usize, columns: usize, shape: Shape) -> u64 {
    let mut sectors = 0;
    for row in 0..rows {
        for left in (0..columns).step_by(shape.tile) {
            let end = (left + shape.tile).min(columns);
            for from in (left..end).step_by(shape.width) {
                let first = row * columns + from;
                let last = row * columns + (from + shape.width).min(end) - 1;
                sectors += (last / FLOATS_PER_SECTOR - first / FLOATS_PER_SECTOR + 1) as u64;
            }
        }
    }
    sectors
}

fn plan(case: &Case, seed: u64, shape: Shape) -> Plan {
    let (_, [height, width], on) = CASES[case.index];
    let (low, high) = (-1000.0, 1000.0);

    let mut plan = Plan::new();
    let from = plan.buffer("in", Element::F32, &[height, width], Fill::Random { seed, low, high });
    let to = plan.buffer("out", Element::F32, &[width, height], Fill::Uninitialized);
    plan.launch(Launch {
        kernel: "transpose".to_owned(),
        grid: [width.div_ceil(shape.tile) as u32, height.div_ceil(shape.tile) as u32, 1],
        block: [shape.width as u32, shape.height as u32, 1],
        dynamic_shared: 0,
        arguments: vec![
            Argument::buffer(from),
            Argument::buffer(to),
            Argument::scalar(width as i32),
            Argument::scalar(height as i32),
        ],
        cooperative: false,
    });
    // A move rounds nothing: exact to the bit.
    if on == On::GpuTimed {
        plan.expect_reference(to, Tolerance::Exact);
    } else {
        let elements: Vec<f32> = fill::values(height * width, seed, low, high);
        plan.expect(to, Bytes::of(&transposed(&elements, width)), Tolerance::Exact);
    }
    plan.minimum_bytes = 2 * 4 * (width * height) as u64;
    plan
}

/// The columns of a matrix with rows of `width` elements, one after the other.
fn transposed(elements: &[f32], width: usize) -> Vec<f32> {
    (0..width).flat_map(|column| elements.iter().skip(column).step_by(width)).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_columns() {
        assert_eq!(transposed(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 3), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    }

    #[test]
    fn aligned_rows_take_each_sector_once() {
        assert_eq!(run_sectors(128, 64, BASELINE), 128 * 64 / 8);
        // Rows of 33: a run of 32 and a run of 1; the first row's run begins at a sector, the second row's does not.
        assert_eq!(run_sectors(2, 33, BASELINE), (4 + 1) + (5 + 1));
    }
}
