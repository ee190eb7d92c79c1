//! `grader doctor`: one line per fact about this machine, with a fix per line that needs one.
//!
//! It says that the course works only where the next check would: so it judges a kernel itself, as a check does. Where
//! the compiler is still to be fetched, nobody can know that, and it says so.

use std::{fs, path::Path, thread::available_parallelism};

use colored::Colorize;
use harness::{
    compiler::{self, CompileRequest},
    device::{DeviceChoice, GpuInfo},
    judge::{self, CheckOptions, Kernel},
    report::Verdict,
    toolchain::{Origin, Release, Toolchain, ToolchainError, python},
    worker::{SandboxStatus, probe::break_out},
};

use crate::{
    cli::Doctor,
    course::Course,
    exit::{Exit, Result},
    files,
    folder::{CourseFolder, current_directory},
    progress::LearnerProgress,
    terminal::Terminal,
    visible::{shown, visible},
};

/// How much a fact matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Health {
    /// As it should be.
    Good,
    /// Not there, and not needed.
    Absent,
    /// The course works; something is missing.
    Lacking,
    /// Whether the course works is seen when that is there.
    Pending,
    /// The course doesn't work.
    Broken,
}

/// One fact.
struct Fact {
    health: Health,
    name: &'static str,
    found: String,
    /// What to do, where there is something to do.
    fix: String,
}

fn good(name: &'static str, found: impl Into<String>) -> Fact {
    Fact { health: Health::Good, name, found: found.into(), fix: String::new() }
}

fn lacking(name: &'static str, found: impl Into<String>, fix: impl Into<String>) -> Fact {
    Fact { health: Health::Lacking, name, found: found.into(), fix: fix.into() }
}

fn pending(name: &'static str, found: impl Into<String>, fix: impl Into<String>) -> Fact {
    Fact { health: Health::Pending, name, found: found.into(), fix: fix.into() }
}

fn broken(name: &'static str, found: impl Into<String>, fix: impl Into<String>) -> Fact {
    Fact { health: Health::Broken, name, found: found.into(), fix: fix.into() }
}

/// Runs it: passed where the course works, a judge's error where it can't, inconclusive where the compiler is still to
/// be fetched.
///
/// # Errors
/// Never; a fact that can't be found out is a fact.
pub fn run(course: Course<'_>, doctor: &Doctor, terminal: Terminal) -> Result<Exit> {
    let gpus = judge::gpus();
    let first = gpus.as_ref().ok().and_then(|gpus| gpus.first()).map(GpuInfo::needs);
    let toolchain = Toolchain::locate(&doctor.compiler.clone().unwrap_or_default(), first);
    let mut facts = vec![processor()];
    facts.push(compiler(&toolchain));
    if let Ok(toolchain) = &toolchain {
        facts.push(compiling(toolchain));
        facts.extend(judging(course, toolchain));
    }
    facts.push(pip(toolchain.is_ok()));
    facts.push(cache(toolchain.is_ok()));
    facts.push(sandbox(gpus.is_ok()));
    facts.extend(gpu(gpus));
    facts.push(course_folder());
    for fact in &facts {
        crate::print(&line(fact, terminal));
    }
    let (conclusion, exit) = conclusion(&facts);
    crate::print(&format!("\n{conclusion}\n"));
    Ok(exit)
}

/// What all facts together mean.
fn conclusion(facts: &[Fact]) -> (&'static str, Exit) {
    let any = |health| facts.iter().any(|fact| fact.health == health);
    let no_folder = facts.iter().any(|fact| fact.name == FOLDER && fact.health == Health::Lacking);
    match (any(Health::Broken), any(Health::Pending), no_folder) {
        (true, _, _) => ("The course does not work here yet: see the lines with ✗.", Exit::JudgeError),
        (false, true, _) => (
            "Nothing stands in the way so far. `grader compiler install` fetches the compiler, as the first check does \
             by itself; ask again after it.",
            Exit::Inconclusive,
        ),
        (false, false, true) => (
            "This machine has what the course needs. `grader init DIR` makes a course folder; work there.",
            Exit::Passed,
        ),
        (false, false, false) => ("The course works here: `grader check` judges your kernels.", Exit::Passed),
    }
}

fn line(fact: &Fact, terminal: Terminal) -> String {
    let mark = match fact.health {
        Health::Good => "✓".green(),
        Health::Absent => "–".normal(),
        Health::Lacking | Health::Pending => "!".yellow().bold(),
        Health::Broken => "✗".red().bold(),
    };
    let indent = " ".repeat(18);
    let options = textwrap::Options::new(terminal.width.saturating_sub(2))
        .subsequent_indent(&indent[2..])
        // Paths and versions are for copying.
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .break_words(false);
    let found = textwrap::fill(&format!("{:<16}{}", fact.name, visible(&fact.found)), &options);
    let mut text = format!("{mark} {}\n", found.replace('\n', "\n  "));
    if !fact.fix.is_empty() {
        let options =
            textwrap::Options::new(terminal.width).initial_indent(&indent).subsequent_indent(&indent);
        let fix = textwrap::fill(&format!("→ {}", visible(&fact.fix)), options);
        text.push_str(&format!("{}\n", fix.cyan()));
    }
    text
}

