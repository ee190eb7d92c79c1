//! 01-coalescing: two kernels that read memory badly, to be re-mapped so that a warp's words lie next to each
//! other.
//!
//! | goal | asked |
//! |---|---|
//! | baseline | `kernels/baselines/luminance.cu`: each thread reads its own struct, the L1 cache does the rest; in `crop` neighbours walk down a column |
//! | counters | global sectors of runs of 32 words, reckoned from where the data begin; no bank conflicts |
//! | pass speedup, expert | see `speed_goals` |
//!
//! Pixels are whole numbers or halves and weights are eighths, so every sum is exact in `f32`.

use harness::{
    exercise::{
        About, Baseline, Case, ConstantBound, Constants, Counter, CounterBound, Declared, Exercise, Inputs,
        On, OutputElement, SpeedGoals, ValueClass, digits, shorter, sprinkle,
    },
    fill,
    plan::{Argument, Bytes, Element, Fill, Launch, Plan, Strays, Tolerance},
    published_steps,
    report::{Failure, Goal, number_of},
    traffic::{RAGGED_SECTORS, warp_sectors},
};

/// The exercise.
pub static EXERCISE: Coalescing = Coalescing;

/// Luminance of an array of structs, and a window of a picture.
pub struct Coalescing;

const BLOCK_SIZE: &str = "BLOCK_SIZE";
const PIXELS_PER_THREAD: &str = "PIXELS_PER_THREAD";
/// Numbers from −this to this: more than a byte holds, or half a float, and their luminance is exact.
const LARGEST: f64 = 4095.0;
/// A few floats of a timed case are as large as this: more than 16 bits hold, and still exact.
const STRAY: f64 = 1.0e6;
/// Of red, green and blue.
const WEIGHTS: [f64; 3] = [0.25, 0.625, 0.125];

/// A block's threads and pixels.
#[derive(Clone, Copy)]
struct Shape {
    threads: usize,
    pixels: usize,
}

/// The baseline's own choice.
const BASELINE: Shape = Shape { threads: 256, pixels: 256 };

impl Shape {
    fn of(constants: &Constants) -> Self {
        let threads = constants.get(BLOCK_SIZE) as usize;
        Shape { threads, pixels: threads * constants.get(PIXELS_PER_THREAD) as usize }
    }
}

/// What is asked for.
#[derive(Clone, Copy)]
enum Task {
    Luminance {
        pixels: usize,
        /// Floats of the buffer before the first pixel.
        begin: usize,
    },
    Crop {
        width: usize,
        height: usize,
        pitch: usize,
        /// Floats of the picture before the window's first element.
        begin: usize,
    },
}

use Task::{Crop, Luminance};

/// What the buffer holds, from its number of floats and a seed.
type Values = fn(usize, u64) -> Fill;
const WHOLE: Values = |_, seed| Fill::Whole { seed, low: -LARGEST, high: LARGEST };
const WITH_STRAYS: Values = |_, seed| {
    let (most, strays) = ((-LARGEST, LARGEST), (-STRAY, STRAY));
    Fill::Strays(Strays { seed, most, strays, one_in: 1 << 12, unit: 1.0 })
};
const ONE_NEGATIVE: Values = |_, _| Fill::Repeated(Bytes::of(&[-3.0f32]));
/// Halves, infinities and NaN.
const HALVES_AND_INFINITIES: Values = |n, seed| {
    const SPECIAL: [f32; 3] = [f32::INFINITY, f32::NAN, f32::NEG_INFINITY];
    let mut values: Vec<f32> = fill::values(n, seed, -LARGEST, LARGEST);
    values.iter_mut().for_each(|value| *value = value.floor() + 0.5);
    (0..).zip(values.iter_mut().step_by(10)).for_each(|(at, value)| *value = SPECIAL[at % 3]);
    Fill::Data(Bytes::of(&values))
};
/// A window is moved, not computed: any bits must come through.
const EVERY_KIND: Values = |n, seed| {
    let mut values = fill::values(n, seed, -1000.0, 1000.0);
    sprinkle(&mut values);
    Fill::Data(Bytes::of(&values))
};

const DIGITS: Values = |_, seed| digits(seed);

