//! What a launch needs of a GPU, and whether the GPU has it: what is laid down before anything runs.

use std::sync::Arc;

use super::Simulator;
use crate::{
    environment::Environment,
    exec::{Reach, local_bytes},
    ir::{FunctionIndex, Program, Symbol, SymbolIndex},
    launch::Launch,
    memory::{PEER_BYTES, SharedLayout, Tiling},
    occupancy::{BlockNeeds, Occupancy},
    profile::Profile,
    refusal::{LaunchError, check_dimensions, check_local_memory, cluster_of, parameter_bytes},
};

/// Where a launch's parts lie, and how much of it the GPU holds at once.
pub(super) struct Placement {
    pub(super) entry: FunctionIndex,
    pub(super) reach: Reach,
    /// Kernel parameters, as the kernel sees them.
    pub(super) parameters: Vec<u8>,
    /// Where the shared variables lie.
    pub(super) layout: Arc<SharedLayout>,
    /// Per symbol of the module, its address.
    pub(super) addresses: Vec<u64>,
    pub(super) occupancy: Occupancy,
    /// Blocks that the GPU holds at once.
    pub(super) resident: u32,
    pub(super) blocks: u64,
    /// Its clusters.
    pub(super) tiling: Tiling,
    /// Somebody said how many blocks a cluster has.
    pub(super) is_tiled: bool,
}

impl Placement {
    /// # Errors
    /// A GPU would refuse the launch.
    pub(super) fn of(
        simulator: &Simulator,
        program: &Program,
        launch: &Launch,
    ) -> Result<Placement, LaunchError> {
        let profile = simulator.profile;
        let entry = entry_of(simulator, program, launch)?;
        let function = program.function(entry);
        check_dimensions(launch, function)?;
        if program.target > profile.compute_capability {
            return Err(LaunchError::TooNew {
                profile: profile.name,
                target: program.target,
                has: profile.compute_capability,
            });
        }
        let cluster = cluster_of(launch, function, profile)?;
        let tiling = Tiling::new(launch.grid, cluster.unwrap_or([1; 3]));
        let parameters = parameter_bytes(launch, function)?;
        let reach = Reach::new(program, entry);
        check_local_memory(profile, local_bytes(program, entry))?;
        let shared = SharedVariables::of(program, &reach);
        let layout = Arc::new(shared.layout(launch.dynamic_shared, profile, simulator.environment)?);
        if tiling.blocks() > 1 && layout.arena_bytes > PEER_BYTES {
            return Err(LaunchError::ClusterLayout { bytes: layout.arena_bytes, most: PEER_BYTES });
        }
        let threads: u32 = launch.block.iter().product();
        let needs = BlockNeeds { threads, registers: launch.registers, shared_bytes: layout.packed_bytes };
        let occupancy = profile.occupancy(needs);
        // A cluster is there as a whole or not at all. Which multiprocessors may share one is not modelled.
        let all = profile.multiprocessors * occupancy.blocks;
        let resident = all - all % tiling.blocks();
        if resident == 0 {
            return Err(LaunchError::TooManyRegisters {
                profile: profile.name,
                registers: launch.registers.unwrap_or(0),
                threads,
                most: profile.registers_per_multiprocessor,
            });
        }
        let blocks: u64 = launch.grid.iter().map(|&n| u64::from(n)).product();
        if launch.cooperative && blocks > u64::from(resident) {
            return Err(LaunchError::CooperativeGridTooBig { profile: profile.name, resident, blocks });
        }
        let mut addresses = simulator.addresses.clone();
        for ((symbol, _), variable) in shared.fixed.iter().zip(&layout.variables) {
            addresses[symbol.0 as usize] = u64::from(variable.offset);
        }
        for (symbol, _) in &shared.dynamic {
            addresses[symbol.0 as usize] = layout.variables.last().map_or(0, |last| u64::from(last.offset));
        }
        let is_tiled = cluster.is_some();
        Ok(Placement {
            entry,
            reach,
            parameters,
            layout,
            addresses,
            occupancy,
            resident,
            blocks,
            tiling,
            is_tiled,
        })
    }
}

fn entry_of(simulator: &Simulator, program: &Program, launch: &Launch) -> Result<FunctionIndex, LaunchError> {
    let named = program.function_by_name.get(&launch.kernel).copied();
    named.filter(|&index| program.function(index).is_entry).ok_or_else(|| LaunchError::UnknownKernel {
        name: launch.kernel.clone(),
        kernels: simulator.module.kernels().map(|kernel| kernel.name).collect(),
    })
}

/// The shared variables that a kernel reaches.
struct SharedVariables<'p> {
    /// Those of a size that the module says.
    fixed: Vec<(SymbolIndex, &'p Symbol)>,
    /// Those that the launch gives a size (`extern __shared__ x[]`); all lie at the same place.
    dynamic: Vec<(SymbolIndex, &'p Symbol)>,
    /// The hardware swaps parts of them by their addresses.
    are_swapped: bool,
}

impl<'p> SharedVariables<'p> {
    fn of(program: &'p Program, reach: &Reach) -> Self {
        let variables = reach.shared.iter().map(|&index| (index, &program.symbols[index.0 as usize]));
        let (dynamic, fixed) = variables.partition(|(_, symbol)| symbol.is_extern && symbol.bytes == 0);
        Self { fixed, dynamic, are_swapped: reach.swaps_chunks }
    }

    /// Places them, and as many bytes of dynamic shared memory.
    fn layout(
        &self,
        dynamic_bytes: u32,
        profile: &Profile,
        environment: Environment,
    ) -> Result<SharedLayout, LaunchError> {
        let names: Vec<String> =
            self.fixed.iter().chain(&self.dynamic).map(|(_, symbol)| symbol.display()).collect();
        let mut variables: Vec<(&str, u32, u32)> = (self.fixed.iter().zip(&names))
            .map(|((_, symbol), name)| (name.as_str(), symbol.bytes as u32, symbol.align))
            .collect();
        let static_bytes = SharedLayout::new(&variables, false).packed_bytes;
        if dynamic_bytes > 0 || !self.dynamic.is_empty() {
            let name = names.get(self.fixed.len()).map_or("dynamic shared memory", String::as_str);
            let align = self.dynamic.iter().map(|(_, symbol)| symbol.align).max().unwrap_or(16);
            variables.push((name, dynamic_bytes, align.max(16)));
        }
        let (most, most_static) = (profile.shared_per_block_optin, profile.shared_per_block);
        if u64::from(static_bytes) + u64::from(dynamic_bytes) > u64::from(most) || static_bytes > most_static
        {
            return Err(LaunchError::TooMuchSharedMemory {
                profile: profile.name,
                most: if static_bytes > most_static { most_static } else { most },
                static_bytes,
                dynamic_bytes,
            });
        }
        Ok(match environment.shared_start() {
            Some(start) => SharedLayout::dense(&variables, start),
            None if self.are_swapped => SharedLayout::with_wide_red_zones(&variables),
            None => SharedLayout::new(&variables, true),
        })
    }
}
