//! The cache folder and what counts as installed in it.
//!
//! A compiler is installed if its folder holds a manifest and every library that the manifest names has
//! the size it names. The folder appears by one rename, so a half-written one is never seen under its
//! name; the sizes catch what a full disk or a careless hand does later. What keeps its size, such as a
//! bad block, only the contents' hash finds, and reading everything takes longer than a compilation:
//! that is for whoever doubts.

use std::{
    collections::BTreeMap,
    env, fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use strum::VariantArray;

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
    /// [`contents_hash`] of what was unpacked; nothing where an earlier version of this program did that.
    #[serde(default)]
    pub contents: Option<String>,
}

/// The folder of everything that this project keeps on a machine.
pub(super) fn root() -> Result<PathBuf, ToolchainError> {
    let set = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let chosen = env::var_os("CUDA_GRADER_CACHE").and_then(|path| std::path::absolute(path).ok());
    chosen
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

/// The same, if every file of it is what was unpacked.
pub(super) fn intact(cache: &Path, release: Release) -> Option<Toolchain> {
    let folder = folder(cache, release);
    let manifest = manifest(&folder)?;
    let same = contents_hash(&folder).is_ok_and(|hash| Some(hash) == manifest.contents);
    installed(cache, release).filter(|found| same && found.note.is_none())
}

/// Every pinned compiler that is in the cache whole.
pub(super) fn installed_releases(cache: &Path) -> Vec<Toolchain> {
    Release::VARIANTS.iter().copied().filter_map(|release| installed(cache, release)).collect()
}

/// The compiler in a folder of the cache, if it is there whole.
pub(super) fn installed_in(folder: &Path) -> Option<Toolchain> {
    let manifest = manifest(folder)?;
    let whole = manifest
        .libraries
        .iter()
        .all(|(library, size)| fs::metadata(folder.join(library)).is_ok_and(|found| found.len() == *size));
    if !whole {
        return None;
    }
    search::in_folder(folder, Origin::Cache, manifest.version)
}

fn manifest(folder: &Path) -> Option<Manifest> {
    serde_json::from_slice(&fs::read(folder.join(MANIFEST)).ok()?).ok()
}

/// BLAKE3 of all paths and files below a folder but the manifest itself.
pub(super) fn contents_hash(folder: &Path) -> io::Result<String> {
    let mut files = Vec::new();
    files_below(folder, &mut files)?;
    files.sort();
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; 1 << 20];
    for path in files {
        let name = path.strip_prefix(folder).unwrap_or(&path).as_os_str().as_encoded_bytes();
        if name == MANIFEST.as_bytes() {
            continue;
        }
        let mut file = fs::File::open(&path)?;
        let bytes = file.metadata()?.len();
        // Lengths first, so that no file's end can be another one's beginning.
        hasher.update(&name.len().to_le_bytes()).update(name).update(&bytes.to_le_bytes());
        loop {
            match file.read(&mut buffer)? {
                0 => break,
                count => hasher.update(&buffer[..count]),
            };
        }
    }
    Ok(hasher.finalize().to_hex().to_string())
}

fn files_below(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            files_below(&entry.path(), files)?;
        } else {
            files.push(entry.path());
        }
    }
    Ok(())
}
