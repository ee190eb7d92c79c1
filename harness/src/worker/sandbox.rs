//! Shuts a worker in: after this, it opens nothing but what its policy names.
//!
//! Landlock and seccomp, because they need no root and no helper. Landlock restricts the calling thread and
//! those that it starts later, so a worker calls this on its main thread before it starts others; which
//! system calls are forbidden to all threads is `calls`' business. Descriptors that are open already stay
//! usable; that is how a GPU's context outlives it.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, LandlockStatus, PathBeneath, PathFd,
    RestrictionStatus, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};
use serde::{Deserialize, Serialize};

use super::calls;

/// What a worker may still open. Whatever is not named is denied: reading, writing, listing, executing, TCP,
/// signals to and sockets of processes outside.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// Files, and directories with all below them, that may be read.
    pub read: Vec<PathBuf>,
    /// Files, and directories with all below them, that may be read and written but not created or removed.
    pub read_write: Vec<PathBuf>,
}

impl Policy {
    /// Nothing at all: a simulator run has what it needs in memory.
    pub fn nothing() -> Self {
        Policy::default()
    }

    /// These and no more, for reading.
    pub fn reading(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        Policy { read: paths.into_iter().collect(), read_write: Vec::new() }
    }

    /// What the CUDA driver still opens after the context exists: its devices, and the names of its threads.
    /// Found once in a process: one that is shut in can no longer list `/dev`.
    pub fn gpu() -> Self {
        static FOUND: OnceLock<Policy> = OnceLock::new();
        FOUND.get_or_init(Policy::find_gpu).clone()
    }

    fn find_gpu() -> Self {
        let devices = std::fs::read_dir("/dev").into_iter().flatten().filter_map(Result::ok);
        let mut read_write: Vec<PathBuf> = devices
            .filter(|entry| {
                let name = entry.file_name();
                let name = name.to_string_lossy();
                // `/dev/dxg` is the GPU of WSL2.
                name.starts_with("nvidia") || name == "dxg"
            })
            .map(|entry| entry.path())
            .collect();
        read_write.sort();
        read_write.push(PathBuf::from("/proc/self/task"));
        Policy { read: Vec::new(), read_write }
    }
}

/// How well a worker is shut in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "status", content = "reason")]
pub enum SandboxStatus {
    /// Files, sockets, other programs, other processes.
    Full,
    /// Files, but not all of the rest; says what is missing.
    Partial(String),
    /// Not at all; says why.
    Missing(String),
}

impl SandboxStatus {
    /// True where no file outside the policy can be opened.
    pub fn protects_files(&self) -> bool {
        !matches!(self, SandboxStatus::Missing(_))
    }
}

impl fmt::Display for SandboxStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SandboxStatus::Full => f.write_str("full"),
            SandboxStatus::Partial(reason) => write!(f, "partial: {reason}"),
            SandboxStatus::Missing(reason) => write!(f, "missing: {reason}"),
        }
    }
}

/// The newest Landlock that this was tested with; what an older kernel lacks is reported.
const NEWEST: ABI = ABI::V6;

/// Restricts this thread and those that it starts from now on, for good.
pub(super) fn restrict(policy: &Policy) -> SandboxStatus {
    let files = match apply(policy) {
        Ok(status) => status_of(&status),
        Err(error) => SandboxStatus::Missing(format!("Landlock failed: {error}")),
    };
    // After Landlock, which makes calls of its own.
    match (calls::forbid(), files) {
        // Whatever an older Landlock lets through takes a system call that is forbidden now.
        (Ok(()), SandboxStatus::Partial(_)) => SandboxStatus::Full,
        (Ok(()), files) => files,
        (Err(why), SandboxStatus::Full) => {
            SandboxStatus::Partial(format!("no system call is forbidden (seccomp: {why})"))
        }
        (Err(why), SandboxStatus::Partial(reason)) => {
            SandboxStatus::Partial(format!("{reason}; no system call is forbidden (seccomp: {why})"))
        }
        (Err(_), missing @ SandboxStatus::Missing(_)) => missing,
    }
}

fn apply(policy: &Policy) -> Result<RestrictionStatus, RulesetError> {
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    let read_write = read | AccessFs::WriteFile | AccessFs::Truncate | AccessFs::IoctlDev;
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(NEWEST))?
        .handle_access(AccessNet::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?
        .create()?;
    for (paths, access) in [(&policy.read, read), (&policy.read_write, read_write)] {
        for path in paths {
            if let Some(rule) = rule(path, access) {
                rules = rules.add_rule(rule)?;
            }
        }
    }
    rules.restrict_self()
}

/// A rule for a path; none for a path that is not there, which then stays denied if it appears.
fn rule(path: &Path, access: BitFlags<AccessFs>) -> Option<PathBeneath<PathFd>> {
    let directory = path.is_dir();
    let beneath = PathFd::new(path).ok()?;
    // The kernel refuses rights of directories on anything else.
    let access = if directory { access } else { access & AccessFs::from_file(NEWEST) };
    Some(PathBeneath::new(beneath, access))
}

fn status_of(status: &RestrictionStatus) -> SandboxStatus {
    match (&status.ruleset, status.landlock) {
        (RulesetStatus::FullyEnforced, _) => SandboxStatus::Full,
        (RulesetStatus::PartiallyEnforced, LandlockStatus::Available { effective_abi, .. }) => {
            let mut missing = Vec::new();
            for (since, what) in [
                (ABI::V3, "truncating files (Linux 6.2)"),
                (ABI::V4, "TCP (Linux 6.7)"),
                (ABI::V5, "device controls (Linux 6.10)"),
                (ABI::V6, "signals and abstract sockets (Linux 6.12)"),
            ] {
                if effective_abi < since {
                    missing.push(what);
                }
            }
            SandboxStatus::Partial(format!("this kernel's Landlock does not restrict {}", missing.join(", ")))
        }
        (RulesetStatus::PartiallyEnforced, _) => {
            SandboxStatus::Partial("this kernel's Landlock is incomplete".to_owned())
        }
        (RulesetStatus::NotEnforced, LandlockStatus::NotEnabled) => SandboxStatus::Missing(
            "Landlock is built into this kernel but not enabled; boot with `lsm=landlock,…`".to_owned(),
        ),
        (RulesetStatus::NotEnforced, _) => {
            SandboxStatus::Missing("this kernel has no Landlock (Linux 5.13 or later has)".to_owned())
        }
    }
}
