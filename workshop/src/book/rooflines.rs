//! Rooflines of the course's kernels that compute more than they move: what a kernel reaches over what it asks of the memory that binds it.
//!
//! Speeds and roofs are the record's; the roofs of arithmetic are data sheets', and the figures say so. What a kernel asks
//! for is counted: by the simulator, or, where the machine code makes fewer reads than PTX has, or reads that the simulator
//! doesn't count, elsewhere, and then the place where it is counted says so ([`kernels`]).

mod kernels;
mod plane;
mod reached;

use grader::exit::Result;

pub use self::reached::reached;
use self::{
    kernels::NAIVE,
    plane::{CORNER, FRAGMENTS, Plane, SINGLE},
};
use super::circulation::digits;
use crate::record::Record;

/// The record's figures of the memory that is nearest to a kernel, and of the one that is farthest.
const SHARED: &str = "shared bandwidth";
const DEVICE: &str = "DRAM read bandwidth";
/// The memories, the nearest first, each with the record's figure of what it brings.
const MEMORIES: [(&str, &str); 4] = [
    ("shared memory", SHARED),
    ("L1 cache", "L1 bandwidth"),
    ("L2 cache", "L2 bandwidth"),
    ("device memory", DEVICE),
];

/// What computes; its roof is flat.
struct Arithmetic {
    name: &'static str,
    tflops: f64,
}

/// Single precision on an H100 or H200, by their data sheets.
const CORES: Arithmetic = Arithmetic { name: "arithmetic", tflops: 67.0 };
/// Tensor cores of an H100 or H200 (SXM) on dense matrices of bfloat16, with sums in single precision, by their data sheets.
const TENSOR_CORES: Arithmetic = Arithmetic { name: "tensor cores", tflops: 989.0 };

/// A kernel in a figure.
struct Point {
    name: &'static str,
    /// Operations for each byte that it asks of the memory that binds it.
    intensity: f64,
    /// What it reaches.
    tflops: f64,
    class: &'static str,
    /// Where its name stands, from the point.
    beside: [f64; 2],
}

/// The figure of a chapter.
pub struct Roofline<'a> {
    exercise: &'static str,
    record: &'a Record,
    points: Vec<Point>,
    /// How many memories have a roof in it, the nearest first.
    memories: usize,
    arithmetic: Arithmetic,
    plane: Plane,
    says: String,
}

impl Roofline<'_> {
    /// The figure's file name and text, or none where the record lacks something that it shows.
    pub fn figure(&self) -> Option<(String, String)> {
        plane::drawn(self).map(|svg| (format!("{}-roofline.svg", self.exercise), svg))
    }

    /// The lowest roof above a kernel that reads shared memory: whose it is, and its height in Tflop/s.
    fn above(&self, point: &Point) -> Option<(&'static str, f64)> {
        let memory = point.intensity * bandwidth(self.record, SHARED)?;
        let Arithmetic { name, tflops } = self.arithmetic;
        Some(if memory < tflops { (MEMORIES[0].0, memory) } else { (name, tflops) })
    }
}

/// The figures of all chapters, without those for which the record lacks a kernel's time.
///
/// `of` gives the record that an exercise is shown from, `counts` its committed counts.
///
/// # Errors
/// Counts that lack a kernel or a case.
pub fn all<'a>(
    of: impl Fn(&str) -> &'a Record,
    counts: impl Fn(&str) -> Option<String>,
) -> Result<Vec<Roofline<'a>>> {
    let mut all = Vec::new();
    let mut add = |exercise, points: Option<Vec<Point>>, memories, arithmetic, plane, says: String| {
        let record = of(exercise);
        all.extend(points.map(|points| Roofline {
            exercise,
            record,
            points,
            memories,
            arithmetic,
            plane,
            says,
        }));
    };
    let exercise = "07-convolution";
    let points = kernels::filters(of(exercise), counts(exercise).as_deref())?;
    let says = "A roofline shows 07's kernels. The naive kernel and the tile make half an operation for each byte that they read. Several rows in \
                each thread, and vectors, ask less of shared memory for each operation, and come near the roof of arithmetic.";
    add(exercise, points, 2, CORES, SINGLE, says.to_owned());

    let exercise = "08-matmul";
    let record = of(exercise);
    if let Some(device) = bandwidth(record, DEVICE) {
        let says = format!(
            "A roofline shows 08's kernels. By device memory alone the naive kernel, at {NAIVE} operations a byte, could reach {} Tflop/s; \
             it reaches several times that, below the roof of the L1 cache. Both tiled kernels lie below the roof of shared memory.",
            digits(NAIVE * device)
        );
        add(exercise, kernels::tiles(record), 4, CORES, SINGLE, says);
    }

    let exercise = "16-double-buffering";
    let says = "A roofline shows 16's kernels. With one stage or two, a tile of 32 by 32 lies close below the roof of shared memory, which \
                double buffering does not raise.";
    add(exercise, kernels::buffers(of(exercise)), 4, CORES, SINGLE, says.to_owned());

    let exercise = "18-capstone-gemm";
    let points = kernels::registers(of(exercise), counts(exercise).as_deref())?;
    let says = "A roofline shows 18's kernels. From the tile to register tiles, vectors and larger register tiles the kernels ask less and less of shared memory, \
                and the roof that binds them becomes that of arithmetic.";
    add(exercise, points, 1, CORES, SINGLE, says.to_owned());

    let exercise = "19-tensor-cores";
    let points = kernels::fragments(of(exercise), counts(exercise).as_deref())?;
    let says = "A roofline shows 19's kernels. On plain tiles, wmma and ldmatrix lie far left, below the roof of shared memory. The swizzle takes \
                the kernel far to the right. With 64 by 64 sums in a warp it lies just beyond the corner where the roof of the tensor cores begins, and the last steps rise below that roof.";
    add(exercise, points, 1, TENSOR_CORES, FRAGMENTS, says.to_owned());

    let exercise = "20-bulk-copies";
    let points = kernels::stages(of(exercise), counts(exercise).as_deref())?;
    let says = "A roofline shows 20's kernels. With one stage and with five, kernels whose lanes read fragments lie below the roof of shared memory, \
                one above the other. The kernels with wgmma lie well beyond the corner, below the roof of the tensor cores and close to the line of cuBLAS.";
    add(exercise, points, 1, TENSOR_CORES, CORNER, says.to_owned());
    Ok(all)
}

