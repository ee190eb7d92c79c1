//! What commands of this system install and mend things, and where one may write.

use std::{
    env, io,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use crate::visible::quoted;

/// A package manager's command, and what it calls the packages.
struct Manager {
    program: &'static str,
    install: &'static str,
    pip: &'static str,
}

/// Those of the systems that the compiler runs on.
const MANAGERS: [Manager; 4] = [
    Manager { program: "apt-get", install: "apt-get install --yes", pip: "python3 python3-pip" },
    Manager { program: "dnf", install: "dnf install --assumeyes", pip: "python3 python3-pip" },
    Manager { program: "zypper", install: "zypper --non-interactive install", pip: "python3 python3-pip" },
    Manager { program: "pacman", install: "pacman --sync --noconfirm", pip: "python python-pip" },
];

/// Installs Python 3 with pip.
pub fn python_with_pip() -> Vec<String> {
    installing(|manager| manager.pip)
}

/// Installs the certificates of those who vouch for servers.
pub fn certificates() -> Vec<String> {
    installing(|_| "ca-certificates")
}

/// By this system's package manager; by Debian's where none is known.
fn installing(packages: impl Fn(&Manager) -> &'static str) -> Vec<String> {
    let manager = MANAGERS.iter().find(|manager| in_path(manager.program).is_some()).unwrap_or(&MANAGERS[0]);
    let root = if rustix::process::geteuid().is_root() { "" } else { "sudo " };
    let update =
        if manager.program == "apt-get" { format!("{root}apt-get update && ") } else { String::new() };
    vec![format!("{update}{root}{} {}", manager.install, packages(manager))]
}

fn in_path(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// Whether a folder, or the nearest one above it that exists, can be written to.
///
/// # Errors
/// Why not.
pub fn writable(folder: &Path) -> io::Result<()> {
    tempfile::tempfile_in(nearest(folder)).map(drop)
}

/// The folder, or the nearest one above it that exists. A link to nothing is there: no folder can be made in its place.
pub fn nearest(folder: &Path) -> &Path {
    let is_there = |path: &&Path| path.symlink_metadata().is_ok();
    folder.ancestors().find(is_there).unwrap_or(Path::new("/"))
}

/// Gives oneself a right to one's own file or folder; none where it is another's.
pub fn permit(right: &str, path: &Path) -> Option<String> {
    let owner = path.metadata().ok()?.uid();
    (owner == rustix::process::geteuid().as_raw()).then(|| format!("chmod u+{right} {}", quoted(path)))
}
