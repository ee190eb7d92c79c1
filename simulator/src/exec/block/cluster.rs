//! A block among those of its cluster: when it has arrived at their barrier, and what happens when all have.

use crate::{
    counters::Counters,
    exec::{
        barrier::cluster::pass,
        block::Block,
        context::{Context, report, site},
        machine::{Machine, source_of},
        warp::{Split, Wait, Warp},
    },
    finding::{FindingKind, Severity},
    findings::ThreadId,
    memory::{Brought, Global, GlobalMemory, Site},
};

impl Block {
    /// True if every thread has arrived at the barrier of the cluster or left the kernel.
    pub fn has_arrived(&self) -> bool {
        self.warps.iter().all(|warp| self.missing(warp) == 0)
    }

    /// Lanes that have neither arrived nor left.
    fn missing(&self, warp: &Warp) -> u32 {
        warp.live() & !self.unit.cluster.arrived(warp.index)
    }

    /// True if some thread has arrived in the present phase.
    pub fn arrives(&self) -> bool {
        self.unit.cluster.any()
    }

    /// A thread that left the kernel and did not arrive in the present phase.
    pub fn absent_from_cluster(&self) -> Option<ThreadId> {
        self.warps.iter().find_map(|warp| {
            let absent = warp.exited & !self.unit.cluster.arrived(warp.index);
            (absent != 0).then(|| ThreadId {
                block: self.unit.block,
                thread: warp.index * 32 + absent.trailing_zeros(),
            })
        })
    }

    /// Threads wait for others of the cluster.
    pub fn waits_for_cluster(&self) -> bool {
        self.warps.iter().any(|warp| waiting(warp).next().is_some())
    }

    /// The latest cycle of those who wait.
    pub fn cycles_at_cluster(&self) -> u64 {
        let waits = |warp: &&Warp| waiting(warp).next().is_some();
        self.warps.iter().filter(waits).map(|warp| warp.cycles).max().unwrap_or(0)
    }

    /// The phase is over: who waits goes on, with what all have brought.
    pub fn end_cluster_phase(
        &mut self,
        cx: &Context<'_>,
        global: &mut Global<'_>,
        lines: &mut [Counters],
        brought: &Brought,
        cycles: u64,
    ) {
        self.unit.cluster.end_phase();
        self.unit.memory.end_cluster_phase(brought);
        for warp in &mut self.warps {
            while let Some(at) =
                warp.waiting.iter().position(|split| matches!(split.wait, Wait::Cluster { .. }))
            {
                let split = warp.waiting.remove(at);
                let Wait::Cluster { key } = split.wait else { continue };
                let mut machine = Machine { cx, unit: &mut self.unit, global, lines };
                pass(&mut machine, warp, &split, key);
                warp.cycles = warp.cycles.max(cycles);
                warp.resume(Split { pc: split.pc + 1, ..split });
            }
        }
        self.stuck_at = None;
    }

    /// The same for a block that is a cluster by itself.
    pub fn end_own_phase(&mut self, cx: &Context<'_>, global: &mut Global<'_>, lines: &mut [Counters]) {
        if let Some(absent) = self.absent_from_cluster().filter(|_| !self.unit.cluster.is_reported()) {
            self.report_absent(cx, absent);
        }
        let (brought, cycles) = (self.unit.memory.take_brought(), self.cycles_at_cluster());
        self.end_cluster_phase(cx, global, lines, &brought, cycles);
    }

    /// Says, the first time, that a thread of the cluster has left the kernel before a barrier of the cluster at which threads of this
    /// block wait.
    pub fn report_absent(&mut self, cx: &Context<'_>, absent: ThreadId) {
        let first = self.warps.iter().find_map(|warp| waiting(warp).next().map(|split| (warp, split)));
        let Some((warp, split)) = first else { return };
        let Wait::Cluster { key } = split.wait else { return };
        let at = site(source_of(cx, warp, split));
        let thread =
            ThreadId { block: self.unit.block, thread: warp.index * 32 + split.mask.trailing_zeros() };
        if !self.unit.barriers.first_exit(key) {
            return;
        }
        report(
            &mut self.unit.memory.findings,
            FindingKind::BarrierDivergence,
            Severity::Warning,
            at,
            // It left at the closing brace, which says nothing.
            Site(0),
            vec![thread, absent],
            1,
            "Some threads of the cluster have left the kernel, by a `return` or at its end, before this barrier of the cluster. The hardware \
             goes on without them, but `cluster.sync()` is for all threads of all blocks of the cluster: let them stay, and guard the work \
             instead of returning.",
        );
    }

    /// Lends the block's shared memory to the others of its cluster, or takes it back.
    pub fn lend(&mut self, memory: &mut GlobalMemory) {
        let has_left = self.warps.iter().all(|warp| warp.live() == 0);
        self.unit.memory.lend(memory, has_left);
    }
}

/// Splits of a warp that wait for others of the cluster.
fn waiting(warp: &Warp) -> impl Iterator<Item = &Split> {
    warp.waiting.iter().filter(|split| matches!(split.wait, Wait::Cluster { .. }))
}
