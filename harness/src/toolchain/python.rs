//! Starting Python so that it runs nothing that lies where the user happens to stand.
//!
//! `python3 -m pip` looks for `pip` in the current directory first, and an empty entry of `PYTHONPATH` means
//! that directory too. An instructor stands in the folder of a class when the compiler is fetched, and a
//! folder `pip` there is a student's.

use std::{
    env,
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

/// The folders of the Python environments that this process belongs to: the one that this program was installed
/// into, as `ENVIRONMENT/bin/grader`, whether or not it is active; then the active ones.
pub(super) fn environments() -> Vec<PathBuf> {
    // Links are resolved by the kernel: pipx puts one in the user's path.
    let program = env::current_exe().ok();
    let own = program.as_deref().and_then(environment_of).map(Path::to_owned);
    let active = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(env::var_os).map(PathBuf::from);
    own.into_iter().chain(active).collect()
}

/// The Pythons that may have pip, best first: the environments', then the system's.
pub fn candidates() -> Vec<PathBuf> {
    let own = environments().into_iter().map(|root| root.join("bin").join("python3"));
    own.chain([PathBuf::from("python3"), PathBuf::from("python")]).collect()
}

/// The environment that a program was installed into, if it lies where programs of one do.
fn environment_of(program: &Path) -> Option<&Path> {
    let folder = program.parent()?;
    folder.file_name().is_some_and(|name| name == "bin").then(|| folder.parent())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_in_bin_belongs_to_the_folder_around_it() {
        assert_eq!(environment_of(Path::new("/home/me/venv/bin/grader")), Some(Path::new("/home/me/venv")));
        assert_eq!(environment_of(Path::new("/home/me/cuda-grader/grader")), None);
        assert_eq!(environment_of(Path::new("/grader")), None);
    }
}
