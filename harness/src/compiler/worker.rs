//! The compile worker: loads the compiler, shuts itself in with it, and compiles.
//!
//! The order matters: the libraries are loaded and checked first, because afterwards this process
//! reads only the toolchain's headers and the request's include directories. NVRTC needs no file of
//! its own once it is loaded.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{CompileError, CompileRequest, Compiled, CompilerMessage, build::Loaded};
use crate::{
    toolchain::Toolchain,
    worker::{Limits, Payload, SandboxStatus, WorkerKind, call_with, confine, sandbox::Policy},
};

/// The request.
#[derive(Serialize, Deserialize)]
struct Request {
    toolchain: Toolchain,
    request: CompileRequest,
}

/// The answer; on success the cubin is the attachment.
#[derive(Serialize, Deserialize)]
enum Response {
    Compiled(Box<Compiled>),
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

/// Compiles in a worker.
pub(super) fn compile(toolchain: &Toolchain, request: &CompileRequest) -> Result<Compiled, CompileError> {
    let limits = limits(request);
    let request = Request { toolchain: toolchain.clone(), request: request.clone() };
    let mut answer = call_with::<_, Response>(WorkerKind::Compile, &request, &[], &limits)?;
    match answer.value {
        Response::Compiled(mut compiled) => {
            compiled.cubin = answer.attachments.pop().unwrap_or_default();
            Ok(*compiled)
        }
        Response::Rejected { diagnostics, log } => Err(CompileError::Rejected { diagnostics, log }),
        Response::Architecture { asked, supported, compiler } => {
            Err(CompileError::Architecture { asked, supported, compiler })
        }
        Response::Unusable { library, reason } => Err(CompileError::Unusable { library, reason }),
        Response::Failed(reason) => {
            Err(CompileError::Unusable { library: request.toolchain.library, reason })
        }
    }
}

/// What the worker does.
pub(crate) fn handle(payload: Payload) -> Result<Payload, String> {
    let Request { toolchain, request } = payload.value()?;
    let response = Loaded::load(&toolchain.library, &toolchain.builtins).and_then(|loaded| {
        let readable = toolchain.include_directories.iter().chain(&request.include_directories).cloned();
        if !request.guards.confined {
            let sandbox = SandboxStatus::Missing("it was switched off".to_owned());
            return loaded.build(&toolchain, &request, sandbox);
        }
        // Without Landlock the compiler still runs; the answer says so and the caller decides.
        let sandbox = confine(&Policy::reading(readable))
            .map_err(|reason| CompileError::Unusable { library: toolchain.library.clone(), reason })?;
        loaded.build(&toolchain, &request, sandbox)
    });
    let mut cubin = Vec::new();
    let response = match response {
        Ok(mut compiled) => {
            cubin.push(std::mem::take(&mut compiled.cubin));
            Response::Compiled(Box::new(compiled))
        }
        Err(CompileError::Rejected { diagnostics, log }) => Response::Rejected { diagnostics, log },
        Err(CompileError::Architecture { asked, supported, compiler }) => {
            Response::Architecture { asked, supported, compiler }
        }
        Err(CompileError::Unusable { library, reason }) => Response::Unusable { library, reason },
        Err(other) => Response::Failed(other.to_string()),
    };
    Payload::new(&response, cubin)
}