/// What a memory brings, in TB/s.
fn bandwidth(record: &Record, name: &str) -> Option<f64> {
    record.figures.iter().find(|figure| figure.figure == name).map(|figure| figure.value)
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        path::{Path, PathBuf},
    };

    use grader::kernels::Role;

    use super::*;
    use crate::book::figure::MAIN;

    pub fn record() -> Record {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../solutions/measured/h200.json");
        Record::read(Path::new(file)).unwrap_or_else(|_| panic!("{file} is no record"))
    }

    pub fn solutions() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../solutions")
    }

    pub fn rooflines(record: &Record) -> Vec<Roofline<'_>> {
        let counts = |exercise: &str| fs::read_to_string(solutions().join(exercise).join("counts.txt")).ok();
        all(|_| record, counts).unwrap_or_else(|_| panic!("no figures"))
    }

    pub fn figures(record: &Record) -> Vec<(String, String)> {
        rooflines(record).iter().filter_map(Roofline::figure).collect()
    }

    /// The chapters whose naive kernel reads through L1, and those whose kernels multiply by tensor cores.
    const READ_L1: [&str; 3] = ["07-convolution", "08-matmul", "16-double-buffering"];
    const USE_TENSOR_CORES: [&str; 2] = ["19-tensor-cores", "20-bulk-copies"];

    #[test]
    fn every_bandwidth_that_a_chapter_names_is_a_roof() {
        let record = record();
        let figures = figures(&record);
        assert_eq!(figures.len(), 6);
        for (file, svg) in figures {
            let chapter = file.trim_end_matches("-roofline.svg");
            let page = solutions().join(format!("../book/src/chapters/{chapter}.md"));
            let page = fs::read_to_string(page).expect("a chapter");
            for (roof, figure) in MEMORIES {
                let is_read = match roof {
                    "L1 cache" => READ_L1.contains(&chapter),
                    // The sloping roof of each.
                    _ => roof == "shared memory",
                };
                let value = bandwidth(&record, figure).expect("a figure");
                let is_drawn = svg.contains(&format!(">{roof}, {value:.1} TB/s</text>"));
                let is_named = page.contains(&format!("\"{figure}\""));
                assert!(is_drawn || !(is_named || is_read), "{file} has no roof of {roof}");
            }
            let flat = match USE_TENSOR_CORES.contains(&chapter) {
                true => ">tensor cores, 989 Tflop/s (data sheet)</text>",
                false => ">arithmetic, 67 Tflop/s (data sheet)</text>",
            };
            assert!(svg.contains(flat), "{file} has no roof{flat}");
        }
    }

    #[test]
    fn what_a_roofline_says_is_the_records() {
        let mut record = record();
        let said = |record: &Record| {
            let svg =
                figures(record).into_iter().find(|(file, _)| file.starts_with("08")).expect("a figure").1;
            svg.split_once("could reach ").expect("a speed").1.split(' ').next().map(str::to_owned)
        };
        let today = bandwidth(&record, DEVICE).expect("a figure");
        assert_eq!(said(&record), Some(digits(NAIVE * today)));
        record
            .figures
            .iter_mut()
            .filter(|figure| figure.figure == DEVICE)
            .for_each(|figure| figure.value *= 2.0);
        assert_eq!(said(&record), Some(digits(2.0 * NAIVE * today)));
    }

    #[test]
    fn a_solution_that_takes_half_the_time_is_drawn_twice_as_fast() {
        let mut record = record();
        // The number beside a solution's dot, e.g. of `tile: 6.2`.
        let drawn = |record: &Record| -> Vec<(String, f64)> {
            let number = |svg: &str| {
                let text = svg.split_once(&format!("<text class=\"{MAIN}\""))?.1.split_once("</text>")?.0;
                text.rsplit_once(": ")?.1.parse().ok()
            };
            let figures = figures(record).into_iter();
            figures.map(|(file, svg)| (file, number(&svg).expect("a speed"))).collect()
        };
        let today = drawn(&record);
        for kernel in record.kernels.iter_mut().filter(|kernel| kernel.candidate.role == Role::Solution) {
            kernel.speed.iter_mut().for_each(|speed| speed.kernel_microseconds /= 2.0);
        }
        for ((file, slow), (_, fast)) in today.into_iter().zip(drawn(&record)) {
            // Each is rounded to a tenth.
            assert!((fast - 2.0 * slow).abs() < 0.2, "{file}: {slow} and {fast}");
        }
    }
}
