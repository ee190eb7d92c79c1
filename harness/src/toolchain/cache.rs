//! The cache folder and what counts as installed in it.
//!
//! A compiler is installed if its folder holds a manifest and every library that the manifest names has the
//! size it names. The folder appears by one rename, so a half-written one is never seen under its name; the
//! sizes catch what a full disk or a careless hand does later.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{Origin, Release, Toolchain, ToolchainError, Version, search};

/// The manifest's file name inside the compiler's folder.
pub(super) const MANIFEST: &str = "manifest.json";

/// What an installed compiler's folder must contain.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Manifest {
    /// The compiler's version.
    pub version: Version,
    /// SHA-256 of each wheel that was unpacked.
    pub wheels: Vec<String>,
    /// Size in bytes of each library, by its path in the folder.
    pub libraries: BTreeMap<String, u64>,
}

/// The folder of everything that this project keeps on a machine.
pub(super) fn root() -> Result<PathBuf, ToolchainError> {
    let set = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    set("CUDA_GRADER_CACHE")
        .or_else(|| Some(set("XDG_CACHE_HOME")?.join("cuda-grader")))
        .or_else(|| Some(set("HOME")?.join(".cache").join("cuda-grader")))
        .ok_or(ToolchainError::NoHome)
}

/// A pinned compiler's folder. Homes are shared between machines, so the processor is in the name.
pub(super) fn folder(cache: &Path, release: Release) -> PathBuf {
    cache.join(format!("nvrtc-{}-{}", release.version(), env::consts::ARCH))
}

/// A pinned compiler in the cache, if it is there whole.
pub(super) fn installed(cache: &Path, release: Release) -> Option<Toolchain> {
    installed_in(&folder(cache, release)).filter(|found| found.version == release.version())
}

/// Every pinned compiler that is in the cache whole.
pub(super) fn installed_releases(cache: &Path) -> Vec<Toolchain> {
    Release::ALL.into_iter().filter_map(|release| installed(cache, release)).collect()
}

/// The compiler in a folder of the cache, if it is there whole.
pub(super) fn installed_in(folder: &Path) -> Option<Toolchain> {
    let manifest: Manifest = serde_json::from_slice(&fs::read(folder.join(MANIFEST)).ok()?).ok()?;
    let whole = manifest
        .libraries
        .iter()
        .all(|(library, size)| fs::metadata(folder.join(library)).is_ok_and(|found| found.len() == *size));
    if !whole {
        return None;
    }
    search::in_folder(folder, Origin::Cache, manifest.version)
}
