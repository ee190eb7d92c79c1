//! The table of the simulator's comparison with others, from what was measured.

use std::{path::Path, process::Command};

use grader::exit::{Result, Trouble};

use crate::texts::Text;

/// Where script, measurements and table lie, below the root.
const FOLDER: &str = "simulator/benches/compare";

/// The table, as the script that measured writes it. Nothing where a course has no simulator of its own.
///
/// # Errors
/// A judge error where there is no Python, or the script fails.
pub fn texts(root: &Path) -> Result<Vec<Text>> {
    let script = root.join(FOLDER).join("compare.py");
    if !script.is_file() {
        return Ok(Vec::new());
    }
    let failed = |why: String| Trouble::judge(format!("{}: {why}", script.display()), "mend what it says");
    let mut python = Command::new("python3");
    let output = python.arg("-B").arg(&script).arg("--table").output();
    let output = output.map_err(|error| failed(format!("could not run python3: {error}")))?;
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    let table = String::from_utf8(output.stdout).map_err(|error| failed(error.to_string()))?;
    Ok(vec![(format!("{FOLDER}/results.md"), table)])
}
