//! Compiles one kernel: checked PTX, optimised PTX, a cubin, true register counts — or diagnostics.
//!
//! The caller's side only: what to compile and what comes back. The compiling itself (`build`) happens in a
//! worker, because NVRTC opens any file that the source names and can be made to eat the machine's memory.
//! This module knows no exercise, no device and no terminal.

mod build;
pub mod diagnostics;
mod help;
mod log;
mod names;
mod nvrtc;
mod resources;
mod shims;
pub(crate) mod worker;

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use thiserror::Error;
use warpsim::Severity;

pub use diagnostics::CompilerMessage;
pub use resources::KernelResources;
pub use shims::{ALWAYS, SHIMS};

use crate::{
    toolchain::Toolchain,
    worker::{Asked, SandboxStatus, WorkerFailure, machine_memory},
};

/// What to compile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompileRequest {
    /// The source text.
    pub source: String,
    /// The file's name as findings and diagnostics are to show it. It is never opened.
    pub file: String,
    /// Kernels, device variables and template instances whose lowered names are wanted, as C++ expressions:
    /// `reduce`, `tiled<16>`. Templates exist in the output only if named here or used by something that is.
    pub names: Vec<String>,
    /// Headers that exist only in memory: the name in `#include` and the text.
    pub headers: Vec<(String, String)>,
    /// Directories that `#include` searches. With the toolchain they are all that the compiler can read.
    pub include_directories: Vec<PathBuf>,
    /// Macros, each with a value or without.
    pub defines: Vec<(String, Option<String>)>,
    /// Compute capability × 10, for example 90: PTX and machine code are made for `sm_90`.
    pub architecture: u32,
    /// For this architecture alone (`sm_90a`): with what later ones do not have, such as `wgmma`.
    pub is_specific: bool,
    /// Functions without `__device__` or `__global__` are device code, too.
    pub default_device: bool,
    /// Whether a product and a sum may become one operation.
    pub contraction: Contraction,
    /// Also machine code, and with it the registers that each kernel takes. For a large kernel that is half of
    /// the compiler's time, and the simulator does without.
    pub machine_code: bool,
    /// Limits of the worker that compiles.
    pub limits: CompileLimits,
    /// What protects this machine and the reader from the source; both, but for the proofs of the cheat book.
    pub guards: Guards,
}

/// Whether the compiler may make one fused multiply-add, which rounds once, of a product and a sum, which
/// round twice (`--fmad`; CUDA C++ Programming Guide, "Floating-point standard").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Contraction {
    /// Wherever it likes, and that in one build and not in the other: `nvcc` does so unless it is told not to.
    #[default]
    Allowed,
    /// Nowhere: only `fmaf` is one operation. Checked PTX, optimised PTX and machine code compute the same, so
    /// that no kernel can tell which of them it is.
    Never,
}

/// What protects a machine and a reader from what is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guards {
    /// The compiler opens nothing but its headers and the include directories.
    pub(crate) confined: bool,
    /// What it prints is made harmless (`log`).
    pub(crate) clean_log: bool,
}

impl Default for Guards {
    fn default() -> Self {
        Guards { confined: true, clean_log: true }
    }
}

/// What one compilation may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompileLimits {
    /// Memory in bytes. A kernel with cooperative groups, `mma.h` and `cuda/barrier` takes about 0.3 GB.
    pub memory_bytes: u64,
    /// Seconds of processor time.
    pub cpu_seconds: u64,
    /// Seconds on the clock: several times those of processor time, for a machine may be busy.
    pub wall_seconds: u64,
}

impl Default for CompileLimits {
    fn default() -> Self {
        CompileLimits { memory_bytes: 2 << 30, cpu_seconds: 30, wall_seconds: 150 }
    }
}

impl CompileLimits {
    /// For a source of whoever compiles it, of which no judge has to fear anything: half of this machine's memory, if that is more, and the
    /// time that a large library of templates takes.
    pub fn own() -> Self {
        let least = CompileLimits::default();
        let half = machine_memory().map_or(0, |bytes| bytes / 2);
        CompileLimits { memory_bytes: half.max(least.memory_bytes), cpu_seconds: 900, wall_seconds: 1800 }
    }
}

