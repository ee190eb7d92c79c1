//! Rooflines of the course's kernels that compute more than they move: what a kernel reaches over what it asks of the memory that binds it.
//!
//! Speeds and roofs are the record's. What a kernel asks for is counted: by the simulator, or, where the assembler makes
//! fewer reads than PTX has, in the machine code, and then the place where it is counted says so.

use grader::exit::{Result, Trouble};

use super::{
    circulation::{counted, digits},
    figure::{Anchor, Figure, INK, LIMIT, MAIN, PALE, SLOW, STEP},
};
use crate::record::{KernelRecord, PeerRecord, Record};

/// Single precision on an H100 or H200, in Tflop/s, by their data sheets.
const ARITHMETIC: f64 = 67.0;
/// What one wavefront of shared memory brings.
const WAVEFRONT_BYTES: f64 = 128.0;
/// A naive product's operations for each byte: a multiply-add reads one float of a and one of b.
const NAIVE: f64 = 0.25;
/// The record's figure of the memory that is farthest from a kernel.
const DEVICE: &str = "DRAM read bandwidth";
/// A case of 18 without ragged edges, and one of 07.
const FULL_TILES: &str = "128 × 64 times 64 × 256, full tiles";
const FULL_BLOCKS: &str = "64 × 32 image, full blocks, 9 × 9 filter";
/// Operations of 07's timed case: a product and a sum for each element of the image and of the filter.
const CONVOLUTION: f64 = 2.0 * 8192.0 * 8192.0 * 81.0;

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

/// The figure of a chapter, or none where the record lacks something that it shows.
///
/// `of` gives the record that an exercise is shown from, `counts` its committed counts.
///
/// # Errors
/// Counts that lack a kernel or a case.
pub fn all<'a>(
    of: impl Fn(&str) -> &'a Record,
    counts: impl Fn(&str) -> Option<String>,
) -> Result<Vec<(&'static str, String)>> {
    let mut all = Vec::new();
    let record = of("07-convolution");
    if let Some(points) = filters(record, counts("07-convolution").as_deref())? {
        let says = "A roofline shows 07's kernels. The naive kernel and the tile make half an operation for each byte that they read. Several rows in \
                    each thread, and vectors, ask less of shared memory for each operation, and come near the roof of arithmetic.";
        all.extend(
            drawn(record, "07-convolution", &points, 2, says).map(|svg| ("07-convolution-roofline.svg", svg)),
        );
    }
    let record = of("08-matmul");
    if let (Some(points), Some(device)) = (tiles(record), bandwidth(record, DEVICE)) {
        let says = format!(
            "A roofline shows 08's kernels. By device memory alone the naive kernel, at {NAIVE} operations a byte, could reach {} Tflop/s; \
             it reaches several times that, below the roof of the L1 cache. Both tiled kernels lie below the roof of shared memory.",
            digits(NAIVE * device)
        );
        all.extend(drawn(record, "08-matmul", &points, 4, &says).map(|svg| ("08-matmul-roofline.svg", svg)));
    }
    let record = of("16-double-buffering");
    if let Some(points) = buffers(record) {
        let says = "A roofline shows 16's kernels. With one stage or two, a tile of 32 by 32 lies close below the roof of shared memory, which \
                    double buffering does not raise.";
        all.extend(
            drawn(record, "16-double-buffering", &points, 4, says)
                .map(|svg| ("16-double-buffering-roofline.svg", svg)),
        );
    }
    let record = of("18-capstone-gemm");
    if let Some(points) = registers(record, counts("18-capstone-gemm").as_deref())? {
        let says = "A roofline shows 18's kernels. From the tile to register tiles, vectors and larger register tiles the kernels ask less and less of shared memory, \
                    and the roof that binds them becomes that of arithmetic.";
        all.extend(
            drawn(record, "18-capstone-gemm", &points, 1, says)
                .map(|svg| ("18-capstone-gemm-roofline.svg", svg)),
        );
    }
    Ok(all)
}

