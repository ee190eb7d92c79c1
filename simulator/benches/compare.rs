//! One algorithm through warpsim, timed: what `compare/compare.py` runs beside other simulators.
//!
//! `cargo bench -p warpsim --bench compare -- ALGORITHM SIZE MODE THREADS RUNS` prints the seconds of each
//! run on a line, the processor seconds (of all threads; 0 where the system does not tell) on a second, then
//! the warp instructions of one launch and in how many schedules it was run; MODE is `checked` or
//! `optimised`, as the grader compiles for its two passes. All checks are always on. Without arguments, as
//! `cargo bench` runs it, every algorithm runs once. One is here alone: `product`, by tensor cores.

use std::{sync::Arc, time::Instant};

use warpsim::{Argument, Launch, LaunchStatus, Module, Profile, Simulator};

/// The same inputs as `compare/cases.py` gives the others.
struct Case {
    inputs: Vec<Vec<u32>>,
    output_words: usize,
    zeroed: bool,
    scalar: Option<u32>,
    grid: [u32; 3],
    block: [u32; 3],
    /// Whether word `index` of the output may be `word`.
    right: Box<dyn Fn(usize, u32) -> bool>,
}

fn case(algorithm: &str, n: u32) -> Case {
    let numbers = |count: u32, of: &dyn Fn(u32) -> u32| (0..count).map(of).collect::<Vec<u32>>();
    let float = |value: u32| (value as f32).to_bits();
    match algorithm {
        "matmul" => {
            let (a, b) = (numbers(n * n, &|i| float(i % 97)), numbers(n * n, &|i| float(i % 89)));
            let right = move |index: usize, word: u32| {
                let (row, column) = (index as u32 / n, index as u32 % n);
                let term = |k: u32| f64::from((row * n + k) % 97) * f64::from((k * n + column) % 89);
                let expected: f64 = (0..n).map(term).sum();
                (f64::from(f32::from_bits(word)) - expected).abs() <= 1e-5 * expected
            };
            let (output_words, zeroed, scalar) = ((n * n) as usize, false, Some(n));
            let (grid, block) = ([n / 16, n / 16, 1], [16, 16, 1]);
            Case { inputs: vec![a, b], output_words, zeroed, scalar, grid, block, right: Box::new(right) }
        }
        "reduction" => Case {
            inputs: vec![numbers(n, &|i| i)],
            output_words: (n / 256) as usize,
            zeroed: false,
            scalar: None,
            grid: [n / 256, 1, 1],
            block: [256, 1, 1],
            right: Box::new(|index, word| {
                word == (0..256).fold(0u32, |sum, i| sum.wrapping_add(256 * index as u32 + i))
            }),
        },
        "histogram" => {
            let value = |i: u32| i.wrapping_mul(2_654_435_761) >> 7;
            let right = move |index: usize, word: u32| {
                word == (0..n).filter(|&i| value(i) & 255 == index as u32).count() as u32
            };
            Case {
                inputs: vec![numbers(n, &value)],
                output_words: 256,
                zeroed: true,
                scalar: None,
                grid: [n / 4096, 1, 1],
                block: [256, 1, 1],
                right: Box::new(right),
            }
        }
        "transpose" => Case {
            inputs: vec![numbers(n * n, &float)],
            output_words: (n * n) as usize,
            zeroed: false,
            scalar: Some(n),
            grid: [n / 32, n / 32, 1],
            block: [32, 8, 1],
            right: Box::new(move |index, word| {
                let (row, column) = (index as u32 / n, index as u32 % n);
                f32::from_bits(word) == (column * n + row) as f32
            }),
        },
        "product" => {
            // Two neighbours of bfloat16 to a word, small whole numbers; K runs fastest in both factors.
            let (left, right) = (|i: u32| i % 7, |i: u32| i % 5);
            let bits = |value: u32| float(value) >> 16;
            let factor =
                |of: fn(u32) -> u32| numbers(n * n / 2, &|i| bits(of(2 * i)) | bits(of(2 * i + 1)) << 16);
            let expected = move |index: usize, word: u32| {
                let (row, column) = (index as u32 / n, index as u32 % n);
                let sum: u32 = (0..n).map(|k| left(row * n + k) * right(column * n + k)).sum();
                word == (sum as f32).to_bits()
            };
            Case {
                inputs: vec![factor(left), factor(right)],
                output_words: (n * n) as usize,
                zeroed: false,
                scalar: Some(n),
                grid: [n / 128, n / 128, 1],
                block: [256, 1, 1],
                right: Box::new(expected),
            }
        }
        other => panic!("no algorithm `{other}`"),
    }
}