impl CompileRequest {
    /// Source text under a name, for `sm_90`, with nothing else set.
    pub fn new(file: impl Into<String>, source: impl Into<String>) -> Self {
        CompileRequest {
            source: source.into(),
            file: file.into(),
            names: Vec::new(),
            headers: Vec::new(),
            include_directories: Vec::new(),
            defines: Vec::new(),
            architecture: 90,
            is_specific: false,
            default_device: false,
            contraction: Contraction::default(),
            machine_code: true,
            limits: CompileLimits::default(),
            guards: Guards::default(),
        }
    }

    /// Reads a file; its path is the name shown. The file's own directory is *not* searched by `#include`:
    /// add it to `include_directories` where the source is trusted with everything below it.
    ///
    /// # Errors
    /// [`CompileError::Source`] if the file cannot be read or is not UTF-8 text.
    pub fn from_file(path: &Path) -> Result<Self, CompileError> {
        let source = std::fs::read_to_string(path)
            .map_err(|error| CompileError::Source { path: path.to_owned(), error })?;
        Ok(CompileRequest::new(path.display().to_string(), source))
    }

    /// Asks for the lowered name of a kernel, variable or template instance.
    pub fn name(mut self, expression: impl Into<String>) -> Self {
        self.names.push(expression.into());
        self
    }
}

/// What comes out of a compilation that succeeded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compiled {
    /// PTX that keeps the source's own structure (`--Ofast-compile=max -lineinfo`): it adds the findings that an
    /// optimiser hides.
    pub checked_ptx: String,
    /// PTX as the optimiser leaves it (`-lineinfo`), which is what a GPU runs: it must be clean by itself, and
    /// counters and outputs come from it.
    pub optimised_ptx: String,
    /// Machine code for the request's architecture, made from exactly `optimised_ptx`.
    pub cubin: Vec<u8>,
    /// Every kernel in the output, in the compiler's order.
    pub kernels: Vec<KernelResources>,
    /// The lowered (mangled) name of each name that was asked for.
    pub lowered_names: BTreeMap<String, String>,
    /// Warnings and notes.
    pub diagnostics: Vec<CompilerMessage>,
    /// Everything the compiler printed.
    pub log: String,
    /// The compiler as it names itself in its output, for example `NVRTC 13.0.88`.
    pub compiler: String,
    /// The architecture compiled for, for example 90.
    pub architecture: u32,
    /// How well the compiler was shut in.
    pub sandbox: SandboxStatus,
}

impl Compiled {
    /// The resources of a kernel by the name asked for, its plain name, or its lowered name.
    pub fn kernel(&self, name: &str) -> Option<&KernelResources> {
        let lowered = self.lowered_names.get(name).map_or(name, String::as_str);
        self.kernels.iter().find(|kernel| kernel.kernel == lowered)
    }
}

/// Why there is no output.
#[derive(Debug, Error)]
pub enum CompileError {
    /// The kernel's file or an include directory could not be read.
    #[error("cannot read {}: {error}", path.display())]
    Source {
        /// The file or directory.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// The compiler rejected the source.
    #[error("{}", summary(diagnostics))]
    Rejected {
        /// Its messages; at least one is an error.
        diagnostics: Vec<CompilerMessage>,
        /// Everything it printed.
        log: String,
    },
    /// The compiler does not know the architecture.
    #[error("{compiler} does not compile for sm_{asked}; it knows {}", list(supported))]
    Architecture {
        /// What was asked for.
        asked: u32,
        /// What it knows.
        supported: Vec<u32>,
        /// The compiler's name.
        compiler: String,
    },
    /// The compiler crashed or exceeded a limit.
    #[error("the compiler gave no answer: {0}")]
    Worker(#[from] WorkerFailure),
    /// The compiler is not what the toolchain promised, or cannot be loaded.
    #[error(
        "the compiler at {} cannot be used: {reason}. Run `grader compiler install` to fetch a fresh one",
        library.display()
    )]
    Unusable {
        /// The library.
        library: PathBuf,
        /// Why.
        reason: String,
    },
}

fn summary(diagnostics: &[CompilerMessage]) -> String {
    let mut errors = diagnostics.iter().filter(|each| each.severity == Severity::Error);
    let mut text = errors.next().map_or_else(|| "the compiler rejected it".to_owned(), ToString::to_string);
    match errors.count() {
        0 => {}
        1 => text.push_str(" (and one more error)"),
        more => {
            let _ = write!(text, " (and {more} more errors)");
        }
    }
    text
}