/// Name, task, values, where.
type Row = (&'static str, Task, Values, On);
const CASES: &[Row] = &[
    ("luminance, n = 1", Luminance { pixels: 1, begin: 0 }, WHOLE, On::Everywhere),
    ("luminance, n = 20, less than a warp", Luminance { pixels: 20, begin: 1 }, WHOLE, On::Everywhere),
    ("luminance, n = 2048", Luminance { pixels: 2048, begin: 0 }, WHOLE, On::Everywhere),
    (
        "luminance, n = 1025, one more than blocks hold",
        Luminance { pixels: 1025, begin: 0 },
        WHOLE,
        On::Everywhere,
    ),
    (
        "luminance, n = 3001, beginning inside a sector, halves and infinities",
        Luminance { pixels: 3001, begin: 5 },
        HALVES_AND_INFINITIES,
        On::Everywhere,
    ),
    (
        "luminance, n = 70 001, more than 16 bits count",
        Luminance { pixels: 70_001, begin: 1 },
        WITH_STRAYS,
        On::Everywhere,
    ),
    (
        "luminance, n = 30 000, one negative number",
        Luminance { pixels: 30_000, begin: 0 },
        ONE_NEGATIVE,
        On::Everywhere,
    ),
    (
        "luminance, n = 2 097 229, more than 21 bits count",
        Luminance { pixels: (1 << 21) + 77, begin: 3 },
        WHOLE,
        On::Large,
    ),
    ("crop, 1 × 1", Crop { width: 1, height: 1, pitch: 3, begin: 0 }, WHOLE, On::Everywhere),
    (
        "crop, 64 × 32 of rows of 96, aligned",
        Crop { width: 64, height: 32, pitch: 96, begin: 0 },
        WHOLE,
        On::Everywhere,
    ),
    (
        // 1 / 41 as a float is too small: index * (1.0f / 41) is not the row of every index.
        "crop, 41 × 37 of rows of 101, beginning inside a sector",
        Crop { width: 41, height: 37, pitch: 101, begin: 211 },
        EVERY_KIND,
        On::Everywhere,
    ),
    (
        "crop, 300 × 7 of rows of 300",
        Crop { width: 300, height: 7, pitch: 300, begin: 3 },
        WHOLE,
        On::Everywhere,
    ),
    (
        "crop, 1 × 70 000 of rows of 33, an index of more than 21 bits",
        Crop { width: 1, height: 70_000, pitch: 33, begin: 1 },
        EVERY_KIND,
        On::Everywhere,
    ),
    (
        "crop, 70 000 × 2 of rows of 2 200 003",
        Crop { width: 70_000, height: 2, pitch: 2_200_003, begin: 0 },
        WHOLE,
        On::Everywhere,
    ),
    ("luminance, n = 10 000 019", Luminance { pixels: 10_000_019, begin: 7 }, WITH_STRAYS, On::Gpu),
    (
        "crop, 3001 × 2003 of rows of 4099",
        Crop { width: 3001, height: 2003, pitch: 4099, begin: 4100 },
        WHOLE,
        On::Gpu,
    ),
    (
        "crop, 8192 × 8192 of rows of 9000, timed",
        Crop { width: 8192, height: 8192, pitch: 9000, begin: 0 },
        WHOLE,
        On::GpuTimed,
    ),
    ("luminance, n = 67 108 864, timed", Luminance { pixels: 1 << 26, begin: 0 }, WITH_STRAYS, On::GpuTimed),
    ("luminance, n = 0, no pixel", Luminance { pixels: 0, begin: 0 }, WHOLE, On::Everywhere),
    (
        "crop, 0 × 3 of rows of 5, no element",
        Crop { width: 0, height: 3, pitch: 5, begin: 0 },
        WHOLE,
        On::Everywhere,
    ),
    (
        "crop, 300 × 7 of rows of 304, every row at a multiple of 16 bytes",
        Crop { width: 300, height: 7, pitch: 304, begin: 8 },
        EVERY_KIND,
        On::Everywhere,
    ),
    (
        "crop, 43 × 9 of rows of 64, aligned, but no whole vectors",
        Crop { width: 43, height: 9, pitch: 64, begin: 0 },
        EVERY_KIND,
        On::Everywhere,
    ),
    (
        "crop, 48 × 9 of rows of 63, only the first aligned",
        Crop { width: 48, height: 9, pitch: 63, begin: 0 },
        EVERY_KIND,
        On::Everywhere,
    ),
    (
        "crop, 5 × 9 of rows of 45",
        Crop { width: 5, height: 9, pitch: 45, begin: 0 },
        EVERY_KIND,
        On::Everywhere,
    ),
];

/// What a case is: its row, or for a tiny case one like it.
fn setting(case: &Case) -> Row {
    case.row(CASES, |(name, task, ..), n| {
        let task = match task {
            Luminance { .. } => Luminance { pixels: n, begin: 0 },
            Crop { .. } => Crop { width: n, height: shorter(n), pitch: n + 2, begin: 1 },
        };
        (name, task, DIGITS, On::Everywhere)
    })
}

impl Exercise for Coalescing {
    fn about(&self) -> About {
        About {
            id: "01-coalescing",
            title: "Coalescing: which thread reads which word",
            stub: include_str!("../kernel.cu"),
            solution: include_str!("../../../solutions/01-coalescing/kernel.cu"),
            steps: published_steps!("../../../solutions/01-coalescing/steps": "2-vectors"),
            hints: include_str!("../hints.md"),
            kernels: &["luminance", "crop"],
            stub_fails: &[
                Failure::Goal(Goal::Counter(Counter::GlobalLoadSectors)),
                Failure::Goal(Goal::Counter(Counter::GlobalStoreSectors)),
            ],
            constants: &[
                ConstantBound { name: BLOCK_SIZE, at_least: 64, at_most: 512, multiple_of: 32 },
                ConstantBound { name: PIXELS_PER_THREAD, at_least: 1, at_most: 8, multiple_of: 1 },
            ],
            baseline: Some(Baseline {
                source: include_str!("../../../kernels/baselines/luminance.cu"),
                plan: |case, seed| plan(case, seed, BASELINE),
            }),
            // Measured on an H200, both kernels together. What a pass asks for is crop's gain, whose baseline no cache helps:
            // the L1 cache gives luminance's more than nine tenths of a copy's speed.
            speed_goals: SpeedGoals {
                pass_speedup: Some(1.5),
                expert_roof_share: Some(0.8),
                ..SpeedGoals::default()
            },
            yardstick: Some("2-vectors"),
            ..About::default()
        }
    }
    fn cases(&self) -> Vec<Case> {
        Case::list(CASES.iter().map(|&(name, .., on)| (name, on)))
    }
    fn tiny(&self, like: &Case, n: usize) -> Result<Case, &'static str> {
        let kind = match setting(like).1 {
            Luminance { .. } => format!("luminance, n = {n}"),
            Crop { .. } => format!("crop, {n} × {} of rows of {}", shorter(n), n + 2),
        };
        Ok(like.as_tiny(kind, n))
    }
    fn plan(&self, case: &Case, seed: u64, constants: &Constants) -> Plan {
        plan(case, seed, Shape::of(constants))
    }
    fn value_class(&self, class: ValueClass) -> Declared {
        use ValueClass::*;
        match class {
            NegativeZero | Infinity | NegativeInfinity | Nan | NegativeNan | Denormal | HugeAndTiny
            | NegativeOnly | EqualNeighbours | Fraction | AllBits | Crowded | LongDimension | LargeIndex
            | OneElement | NoElement | Ragged | Misaligned => Declared::Here,
            Least | Greatest => Declared::Not("floats have infinities instead"),
        }
    }
    fn counter_bounds(&self, case: &Case, constants: &Constants) -> Vec<CounterBound> {
        let (_, task, _, on) = setting(case);
        if !on.is_simulated() {
            return Vec::new();
        }
        let (loads, stores, why) = match task {
            // Blocks begin at multiples of 32 words after the first, whatever the constants are.
            Luminance { pixels, begin } => {
                let [per_block, items] =
                    [BLOCK_SIZE, PIXELS_PER_THREAD].map(|name| constants.get(name) as usize);
                // 16-byte loads leave single words at both ends of a block's run.
                let ends = 2 * pixels.div_ceil(per_block * items);
                let first = number_of(begin, "word");
                (
                    warp_sectors(3 * pixels, |word| begin + word) + ends + RAGGED_SECTORS,
                    warp_sectors(pixels, |i| i) + RAGGED_SECTORS,
                    format!(
                        "{} words in runs of 32, the first {first} after a sector's edge; {ends} more where a block's \
                         vectors begin and end, and {RAGGED_SECTORS} where lanes of a warp end in different rounds",
                        3 * pixels
                    ),
                )
            }
            Crop { width, height, pitch, begin } => (
                warp_sectors(width * height, |k| begin + k / width * pitch + k % width),
                warp_sectors(width * height, |k| k),
                format!(
                    "each warp reads 32 neighbours of a row of {width}, or the end of one row and the start of the next"
                ),
            ),
        };
        vec![
            Counter::GlobalLoadSectors.at_most(loads, why),
            Counter::GlobalStoreSectors.at_most(stores, "each sector of `out` is written once"),
            Counter::SharedBankConflicts.at_most(0, "lanes are one word apart, or three, and both are odd"),
        ]
    }
    fn recompute(&self, case: &Case, asked: &OutputElement<'_>) -> Option<f64> {
        Some(setting(case).1.output(&asked.inputs, asked.index))
    }
}

