//! Runs the tests that are written in Python, with NumPy: the machine's own, or put into the
//! build's scratch folder once.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Runs `tests/SCRIPT --grader GRADER ARGUMENTS`, gives what it printed, and fails with that unless it succeeds.
pub fn run(script: &str, arguments: &[&str]) -> String {
    let mut runner = command(script);
    let done = runner.args(arguments).output().expect(NEEDED);
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let complaints = || said(&done.stdout) + &said(&done.stderr);
    assert!(done.status.success(), "{}", differences(script, arguments, &complaints()));
    said(&done.stdout)
}

/// Why a test fails whose Python is not there.
pub const NEEDED: &str = "python3 must be on the path: these tests compare with NumPy";

/// `tests/SCRIPT --grader GRADER`, with NumPy.
pub fn command(script: &str) -> Command {
    let mut command = Command::new("python3");
    command
        .arg("-B")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(script))
        .args(["--grader", env!("CARGO_BIN_EXE_grader")])
        // Its threads would only take the cores from what is judged.
        .env("OPENBLAS_NUM_THREADS", "1");
    static NUMPY: OnceLock<Option<PathBuf>> = OnceLock::new();
    if let Some(folder) = NUMPY.get_or_init(numpy_folder) {
        command.env("PYTHONPATH", python_path(folder));
    }
    command
}

/// What a test says that found some, with what does the same by hand.
pub fn differences(script: &str, arguments: &[&str], complaints: &str) -> String {
    let arguments = arguments.join(" ");
    format!(
        "{script} found differences; again: python3 grader/tests/{script} --grader target/debug/grader {arguments}\n{complaints}"
    )
}

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
