//! The kernels that each roofline shows: how many operations each makes for a byte of what it asks, and how fast it is.

use grader::exit::{Result, Trouble};

use super::Point;
use crate::{
    book::{
        circulation::counted,
        figure::{MAIN, SLOW, STEP},
    },
    record::{KernelRecord, Record},
};

/// What one wavefront of shared memory brings.
const WAVEFRONT_BYTES: f64 = 128.0;
/// A naive product's operations for each byte: a multiply-add reads one float of a and one of b.
pub const NAIVE: f64 = 0.25;
/// A case of 18 and 20 without ragged edges, and one of 07.
const FULL_TILES: &str = "128 × 64 times 64 × 256, full tiles";
const FULL_BLOCKS: &str = "64 × 32 image, full blocks, 9 × 9 filter";
/// A case of 19 with as many rounds as it takes for that to weigh little which a block reads only once, as in the timed
/// case: sums on their way to c, and the fragments that the last step reads ahead. Tensor cores multiply the zeros at
/// ragged edges, too, and these products are counted.
const MANY_ROUNDS: &str = "96 × 520 times 520 × 80, many rounds";
/// Operations of 07's timed case: a product and a sum for each element of the image and of the filter.
const CONVOLUTION: f64 = 2.0 * 8192.0 * 8192.0 * 81.0;

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
pub fn filters(record: &Record, counts: Option<&str>) -> Result<Option<Vec<Point>>> {
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
pub fn buffers(record: &Record) -> Option<Vec<Point>> {
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
pub fn tiles(record: &Record) -> Option<Vec<Point>> {
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
pub fn registers(record: &Record, counts: Option<&str>) -> Result<Option<Vec<Point>>> {
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

/// Operations of tensor cores for each byte of the wavefronts in which lanes read fragments, by the simulator's count.
fn of_fragments(counts: Option<&str>, file: &str, case: &str) -> Result<f64> {
    let count = |counter: &str| count(counts, file, case, counter);
    Ok(count("matrix_operations")? / (WAVEFRONT_BYTES * count("shared_load_wavefronts")?))
}

/// 19: from plain tiles to swizzled ones, and to more sums in each warp.
pub fn fragments(record: &Record, counts: Option<&str>) -> Result<Option<Vec<Point>>> {
    let mut points = Vec::new();
    for (name, file, class, beside) in [
        ("wmma", "steps/0-wmma.cu", SLOW, [10.0, 0.0]),
        ("ldmatrix", "steps/1-ldmatrix.cu", STEP, [10.0, 16.0]),
        ("swizzle", "kernel.cu", MAIN, [10.0, 14.0]),
        ("cp.async", "steps/3-asynchronous.cu", STEP, [10.0, 18.0]),
        ("64 × 64 sums", "steps/4-square-warps.cu", STEP, [10.0, 7.0]),
        ("pointers", "steps/5-pointers.cu", STEP, [10.0, 6.0]),
        ("larger tile", "steps/6-larger-tile.cu", STEP, [12.0, 4.0]),
    ] {
        let file = format!("solutions/19-tensor-cores/{file}");
        let intensity = of_fragments(counts, &file, MANY_ROUNDS)?;
        let Some(tflops) = tflops(record, &file, product(8192), false) else { return Ok(None) };
        points.push(Point { name, intensity, tflops, class, beside });
    }
    Ok(Some(points))
}

/// Columns of the `wgmma` of 20's steps.
const GROUP_COLUMNS: f64 = 256.0;

/// Bytes that a `wgmma` reads from shared memory by itself: two for each number of both factors, 64 × 16 and 16 × `columns`.
///
/// The simulator counts none of them. An H200's counters do, and each number counts once (`warpgroup_product` in
/// `grader/tests/counters`).
fn group_bytes(columns: f64) -> f64 {
    2.0 * 16.0 * (64.0 + columns)
}

/// 20: from fragments to factors in shared memory. Of the kernels whose lanes read fragments, the reads are the
/// simulator's count; those with `wgmma` read as [`group_bytes`] says.
pub fn stages(record: &Record, counts: Option<&str>) -> Result<Option<Vec<Point>>> {
    const BASELINE: &str = "kernels/baselines/multiply_asynchronous.cu";
    let in_group = 2.0 * 64.0 * 16.0 * GROUP_COLUMNS / group_bytes(GROUP_COLUMNS);
    let mut points = Vec::new();
    for (name, file, is_group, class, beside) in [
        ("19's step 3", "kernel.cu", false, SLOW, [10.0, 10.0]),
        ("one stage", "steps/1-one-stage.cu", false, STEP, [10.0, 14.0]),
        ("five stages", "kernel.cu", false, MAIN, [10.0, 14.0]),
        ("wgmma", "steps/3-wgmma.cu", true, STEP, [10.0, 36.0]),
        ("order of tiles", "steps/4-order.cu", true, STEP, [10.0, 14.0]),
        ("persistent", "steps/5-persistent.cu", true, STEP, [10.0, 28.0]),
    ] {
        let file = format!("solutions/20-bulk-copies/{file}");
        // The baseline was timed beside the solution.
        let is_baseline = class == SLOW;
        let intensity = match is_group {
            true => in_group,
            false => of_fragments(counts, if is_baseline { BASELINE } else { &file }, FULL_TILES)?,
        };
        let Some(tflops) = tflops(record, &file, product(8192), is_baseline) else { return Ok(None) };
        points.push(Point { name, intensity, tflops, class, beside });
    }
    Ok(Some(points))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::tests::{record, solutions};
    use super::*;
    use crate::book::circulation::Questions;

    #[test]
    fn a_warpgroup_reads_what_a_gpu_has_counted() {
        let read = |file: &str| fs::read_to_string(solutions().join("..").join(file)).ok();
        let questions = Questions::new(&record(), read, None);
        for (launch, columns) in [("f16", 8.0), ("bf16", 8.0), ("f16_of_16_columns", 16.0)] {
            // Two blocks make one product each.
            let ask = format!(
                "{{{{ grouped(ncu('warpgroup_product/{launch}', 'smsp__sass_data_bytes_mem_shared_op_gmma') / 2) }}}}"
            );
            let counted = questions.page(&ask).unwrap_or_else(|error| panic!("{ask}: {error:#}"));
            assert_eq!(counted, group_bytes(columns).to_string(), "{launch}");
        }
    }

    #[test]
    fn the_steps_of_20_multiply_as_their_points_have_it() {
        let folder = solutions().join("20-bulk-copies");
        let counts = fs::read_to_string(folder.join("counts.txt")).expect("counts");
        let shape = format!("wgmma.mma_async.sync.aligned.m64n{GROUP_COLUMNS}k16.f32.bf16.bf16");
        for step in ["steps/3-wgmma.cu", "steps/4-order.cu", "steps/5-persistent.cu"] {
            let kernel = fs::read_to_string(folder.join(step)).expect("a step");
            assert!(kernel.contains(&shape), "{step} has no {shape}");
            let file = format!("solutions/20-bulk-copies/{step}");
            let of = |counter: &str| counted(&counts, &file, FULL_TILES, counter);
            assert!(of("matrix_operations").is_some(), "{step}");
            assert_eq!(of("shared_load_wavefronts"), None, "{step}: take the simulator's count");
        }
    }
}
