//! The programs of `kernels/peers`: built with the machine's own CUDA toolkit, run, and their lines read.
//!
//! They are trusted and run outside any sandbox. A machine without a toolkit or PyTorch has no peers; that is
//! said and is no error, for nothing is judged by them.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

use grader::exit::{Result, Trouble};
use serde::de::DeserializeOwned;
use tempfile::TempDir;

/// Where they lie below the course's root.
const FOLDER: &str = "kernels/peers";
/// Where a toolkit lies that is on no search path.
const TOOLKIT: &str = "/usr/local/cuda/bin";

/// A CUDA program of `kernels/peers`.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// Its file's name without `.cu`.
    pub name: &'static str,
    /// What it is linked with.
    pub libraries: &'static [&'static str],
}

/// A program that was built, in a folder that goes when it is dropped.
#[derive(Debug)]
pub struct Program {
    folder: TempDir,
    name: &'static str,
}

/// Builds a program, or says why it can't be built here. It takes a minute of one core, which
/// may pass beside other work.
///
/// # Errors
/// A judge error where the compiler refuses it.
pub fn build(root: &Path, source: Source) -> Result<std::result::Result<Program, String>> {
    let Some(nvcc) = find("nvcc") else {
        return Ok(Err("no nvcc on the search path: peers and figures need a CUDA toolkit".to_owned()));
    };
    let folder = tempfile::tempdir().map_err(|error| {
        Trouble::judge(format!("no temporary folder: {error}"), "free the disk that holds it, or set TMPDIR")
    })?;
    let mut compile = Command::new(nvcc);
    compile.args(["-O3", "-std=c++17", "-arch=native", "-o"]).arg(folder.path().join(source.name));
    // For the course's own kernels, which include `course.cuh`.
    compile.arg("-I").arg(root.join("kernels"));
    compile.arg(root.join(FOLDER).join(format!("{}.cu", source.name)));
    compile.args(source.libraries.iter().map(|library| format!("-l{library}")));
    output(&mut compile)?;
    Ok(Ok(Program { folder, name: source.name }))
}

impl Program {
    /// Runs it; what its lines say.
    ///
    /// # Errors
    /// A judge error where it fails: half of its figures are none.
    pub fn run<T: DeserializeOwned>(&self) -> Result<Vec<T>> {
        lines(&output(&mut Command::new(self.folder.path().join(self.name)))?)
    }
}

/// What the lines of a Python program say, or why it can't run here.
///
/// # Errors
/// As [`Program::run`].
pub fn python<T: DeserializeOwned>(
    root: &Path,
    name: &str,
    package: &str,
) -> Result<std::result::Result<Vec<T>, String>> {
    let has_package = |python: &PathBuf| {
        let import = Command::new(python).args(["-c", &format!("import {package}")]).output();
        import.is_ok_and(|output| output.status.success())
    };
    let Some(python) = find("python3").filter(has_package) else {
        return Ok(Err(format!("no python3 with {package}")));
    };
    lines(&output(Command::new(python).arg(root.join(FOLDER).join(format!("{name}.py"))))?).map(Ok)
}

/// A program of the search path, or of a toolkit's usual place.
fn find(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).chain([PathBuf::from(TOOLKIT)]);
    folders.map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// Runs a command to its end; what it printed.
fn output(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let failed =
        |why: String| Trouble::judge(format!("{name}: {why}"), "run it by hand and mend what it says");
    let output = command.output().map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        return Err(failed(format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim())));
    }
    String::from_utf8(output.stdout).map_err(|error| failed(error.to_string()))
}

/// One JSON object a line.
fn lines<T: DeserializeOwned>(text: &str) -> Result<Vec<T>> {
    let read = |line: &str| {
        serde_json::from_str(line).map_err(|error| {
            Trouble::judge(format!("a peer printed `{line}`: {error}"), "mend the program in kernels/peers")
        })
    };
    text.lines().filter(|line| !line.trim().is_empty()).map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::PeerRecord;

    #[test]
    fn a_peers_line_is_read() {
        let line = r#"{"exercise": "06-transpose", "peer": "cublasSgeam", "version": "130002", "case": "16384 x 16384 floats",
            "bytes": 2147483648, "operations": 0, "copy_bytes_per_second": 4.2e12, "microseconds": [3.0, 1.0, 2.0]}"#;
        let read: Vec<PeerRecord> = lines(&line.replace('\n', " ")).ok().unwrap();
        assert_eq!(read[0].median_microseconds(), 2.0);
        assert!(lines::<PeerRecord>("Segmentation fault\n").is_err());
    }

    #[test]
    fn a_program_that_fails_is_the_judges_trouble() {
        assert!(output(Command::new("sh").args(["-c", "echo {}; exit 3"])).is_err());
        assert_eq!(output(Command::new("sh").args(["-c", "echo {}"])).ok().unwrap(), "{}\n");
    }
}
