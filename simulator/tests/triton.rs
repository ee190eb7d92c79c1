//! Kernels that nobody here wrote: PTX that Triton made of its tutorials' kernels (`triton/kernels.py`). They are right, so they must
//! finish without an error or a warning, and give what they compute.

use std::{fs, path::Path, sync::Arc};

use warpsim::{Argument, Launch, LaunchReport, LaunchStatus, Module, Profile, Severity, Simulator};

fn text(name: &str) -> String {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/triton/compiled").join(format!("{name}.ptx"));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// What a launch is given, in the order of the kernel's parameters.
enum Given<'a> {
    Buffer(&'a [u8]),
    Integer(i32),
    Float(f32),
}

use Given::{Buffer, Float, Integer};

/// Launches one of the kernels with 128 threads a block. Gives the report and what is in each buffer afterwards.
fn launch(name: &str, entry: &str, grid: [u32; 3], given: &[Given<'_>]) -> (LaunchReport, Vec<Vec<u8>>) {
    let text = text(name);
    let shared =
        text.lines().next().and_then(|line| line.strip_prefix("// shared ")).expect("compile.py says it");
    let module = Module::load(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut simulator = Simulator::new(Arc::new(module), &Profile::H200);
    let mut buffers = Vec::new();
    let mut arguments: Vec<Argument> = (given.iter())
        .map(|given| match given {
            Buffer(bytes) => {
                let base = simulator.allocate(bytes.len() as u64, "argument");
                simulator.write(base, bytes).expect("a buffer of this size");
                buffers.push((base, bytes.len()));
                Argument::Pointer { base, offset: 0 }
            }
            Integer(value) => Argument::Bytes(value.to_le_bytes().to_vec()),
            Float(value) => Argument::Bytes(value.to_le_bytes().to_vec()),
        })
        .collect();
    // Scratch memory that Triton hands to every kernel, and these do not use.
    arguments.extend([Argument::Bytes(vec![0; 8]), Argument::Bytes(vec![0; 8])]);
    let launch = Launch::new(entry, grid, [128, 1, 1], arguments)
        .with_dynamic_shared(shared.parse().expect("a number of bytes"));
    let report = simulator.launch(&launch).unwrap_or_else(|error| panic!("{name}: {error}"));
    let read = |(base, bytes): (u64, usize)| simulator.read(base, bytes).expect("its buffer").bytes;
    let after = buffers.into_iter().map(read).collect();
    (report, after)
}

/// A right kernel has finished, and nothing is said against it.
fn assert_clean(name: &str, report: &LaunchReport) {
    let against: Vec<&str> = (report.findings.iter())
        .filter(|finding| finding.severity != Severity::Note)
        .map(|finding| &finding.message[..])
        .collect();
    assert!(against.is_empty(), "{name}: {against:#?}");
    assert_eq!(report.status, LaunchStatus::Finished, "{name}");
}

fn bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|word| f32::from_le_bytes(word.try_into().expect("four bytes"))).collect()
}

fn assert_near(name: &str, got: &[f32], expected: &[f64]) {
    for (at, (&got, &expected)) in got.iter().zip(expected).enumerate() {
        let error = (f64::from(got) - expected).abs();
        assert!(error <= 1e-5 * expected.abs().max(1e-2), "{name}: {got} for {expected} at {at}");
    }
}

/// A number between −2 and 2; those of a row have no pattern.
fn value(at: usize) -> f32 {
    ((at as u32).wrapping_mul(2_654_435_761) >> 20) as f32 / 1024.0 - 2.0
}

fn values(count: usize) -> Vec<f32> {
    (0..count).map(value).collect()
}

#[test]
fn vector_add() {
    let (x, y) = (values(2512), values(5024));
    for name in ["vector_add_80", "vector_add_90"] {
        let (x_bytes, y_bytes) = (bytes(&x), bytes(&y[2512..]));
        let given = [Buffer(&x_bytes), Buffer(&y_bytes), Buffer(&[0; 4 * 2512]), Integer(2512)];
        let (report, after) = launch(name, "vector_add", [3, 1, 1], &given);
        assert_clean(name, &report);
        let sums: Vec<f32> = x.iter().zip(&y[2512..]).map(|(x, y)| x + y).collect();
        assert_eq!(floats(&after[2]), sums, "{name}");
    }
}

#[test]
fn softmax() {
    // Triton was told that all sizes are multiples of 16.
    const COLUMNS: usize = 752;
    const STRIDE: usize = 784;
    let x = values(3 * STRIDE);
    let expected: Vec<f64> = (x.chunks(STRIDE).map(|row| &row[..COLUMNS]))
        .flat_map(|row| {
            let exponentials = || row.iter().map(|&x| f64::from(x).exp());
            let sum: f64 = exponentials().sum();
            exponentials().map(move |x| x / sum).collect::<Vec<_>>()
        })
        .collect();
    for name in ["softmax_80", "softmax_90"] {
        let columns = Integer(COLUMNS as i32);
        let given = [Buffer(&bytes(&x)), Buffer(&[0; 12 * STRIDE]), columns, Integer(STRIDE as i32)];
        let (report, after) = launch(name, "softmax", [3, 1, 1], &given);
        assert_clean(name, &report);
        let got: Vec<f32> =
            floats(&after[1]).chunks(STRIDE).flat_map(|row| row[..COLUMNS].to_vec()).collect();
        assert_near(name, &got, &expected);
    }
}

#[test]
fn layer_norm() {
    const COLUMNS: usize = 1200;
    let (x, weight, bias) = (values(2 * COLUMNS), values(COLUMNS), values(COLUMNS));
    let expected: Vec<f64> = (x.chunks(COLUMNS))
        .flat_map(|row| {
            let mean = row.iter().map(|&x| f64::from(x)).sum::<f64>() / COLUMNS as f64;
            let variance = row.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum::<f64>() / COLUMNS as f64;
            let of = |(x, (w, b)): (&f32, (&f32, &f32))| {
                (f64::from(*x) - mean) / (variance + 1e-5).sqrt() * f64::from(*w) + f64::from(*b)
            };
            row.iter().zip(weight.iter().zip(&bias)).map(of).collect::<Vec<_>>()
        })
        .collect();
    for name in ["layer_norm_80", "layer_norm_90"] {
        let (columns, stride) = (Integer(COLUMNS as i32), Integer(COLUMNS as i32));
        let (weight, bias) = (bytes(&weight), bytes(&bias));
        let given = [
            Buffer(&bytes(&x)),
            Buffer(&weight),
            Buffer(&bias),
            Buffer(&[0; 8 * COLUMNS]),
            columns,
            stride,
            Float(1e-5),
        ];
        let (report, after) = launch(name, "layer_norm", [2, 1, 1], &given);
        assert_clean(name, &report);
        assert_near(name, &floats(&after[3]), &expected);
    }
}

const M: usize = 128;
const N: usize = 64;
const K: usize = 96;

/// A whole number between −4 and 4: products of them are exact.
fn whole(at: usize) -> i32 {
    (at * 7 % 9) as i32 - 4
}

/// The product of two matrices of the numbers that `number` gives, which `encode` writes as the kernel reads them.
fn product(
    name: &str,
    number: impl Fn(usize) -> f32,
    encode: impl Fn(f32) -> Vec<u8>,
) -> (LaunchReport, Vec<f32>) {
    let matrix = |numbers: usize, first: usize| -> Vec<u8> {
        (0..numbers).flat_map(|at| encode(number(at + first))).collect()
    };
    let (a, b) = (matrix(M * K, 0), matrix(K * N, 5));
    let sides = [M, N, K].map(|side| Integer(side as i32));
    let given = [Buffer(&a), Buffer(&b), Buffer(&[0; 4 * M * N])].into_iter().chain(sides);
    let grid = [(M / 64) as u32, (N / 64) as u32, 1];
    let (report, after) = launch(name, "matmul", grid, &given.collect::<Vec<_>>());
    (report, floats(&after[2]))
}

/// The bytes of a number as a kernel reads it.
type Encode = fn(f32) -> Vec<u8>;

fn as_half(value: f32) -> Vec<u8> {
    half::f16::from_f32(value).to_le_bytes().to_vec()
}

fn as_bf16(value: f32) -> Vec<u8> {
    value.to_le_bytes()[2..].to_vec()
}

fn as_single(value: f32) -> Vec<u8> {
    value.to_le_bytes().to_vec()
}

/// The nearest number of eight bits towards zero, with four of exponent and three behind the point.
fn as_e4m3(value: f32) -> Vec<u8> {
    let bits = value.to_bits();
    let (sign, exponent) = (bits >> 31, (bits >> 23 & 0xFF) as i32 - 127 + 7);
    let rest = if exponent > 0 { (exponent as u32) << 3 | bits >> 20 & 7 } else { 0 };
    vec![(sign << 7 | rest) as u8]
}

/// The upper half of a half: five bits of exponent, two behind the point.
fn as_e5m2(value: f32) -> Vec<u8> {
    as_half(value)[1..].to_vec()
}

/// The kernels of capabilities 8.0 (`mma`) and 9.0 (`wgmma`), and how they read a number.
const PRODUCTS: [(&str, Encode); 8] = [
    ("matmul_fp16_80", as_half),
    ("matmul_bf16_80", as_bf16),
    ("matmul_tf32_80", as_single),
    ("matmul_fp8_80", as_e5m2),
    ("matmul_fp16_90", as_half),
    ("matmul_bf16_90", as_bf16),
    ("matmul_tf32_90", as_single),
    ("matmul_fp8_90", as_e4m3),
];

#[test]
fn matmul() {
    let expected: Vec<f32> = (0..M * N)
        .map(|at| {
            let (row, column) = (at / N, at % N);
            (0..K).map(|k| whole(row * K + k) * whole(k * N + column + 5)).sum::<i32>() as f32
        })
        .collect();
    for (name, encode) in PRODUCTS {
        let (report, got) = product(name, |at| whole(at) as f32, encode);
        assert_clean(name, &report);
        for at in 0..M * N {
            if got[at] != expected[at] {
                println!("{name} row {} col {} got {} expected {}", at / N, at % N, got[at], expected[at]);
            }
        }
        assert!(got == expected, "{name}");
    }
}

/// How tensor cores round and in which order they add is Hopper's, in every bit (`triton/measure.py`).
#[test]
fn matmul_of_any_numbers_gives_what_the_gpu_gives() {
    let measured: serde_json::Value =
        serde_json::from_str(include_str!("triton/gpu.json")).expect("measure.py writes JSON");
    for (name, encode) in PRODUCTS {
        let (report, got) = product(name, value, encode);
        assert_clean(name, &report);
        let hash = bytes(&got).iter().fold(0xCBF2_9CE4_8422_2325u64, |hash, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
        });
        println!("{name} {hash:016x}");
        assert_eq!(measured["results"][name], format!("{hash:016x}"), "{name} on {}", measured["gpu"]);
    }
}
