//! The public entry: load a module, give it memory, launch its kernels, read back.
//!
//! A [`Simulator`] is one GPU context: allocations and module variables live as long as it does, and launches
//! run one after the other, as in one stream. It knows neither files nor terminals.
//!
//! A launch has three parts: `placement` says where everything lies and whether the GPU takes it, `execution`
//! runs it, `exploration` runs it again in other orders.

mod execution;
mod exploration;
mod placement;

use std::{
    ops::Range,
    sync::{Arc, Mutex},
};

use serde::{Deserialize, Serialize};

use crate::{
    environment::Environment,
    exec::Heap,
    finding::Space,
    footprint::Footprint,
    ir::{Constant, Program, SourceIndex},
    launch::{Launch, LaunchReport},
    memory::GlobalMemory,
    module::Module,
    profile::Profile,
    refusal::LaunchError,
    source::Place,
    texture::{Texels, Texture, TextureError, TextureObject, TextureObjects},
};

use placement::Placement;

pub use exploration::{AFFORDABLE_INSTRUCTIONS, Schedules};

pub use crate::memory::global::HostAccessError;

/// Bytes read back from the simulated GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Contents {
    /// The bytes; what was never written reads as zero.
    pub bytes: Vec<u8>,
    /// Ranges of bytes that nothing wrote, or of which some bit derives from what nothing wrote; in order.
    pub uninitialised: Vec<Range<usize>>,
    /// The second kind: bytes that were written, but with undefined values; in order.
    pub undefined: Vec<StoredUndefined>,
}

/// Bytes that a store wrote with values made from data that nothing wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StoredUndefined {
    /// Which bytes.
    pub bytes: Range<usize>,
    /// The last such store, where its line is known.
    pub place: Option<Place>,
}

impl StoredUndefined {
    /// Bytes, and the last store that wrote them.
    pub fn new(bytes: Range<usize>, place: Option<Place>) -> StoredUndefined {
        StoredUndefined { bytes, place }
    }
}

/// One simulated GPU context.
#[derive(Debug)]
pub struct Simulator {
    module: Arc<Module>,
    profile: &'static Profile,
    pool: Option<rayon::ThreadPool>,
    memory: GlobalMemory,
    /// Per symbol of the module, its address; 0 for shared variables.
    addresses: Vec<u64>,
    /// Where kernel parameters and the grid barrier's counters are put.
    parameters: u64,
    workspace: u64,
    heap: Mutex<Heap>,
    textures: TextureObjects,
    schedules: Schedules,
    optimised: bool,
    environment: Environment,
    load_cycles: Vec<u64>,
    clock_start: u64,
    measures: bool,
    keeps_worst: bool,
    footprint: Footprint,
}

impl Simulator {
    /// A context on one GPU of this kind, with the module's variables initialised.
    pub fn new(module: Arc<Module>, profile: &'static Profile) -> Simulator {
        Simulator::new_in(Environment::Usual, module, profile)
    }

    /// The same in another environment than the usual one.
    pub fn new_in(environment: Environment, module: Arc<Module>, profile: &'static Profile) -> Simulator {
        let module = match environment.code(&module.program) {
            Some(program) => Arc::new(Module { program }),
            None => module,
        };
        let mut memory = GlobalMemory::of(environment);
        let program = &module.program;
        let addresses: Vec<u64> = (program.symbols.iter())
            .map(|symbol| match symbol.space {
                Space::Shared => 0,
                _ => memory.allocate_in(symbol.space, symbol.bytes, &symbol.display()),
            })
            .collect();
        for (symbol, &address) in program.symbols.iter().zip(&addresses) {
            if symbol.space == Space::Shared {
                continue;
            }
            let mut bytes = symbol.initial.clone();
            bytes.resize(symbol.bytes as usize, 0);
            for relocation in &symbol.relocations {
                let value = match relocation.target {
                    Constant::Bits(bits) => bits,
                    Constant::Address { symbol, offset } => {
                        addresses[symbol.0 as usize].wrapping_add_signed(offset)
                    }
                    Constant::Function(function) => Program::function_address(function),
                };
                let value = (value >> relocation.shift).to_le_bytes();
                let at = relocation.at as usize;
                let count = usize::from(relocation.bytes).min(8);
                if let Some(target) = bytes.get_mut(at..at + count) {
                    target.copy_from_slice(&value[..count]);
                }
            }
            let written = memory.write(address, &bytes);
            debug_assert!(written.is_ok(), "a variable's own bytes lie in its allocation");
        }
        let parameters =
            memory.allocate_in(Space::Param, Program::PARAMETER_BYTES.into(), "kernel parameters");
        let workspace = memory.allocate(256, "grid barrier");
        // Its size, then the barrier's counter (`cooperative_groups/details/driver_abi.h`).
        let mut zeroed = [0; 256];
        zeroed[..4].copy_from_slice(&256u32.to_le_bytes());
        let written = memory.write(workspace, &zeroed);
        debug_assert!(written.is_ok(), "the workspace was allocated with this size");
        Simulator {
            module,
            profile,
            pool: None,
            memory,
            addresses,
            parameters,
            workspace,
            heap: Mutex::default(),
            textures: TextureObjects::default(),
            schedules: Schedules::default(),
            optimised: false,
            environment,
            load_cycles: Vec::new(),
            clock_start: 0,
            measures: false,
            keeps_worst: false,
            footprint: Footprint::default(),
        }
    }

    /// Uses up to `threads` host threads per launch (0: one per core); changes no result.
    pub fn with_threads(mut self, threads: usize) -> Simulator {
        let threads = match threads {
            0 => std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            threads => threads,
        };
        // Where no threads can be had, the calling one does all the work.
        self.pool = if threads > 1 {
            rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok()
        } else {
            None
        };
        self
    }

