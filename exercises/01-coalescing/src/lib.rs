//! 01-coalescing: two kernels that read memory badly, to be re-mapped so that a warp's words lie next to each other.
//!
//! | goal | asked |
//! |---|---|
//! | baseline | `kernels/baselines/luminance.cu`: each thread reads its own struct, the L1 cache does the rest |
//! | counters | global sectors of runs of 32 words, reckoned from where the data begin; no bank conflicts |
//! | pass speedup, expert | see [`Exercise::speed_goals`] |
//!
//! Pixels are whole numbers and weights are eighths, so every sum is exact in `f32`.

use harness::{
    exercise::{
        Baseline, Case, ConstantBound, Constants, Counter, CounterBound, Exercise, Inputs, On, SpeedGoals,
    },
    fill,
    plan::{Argument, Bytes, Element, Fill, Launch, Plan, Tolerance},
};

/// The exercise.
pub static EXERCISE: Coalescing = Coalescing;

/// Luminance of an array of structs, and a window of a picture.
pub struct Coalescing;

const BLOCK_SIZE: &str = "BLOCK_SIZE";
const PIXELS_PER_THREAD: &str = "PIXELS_PER_THREAD";
const LANES: usize = 32;
const FLOATS_PER_SECTOR: usize = 8;
/// Whole numbers from 0 to this.
const LARGEST: f64 = 255.0;
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

/// Name, task, where.
const CASES: &[(&str, Task, On)] = &[
    ("luminance, n = 1", Luminance { pixels: 1, begin: 0 }, On::Everywhere),
    ("luminance, n = 20, less than a warp", Luminance { pixels: 20, begin: 1 }, On::Everywhere),
    ("luminance, n = 2048", Luminance { pixels: 2048, begin: 0 }, On::Everywhere),
    ("luminance, n = 1025, one more than blocks hold", Luminance { pixels: 1025, begin: 0 }, On::Everywhere),
    ("luminance, n = 3001, beginning inside a sector", Luminance { pixels: 3001, begin: 5 }, On::Everywhere),
    ("crop, 1 × 1", Crop { width: 1, height: 1, pitch: 3, begin: 1 }, On::Everywhere),
    (
        "crop, 64 × 32 of rows of 96, aligned",
        Crop { width: 64, height: 32, pitch: 96, begin: 0 },
        On::Everywhere,
    ),
    (
        "crop, 45 × 37 of rows of 101, beginning inside a sector",
        Crop { width: 45, height: 37, pitch: 101, begin: 211 },
        On::Everywhere,
    ),
    ("crop, 300 × 7 of rows of 300", Crop { width: 300, height: 7, pitch: 300, begin: 3 }, On::Everywhere),
    ("luminance, n = 10 000 019", Luminance { pixels: 10_000_019, begin: 7 }, On::Gpu),
    (
        "crop, 3001 × 2003 of rows of 4099",
        Crop { width: 3001, height: 2003, pitch: 4099, begin: 4100 },
        On::Gpu,
    ),
    ("luminance, n = 67 108 864, timed", Luminance { pixels: 1 << 26, begin: 0 }, On::GpuTimed),
];

