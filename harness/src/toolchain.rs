//! The pinned compiler: found where it already is, fetched once where it is not.
//!
//! Verdicts depend on the compiler's exact version, because findings come from its PTX. So one version is
//! pinned, and another is used only where that one cannot be had, where the GPU runs no code of it, or where
//! the user asks for another, with a note that says so. This module knows files and versions; it never loads
//! the compiler (that is `compiler`'s) and knows no kernel.

mod cache;
mod choice;
mod install;
mod packages;
pub mod python;
mod release;
mod search;

use std::{fmt, io, path::PathBuf, time::Duration};

use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use choice::CompilerChoice;
pub use install::InstallProgress;
use install::Installer;
pub use release::{GpuNeeds, Release};
use search::Found;

/// The compiler version that this project is tested with.
pub const PINNED: Version = Release::Cuda13.version();

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
    /// `libnvrtc.so.13` or `.12`, absolute.
    pub library: PathBuf,
    /// `libnvrtc-builtins.so.13.0` or the like, absolute; must be loaded first.
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

    /// The compiler on this machine that is asked for. Unless another one is, that is the pinned one that
    /// the GPU needs, wherever it lies, or else another that suits the GPU, with a
    /// [note](Toolchain::note). Fetches nothing.
    ///
    /// # Errors
    /// [`ToolchainError::NotFound`] if there is none, [`ToolchainError::NoSuchCompiler`] if there is no such
    /// one, and [`ToolchainError::GpuRefuses`].
    pub fn locate(choice: &CompilerChoice, gpu: Option<GpuNeeds>) -> Result<Self, ToolchainError> {
        find(cache::root(), choice, gpu, None)
    }

    /// As [`locate`](Toolchain::locate), but a pinned compiler that is nowhere is fetched into the cache;
    /// another one stands in, with a note, only if that fails.
    ///
    /// # Errors
    /// As [`locate`](Toolchain::locate), or whatever stopped the fetch if no other compiler is there either.
    pub fn locate_or_install(
        choice: &CompilerChoice,
        gpu: Option<GpuNeeds>,
        progress: InstallProgress,
    ) -> Result<Self, ToolchainError> {
        find(cache::root(), choice, gpu, Some(progress))
    }

    /// Whether a pinned compiler that is nowhere could be fetched: does all that fetching does with the smallest part of
    /// it, and keeps nothing.
    ///
    /// # Errors
    /// What would stop the fetch.
    pub fn rehearse(choice: &CompilerChoice, gpu: Option<GpuNeeds>) -> Result<Release, ToolchainError> {
        let release = match choice.release() {
            Some(release) => release,
            None => pinned_release(gpu)?,
        };
        Installer::new(&cache::root()?, release).rehearse().map(|()| release)
    }

    /// Fetches a pinned compiler into the cache even where another place has it, and anew where what the
    /// cache has is not what was once unpacked there.
    ///
    /// # Errors
    /// Whatever stopped the fetch.
    pub fn install(release: Release, progress: InstallProgress) -> Result<Self, ToolchainError> {
        Installer::new(&cache::root()?, release).renew(progress)
    }

    /// Unpacks a pinned compiler into the cache from wheels that are already on this machine. Folders stand
    /// for the wheels in them. Nothing is run and nothing is fetched.
    ///
    /// # Errors
    /// [`ToolchainError::WrongWheel`], [`ToolchainError::WheelsMissing`] or what went wrong with a file.
    pub fn install_from(release: Release, wheels: &[PathBuf]) -> Result<Self, ToolchainError> {
        Installer::new(&cache::root()?, release).unpack(wheels)
    }
}

/// Finds what is asked for; fetches only with a progress to show. Without a cache only the fetching fails.
fn find(
    cache: Result<PathBuf, ToolchainError>,
    choice: &CompilerChoice,
    gpu: Option<GpuNeeds>,
    fetch: Option<InstallProgress>,
) -> Result<Toolchain, ToolchainError> {
    let mut toolchain = match choice {
        CompilerChoice::Pinned => return pinned(cache, gpu, fetch),
        CompilerChoice::Version(_) => of_version(cache, choice, fetch)?,
        CompilerChoice::Path(path) => search::in_path(path).ok_or_else(|| {
            ToolchainError::NoSuchCompiler { asked: choice.to_string(), found: "no NVRTC there".to_owned() }
        })?,
    };
    if let Some(reason) = gpu.and_then(|gpu| gpu.refuses(toolchain.version)) {
        let compiler = format!("NVRTC {}", toolchain.version);
        return Err(ToolchainError::GpuRefuses { compiler, reason });
    }
    toolchain.note = choice::note(&toolchain, ", as asked");
    Ok(toolchain)
}