/// What a memory brings, in TB/s.
fn bandwidth(record: &Record, name: &str) -> Option<f64> {
    record.figures.iter().find(|figure| figure.figure == name).map(|figure| figure.value)
}

/// The time of a kernel, or of the baseline beside it, as a speed.
fn tflops(record: &Record, file: &str, operations: f64, is_baseline: bool) -> Option<f64> {
    let is = |kernel: &&KernelRecord| kernel.candidate.file.ends_with(file);
    let speed = record.kernels.iter().find(is)?.speed.first()?;
    let microseconds = if is_baseline { speed.baseline_microseconds } else { speed.kernel_microseconds };
    Some(operations / microseconds * 1e-6)
}

/// Operations of a product of square matrices.
fn product(side: i32) -> f64 {
    2.0 * f64::from(side).powi(3)
}

/// What a kernel's committed counts say of a case.
fn count(counts: Option<&str>, file: &str, case: &str, counter: &str) -> Result<f64> {
    counts.and_then(|text| counted(text, file, case, counter)).ok_or_else(|| {
        Trouble::judge(format!("{file} has no {counter} in case {case}"), "name a case that counts.txt has")
    })
}

/// 07: from the cache to registers. The naive kernel reads a word through L1 for each multiply-add; what the others ask of
/// shared memory is the simulator's count. The filter's words come from constant memory, which is no roof here.
fn filters(record: &Record, counts: Option<&str>) -> Result<Option<Vec<Point>>> {
    let mut points = Vec::new();
    for (name, file, class, beside) in [
        ("naive", "steps/1-naive.cu", SLOW, [10.0, 18.0]),
        ("tile", "kernel.cu", MAIN, [-34.0, -6.0]),
        ("several rows", "steps/3-rows-per-thread.cu", STEP, [10.0, 14.0]),
        ("rows and vectors", "steps/4-vectors.cu", STEP, [10.0, 14.0]),
    ] {
        let file = format!("solutions/07-convolution/{file}");
        let count = |counter: &str| count(counts, &file, FULL_BLOCKS, counter);
        let bytes = if class == SLOW {
            count("global_load_bytes")?
        } else {
            WAVEFRONT_BYTES * count("shared_load_wavefronts")?
        };
        let intensity = count("floating_point_operations")? / bytes;
        let Some(tflops) = tflops(record, &file, CONVOLUTION, false) else { return Ok(None) };
        points.push(Point { name, intensity, tflops, class, beside });
    }
    Ok(Some(points))
}

/// Operations of a tiled product for each byte of the wavefronts that it reads.
///
/// The tiles read one word of b, and of a row of a four neighbours at once, because the assembler joins them (`LDS.128`): 1.5
/// wavefronts for the 32 multiply-adds of a warp, since a 16-byte read that is the same for all lanes takes two
/// (`shared_load_16` in `grader/tests/counters`).
const JOINED: f64 = 64.0 / (1.5 * WAVEFRONT_BYTES);

/// 16: one stage or two, with the same reads of shared memory.
fn buffers(record: &Record) -> Option<Vec<Point>> {
    let speed =
        |file: &str| tflops(record, &format!("solutions/16-double-buffering/{file}"), product(2048), false);
    Some(vec![
        Point {
            name: "naive",
            intensity: NAIVE,
            tflops: speed("steps/0-naive.cu")?,
            class: SLOW,
            beside: [10.0, 18.0],
        },
        Point {
            name: "one stage",
            intensity: JOINED,
            tflops: speed("steps/1-two-barriers.cu")?,
            class: STEP,
            beside: [10.0, 16.0],
        },
        Point {
            name: "two stages",
            intensity: JOINED,
            tflops: speed("kernel.cu")?,
            class: MAIN,
            beside: [10.0, 0.0],
        },
    ])
}