fn processor() -> Fact {
    let cores = available_parallelism().map_or(1, |cores| cores.get());
    let architecture = std::env::consts::ARCH;
    let cores = if cores == 1 { "1 core".to_owned() } else { format!("{cores} cores") };
    match (architecture, fast_path()) {
        (_, Some(true)) => good("processor", format!("{cores}, {architecture} with AVX2 and FMA")),
        ("aarch64", _) => good("processor", format!("{cores}, {architecture}")),
        ("x86_64", _) => lacking(
            "processor",
            format!("{cores}, {architecture} without AVX2 and FMA"),
            "checks take several times as long; everything else is the same",
        ),
        _ => broken(
            "processor",
            format!("{cores}, {architecture}"),
            "the compiler exists for x86-64 and 64-bit Arm only: use such a machine, or a container of one",
        ),
    }
}

/// Whether the simulator's fast path can be used; none where there is no such question.
fn fast_path() -> Option<bool> {
    #[cfg(target_arch = "x86_64")]
    return Some(std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma"));
    #[cfg(not(target_arch = "x86_64"))]
    None
}

fn compiler(toolchain: &std::result::Result<Toolchain, ToolchainError>) -> Fact {
    match toolchain {
        Ok(toolchain) => {
            let origin = match toolchain.origin {
                Origin::Cache => "the course's cache",
                Origin::Python => "a Python environment",
                Origin::Toolkit => "a CUDA toolkit",
            };
            let found = format!("NVRTC {} from {origin}: {}", toolchain.version, shown(&toolchain.library));
            match &toolchain.note {
                None => good("compiler", found),
                Some(note) => lacking("compiler", format!("{found}; {note}"), ""),
            }
        }
        // A check fetches what it can; the text says what to do when it can't.
        Err(error @ ToolchainError::NotFound { .. }) => {
            pending("compiler", error.to_string(), "the first check fetches it, or: grader compiler install")
        }
        // No check fetches a compiler that was asked for by a wrong name, or whose code the GPU refuses.
        Err(error) => broken("compiler", error.to_string(), ""),
    }
}

/// Compiles a kernel, which proves library, worker and headers together.
fn compiling(toolchain: &Toolchain) -> Fact {
    match compiler::compile(toolchain, &CompileRequest::new("doctor.cu", KERNEL)) {
        Ok(compiled) => good("compiling", format!("works ({})", compiled.compiler)),
        Err(error) => broken("compiling", error.to_string(), "grader compiler install"),
    }
}

/// One header of each package that kernels may include.
const KERNEL: &str = "#include <cooperative_groups.h>\n#include <cuda/std/cstdint>\n#include <mma.h>\n\
                      extern \"C\" __global__ void doctor(int *p) { *p = 1; }\n";

/// Judges the solution of the first exercise, on the device that a check would take; of its cases the first.
fn judging(course: Course<'_>, toolchain: &Toolchain) -> Option<Fact> {
    let exercise = *course.exercises.first()?;
    let kernel = Kernel { path: "doctor.cu".to_owned(), source: exercise.about().solution.to_owned() };
    let options = CheckOptions {
        device: DeviceChoice::default(),
        case: exercise.cases().first().map(|case| case.index),
        skip_speed: true,
        toolchain: Some(toolchain.clone()),
        ..CheckOptions::default()
    };
    let report = judge::check(exercise, &kernel, &options, &|_| {});
    let what = format!("the course's solution of {}", exercise.id());
    Some(match (&report.judge_error, report.verdict) {
        (Some(error), _) => broken("judging", format!("{what}: {error}"), report.next_step.clone()),
        (None, Verdict::Passed) => good("judging", format!("works: {what} passes")),
        (None, _) => broken("judging", format!("{what} does not pass"), "report this as a bug"),
    })
}

fn pip(needed_no_more: bool) -> Fact {
    let version = |python: &str| {
        let output = python::command(python).args(["-m", "pip", "--version"]).output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        // "pip 24.0 from /long/path (python 3.12)"
        let version = text.split(" from ").next()?.trim().to_owned();
        (output.status.success() && !version.is_empty()).then_some(version)
    };
    match version("python3").or_else(|| version("python")) {
        Some(version) => good("pip", version),
        None if needed_no_more => good("pip", "none, and none is needed: the compiler is there"),
        None => broken(
            "pip",
            "no Python 3 with pip",
            "install python3 and python3-pip, or bring the wheels: grader compiler install --from WHEEL…",
        ),
    }
}

fn cache(needed_no_more: bool) -> Fact {
    let folder = match harness::toolchain::cache_folder() {
        Ok(folder) => folder,
        Err(error) if needed_no_more => return lacking("cache", error.to_string(), ""),
        Err(error) => return broken("cache", error.to_string(), ""),
    };
    // The nearest part that exists decides whether the rest can be made.
    let existing = folder.ancestors().find(|ancestor| ancestor.exists()).unwrap_or(Path::new("/"));
    let writable = tempfile::tempfile_in(existing);
    match writable {
        Ok(_) => good("cache", shown(&folder)),
        Err(error) => Fact {
            health: if needed_no_more { Health::Lacking } else { Health::Broken },
            name: "cache",
            found: format!("{}: {}", shown(&folder), files::explain(&error)),
            fix: "make it writable, or set CUDA_GRADER_CACHE to a folder that is".to_owned(),
        },
    }
}

/// Tries to break out of it, as `score` does before it judges anyone.
fn sandbox(beside_gpu: bool) -> Fact {
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let kernel = kernel.trim();
    let fix = "use a kernel with Landlock (5.13 or newer, `landlock` in /sys/kernel/security/lsm) and seccomp; `check` \
               works without, `score` wants --allow-unsandboxed";
    match break_out(beside_gpu) {
        Err(failure) => broken("workers", failure.to_string(), "report this as a bug"),
        Ok(proof) if proof.holds() => good(
            "sandbox",
            format!(
                "Landlock and seccomp, {}: no attempt to break out worked (kernel {kernel})",
                proof.status
            ),
        ),
        Ok(proof) if proof.status == SandboxStatus::Full => {
            broken("sandbox", format!("in force, yet {}", proof.breaches.join("; ")), "report this as a bug")
        }
        Ok(proof) => lacking("sandbox", format!("{} (kernel {kernel})", proof.status), fix),
    }
}

fn gpu(gpus: std::result::Result<Vec<GpuInfo>, String>) -> Vec<Fact> {
    let gpus = match gpus {
        Ok(gpus) => gpus,
        Err(why) => {
            let found = why.strip_prefix("no GPU: ").unwrap_or(&why).to_owned();
            let fix = "none needed: the simulator judges everything but speed".to_owned();
            return vec![Fact { health: Health::Absent, name: "GPU", found, fix }];
        }
    };
    let mut facts = Vec::new();
    for gpu in &gpus {
        let (major, minor) = (gpu.compute_capability / 10, gpu.compute_capability % 10);
        let found = format!(
            "gpu:{}: {}, compute capability {major}.{minor}, {:.0} GiB",
            gpu.index,
            gpu.name,
            gpu.memory_bytes as f64 / (1u64 << 30) as f64
        );
        facts.push(match gpu.compute_capability {
            75.. => good("GPU", found),
            _ => lacking("GPU", found, "the course is tested on 7.5 and newer; --device sim needs none"),
        });
    }
    if let Some(gpu) = gpus.first() {
        let version = format!("CUDA {}.{}", gpu.driver_version / 1000, gpu.driver_version % 1000 / 10);
        facts.push(match Release::for_gpu(gpu.needs()) {
            Ok(Release::Cuda13) => good("driver", version),
            Ok(release) => good("driver", format!("{version}: kernels are compiled by {release}")),
            Err(reason) => lacking(
                "driver",
                format!("{version}: {reason}"),
                "update the driver to one for CUDA 13, or use --device sim",
            ),
        });
        facts.push(match gpu.reads_host_memory {
            false => good("HMM", "off: kernels can't read the judge's memory"),
            true => lacking(
                "HMM",
                "on: a hostile kernel can read the memory of its own worker",
                "harmless for your own kernels; to score others', load nvidia_uvm with uvm_disable_hmm=1",
            ),
        });
    }
    facts
}

/// The fact of the course folder; without one there is nothing to check.
const FOLDER: &str = "course folder";

fn course_folder() -> Fact {
    let folder = match current_directory() {
        Ok(here) => CourseFolder::find(&here),
        Err(trouble) => return broken(FOLDER, trouble.message, trouble.next),
    };
    let Some(folder) = folder else {
        return lacking(FOLDER, "none here", "grader init DIR, then work there");
    };
    let is_there = folder.path.is_dir();
    let parent = folder.path.parent().unwrap_or(Path::new("/"));
    if let Err(error) = tempfile::tempfile_in(if is_there { &folder.path } else { parent }) {
        let found = format!("{}: {}", shown(&folder.path), files::explain(&error));
        return broken(FOLDER, found, "make it writable, or grader init DIR elsewhere");
    }
    if !is_there {
        return good(FOLDER, format!("{}, made by the first check", shown(&folder.path)));
    }
    match LearnerProgress::load(&folder.path) {
        Ok(_) => good(FOLDER, shown(&folder.path)),
        Err(trouble) => broken(FOLDER, trouble.message, trouble.next),
    }
}
