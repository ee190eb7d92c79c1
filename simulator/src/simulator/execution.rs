//! Runs a launch that has its place: once, and in other orders where that can show something.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Simulator, exploration::Exploration, placement::Placement};
use crate::{
    exec::{self, Before, Context, Heap, Request, Schedule},
    ir::{Constants, Program, Words},
    launch::{Launch, LaunchReport},
};

impl Simulator {
    /// Runs it to its end.
    pub(super) fn execute(
        &mut self,
        program: &Program,
        launch: &Launch,
        placement: Placement,
    ) -> LaunchReport {
        let Placement {
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
        } = placement;
        let has_clusters = tiling.blocks() > 1;
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
        let (first, orders) = self.schedules.orders(reach.sees_order, self.memory.bytes());
        let kept = (orders > 1 || self.optimised).then(|| (self.memory.fork(), lock(&self.heap).clone()));
        let before = kept.as_ref().map(|(memory, heap)| Before { memory, heap });
        let replayable = before.filter(|_| self.optimised);
        let cx = Context {
            program,
            entry,
            constants,
            profile: self.profile,
            grid: launch.grid,
            block: launch.block,
            tiling,
            is_tiled,
            parameters,
            parameter_address: self.parameters,
            layout,
            dynamic_shared: launch.dynamic_shared,
            thread_indices: thread_indices(launch.block),
            textures: &self.textures,
            workspace: if launch.cooperative { self.workspace } else { 0 },
            heap: &self.heap,
            schedule: Schedule(first),
            orders_parts: reach.orders_parts || launch.cooperative || has_clusters,
            load_cycles: &self.load_cycles,
            reads_clock: reach.reads_clock,
            clock_start: self.clock_start,
            environment: self.environment,
            keeps_worst: self.keeps_worst,
            replay: None,
        };
        let request = Request {
            communicates: reach.communicates || launch.cooperative || has_clusters,
            resident,
            budget: launch.budget,
            pool: self.pool.as_ref(),
            measures: self.measures,
            alone: None,
        };
        let outcome = exec::launch(&cx, &mut self.memory, request, replayable);
        let mut footprint = outcome.footprint;
        let mut report = LaunchReport {
            status: outcome.status,
            findings: outcome.findings,
            counters: outcome.counters,
            lines: outcome.lines,
            worst_requests: outcome.worst_requests,
            printf: outcome.printf,
            occupancy,
            resident_blocks: resident,
            schedules: 1,
        };
        // What did not come to its end in all that time will not do so in another order either.
        if let Some(before) = before.filter(|_| !outcome.ran_out) {
            let exploration = Exploration {
                schedules: self.schedules,
                orders,
                before,
                replayable,
                asks_for_order: reach.communicates && !launch.cooperative && blocks > 1,
            };
            exploration.run(cx, request, &mut report, &mut footprint);
        }
        self.footprint = footprint;
        report
    }
}

/// The heap of device-side `malloc`, whoever panicked while holding it.
pub(super) fn lock(heap: &Mutex<Heap>) -> MutexGuard<'_, Heap> {
    heap.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Per warp of a block, the lanes' `threadIdx`.
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