/// 08: from the cache to a tile.
///
/// The naive kernel reads 8 bytes through L1 for each multiply-add; the tiles read as [`JOINED`] says.
fn tiles(record: &Record) -> Option<Vec<Point>> {
    let speed = |file: &str, is_baseline| {
        tflops(record, &format!("solutions/08-matmul/{file}"), product(1024), is_baseline)
    };
    Some(vec![
        Point {
            name: "naive",
            intensity: NAIVE,
            tflops: speed("kernel.cu", true)?,
            class: SLOW,
            beside: [10.0, 18.0],
        },
        Point {
            name: "tiles of 16 × 16",
            intensity: JOINED,
            tflops: speed("kernel.cu", false)?,
            class: MAIN,
            beside: [10.0, 12.0],
        },
        Point {
            name: "tiles of 32 × 32",
            intensity: JOINED,
            tflops: speed("steps/3-tile-32.cu", false)?,
            class: STEP,
            beside: [10.0, -4.0],
        },
    ])
}

/// 18: from a tile to registers. 08's tile reads as [`JOINED`] says; what the others ask of shared memory is the simulator's
/// count.
fn registers(record: &Record, counts: Option<&str>) -> Result<Option<Vec<Point>>> {
    let mut points = Vec::new();
    for (name, file, class, beside) in [
        ("08's tile", "steps/0-tiled.cu", SLOW, [8.0, 18.0]),
        ("8 × 8 sums", "steps/1-register-tile.cu", STEP, [-78.0, 16.0]),
        ("8 × 8, vectors", "kernel.cu", MAIN, [12.0, 14.0]),
        ("8 × 16, Z order, cp.async", "steps/9-deeper.cu", STEP, [10.0, 26.0]),
    ] {
        let file = format!("solutions/18-capstone-gemm/{file}");
        let count = |counter: &str| count(counts, &file, FULL_TILES, counter);
        let intensity = if class == SLOW {
            JOINED
        } else {
            count("floating_point_operations")? / (WAVEFRONT_BYTES * count("shared_load_wavefronts")?)
        };
        let Some(tflops) = tflops(record, &file, product(4096), false) else { return Ok(None) };
        points.push(Point { name, intensity, tflops, class, beside });
    }
    Ok(Some(points))
}

