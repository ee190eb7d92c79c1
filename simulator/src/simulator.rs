//! The public entry: load a module, give it memory, launch its kernels, read back.
//!
//! A [`Simulator`] is one GPU context: allocations and module variables live as long as it does, and launches
//! run one after the other, as in one stream. It knows neither files nor terminals.

use std::{
    ops::Range,
    sync::{Arc, Mutex},
};

use serde::{Deserialize, Serialize};

use crate::{
    environment::Environment,
    exec::{self, Before, Context, Heap, Reach, Request, Schedule, local_bytes},
    explore::{
        AFFORDABLE_BYTES, AFFORDABLE_INSTRUCTIONS, AFFORDABLE_SCHEDULES, BUDGET_FACTOR, LEAST_BUDGET,
        Schedules, unite,
    },
    finding::{Kind, Space},
    footprint::Footprint,
    ir::{Constant, Constants, Program, SourceIndex, Words},
    launch::{Launch, LaunchReport, Status},
    memory::{GlobalMemory, SharedLayout},
    module::Module,
    occupancy::BlockNeeds,
    profile::Profile,
    refusal::{LaunchError, check_dimensions, check_local_memory, parameter_bytes},
    source::Place,
};

pub use crate::memory::global::HostAccessError;

/// Bytes read back from the simulated GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
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
pub struct StoredUndefined {
    /// Which bytes.
    pub bytes: Range<usize>,
    /// The last such store, where its line is known.
    pub place: Option<Place>,
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
    schedules: Schedules,
    optimised: bool,
    environment: Environment,
    load_cycles: Vec<u64>,
    clock_start: u64,
    measures: bool,
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
            schedules: Schedules::default(),
            optimised: false,
            environment,
            load_cycles: Vec::new(),
            clock_start: 0,
            measures: false,
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

    /// What the last launch took at its peak, the largest of its schedules; not in its report, because it
    /// depends on the number of host threads. Zero unless [`Simulator::with_footprint`] asked for it.
    pub fn footprint(&self) -> Footprint {
        self.footprint
    }