/// Processor seconds that this process has used, by Linux' books.
fn busy() -> f64 {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let nanoseconds = |task: std::fs::DirEntry| -> Option<f64> {
        let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse().ok()
    };
    tasks.filter_map(nanoseconds).sum::<f64>() * 1e-9
}

/// What a launch did.
#[derive(Default)]
struct Work {
    /// Warp instructions in one schedule.
    instructions: u64,
    /// Schedules.
    schedules: u64,
}

/// Seconds of each run, processor seconds of each, and what each did.
fn time(algorithm: &str, size: u32, mode: &str, threads: usize, runs: usize) -> (Vec<f64>, Vec<f64>, Work) {
    let ptx = match (algorithm, mode) {
        ("product", "checked") => include_str!("tensor/checked.ptx"),
        ("product", "optimised") => include_str!("tensor/optimised.ptx"),
        (_, "checked") => include_str!("compare/checked.ptx"),
        (_, "optimised") => include_str!("compare/optimised.ptx"),
        (_, other) => panic!("no mode `{other}`"),
    };
    let case = case(algorithm, size);
    let module = Arc::new(Module::load(ptx).expect("the kernels are PTX"));
    let mut simulator = Simulator::new(module, &Profile::H200).with_threads(threads);
    let mut allocate = |words: usize| simulator.allocate(4 * words as u64, "buffer");
    let inputs: Vec<u64> = case.inputs.iter().map(|input| allocate(input.len())).collect();
    let output = allocate(case.output_words);
    for (&base, input) in inputs.iter().zip(&case.inputs) {
        let bytes: Vec<u8> = input.iter().flat_map(|word| word.to_le_bytes()).collect();
        simulator.write(base, &bytes).expect("a buffer of this size");
    }
    let pointers = inputs.iter().chain([&output]).map(|&base| Argument::Pointer { base, offset: 0 });
    let scalar = case.scalar.map(|scalar| Argument::Bytes(scalar.to_le_bytes().to_vec()));
    let launch =
        Launch::new(algorithm, case.grid, case.block, pointers.chain(scalar).collect()).with_budget(u64::MAX);
    let mut work = Work::default();
    let (mut seconds, mut processor) = (Vec::new(), Vec::new());
    for _ in 0..runs {
        if case.zeroed {
            simulator.write(output, &vec![0; 4 * case.output_words]).expect("a buffer of this size");
        }
        let (start, start_busy) = (Instant::now(), busy());
        let report = simulator.launch(&launch).expect("a launch that a GPU accepts");
        seconds.push(start.elapsed().as_secs_f64());
        processor.push(busy() - start_busy);
        assert!(
            report.status == LaunchStatus::Finished && report.findings.is_empty(),
            "{:?}",
            report.findings
        );
        work = Work { instructions: report.counters.ptx_instructions, schedules: report.schedules };
    }
    let contents = simulator.read(output, 4 * case.output_words).expect("the output");
    assert!(contents.uninitialised.is_empty());
    // Every word of a small output, and some of each row of a large one.
    for index in (0..case.output_words).step_by((case.output_words / 1000).max(1)) {
        let word = contents.bytes[4 * index..].first_chunk().map_or(0, |word| u32::from_le_bytes(*word));
        assert!((case.right)(index, word), "{algorithm} {size}: word {index} is wrong");
    }
    (seconds, processor, work)
}

fn main() {
    // Cargo adds `--bench`.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    match arguments.as_slice() {
        [algorithm, size, mode, threads, runs] => {
            let number = |text: &String| text.parse::<usize>().expect("a number");
            let size = u32::try_from(number(size)).expect("a size");
            let (seconds, processor, work) = time(algorithm, size, mode, number(threads), number(runs));
            for line in [seconds, processor] {
                println!("{}", line.iter().map(f64::to_string).collect::<Vec<_>>().join(" "));
            }
            println!("{} {}", work.instructions, work.schedules);
        }
        _ => {
            for (algorithm, size) in [
                ("matmul", 128),
                ("product", 256),
                ("reduction", 65_536),
                ("histogram", 65_536),
                ("transpose", 256),
            ] {
                for mode in ["checked", "optimised"] {
                    let (seconds, _, work) = time(algorithm, size, mode, 1, 3);
                    let best = seconds.iter().copied().fold(f64::INFINITY, f64::min);
                    println!(
                        "{algorithm:>9} {size:>5} {mode:<9} {:6.2} M warp instructions/s",
                        (work.instructions * work.schedules) as f64 / best / 1e6
                    );
                }
            }
        }
    }
}
