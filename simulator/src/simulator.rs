//! The public entry: load a module, give it memory, launch its kernels, read back.
//!
//! A [`Simulator`] is one GPU context: allocations and module variables live as long as it does, and launches run
//! one after the other, as in one stream. It knows neither files nor terminals.

use std::{ops::Range, sync::Arc};

use thiserror::Error;

use crate::{
    finding::Space,
    ir::{Parameter, Program},
    launch::{Launch, LaunchReport},
    profile::Profile,
};

/// PTX that cannot be run.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("PTX line {line}: {message}")]
pub struct LoadError {
    /// Line of the PTX text, from 1.
    pub line: u32,
    /// What was expected, and what was found.
    pub message: String,
}

/// A launch that a GPU would refuse.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum LaunchError {
    /// No kernel of that name.
    #[error("expected a kernel of this module ({}), found `{name}`", list(.kernels))]
    UnknownKernel {
        /// The name asked for.
        name: String,
        /// The kernels that there are.
        kernels: Vec<String>,
    },
    /// Too few or too many arguments.
    #[error("kernel `{kernel}` takes {expected} arguments, found {found}")]
    ArgumentCount {
        /// The kernel.
        kernel: String,
        /// Parameters it has.
        expected: usize,
        /// Arguments given.
        found: usize,
    },
    /// An argument of the wrong size.
    #[error("argument {index} of kernel `{kernel}` takes {expected} bytes, found {found}")]
    ArgumentSize {
        /// The kernel.
        kernel: String,
        /// Which argument, from 0.
        index: usize,
        /// Bytes of the parameter.
        expected: u32,
        /// Bytes given.
        found: usize,
    },
    /// An empty grid or block.
    #[error("grid and block need at least 1 in every dimension, found grid {grid:?} and block {block:?}")]
    Empty {
        /// The grid asked for.
        grid: [u32; 3],
        /// The block asked for.
        block: [u32; 3],
    },
    /// More threads than a block may have.
    #[error("a block has at most 1024 threads, 1024 in x and y, 64 in z; found {block:?}")]
    BlockTooBig {
        /// The block asked for.
        block: [u32; 3],
    },
    /// More blocks than a grid may have.
    #[error("a grid has at most 2147483647 blocks in x and 65535 in y and z; found {grid:?}")]
    GridTooBig {
        /// The grid asked for.
        grid: [u32; 3],
    },
    /// The kernel was compiled for blocks of another size.
    #[error("kernel `{kernel}` was compiled for {expected}, found blocks of {found:?}")]
    BlockMismatch {
        /// The kernel.
        kernel: String,
        /// What its launch bounds say.
        expected: String,
        /// The block asked for.
        found: [u32; 3],
    },
    /// More shared memory than a block may have.
    #[error(
        "{profile} gives a block at most {most} bytes of shared memory, found {static_bytes} static + {dynamic_bytes} dynamic"
    )]
    TooMuchSharedMemory {
        /// The profile.
        profile: &'static str,
        /// What a block may have.
        most: u32,
        /// Static bytes of the kernel.
        static_bytes: u32,
        /// Dynamic bytes asked for.
        dynamic_bytes: u32,
    },
    /// The PTX needs a newer GPU.
    #[error("the PTX targets compute capability {target}, {profile} has {has}; compile for an older architecture or choose another device", target = capability(*.target), has = capability(*.has))]
    TooNew {
        /// The profile.
        profile: &'static str,
        /// Compute capability × 10 of the PTX.
        target: u32,
        /// Compute capability × 10 of the profile.
        has: u32,
    },
    /// A cooperative grid that can't be resident at once.
    #[error(
        "a cooperative launch needs all its blocks resident at once: {profile} holds {resident}, found {blocks}"
    )]
    CooperativeGridTooBig {
        /// The profile.
        profile: &'static str,
        /// Blocks that fit.
        resident: u32,
        /// Blocks asked for.
        blocks: u64,
    },
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "it has none".into() } else { names.join(", ") }
}

fn capability(times_ten: u32) -> String {
    format!("{}.{}", times_ten / 10, times_ten % 10)
}

