//! The compiler: whether it is there and works, and whether it could be fetched where it is not.

use std::path::Path;

use harness::{
    compiler::{self, CompileRequest},
    device::GpuInfo,
    judge::{self, CheckOptions, Kernel},
    report::Verdict,
    toolchain::{CompilerChoice, Origin, Release, Toolchain, ToolchainError, python},
};

use super::{
    fact::{Fact, Health, absent, broken, good, lacking},
    system,
};
use crate::{
    course::Course,
    files,
    terminal::{remark, typed},
    visible::shown,
};

/// What this machine's next check compiles with.
pub fn facts(course: Course<'_>, choice: &CompilerChoice, gpu: Option<&GpuInfo>) -> Vec<Fact> {
    let needs = gpu.map(GpuInfo::needs);
    let facts = match Toolchain::locate(choice, needs) {
        Ok(toolchain) => {
            let all = [found(&toolchain), works(&toolchain)];
            all.into_iter().chain(judges(course, toolchain)).collect()
        }
        Err(ToolchainError::NotFound { .. }) => {
            remark("there is no compiler here: trying whether pip can fetch it");
            vec![match Toolchain::rehearse(choice, needs) {
                Ok(release) => lacking("compiler", format!("none yet; pip can fetch that of {release}"))
                    .mend("the first check fetches it; or now:", &[install(release)]),
                Err(error) => not_to_be_had(&error, choice.release().unwrap_or(Release::Cuda13)),
            }]
        }
        Err(error) => vec![not_to_be_had(&error, choice.release().unwrap_or(Release::Cuda13))],
    };
    let is_there = facts.iter().all(|fact| fact.health != Health::Broken);
    facts.into_iter().chain([pip(), cache(is_there)]).collect()
}

fn found(toolchain: &Toolchain) -> Fact {
    let origin = match toolchain.origin {
        Origin::Cache => "the course's cache",
        Origin::Python => "a Python environment",
        Origin::Toolkit => "a CUDA toolkit",
    };
    let found = format!("NVRTC {} from {origin}: {}", toolchain.version, shown(&toolchain.library));
    match &toolchain.note {
        None => good("compiler", found),
        Some(note) => lacking("compiler", format!("{found}; {note}")),
    }
}

/// One header of each package that kernels may include.
const KERNEL: &str = "#include <cooperative_groups.h>\n#include <cuda/std/cstdint>\n#include <mma.h>\n\
                      extern \"C\" __global__ void doctor(int *p) { *p = 1; }\n";

/// Compiles a kernel, which proves library, worker and headers together.
fn works(toolchain: &Toolchain) -> Fact {
    match compiler::compile(toolchain, &CompileRequest::new("doctor.cu", KERNEL)) {
        Ok(compiled) => good("compiling", format!("works ({})", compiled.compiler)),
        Err(error) => {
            let release = Release::of_major(toolchain.version.major).unwrap_or(Release::Cuda13);
            broken("compiling", error.to_string()).mend("fetch it anew:", &[install(release)])
        }
    }
}

/// Judges the solution of the first exercise, on the device that a check would take; of its cases the first.
fn judges(course: Course<'_>, toolchain: Toolchain) -> Option<Fact> {
    let exercise = *course.exercises.first()?;
    let kernel = Kernel { path: "doctor.cu".to_owned(), source: exercise.about().solution.to_owned() };
    let options = CheckOptions {
        case: exercise.cases().first().map(|case| case.index),
        skip_speed: true,
        toolchain: Some(toolchain),
        ..CheckOptions::default()
    };
    let report = judge::check(exercise, &kernel, &options, &|_| {});
    let what = format!("the course's solution of {}", exercise.id());
    Some(match (&report.judge_error, report.verdict) {
        (Some(error), _) => broken("judging", format!("{what}: {error} {}", report.next_step)),
        (None, Verdict::Passed) => good("judging", format!("works: {what} passes")),
        (None, _) => broken("judging", format!("{what} does not pass: please report this as a bug")),
    })
}