fn list(architectures: &[u32]) -> String {
    architectures.iter().map(|each| format!("sm_{each}")).collect::<Vec<_>>().join(", ")
}

/// Compiles.
///
/// # Errors
/// See [`CompileError`]: the source's fault is `Rejected`, every other case is not.
pub fn compile(toolchain: &Toolchain, request: &CompileRequest) -> Result<Compiled, CompileError> {
    let request = canonical(request)?;
    explained(toolchain, &request, worker::compile(toolchain, &request))
}

/// A checked build, while the optimised one is still being made.
pub struct Early {
    /// The checked PTX in the place of both, with neither machine code nor the registers that kernels take.
    pub checked: Compiled,
    toolchain: Toolchain,
    request: CompileRequest,
    optimised: Asked,
}

/// As [`compile`], for whoever can begin with the checked build.
///
/// # Errors
/// Those of [`compile`].
pub fn compile_early(toolchain: &Toolchain, request: &CompileRequest) -> Result<Early, CompileError> {
    let request = canonical(request)?;
    let (checked, optimised) = explained(toolchain, &request, worker::compile_early(toolchain, &request))?;
    Ok(Early { checked, toolchain: toolchain.clone(), request, optimised })
}

impl Early {
    /// Waits for the optimised build: what [`compile`] gives.
    ///
    /// # Errors
    /// Those of [`compile`].
    pub fn complete(self) -> Result<Compiled, CompileError> {
        let Early { checked, toolchain, request, optimised } = self;
        explained(&toolchain, &request, worker::complete(&toolchain, &request, checked, optimised))
    }
}

/// A request whose directories are named in full.
fn canonical(request: &CompileRequest) -> Result<CompileRequest, CompileError> {
    let mut request = request.clone();
    for directory in &mut request.include_directories {
        *directory = directory
            .canonicalize()
            .map_err(|error| CompileError::Source { path: directory.clone(), error })?;
    }
    Ok(request)
}

/// An outcome, or what stands behind it: too little memory, a broken compiler.
fn explained<T>(
    toolchain: &Toolchain,
    request: &CompileRequest,
    outcome: Result<T, CompileError>,
) -> Result<T, CompileError> {
    let (out_of_memory, unexplained) = match &outcome {
        Err(CompileError::Rejected { diagnostics, .. }) => (
            diagnostics.iter().any(|each| each.message == diagnostics::OUT_OF_MEMORY),
            diagnostics.iter().any(|each| each.message.starts_with(diagnostics::BARE_CODE)),
        ),
        // Too little memory to load the compiler at all.
        Err(CompileError::Unusable { .. }) => (false, true),
        Err(CompileError::Worker(crash @ WorkerFailure::Crashed { .. })) => {
            return match unusable(toolchain, request, crash) {
                Some(unusable) => Err(unusable),
                None => outcome,
            };
        }
        _ => (false, false),
    };
    match WorkerFailure::short_of_memory(&worker::limits(request)) {
        // Short of memory, the compiler does not always say what stopped it.
        Some(short) if out_of_memory || unexplained => Err(short.into()),
        None if out_of_memory => {
            Err(WorkerFailure::OutOfMemory { limit_bytes: request.limits.memory_bytes }.into())
        }
        _ => outcome,
    }
}

/// Whose fault a crash is. A source can crash a compiler, and so can a bad block in the compiler's library:
/// one that also crashes on a kernel that does nothing is broken, and that must not count against anybody.
fn unusable(toolchain: &Toolchain, request: &CompileRequest, crash: &WorkerFailure) -> Option<CompileError> {
    let mut nothing = CompileRequest::new("probe.cu", "extern \"C\" __global__ void probe() {}\n");
    nothing.architecture = request.architecture;
    match worker::compile(toolchain, &nothing) {
        Err(CompileError::Worker(WorkerFailure::Crashed { .. }) | CompileError::Unusable { .. }) => {
            Some(CompileError::Unusable {
                library: toolchain.library.clone(),
                reason: format!(
                    "{crash}, and so it does on a kernel that does nothing; its files are damaged"
                ),
            })
        }
        _ => None,
    }
}