    /// Uninitialised global memory, 256-byte aligned and with a gap to its neighbours, named in findings.
    pub fn allocate(&mut self, bytes: u64, name: &str) -> u64 {
        self.memory.allocate(bytes, name)
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

    /// Copies bytes from global memory.
    pub fn read(&self, address: u64, bytes: usize) -> Result<Contents, HostAccessError> {
        let (bytes, defined) = self.memory.read(address, bytes as u64)?;
        let mut uninitialised: Vec<Range<usize>> = Vec::new();
        for (at, _) in defined.iter().enumerate().filter(|(_, defined)| !**defined) {
            match uninitialised.last_mut() {
                Some(last) if last.end == at => last.end = at + 1,
                _ => uninitialised.push(at..at + 1),
            }
        }
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
        let program = &module.program;
        let entry = (program.function_by_name.get(&launch.kernel).copied())
            .filter(|&index| program.function(index).is_entry)
            .ok_or_else(|| LaunchError::UnknownKernel {
                name: launch.kernel.clone(),
                kernels: module.kernels().map(|kernel| kernel.name).collect(),
            })?;
        let function = program.function(entry);
        check_dimensions(launch, function)?;
        if program.target > self.profile.compute_capability {
            return Err(LaunchError::TooNew {
                profile: self.profile.name,
                target: program.target,
                has: self.profile.compute_capability,
            });
        }
        let parameters = parameter_bytes(launch, function)?;
        let reach = Reach::new(program, entry);
        check_local_memory(self.profile, local_bytes(program, entry))?;
        let names: Vec<String> =
            reach.shared.iter().map(|&symbol| program.symbols[symbol.0 as usize].display()).collect();
        let (dynamic, fixed): (Vec<usize>, Vec<usize>) = (0..names.len()).partition(|&at| {
            let symbol = &program.symbols[reach.shared[at].0 as usize];
            symbol.is_extern && symbol.bytes == 0
        });
        let mut variables: Vec<(&str, u32, u32)> = (fixed.iter())
            .map(|&at| {
                let symbol = &program.symbols[reach.shared[at].0 as usize];
                (names[at].as_str(), symbol.bytes as u32, symbol.align)
            })
            .collect();
        let static_bytes = SharedLayout::new(&variables, false).packed_bytes;
        let dynamic_align =
            dynamic.iter().map(|&at| program.symbols[reach.shared[at].0 as usize].align).max().unwrap_or(16);
        let dynamic_name = dynamic.first().map_or("dynamic shared memory", |&at| names[at].as_str());
        if launch.dynamic_shared > 0 || !dynamic.is_empty() {
            variables.push((dynamic_name, launch.dynamic_shared, dynamic_align.max(16)));
        }
        let most = self.profile.shared_per_block_optin;
        if u64::from(static_bytes) + u64::from(launch.dynamic_shared) > u64::from(most)
            || static_bytes > self.profile.shared_per_block
        {
            return Err(LaunchError::TooMuchSharedMemory {
                profile: self.profile.name,
                most: if static_bytes > self.profile.shared_per_block {
                    self.profile.shared_per_block
                } else {
                    most
                },
                static_bytes,
                dynamic_bytes: launch.dynamic_shared,
            });
        }
        let layout = Arc::new(match self.environment.shared_start() {
            Some(start) => SharedLayout::dense(&variables, start),
            None => SharedLayout::new(&variables, true),
        });
        let threads: u32 = launch.block.iter().product();
        let needs = BlockNeeds { threads, registers: launch.registers, shared_bytes: layout.packed_bytes };
        let occupancy = self.profile.occupancy(needs);
        let resident = self.profile.multiprocessors * occupancy.blocks;
        if resident == 0 {
            return Err(LaunchError::TooManyRegisters {
                profile: self.profile.name,
                registers: launch.registers.unwrap_or(0),
                threads,
                most: self.profile.registers_per_multiprocessor,
            });
        }
        let blocks: u64 = launch.grid.iter().map(|&n| u64::from(n)).product();
        if launch.cooperative && blocks > u64::from(resident) {
            return Err(LaunchError::CooperativeGridTooBig { profile: self.profile.name, resident, blocks });
        }
        let mut addresses = self.addresses.clone();
        for (position, &at) in fixed.iter().enumerate() {
            addresses[reach.shared[at].0 as usize] = u64::from(layout.variables[position].offset);
        }
        for &at in &dynamic {
            addresses[reach.shared[at].0 as usize] =
                layout.variables.last().map_or(0, |last| u64::from(last.offset));
        }
        self.memory.fit(self.parameters, parameters.len() as u64);
        if !parameters.is_empty() {
            let written = self.memory.write(self.parameters, &parameters);
            debug_assert!(written.is_ok(), "parameters fit their block");
        }
        let mut constants: Vec<Constants> = vec![Constants::default(); program.functions.len()];
        for &index in &reach.functions {
            constants[index.0 as usize] = program
                .function(index)
                .link(|symbol| addresses[symbol.0 as usize], self.environment.windows());
        }
        let first = match self.schedules {
            Schedules::Only(schedule) => schedule,
            Schedules::WhereSeen(schedule) if reach.sees_order => schedule,
            Schedules::Affordable | Schedules::First(_) | Schedules::WhereSeen(_) => 0,
        };
        let most = match self.schedules {
            Schedules::Only(_) | Schedules::WhereSeen(_) => 1,
            Schedules::First(count) => u64::from(count),
            Schedules::Affordable if !reach.sees_order || self.memory.bytes() > AFFORDABLE_BYTES => 1,
            Schedules::Affordable => 1 + AFFORDABLE_SCHEDULES,
        };
        let before = (most > 1 || self.optimised).then(|| (self.memory.fork(), self.lock_heap().clone()));
        let forked_heap = Mutex::default();
        let mut cx = Context {
            program,
            entry,
            constants,
            profile: self.profile,
            grid: launch.grid,
            block: launch.block,
            parameters,
            parameter_address: self.parameters,
            layout,
            dynamic_shared: launch.dynamic_shared,
            thread_indices: thread_indices(launch.block),
            workspace: if launch.cooperative { self.workspace } else { 0 },
            heap: &self.heap,
            schedule: Schedule(first),
            orders_parts: reach.orders_parts || launch.cooperative,
            load_cycles: &self.load_cycles,
            reads_clock: reach.reads_clock,
            clock_start: self.clock_start,
            environment: self.environment,
            replay: None,
        };
        let mut request = Request {
            communicates: reach.communicates || launch.cooperative,
            resident,
            budget: launch.budget,
            pool: self.pool.as_ref(),
            measures: self.measures,
            alone: None,
        };
        let replayable =
            before.as_ref().filter(|_| self.optimised).map(|(memory, heap)| Before { memory, heap });
        let result = exec::launch(&cx, &mut self.memory, request, replayable);
        self.footprint = result.footprint;
        let mut report = LaunchReport {
            status: result.status,
            findings: result.findings,
            counters: result.counters,
            lines: result.lines,
            printf: result.printf,
            occupancy,
            resident_blocks: resident,
            schedules: 1,
        };
        let Some((memory, heap)) = &before else { return Ok(report) };
        let instructions = report.counters.ptx_instructions;
        let is_affordable = self.schedules == Schedules::Affordable;
        // What did not come to its end in all that time will not do so in another order either.
        if result.ran_out {
            return Ok(report);
        }
        if is_affordable
            && (report.status != Status::Finished || report.findings.iter().any(|finding| finding.is_error()))
        {
            // It is known to be wrong already.
            return Ok(report);
        }
        cx.heap = &forked_heap;
        request.budget = instructions.saturating_mul(BUDGET_FACTOR).max(LEAST_BUDGET).min(launch.budget);
        let mut spent = 0;
        for schedule in 1..most {
            if is_affordable && spent + instructions > AFFORDABLE_INSTRUCTIONS {
                break;
            }
            cx.schedule = Schedule(schedule);
            *forked_heap.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = heap.clone();
            let mut other = exec::launch(&cx, &mut memory.fork(), request, replayable);
            spent += other.counters.ptx_instructions;
            if other.footprint.shadow_bytes > self.footprint.shadow_bytes {
                self.footprint = other.footprint;
            }
            report.schedules += 1;
            if other.ran_out {
                other.findings.retain(|finding| finding.kind != Kind::Unfinished);
            }
            unite(&mut report.findings, schedule, other.parted.as_ref(), other.findings);
        }
        // One question more, of what is right in all of them.
        if request.communicates
            && !launch.cooperative
            && blocks > 1
            && !(is_affordable && instructions > AFFORDABLE_INSTRUCTIONS)
            && report.findings.iter().all(|finding| !finding.is_error() && finding.kind != Kind::Deadlock)
        {
            cx.schedule = Schedule::USUAL;
            *forked_heap.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = heap.clone();
            report.findings.extend(exec::ask_for_order(&cx, memory, request));
            crate::findings::sort(&mut report.findings);
        }
        Ok(report)
    }

    fn lock_heap(&self) -> std::sync::MutexGuard<'_, Heap> {
        self.heap.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

fn thread_indices(block: [u32; 3]) -> Vec<[Words; 3]> {
    let threads: u32 = block.iter().product();
    (0..threads.div_ceil(32))
        .map(|warp| {
            let index = |lane: usize| warp * 32 + lane as u32;
            [
                std::array::from_fn(|lane| index(lane) % block[0]),
                std::array::from_fn(|lane| index(lane) / block[0] % block[1]),
                std::array::from_fn(|lane| index(lane) / block[0] / block[1]),
            ]
        })
        .collect()
}
