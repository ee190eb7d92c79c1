//! The compile worker: loads the compiler, shuts itself in with it, and compiles.
//!
//! The order matters: the libraries are loaded and checked first, because afterwards this process
//! reads only the toolchain's headers and the request's include directories. NVRTC needs no file of
//! its own once it is loaded.

use std::{cell::OnceCell, path::PathBuf};

use serde::{Deserialize, Serialize};

use super::{
    CompileError, CompileRequest, Compiled, CompilerMessage,
    build::{Build, Loaded, Made},
};
use crate::{
    toolchain::Toolchain,
    worker::{
        self, Asked, Limits, Payload, SandboxStatus, ServeError, WorkerKind, confine, sandbox::Policy,
        standby,
    },
};

/// The request.
#[derive(Serialize, Deserialize)]
struct Request {
    toolchain: Toolchain,
    request: CompileRequest,
    build: Build,
}

/// The answer; the cubin is the attachment of one that was made.
#[derive(Serialize, Deserialize)]
enum Response {
    Made(Box<Made>),
    Rejected { diagnostics: Vec<CompilerMessage>, log: String },
    Architecture { asked: u32, supported: Vec<u32>, compiler: String },
    Unusable { library: PathBuf, reason: String },
    Failed(String),
}

/// What the worker may use.
pub(super) fn limits(request: &CompileRequest) -> Limits {
    let limits = &request.limits;
    Limits::compile(limits.memory_bytes, limits.cpu_seconds, limits.wall_seconds)
}

/// What a compiler is started with that waits for a kernel: it reads the course's header, and loads all that
/// it needs to make code.
const WARM_UP: &str = "#include \"course.cuh\"\nextern \"C\" __global__ void warm_up(int *x) { *x = 1; }\n";

/// Both builds for the simulator's profile, and both for a GPU of another architecture.
const COMPILERS_READY: usize = 4;

/// Compilers at work on one source.
///
/// Each makes one build, in a process of its own. NVRTC does not forget `--Ofast-compile`: a build that it makes beside or
/// after one with that option is another than the one it makes alone. So no process makes a checked build and anything
/// after it.
struct Compilers<'a> {
    toolchain: &'a Toolchain,
    request: &'a CompileRequest,
}

impl Compilers<'_> {
    fn of(&self, build: Build) -> Request {
        Request { toolchain: self.toolchain.clone(), request: self.request.clone(), build }
    }

    fn begin(&self, request: &Request) -> Result<Asked, CompileError> {
        let limits = limits(self.request);
        // It serves any build afterwards, because it has made an optimised one.
        standby::want(WorkerKind::Compile, &limits, COMPILERS_READY, || {
            let mut warm_up = self.of(Build::Optimised);
            warm_up.request.source = WARM_UP.to_owned();
            warm_up
        });
        Ok(worker::begin(WorkerKind::Compile, request, &[], &limits)?)
    }

    /// What two compilers make.
    fn compiled(&self, optimised: Asked, checked: Asked) -> Result<Compiled, CompileError> {
        // What an optimised build says of a source is what a learner is told.
        let optimised = made(optimised, self.toolchain)?;
        let checked = made(checked, self.toolchain)?;
        Ok(self.joined(optimised, checked.ptx))
    }

    fn joined(&self, optimised: Made, checked_ptx: String) -> Compiled {
        Compiled {
            checked_ptx,
            optimised_ptx: optimised.ptx,
            cubin: optimised.cubin,
            kernels: optimised.kernels,
            lowered_names: optimised.lowered_names,
            diagnostics: optimised.diagnostics,
            log: optimised.log,
            compiler: optimised.compiler,
            architecture: self.request.architecture,
            sandbox: optimised.sandbox,
        }
    }
}

/// Compiles: both builds at once.
pub(super) fn compile(toolchain: &Toolchain, request: &CompileRequest) -> Result<Compiled, CompileError> {
    let compilers = Compilers { toolchain, request };
    let begin = |build| compilers.begin(&compilers.of(build));
    let (optimised, checked) = (begin(Build::Optimised)?, begin(Build::Checked)?);
    compilers.compiled(optimised, checked)
}

