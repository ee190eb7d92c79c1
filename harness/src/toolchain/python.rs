//! Starting Python so that it runs nothing that lies where the user happens to stand.
//!
//! `python3 -m pip` looks for `pip` in the current directory first, and an empty entry of `PYTHONPATH` means
//! that directory too. An instructor stands in the folder of a class when the compiler is fetched, and a
//! folder `pip` there is a student's.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// A Python that imports from nowhere below the current directory, and asks nothing.
///
/// `python3 -I` would say the same and more: it also forgets the user's own packages, where
/// `ensurepip --user` puts pip, and the settings of a proxy or mirror in `PYTHON…` variables. `-P` is
/// unknown before Python 3.11.
pub fn command(python: impl AsRef<Path>) -> Command {
    let mut command = Command::new(python.as_ref());
    command.current_dir("/").stdin(Stdio::null());
    command
}

/// The Pythons that may have pip: the active environment's, then the system's.
pub fn candidates() -> Vec<PathBuf> {
    let mut all = Vec::new();
    for root in ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(std::env::var_os) {
        all.push(Path::new(&root).join("bin").join("python3"));
    }
    all.extend([PathBuf::from("python3"), PathBuf::from("python")]);
    all
}
