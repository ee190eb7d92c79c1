//! The blind acceptance suite: kernels written without having read the simulator, run through the built `grader run` and
//! compared with NumPy by `blind/run.py`.
//!
//! Knows the command line only. Needs `python3`; where that has no NumPy, pip puts it into the build's scratch folder once.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A Python that imports NumPy: the machine's own, or with the returned folder on its path.
fn numpy_folder() -> Option<PathBuf> {
    let imports = |path: Option<&Path>| {
        let mut python = Command::new("python3");
        python.args(["-c", "import numpy"]);
        if let Some(path) = path {
            python.env("PYTHONPATH", python_path(path));
        }
        python.output().is_ok_and(|done| done.status.success())
    };
    if imports(None) {
        return None;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("numpy");
    if !imports(Some(&folder)) {
        let pip = Command::new("python3")
            .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--upgrade", "--target"])
            .arg(&folder)
            .arg("numpy")
            .output()
            .expect("python3 must be on the path: the blind suite compares with NumPy");
        assert!(
            pip.status.success(),
            "pip could not install numpy; install it by hand (python3 -m pip install numpy) and run the test again\n{}",
            String::from_utf8_lossy(&pip.stderr)
        );
    }
    Some(folder)
}

fn python_path(folder: &Path) -> OsString {
    let mut paths = vec![folder.to_path_buf()];
    if let Some(inherited) = env::var_os("PYTHONPATH") {
        paths.extend(env::split_paths(&inherited));
    }
    env::join_paths(paths).expect("the scratch folder's name holds no path separator")
}

/// Runs `blind/run.py`; its complaints are the failure.
fn suite(arguments: &[&str]) {
    let mut runner = Command::new("python3");
    runner
        .arg("-B")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/blind/run.py"))
        .args(["--grader", env!("CARGO_BIN_EXE_grader")])
        .args(arguments);
    if let Some(folder) = numpy_folder() {
        runner.env("PYTHONPATH", python_path(&folder));
    }
    let done = runner.output().expect("python3 must be on the path: the blind suite compares with NumPy");
    assert!(
        done.status.success(),
        "the blind suite found differences; one kernel again: python3 grader/tests/blind/run.py --grader target/debug/grader {} --only NAME\n{}{}",
        arguments.join(" "),
        String::from_utf8_lossy(&done.stdout),
        String::from_utf8_lossy(&done.stderr)
    );
}

#[test]
fn every_blind_kernel_is_judged_as_its_header_says() {
    suite(&[]);
}

/// Kernels whose blocks or warps meet: order matters to them, and must come out the same on any number of threads.
#[test]
fn reports_and_outputs_are_the_same_again_and_on_one_core() {
    let meeting = [
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
    let only: Vec<&str> = meeting.iter().flat_map(|name| ["--only", name]).collect();
    suite(&[&["--same"], &only[..]].concat());
}
