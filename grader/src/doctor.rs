//! `grader doctor`: one line per fact about this machine, with a fix per line that needs one.

use std::{fs, path::Path, thread::available_parallelism};

use colored::Colorize;
use harness::{
    compiler::{self, CompileRequest},
    device::GpuInfo,
    toolchain::{Origin, Release, Toolchain, ToolchainError, python},
    worker::{SandboxStatus, probe::break_out},
};

use crate::{
    cli::Doctor,
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

fn broken(name: &'static str, found: impl Into<String>, fix: impl Into<String>) -> Fact {
    Fact { health: Health::Broken, name, found: found.into(), fix: fix.into() }
}

/// Runs it: passed where the course works, a judge's error where it can't.
///
/// # Errors
/// Never; a fact that can't be found out is a fact.
pub fn run(doctor: &Doctor, terminal: Terminal) -> Result<Exit> {
    let gpus = harness::judge::gpus();
    let first = gpus.as_ref().ok().and_then(|gpus| gpus.first()).map(GpuInfo::needs);
    let toolchain = Toolchain::locate(&doctor.compiler.clone().unwrap_or_default(), first);
    let mut facts = vec![processor()];
    facts.push(compiler(&toolchain));
    if let Ok(toolchain) = &toolchain {
        facts.push(compiling(toolchain));
    }
    facts.push(pip(toolchain.is_ok()));
    facts.push(cache());
    facts.push(sandbox(gpus.is_ok()));
    facts.extend(gpu(gpus));
    facts.push(course_folder());
    for fact in &facts {
        crate::print(&line(fact, terminal));
    }
    let works = facts.iter().all(|fact| fact.health != Health::Broken);
    crate::print(match works {
        true => "\nThe course works here: `grader check` judges your kernels.\n",
        false => "\nThe course does not work here yet: see the lines with ✗.\n",
    });
    Ok(if works { Exit::Passed } else { Exit::JudgeError })
}

fn line(fact: &Fact, terminal: Terminal) -> String {
    let mark = match fact.health {
        Health::Good => "✓".green(),
        Health::Absent => "–".normal(),
        Health::Lacking => "!".yellow().bold(),
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
        // No check fetches a compiler that was asked for by a wrong name.
        Err(error @ ToolchainError::NoSuchCompiler { .. }) => broken("compiler", error.to_string(), ""),
        // The text of the error says what to do when it can't be fetched.
        Err(error) => {
            lacking("compiler", error.to_string(), "the first check fetches it, or: grader compiler install")
        }
    }
}

/// Compiles a kernel, which proves library, worker and headers together.
fn compiling(toolchain: &Toolchain) -> Fact {
    let request =
        CompileRequest::new("doctor.cu", "extern \"C\" __global__ void doctor(int *p) { *p = 1; }\n");
    match compiler::compile(toolchain, &request) {
        Ok(compiled) => good("compiling", format!("works ({})", compiled.compiler)),
        Err(error) => broken("compiling", error.to_string(), "grader compiler install"),
    }
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

fn cache() -> Fact {
    let folder = match harness::toolchain::cache_folder() {
        Ok(folder) => folder,
        Err(error) => return broken("cache", error.to_string(), "set CUDA_GRADER_CACHE to a folder"),
    };
    // The nearest part that exists decides whether the rest can be made.
    let existing = folder.ancestors().find(|ancestor| ancestor.exists()).unwrap_or(Path::new("/"));
    let writable = tempfile::tempfile_in(existing);
    match writable {
        Ok(_) => good("cache", shown(&folder)),
        Err(error) => lacking(
            "cache",
            format!("{}: {}", shown(&folder), files::explain(&error)),
            "make it writable, or set CUDA_GRADER_CACHE to a folder that is",
        ),
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

fn course_folder() -> Fact {
    let folder = match current_directory() {
        Ok(here) => CourseFolder::find(&here),
        Err(trouble) => return lacking("course folder", trouble.message, trouble.next),
    };
    let Some(folder) = folder else {
        return lacking("course folder", "none here", "grader init DIR, then work there");
    };
    if !folder.path.is_dir() {
        return good("course folder", format!("{}, made by the first check", shown(&folder.path)));
    }
    if let Err(error) = tempfile::tempfile_in(&folder.path) {
        let found = format!("{}: {}", shown(&folder.path), files::explain(&error));
        return broken("course folder", found, "make it writable, or grader init DIR elsewhere");
    }
    match LearnerProgress::load(&folder.path) {
        Ok(_) => good("course folder", shown(&folder.path)),
        Err(trouble) => broken("course folder", trouble.message, trouble.next),
    }
}