/// Why no check can compile, with what helps.
fn not_to_be_had(error: &ToolchainError, release: Release) -> Fact {
    let none = |why: String| broken("compiler", format!("none here, and {why}"));
    match error {
        ToolchainError::NoPython { .. } => {
            by_hand(none("there is no Python 3 to fetch it with".to_owned()), system::python_with_pip(), release)
        }
        ToolchainError::NoPip { python, .. } => {
            by_hand(none(format!("`{python}` has no pip to fetch it with")), system::python_with_pip(), release)
        }
        ToolchainError::Certificates { reason, .. } => none(format!(
            "pip can't tell who answers it: CA certificates are missing, or not those of a proxy in between ({reason})"
        ))
        .mend("install the CA certificates:", &system::certificates())
        .mend(
            "if a proxy of your organisation opens connections, tell pip its certificate; with PROXY.pem in this folder:",
            &["python3 -m pip config set global.cert \"$PWD/PROXY.pem\"".to_owned()],
        ),
        ToolchainError::Network { reason, .. } => {
            let fact = none(format!("pip could not download it: {reason}")).mend(
                "check the network; pip's settings for a proxy or mirror are shown by",
                &["python3 -m pip config list".to_owned()],
            );
            from_elsewhere(fact, release)
        }
        ToolchainError::NoWheel { reason, .. } => none(format!("pip found none for this machine: {reason}")).mend(
            "the compiler is for Linux with glibc, not musl, and pip must be 20.3 or newer:",
            &["python3 -m pip install --upgrade pip".to_owned()],
        ),
        ToolchainError::Pip { status, output, .. } => {
            from_elsewhere(none(format!("pip failed ({status}): {output}")), release)
        }
        ToolchainError::NoHome => broken("compiler", "no folder to keep it in: HOME is not set")
            .mend("name a folder:", &["export CUDA_GRADER_CACHE=\"$PWD/cuda-grader\"".to_owned()]),
        ToolchainError::Cache { action, path, error } => none(format!("cannot {action} {}: {error}", shown(path)))
            .mend("keep it elsewhere:", &["export CUDA_GRADER_CACHE=\"$PWD/cuda-grader\"".to_owned()]),
        ToolchainError::DiskFull { path, needed_mb, free_mb } => none(format!(
            "{} has {free_mb} MB free of the {needed_mb} MB that it takes",
            shown(path)
        ))
        .mend("make room there, or keep it on another disk:", &["export CUDA_GRADER_CACHE=\"$PWD/cuda-grader\"".to_owned()]),
        ToolchainError::Busy { path, waited } => broken(
            "compiler",
            format!(
                "none yet: another process has been installing it in {} for more than {} seconds",
                shown(path),
                waited.as_secs()
            ),
        )
        .mend("wait until that process ends, or end it; then look again:", &[format!("{} doctor", typed())]),
        ToolchainError::GpuRefuses { .. } => broken("compiler", error.to_string())
            .mend("check without the GPU:", &[format!("{} check 00 --device sim", typed())]),
        error => broken("compiler", error.to_string()),
    }
}

/// Installing what is missing, or the wheels without it.
fn by_hand(fact: Fact, commands: Vec<String>, release: Release) -> Fact {
    from_elsewhere(fact.mend("install Python 3 with pip:", &commands), release)
}

fn from_elsewhere(fact: Fact, release: Release) -> Fact {
    fact.mend("or, on a machine with pip and a network:", &[release.download_command()])
        .mend("then copy the folder `wheels` here:", &[format!("{} --from wheels", install(release))])
}

fn install(release: Release) -> String {
    release.install_command().replacen("grader", &typed(), 1)
}

/// What would fetch the compiler; whether it can is another fact.
fn pip() -> Fact {
    let version = |python: &Path| {
        let output = python::command(python).args(["-m", "pip", "--version"]).output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        // "pip 24.0 from /long/path (python 3.12)"
        let version = text.split(" from ").next()?.trim().to_owned();
        (output.status.success() && !version.is_empty()).then_some(version)
    };
    match python::candidates().iter().find_map(|python| version(python)) {
        Some(version) => good("pip", version),
        None => absent("pip", "none; only fetching the compiler needs it"),
    }
}

/// Where the compiler is kept; where it comes from elsewhere, no check needs that.
fn cache(compiler_is_there: bool) -> Fact {
    let elsewhere = ["export CUDA_GRADER_CACHE=\"$PWD/cuda-grader\"".to_owned()];
    let folder = match harness::toolchain::cache_folder() {
        Ok(folder) => folder,
        Err(_) => {
            let none = if compiler_is_there { absent } else { broken };
            return none("cache", "no folder for it: HOME is not set").mend("name a folder:", &elsewhere);
        }
    };
    match system::writable(&folder) {
        Ok(()) => good("cache", shown(&folder)),
        // What is there already is still used.
        Err(error) => lacking("cache", format!("{}: {}", shown(&folder), files::explain(&error)))
            .mend("make it writable, or keep it elsewhere:", &elsewhere),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn another_installation_that_takes_long_is_named_with_the_next_step() {
        let busy = ToolchainError::Busy { path: "cache".into(), waited: Duration::from_secs(20) };
        let fact = not_to_be_had(&busy, Release::Cuda13);
        assert_eq!(fact.health, Health::Broken);
        assert!(fact.found.contains("another process"), "{}", fact.found);
        let [remedy] = fact.remedies.as_slice() else { panic!("{fact:?}") };
        assert!(remedy.commands[0].ends_with(" doctor"), "{remedy:?}");
    }
}