/// A host access outside every allocation.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("{bytes} bytes at {address:#x} lie in no allocation")]
pub struct HostAccessError {
    /// First byte.
    pub address: u64,
    /// How many.
    pub bytes: usize,
}

/// A loaded module; immutable, to be shared by simulators.
#[derive(Debug)]
pub struct Module {
    pub(crate) program: Program,
}

/// A variable of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name in the PTX.
    pub name: String,
    /// Its state space.
    pub space: Space,
    /// Size in bytes.
    pub bytes: u64,
    /// Its initial bytes; addresses of other variables in it are still zero.
    pub initial: Vec<u8>,
}

/// A kernel of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Its name in the PTX.
    pub name: String,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
}

impl Module {
    /// Reads and decodes PTX text.
    pub fn load(ptx: &str) -> Result<Module, LoadError> {
        let _ = ptx;
        Err(LoadError { line: 0, message: "the PTX front end is not linked in yet".into() })
    }

    /// The kernels, in the order of the text.
    pub fn kernels(&self) -> impl Iterator<Item = Kernel> + '_ {
        self.program
            .functions
            .iter()
            .filter(|function| function.is_entry)
            .map(|function| Kernel { name: function.name.clone(), parameters: function.parameters.clone() })
    }

    /// The kernel of that name.
    pub fn kernel(&self, name: &str) -> Option<Kernel> {
        self.kernels().find(|kernel| kernel.name == name)
    }

    /// The module variables, in the order of the text.
    pub fn globals(&self) -> impl Iterator<Item = Variable> + '_ {
        self.program.symbols.iter().map(|symbol| {
            let mut initial = symbol.initial.clone();
            initial.resize(symbol.bytes as usize, 0);
            Variable { name: symbol.name.clone(), space: symbol.space, bytes: symbol.bytes, initial }
        })
    }

    /// The module variable of that name. Launch constants are read from its initial bytes.
    pub fn global(&self, name: &str) -> Option<Variable> {
        self.globals().find(|variable| variable.name == name)
    }
}

/// Bytes read back from the simulated GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    /// The bytes; what was never written reads as zero.
    pub bytes: Vec<u8>,
    /// Ranges of bytes that nothing wrote, or that hold values derived from such bytes; in order.
    pub uninitialised: Vec<Range<usize>>,
}

/// One simulated GPU context.
#[derive(Debug)]
#[expect(dead_code, reason = "the machine is not linked in yet")]
pub struct Simulator {
    module: Arc<Module>,
    profile: &'static Profile,
    threads: usize,
}

impl Simulator {
    /// A context on one GPU of this kind, with the module's variables initialised.
    pub fn new(module: Arc<Module>, profile: &'static Profile) -> Simulator {
        Simulator { module, profile, threads: 1 }
    }

    /// Uses up to `threads` host threads per launch; changes no result.
    pub fn with_threads(mut self, threads: usize) -> Simulator {
        self.threads = threads.max(1);
        self
    }

    /// Uninitialised global memory, 256-byte aligned and with a gap to its neighbours, named in findings.
    pub fn allocate(&mut self, bytes: u64, name: &str) -> u64 {
        let _ = (bytes, name);
        0
    }

    /// Copies bytes to global memory and marks them as initialised.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), HostAccessError> {
        Err(HostAccessError { address, bytes: bytes.len() })
    }

    /// Copies bytes from global memory.
    pub fn read(&self, address: u64, bytes: usize) -> Result<Contents, HostAccessError> {
        Err(HostAccessError { address, bytes })
    }

    /// The address of a module variable in global or constant memory.
    pub fn global_address(&self, name: &str) -> Option<u64> {
        let _ = name;
        None
    }

    /// Runs a kernel to its end. Whatever the kernel does wrong is in the report; an error means that a GPU would have
    /// refused the launch.
    pub fn launch(&mut self, launch: &Launch) -> Result<LaunchReport, LaunchError> {
        Err(LaunchError::UnknownKernel { name: launch.kernel.clone(), kernels: Vec::new() })
    }
}