fn pinned(
    cache: Result<PathBuf, ToolchainError>,
    gpu: Option<GpuNeeds>,
    fetch: Option<InstallProgress>,
) -> Result<Toolchain, ToolchainError> {
    let release = pinned_release(gpu)?;
    let because = gpu.and_then(|gpu| gpu.refuses(PINNED));
    let because = because.map(|reason| format!(" for this GPU ({reason})")).unwrap_or_default();
    let noted = |mut toolchain: Toolchain, why: &str| {
        toolchain.note = choice::note(&toolchain, why);
        toolchain
    };
    let others = match search::search(cache.as_deref().ok(), Some(release.version()), |each| {
        each.version == release.version() && each.note.is_none()
    }) {
        Found::Wanted(toolchain) => return Ok(noted(toolchain, &because)),
        Found::Others(others) => others,
    };
    let failed = match fetch.map(|progress| Installer::new(&cache?, release).fetch(progress)) {
        Some(Ok(toolchain)) => return Ok(noted(toolchain, &because)),
        Some(Err(error)) => Some(error),
        None => None,
    };
    let fits = |each: &Toolchain| gpu.is_none_or(|gpu| gpu.refuses(each.version).is_none());
    let Some(other) = others.into_iter().find(fits) else {
        return Err(failed.unwrap_or_else(|| not_found(release)));
    };
    let mut other = noted(other, &because);
    let note = other.note.take().unwrap_or_default();
    other.note = Some(match failed {
        None => format!("{note}; `{}` fetches a complete pinned one", packages::install_command(release)),
        Some(error) => format!("{note} (fetching the pinned one just now failed: {error})"),
    });
    Ok(other)
}

/// The release that the GPU needs.
fn pinned_release(gpu: Option<GpuNeeds>) -> Result<Release, ToolchainError> {
    gpu.map_or(Ok(Release::Cuda13), Release::for_gpu).map_err(|reason| ToolchainError::GpuRefuses {
        compiler: "every compiler of the course".to_owned(),
        reason,
    })
}

fn of_version(
    cache: Result<PathBuf, ToolchainError>,
    choice: &CompilerChoice,
    fetch: Option<InstallProgress>,
) -> Result<Toolchain, ToolchainError> {
    let release = choice.release();
    let wanted = |each: &Toolchain| choice.accepts(each.version) && each.note.is_none();
    let others = match search::search(cache.as_deref().ok(), release.map(Release::version), wanted) {
        Found::Wanted(toolchain) => return Ok(toolchain),
        Found::Others(others) => others,
    };
    let incomplete = others.iter().find(|each| choice.accepts(each.version)).cloned();
    match (release, fetch) {
        (Some(release), Some(progress)) => {
            let fetched = cache.and_then(|cache| Installer::new(&cache, release).fetch(progress));
            fetched.or_else(|error| incomplete.ok_or(error))
        }
        (Some(release), None) => incomplete.ok_or_else(|| not_found(release)),
        (None, _) => incomplete.ok_or_else(|| {
            let found: Vec<String> =
                others.iter().map(|each| format!("{} in {}", each.version, each.library.display())).collect();
            let found = if found.is_empty() { "none".to_owned() } else { found.join("; ") };
            ToolchainError::NoSuchCompiler { asked: choice.to_string(), found }
        }),
    }
}

fn not_found(release: Release) -> ToolchainError {
    ToolchainError::NotFound {
        release: release.to_string(),
        command: packages::install_command(release),
        advice: packages::advice(release),
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
    #[error("no compiler (NVRTC) of {release} found on this machine. `{command}` fetches it. {advice}")]
    NotFound {
        /// The release that is needed.
        release: String,
        /// What fetches it.
        command: String,
        /// How to get it otherwise.
        advice: String,
    },
    /// Not the one that was asked for.
    #[error(
        "expected {asked}, found {found}. Name a version that is installed, the path of libnvrtc.so or of a folder \
         that has it, or one of the versions that can be fetched: 13 and 12"
    )]
    NoSuchCompiler {
        /// What was asked for.
        asked: String,
        /// What there is.
        found: String,
    },
    /// The GPU would not run what it makes.
    #[error(
        "{compiler} makes no code that this GPU runs: {reason}. Use another compiler or a newer driver; \
         --device sim needs neither"
    )]
    GpuRefuses {
        /// The compiler.
        compiler: String,
        /// Why.
        reason: String,
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
    /// Another process installs, and takes its time.
    #[error(
        "another process has been installing the compiler in {} for more than {} seconds. Wait until it ends, or end it",
        path.display(),
        waited.as_secs()
    )]
    Busy {
        /// The cache folder.
        path: PathBuf,
        /// How long it was waited for.
        waited: Duration,
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
    /// pip could not tell whether it is the right server that answers.
    #[error(
        "pip could not download the compiler, because it can't tell who answers: {reason}. Install your system's CA \
         certificates (`apt install ca-certificates`, `dnf install ca-certificates`); where a proxy of your organisation \
         opens connections, name its certificate (`python3 -m pip config set global.cert FILE.pem`). {advice}"
    )]
    Certificates {
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
    /// Wheels were to be in a place where there is nothing.
    #[error("there is no file or folder {}. Name a wheel, or the folder that the wheels are in", path.display())]
    NoWheels {
        /// What was named.
        path: PathBuf,
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