/// The roofs, the vendor's library and the points; both axes are logarithmic. `memories` says how many roofs of memories
/// there are, the nearest first.
fn drawn(record: &Record, exercise: &str, points: &[Point], memories: usize, says: &str) -> Option<String> {
    // The first two nearly meet: one name stands above its line, the other below.
    let roofs = [
        ("shared memory", bandwidth(record, "shared bandwidth")?, 0.5, -6.0),
        ("L1 cache", bandwidth(record, "L1 bandwidth")?, 0.6, 14.0),
        ("L2 cache", bandwidth(record, "L2 bandwidth")?, 1.5, -6.0),
        ("device memory", bandwidth(record, DEVICE)?, 2.2, 15.0),
    ];
    let is_library = |peer: &&PeerRecord| peer.exercise == exercise && peer.peer == "cublasSgemm";
    let library = record.peers.iter().find(is_library);
    let library = library.map(|library| library.operations / library.median_microseconds() * 1e-6);

    let [left, top, width, height] = [64.0, 20.0, 620.0, 300.0];
    let x = |intensity: f64| left + width * (intensity / 0.05).log2() / (64.0f64 / 0.05).log2();
    let y = |tflops: f64| top + height * (1.0 - (tflops / 0.2).log2() / (128.0f64 / 0.2).log2());
    let mut figure = Figure::new([720.0, 370.0], says);
    for intensity in [0.0625, 0.25, 1.0, 4.0, 16.0, 64.0] {
        figure.line(&[[x(intensity), top], [x(intensity), top + height]], PALE);
        figure.text(
            [x(intensity), top + height + 16.0],
            Anchor::Middle,
            "pale small",
            &intensity.to_string(),
        );
    }
    for tflops in [0.5, 2.0, 8.0, 32.0] {
        figure.line(&[[left, y(tflops)], [left + width, y(tflops)]], PALE);
        figure.text([left - 6.0, y(tflops) + 4.0], Anchor::End, "pale small", &tflops.to_string());
    }
    let across = "operations for each byte asked of the memory that answers";
    figure.text([left + width, top + height + 36.0], Anchor::End, PALE, across);
    figure.text([8.0, 14.0], Anchor::Start, PALE, "Tflop/s");
    // All roofs of memories rise alike.
    let rise = ((y(1.0) - y(2.0)) / (x(2.0) - x(1.0))).atan().to_degrees();
    for (name, bandwidth, place, off) in &roofs[..memories] {
        let begins = (0.2 / bandwidth).max(0.05);
        let ends = ARITHMETIC / bandwidth;
        figure.line(&[[x(begins), y(begins * bandwidth)], [x(ends), y(ARITHMETIC)]], LIMIT);
        let begin = [x(*place), y(place * bandwidth) + off];
        figure.rising_text(begin, rise, "limit small", &format!("{name}, {bandwidth:.1} TB/s"));
    }
    figure.line(&[[x(ARITHMETIC / roofs[0].1), y(ARITHMETIC)], [left + width, y(ARITHMETIC)]], LIMIT);
    let arithmetic = format!("arithmetic, {ARITHMETIC} Tflop/s (data sheet)");
    figure.text([left + width, y(ARITHMETIC) - 6.0], Anchor::End, "limit small", &arithmetic);
    if let Some(library) = library {
        figure.line(&[[x(16.0), y(library)], [left + width, y(library)]], INK);
        let place = [left + width, y(library) + 15.0];
        figure.text(place, Anchor::End, "ink small", &format!("cuBLAS, {library:.1} Tflop/s"));
    }
    for Point { name, intensity, tflops, class, beside } in points {
        figure.dot([x(*intensity), y(*tflops)], class);
        let place = [x(*intensity) + beside[0], y(*tflops) + beside[1]];
        figure.text(place, Anchor::Start, class, &format!("{name}: {tflops:.1}"));
    }
    Some(figure.svg())
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;

    fn record() -> Record {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../solutions/measured/h200.json");
        Record::read(Path::new(file)).unwrap_or_else(|_| panic!("{file} is no record"))
    }

    fn solutions() -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../solutions")
    }

    fn figures(record: &Record) -> Vec<(&'static str, String)> {
        let counts = |exercise: &str| fs::read_to_string(solutions().join(exercise).join("counts.txt")).ok();
        all(|_| record, counts).unwrap_or_else(|_| panic!("no figures"))
    }

    #[test]
    fn every_bandwidth_that_a_chapter_names_is_a_roof() {
        let record = record();
        let figures = figures(&record);
        assert_eq!(figures.len(), 4);
        let names = [
            ("shared bandwidth", "shared memory"),
            ("L1 bandwidth", "L1 cache"),
            ("L2 bandwidth", "L2 cache"),
            (DEVICE, "device memory"),
        ];
        for (file, svg) in figures {
            let chapter = file.trim_end_matches("-roofline.svg");
            let page = solutions().join(format!("../book/src/chapters/{chapter}.md"));
            let page = fs::read_to_string(page).expect("a chapter");
            // The naive kernel of each but 18 reads through L1.
            let has_l1 = chapter != "18-capstone-gemm";
            for (figure, roof) in names {
                let is_named = page.contains(&format!("\"{figure}\"")) || roof == "L1 cache" && has_l1;
                let value = bandwidth(&record, figure).expect("a figure");
                let is_drawn = svg.contains(&format!(">{roof}, {value:.1} TB/s</text>"));
                assert!(is_drawn || !is_named, "{file} has no roof of {roof}");
            }
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
}