impl Task {
    /// What element `index` of `out` must be.
    fn output(self, inputs: &Inputs<'_>, index: usize) -> f64 {
        match self {
            Luminance { begin, .. } => {
                let colours = begin + 3 * index..;
                colours.zip(WEIGHTS).map(|(at, weight)| weight * inputs.value("pixels", at)).sum()
            }
            Crop { width, pitch, begin, .. } => {
                inputs.value("picture", begin + index / width * pitch + index % width)
            }
        }
    }
}

fn plan(case: &Case, seed: u64, shape: Shape) -> Plan {
    let (_, task, values, _) = setting(case);
    let (kernel, name, begin, end, outputs, numbers, threads) = match task {
        Luminance { pixels, begin } => {
            let threads = pixels.div_ceil(shape.pixels) * shape.threads;
            ("luminance", "pixels", begin, begin + 3 * pixels, pixels, vec![pixels], threads)
        }
        Crop { width, height, pitch, begin } => {
            let end = begin + pitch * (height - 1) + width;
            ("crop", "picture", begin, end, width * height, vec![width, height, pitch], width * height)
        }
    };
    let mut plan = Plan::new();
    let from = plan.buffer(name, Element::F32, &[end], values(end, seed));
    let out = plan.buffer("out", Element::F32, &[outputs], Fill::Uninitialized);
    let launch = Launch::new(kernel, threads.div_ceil(shape.threads).max(1), shape.threads);
    let first = Argument::Buffer { buffer: from, offset: begin };
    plan.launch(launch.argument(first).buffers([out]).ints(numbers));
    plan.expect_each(case, out, Tolerance::Exact, |inputs, index| task.output(inputs, index));
    let words = match task {
        Luminance { pixels, .. } => (3 + 1) * pixels,
        Crop { width, height, .. } => 2 * width * height,
    };
    plan.minimum_bytes = 4 * words as u64;
    plan
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outputs(task: Task, name: &str, input: &[f32], count: usize) -> Vec<f64> {
        let mut plan = Plan::new();
        plan.buffer(name, Element::F32, &[input.len()], Fill::Data(Bytes::of(input)));
        (0..count).map(|index| task.output(&Inputs::of(&plan), index)).collect()
    }

    #[test]
    fn structs_take_three_times_the_sectors_of_neighbours() {
        assert_eq!(warp_sectors(32, |k| k), 4);
        assert_eq!(warp_sectors(32, |k| 3 * k), 12);
    }

    #[test]
    fn a_window_is_cut_out() {
        let picture: Vec<f32> = (0..12_u8).map(f32::from).collect();
        let task = Crop { width: 2, height: 2, pitch: 5, begin: 3 };
        assert_eq!(outputs(task, "picture", &picture, 4), [3.0, 4.0, 8.0, 9.0]);
    }

    #[test]
    fn the_largest_sums_are_exact() {
        // In eighths, weights and all; those of halves in sixteenths.
        assert!(8.0 * STRAY < f64::from(1 << 24));
        assert!(16.0 * LARGEST < f64::from(1 << 24));
    }

    #[test]
    fn weights_are_exact_and_add_up() {
        assert_eq!(WEIGHTS.iter().sum::<f64>(), 1.0);
        let one = Luminance { pixels: 1, begin: 0 };
        assert_eq!(outputs(one, "pixels", &[8.0, 16.0, 24.0], 1), [2.0 + 10.0 + 3.0]);
    }
}
