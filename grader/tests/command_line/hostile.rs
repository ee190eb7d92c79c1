//! Kernels that never end, or nearly so, cost the judge seconds: each is judged with 30 seconds of a processor for each
//! process, beyond which the system ends it, and that would be no grade.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use rayon::prelude::*;

use crate::support::Place;

/// What a process may take of processors, all threads together, in this unoptimised build.
const SECONDS: u32 = 30;

/// What never ends, in words of a kernel that has `word`, a pointer into its output.
const ENDLESS: [(&str, &str); 9] = [
    ("atomics", "for (;;) { atomicAdd(word, 1); }"),
    ("atomics of each thread's own", "for (;;) { atomicAdd(word + threadIdx.x, 1); }"),
    ("atomics in shared memory", "__shared__ int mine; for (;;) { atomicAdd(&mine, 1); }"),
    ("exchanges", "while (atomicCAS(word, 1234567, 0) != 7654321) { }"),
    ("stores", "for (volatile int *to = word;;) { *to = 1; }"),
    ("barriers", "for (;;) { __syncthreads(); }"),
    ("waiting", "while (*(volatile int *)word != 7654321) { }"),
    ("a count of 2^62", "for (long long i = 0; i < (1LL << 62); ++i) { atomicAdd(word, (int)i); }"),
    ("printing", "for (;;) { printf(\"%2000000d\", 1); }"),
];

/// The exercises with the largest launches, the last with all nine.
const ATTACKED: [&str; 5] =
    ["12-histogram", "15-device-scan", "17-capstone-scan", "18-capstone-gemm", "13-fences"];

/// The exercise's stub, every kernel of which does this.
fn hostile(exercise: &str, body: &str) -> String {
    let stub = Path::new(env!("CARGO_MANIFEST_DIR")).join("../exercises").join(exercise).join("kernel.cu");
    let stub = fs::read_to_string(stub).expect("a checkout");
    let mut kernel = String::from("#include <cstdio>\n");
    let mut inside = false;
    for line in stub.lines() {
        inside |= line.contains("__global__");
        kernel += line;
        kernel += "\n";
        if inside && line.trim_start().starts_with("// >>>") {
            let output = if exercise == "12-histogram" { "bins" } else { "out" };
            let output = if exercise == "18-capstone-gemm" { "c" } else { output };
            kernel += &format!("    int *word = (int *){output};\n    {body}\n");
            inside = false;
        }
    }
    kernel
}

fn judged(exercise: &str, (name, body): (&str, &str)) -> Result<(), String> {
    let place = Place::new();
    place.write("k.cu", hostile(exercise, body));
    let grader = env!("CARGO_BIN_EXE_grader");
    let line = format!(
        "ulimit -t {SECONDS}; exec '{grader}' check {exercise} --kernel k.cu --device sim --format json"
    );
    let mut shell = Command::new("sh");
    shell.args(["-c", &line]).current_dir(place.path("")).stdin(Stdio::null());
    let given = place.given(shell);
    let report: serde_json::Value = serde_json::from_str(&given.out).map_err(|error| format!("{error}"))?;
    match given.code == 1 && report["verdict"] == "failed" && report["judge_error"].is_null() {
        true => Ok(()),
        false => Err(format!("{exercise}, {name}: {}", given.all())),
    }
}

#[test]
fn what_never_ends_is_ended_in_seconds() {
    let last = ATTACKED.len() - 1;
    let attacks = ATTACKED.iter().enumerate().flat_map(|(at, exercise)| {
        let which = if at == last { &ENDLESS[..] } else { &ENDLESS[..1] };
        which.iter().map(move |&attack| (*exercise, attack))
    });
    let attacks: Vec<_> = attacks.collect();
    let wrong: Vec<String> =
        attacks.par_iter().filter_map(|&(exercise, attack)| judged(exercise, attack).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