impl Exercise for Coalescing {
    fn id(&self) -> &'static str {
        "01-coalescing"
    }
    fn title(&self) -> &'static str {
        "Coalescing: which thread reads which word"
    }
    fn stub(&self) -> &'static str {
        include_str!("../kernel.cu")
    }
    fn kernels(&self) -> &'static [&'static str] {
        &["luminance", "crop"]
    }
    fn hints(&self) -> &'static str {
        include_str!("../hints.md")
    }
    fn stub_fails(&self) -> &'static [&'static str] {
        &["global_load_sectors", "global_store_sectors"]
    }
    fn constants(&self) -> &'static [ConstantBound] {
        &[
            ConstantBound { name: BLOCK_SIZE, at_least: 64, at_most: 512, multiple_of: 32 },
            ConstantBound { name: PIXELS_PER_THREAD, at_least: 1, at_most: 8, multiple_of: 1 },
        ]
    }
    fn cases(&self) -> Vec<Case> {
        (0..).zip(CASES).map(|(index, &(name, _, on))| Case { name: name.to_owned(), index, on }).collect()
    }
    fn plan(&self, case: &Case, seed: u64, constants: &Constants) -> Plan {
        plan(case, seed, Shape::of(constants))
    }
    fn counter_bounds(&self, case: &Case, _: &Constants) -> Vec<CounterBound> {
        let (_, task, on) = CASES[case.index];
        if on != On::Everywhere {
            return Vec::new();
        }
        let (loads, stores, why) = match task {
            // Blocks begin at multiples of 32 words after the first, whatever the constants are.
            Luminance { pixels, begin } => (
                warp_sectors(3 * pixels, |word| begin + word),
                warp_sectors(pixels, |i| i),
                format!("{} words in runs of 32, the first {begin} words after a sector's edge", 3 * pixels),
            ),
            Crop { width, height, pitch, begin } => (
                warp_sectors(width * height, |k| begin + k / width * pitch + k % width),
                warp_sectors(width * height, |k| k),
                format!(
                    "each warp reads 32 neighbours of a row of {width}, or the end of one and the start of the next"
                ),
            ),
        };
        vec![
            CounterBound { counter: Counter::GlobalLoadSectors, at_least: 0, at_most: loads, why },
            CounterBound {
                counter: Counter::GlobalStoreSectors,
                at_least: 0,
                at_most: stores,
                why: "each sector of `out` is written once".to_owned(),
            },
            CounterBound {
                counter: Counter::SharedBankConflicts,
                at_least: 0,
                at_most: 0,
                why: "lanes are one word apart, or three, and both are odd".to_owned(),
            },
        ]
    }
    /// Measured on an H200: the L1 cache gives the baseline more than nine tenths of a copy's speed, so nothing is asked for a pass;
    /// four pixels for each thread reach the copy's.
    fn speed_goals(&self) -> SpeedGoals {
        SpeedGoals { expert_roof_share: Some(0.95), ..SpeedGoals::default() }
    }
    fn baseline(&self) -> Option<Baseline> {
        Some(Baseline {
            source: include_str!("../../../kernels/baselines/luminance.cu"),
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
        match CASES[case.index].1 {
            Luminance { begin, .. } => {
                let first = begin + 3 * index;
                Some(inputs.values("pixels", first..first + 3).zip(WEIGHTS).map(|(c, w)| c * w).sum())
            }
            Crop { width, pitch, begin, .. } => {
                Some(inputs.value("picture", begin + index / width * pitch + index % width))
            }
        }
    }
}

/// Sectors that warps ask for whose thread k touches word `word(k)`, for `threads` threads.
fn warp_sectors(threads: usize, word: impl Fn(usize) -> usize) -> u64 {
    let warp = |first: usize| {
        let mut sectors: Vec<usize> =
            (first..(first + LANES).min(threads)).map(|k| word(k) / FLOATS_PER_SECTOR).collect();
        sectors.sort_unstable();
        sectors.dedup();
        sectors.len() as u64
    };
    (0..threads).step_by(LANES).map(warp).sum()
}

fn plan(case: &Case, seed: u64, shape: Shape) -> Plan {
    let (_, task, on) = CASES[case.index];
    let whole = Fill::Whole { seed, low: 0.0, high: LARGEST };
    let mut plan = Plan::new();
    let mut input = |name: &str, elements: usize| plan.buffer(name, Element::F32, &[elements], whole.clone());
    let (kernel, from, begin, outputs, numbers, threads) = match task {
        Luminance { pixels, begin } => {
            let from = input("pixels", begin + 3 * pixels);
            let threads = pixels.div_ceil(shape.pixels) * shape.threads;
            ("luminance", from, begin, pixels, vec![pixels], threads)
        }
        Crop { width, height, pitch, begin } => {
            let from = input("picture", begin + pitch * (height - 1) + width);
            ("crop", from, begin, width * height, vec![width, height, pitch], width * height)
        }
    };
    let out = plan.buffer("out", Element::F32, &[outputs], Fill::Uninitialized);
    let numbers = numbers.into_iter().map(|number| Argument::scalar(number as i32));
    plan.launch(Launch {
        kernel: kernel.to_owned(),
        grid: [threads.div_ceil(shape.threads) as u32, 1, 1],
        block: [shape.threads as u32, 1, 1],
        dynamic_shared: 0,
        arguments: [Argument::Buffer { buffer: from, offset: begin }, Argument::buffer(out)]
            .into_iter()
            .chain(numbers)
            .collect(),
        cooperative: false,
    });
    if on == On::GpuTimed {
        plan.expect_reference(out, Tolerance::Exact);
    } else {
        let input = fill::whole_values(plan.buffers[from.0].len(), seed, 0.0, LARGEST);
        let expected = expected(task, &input);
        plan.expect(out, Bytes::of(&expected), Tolerance::Exact);
    }
    if let Luminance { pixels, .. } = task {
        plan.minimum_bytes = (3 + 1) * 4 * pixels as u64;
    }
    plan
}

fn expected(task: Task, input: &[f32]) -> Vec<f32> {
    match task {
        Luminance { begin, .. } => {
            let weigh =
                |pixel: &[f32]| pixel.iter().zip(WEIGHTS).map(|(&c, w)| f64::from(c) * w).sum::<f64>();
            input[begin..].chunks_exact(3).map(|pixel| weigh(pixel) as f32).collect()
        }
        Crop { width, height, pitch, begin } => {
            (0..height).flat_map(|row| &input[begin + row * pitch..][..width]).copied().collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_take_four_sectors_and_structs_twelve() {
        assert_eq!(warp_sectors(32, |k| k), 4);
        assert_eq!(warp_sectors(32, |k| k + 1), 5);
        assert_eq!(warp_sectors(32, |k| 3 * k), 12);
        assert_eq!(warp_sectors(33, |k| k), 5);
    }

    #[test]
    fn a_window_is_cut_out() {
        let picture: Vec<f32> = (0..12_u8).map(f32::from).collect();
        let task = Crop { width: 2, height: 2, pitch: 5, begin: 3 };
        assert_eq!(expected(task, &picture), [3.0, 4.0, 8.0, 9.0]);
    }

    #[test]
    fn weights_are_exact_and_add_up() {
        assert_eq!(WEIGHTS.iter().sum::<f64>(), 1.0);
        let one = Luminance { pixels: 1, begin: 0 };
        assert_eq!(expected(one, &[8.0, 16.0, 24.0]), [2.0 + 10.0 + 3.0]);
    }
}