    /// Runs each launch in these orders of warps and blocks.
    pub fn with_schedules(mut self, schedules: Schedules) -> Simulator {
        self.schedules = schedules;
        self
    }

    /// The module is what an optimiser made of the source. It may load ahead of the condition under which the
    /// source loads; a race of a plain load of which nothing comes is then no finding. To see what comes of
    /// one, launches in which plain loads race are replayed.
    pub fn with_optimised_code(mut self) -> Simulator {
        self.optimised = true;
        self
    }

    /// What `clock64()` counts, from the next launch on, for a load from shared memory beyond its first
    /// wavefront: `cycles[n]` for `n` more of them, `n` where that is not listed. With a cost that nobody
    /// knows before, only a kernel that looks at the clock around a load can say how long it took.
    pub fn set_load_cycles(&mut self, cycles: Vec<u64>) {
        self.load_cycles = cycles;
    }

    /// What the clocks (`clock64()`, `%globaltimer`) say as a warp begins, from the next launch on; 0 unless
    /// this is called. A GPU's have run for long, and what is kept of them in too few bits is wrong.
    pub fn set_clock_start(&mut self, cycles: u64) {
        self.clock_start = cycles;
    }

    /// Measures the memory that launches take, for [`Simulator::footprint`]; that costs a little time.
    pub fn with_footprint(mut self) -> Simulator {
        self.measures = true;
        self
    }

    /// Keeps of each source line with bank conflicts the request to shared memory with most of them, for
    /// [`LaunchReport::worst_requests`]; that costs a little time.
    pub fn with_worst_requests(mut self) -> Simulator {
        self.keeps_worst = true;
        self
    }

    /// What the last launch took at its peak, the largest of its schedules; not in its report, because it
    /// depends on the number of host threads. Zero unless [`Simulator::with_footprint`] asked for it.
    pub fn footprint(&self) -> Footprint {
        self.footprint
    }

    /// Uninitialised global memory, 256-byte aligned and with a gap to its neighbours, named in findings.
    pub fn allocate(&mut self, bytes: u64, name: &str) -> u64 {
        self.memory.allocate(bytes, name)
    }

    /// The handle of a texture whose texels lie in memory from [`Simulator::allocate`], for a kernel's `cudaTextureObject_t`.
    ///
    /// # Errors
    /// No driver makes such a texture.
    pub fn texture(&mut self, texture: &Texture) -> Result<u64, TextureError> {
        texture.check()?;
        Ok(self.textures.add(TextureObject::Texture(texture.clone())))
    }

    /// The handle of a surface whose texels lie in memory from [`Simulator::allocate`], for a kernel's `cudaSurfaceObject_t`.
    ///
    /// # Errors
    /// No driver makes such a surface.
    pub fn surface(&mut self, texels: &Texels) -> Result<u64, TextureError> {
        texels.check_surface()?;
        Ok(self.textures.add(TextureObject::Surface(texels.clone())))
    }

    /// Frees memory from [`Simulator::allocate`]; kernels that still use it fault. False
    /// where none begins there.
    pub fn free(&mut self, address: u64) -> bool {
        self.memory.release(address)
    }

    /// Copies bytes to global memory and marks them as initialised.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), HostAccessError> {
        self.memory.write(address, bytes)
    }

    /// From now on it is noted whether kernels change what the memory from [`Simulator::allocate`] holds that begins at the address, also
    /// where they put it back afterwards: see [`Simulator::first_change`]. False where none begins there.
    pub fn watch(&mut self, address: u64) -> bool {
        self.memory.watch(address)
    }

    /// The first byte, counted from the address, that a kernel has given another value since [`Simulator::watch`].
    pub fn first_change(&self, address: u64) -> Option<u64> {
        self.memory.first_change(address)
    }

    /// Copies bytes from global memory.
    pub fn read(&self, address: u64, bytes: usize) -> Result<Contents, HostAccessError> {
        let (bytes, uninitialised) = self.memory.read(address, bytes as u64)?;
        let undefined = self.stored_undefined(address, bytes.len());
        Ok(Contents { bytes, uninitialised, undefined })
    }

    fn stored_undefined(&self, address: u64, bytes: usize) -> Vec<StoredUndefined> {
        let mut undefined: Vec<StoredUndefined> = Vec::new();
        let mut last_site = None;
        for (at, site) in self.memory.stored_undefined(address, bytes as u64) {
            match undefined.last_mut() {
                Some(last) if last.bytes.end == at && last_site == Some(site) => last.bytes.end = at + 1,
                _ => {
                    let place = self.module.program.sources.place(SourceIndex(site.0)).cloned();
                    undefined.push(StoredUndefined { bytes: at..at + 1, place });
                    last_site = Some(site);
                }
            }
        }
        undefined
    }

    /// The address of a module variable in global or constant memory, by its name in the PTX.
    pub fn global_address(&self, name: &str) -> Option<u64> {
        let index = *self.module.program.symbol_by_name.get(name)?;
        let shared = self.module.program.symbols[index.0 as usize].space == Space::Shared;
        (!shared).then(|| self.addresses[index.0 as usize])
    }

    /// Runs a kernel to its end. Whatever the kernel does wrong is in the report; an error means that a GPU
    /// would have refused the launch.
    pub fn launch(&mut self, launch: &Launch) -> Result<LaunchReport, LaunchError> {
        let module = self.module.clone();
        let placement = Placement::of(self, &module.program, launch)?;
        Ok(self.execute(&module.program, launch, placement))
    }
}
