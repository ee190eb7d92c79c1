//! The blind acceptance suite: kernels written without having read the simulator, run through the built
//! `grader run` and compared with NumPy by `blind/run.py`. A named test for each.
//!
//! Knows the command line only, and the headers' grammar, which is the command line's.

#[path = "blind/interpreters.rs"]
mod interpreters;
mod python;

use std::{env, fs, path::Path, process::ExitCode};

use launch_options::Header;
use libtest_mimic::{Arguments, Trial};

/// Kernels whose blocks or warps meet: order matters to them, and must come out the same again and on any number of
/// threads and cores.
const MEETING: [&str; 18] = [
    "018_template",
    "030_histogram",
    "031_atomics32",
    "037_lock",
    "040_decoupled",
    "045_clock",
    "049_random",
    "057_bitonic",
    "069_global",
    "117_ticket",
    "200_missing",
    "204_race",
    "211_waiting",
    "215_global",
    "228_endless",
    "241_endless",
    "248_lost",
    "253_histogram",
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let tests = tests();
    let matches = |test: &Trial, filter: &String| match arguments.exact {
        true => test.name() == filter,
        false => test.name().contains(filter.as_str()),
    };
    if let Some(filter) = &arguments.filter
        && !tests.iter().any(|test| matches(test, filter))
    {
        // Nothing would be tested, and it would look like success.
        eprintln!(
            "no blind kernel's test matches `{filter}`; there are {}, and `--list` names them. A test of another kind is \
             asked for with its file: `cargo test -p grader --test FILE NAME`, or `--lib NAME`",
            tests.len()
        );
        return ExitCode::from(101);
    }
    libtest_mimic::run(&arguments, tests).exit_code()
}

fn tests() -> Vec<Trial> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/blind");
    let mut paths: Vec<_> = fs::read_dir(&folder)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "cu" || extension == "ptx"))
        .collect();
    paths.sort();
    let mut tests = vec![Trial::test("census", || {
        python::run("blind/run.py", &["--census"]);
        Ok(())
    })];
    for path in paths {
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a plain name").to_owned();
        if MEETING.iter().any(|meeting| name.starts_with(meeting)) {
            let path = path.clone();
            tests.push(Trial::test(format!("same/{name}"), move || judge(&path, &["--same"])));
        }
        tests.push(Trial::test(format!("judged/{name}"), move || judge(&path, &[])));
    }
    tests
}

/// Runs one kernel. `DEVICE=gpu:0` in the environment chooses another device than the simulator's H200.
fn judge(path: &Path, more: &[&str]) -> Result<(), libtest_mimic::Failed> {
    let header = Header::read(&fs::read_to_string(path)?)?;
    let launch = serde_json::to_string(&header)?;
    let device = env::var("DEVICE").unwrap_or_else(|_| "sim:h200".to_owned());
    let kernel = path.to_str().expect("a checkout's path is text");
    let grader = env!("CARGO_BIN_EXE_grader");
    let arguments = [&["--grader", grader, "--launch", &launch, "--device", &device, kernel], more].concat();
    let (code, said) = interpreters::ask(&arguments)?;
    if code != 0 {
        return Err(python::differences("blind/run.py", &arguments[2..], &said).into());
    }
    // Pending, or no longer so: it concerns whoever reads the results.
    if !said.is_empty() {
        println!("{}: {said}", path.to_str().unwrap());
    }
    Ok(())
}