/// As [`compile`], but waits for the checked build alone, which takes a third of the time of a long kernel's other one.
pub(super) fn compile_early(
    toolchain: &Toolchain,
    request: &CompileRequest,
) -> Result<(Compiled, Asked), CompileError> {
    let compilers = Compilers { toolchain, request };
    let begin = |build| compilers.begin(&compilers.of(build));
    let (optimised, checked) = (begin(Build::Optimised)?, begin(Build::Checked)?);
    match made(checked, toolchain) {
        Ok(checked) => {
            let ptx = checked.ptx.clone();
            Ok((compilers.joined(checked, ptx), optimised))
        }
        Err(error) => Err(made(optimised, toolchain).err().unwrap_or(error)),
    }
}

/// Waits for the optimised build beside an early checked one.
pub(super) fn complete(
    toolchain: &Toolchain,
    request: &CompileRequest,
    early: Compiled,
    optimised: Asked,
) -> Result<Compiled, CompileError> {
    let optimised = made(optimised, toolchain)?;
    Ok(Compilers { toolchain, request }.joined(optimised, early.checked_ptx))
}

/// Waits for a build.
fn made(asked: Asked, toolchain: &Toolchain) -> Result<Made, CompileError> {
    let mut answer = asked.answer()?;
    match answer.value {
        Response::Made(mut made) => {
            made.cubin = answer.attachments.pop().unwrap_or_default();
            Ok(*made)
        }
        Response::Rejected { diagnostics, log } => Err(CompileError::Rejected { diagnostics, log }),
        Response::Architecture { asked, supported, compiler } => {
            Err(CompileError::Architecture { asked, supported, compiler })
        }
        Response::Unusable { library, reason } => Err(CompileError::Unusable { library, reason }),
        Response::Failed(reason) => {
            Err(CompileError::Unusable { library: toolchain.library.clone(), reason })
        }
    }
}

thread_local! {
    /// The compiler that this worker has loaded, by its two libraries: once it is shut in, it can open no other.
    static LOADED: OnceCell<(PathBuf, PathBuf, Loaded)> = const { OnceCell::new() };
}

/// Calls `f` with the compiler, loaded the first time.
fn with_loaded<T>(
    toolchain: &Toolchain,
    f: impl FnOnce(&Loaded) -> Result<T, CompileError>,
) -> Result<T, CompileError> {
    LOADED.with(|cell| {
        let load = || Loaded::load(&toolchain.library, &toolchain.builtins);
        if let Some((library, builtins, loaded)) = cell.get() {
            let same = (library, builtins) == (&toolchain.library, &toolchain.builtins);
            return if same { f(loaded) } else { f(&load()?) };
        }
        let loaded = (toolchain.library.clone(), toolchain.builtins.clone(), load()?);
        f(&cell.get_or_init(|| loaded).2)
    })
}

/// What the worker does.
pub(crate) fn handle(payload: Payload) -> Result<Payload, ServeError> {
    let Request { toolchain, request, build } = payload.value()?;
    let response = with_loaded(&toolchain, |loaded| {
        let readable = toolchain.include_directories.iter().chain(&request.include_directories).cloned();
        if !request.guards.confined {
            let sandbox = SandboxStatus::Missing("it was switched off".to_owned());
            return loaded.make(build, &toolchain, &request, sandbox);
        }
        // Without Landlock the compiler still runs; the answer says so and the caller decides.
        let sandbox = confine(&Policy::reading(readable)).map_err(|error| CompileError::Unusable {
            library: toolchain.library.clone(),
            reason: error.to_string(),
        })?;
        loaded.make(build, &toolchain, &request, sandbox)
    });
    let mut cubin = Vec::new();
    let response = match response {
        Ok(mut made) => {
            cubin.push(std::mem::take(&mut made.cubin));
            Response::Made(Box::new(made))
        }
        Err(CompileError::Rejected { diagnostics, log }) => Response::Rejected { diagnostics, log },
        Err(CompileError::Architecture { asked, supported, compiler }) => {
            Response::Architecture { asked, supported, compiler }
        }
        Err(CompileError::Unusable { library, reason }) => Response::Unusable { library, reason },
        Err(other) => Response::Failed(other.to_string()),
    };
    Ok(Payload::new(&response, cubin)?)
}
