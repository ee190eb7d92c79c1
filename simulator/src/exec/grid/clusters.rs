//! Blocks of clusters among those that take turns: they lend each other their shared memory, meet at the barrier of their
//! cluster, and stay at hand until the last of them has left.

use crate::{
    counters::Counters,
    exec::{block::Block, context::Context},
    memory::{Brought, Global},
};

/// What a launch with clusters needs besides the blocks that run. Blocks of a cluster start together, so that among those that run they are
/// neighbours.
#[derive(Debug, Default)]
pub(super) struct Clusters {
    /// Blocks that have left the kernel before others of their cluster.
    left: Vec<Block>,
}

impl Clusters {
    /// Blocks that take the place of a running one.
    pub(super) fn left(&self) -> usize {
        self.left.len()
    }

    /// Before a block's turn the others of its cluster lend it their shared memory, and behind it take it back.
    pub(super) fn change_hands(
        &mut self,
        cx: &Context<'_>,
        global: &mut Global<'_>,
        running: &mut [Block],
        at: usize,
    ) {
        let Global::Direct(memory) = global else { return };
        let cluster = cluster_of(cx, &running[at]);
        let of_it = |block: &Block| cluster_of(cx, block) == cluster;
        let before = running[..at].iter().rev().take_while(|block| of_it(block)).count();
        let behind = running[at + 1..].iter().take_while(|block| of_it(block)).count();
        for other in (at - before..=at + behind).filter(|&other| other != at) {
            running[other].lend(memory);
        }
        self.left.iter_mut().filter(|block| of_it(block)).for_each(|block| block.lend(memory));
    }

    /// Ends the phases of barriers at which all have arrived. True if threads go on that had waited.
    pub(super) fn meet(
        &mut self,
        cx: &Context<'_>,
        global: &mut Global<'_>,
        running: &mut [Block],
        lines: &mut [Counters],
    ) -> bool {
        let mut any = false;
        let mut from = 0;
        while from < running.len() {
            let cluster = cluster_of(cx, &running[from]);
            let blocks = running[from..].iter().take_while(|block| cluster_of(cx, block) == cluster).count();
            any |= self.meet_in(cx, global, cluster, &mut running[from..from + blocks], lines);
            from += blocks;
        }
        any
    }

    fn meet_in(
        &mut self,
        cx: &Context<'_>,
        global: &mut Global<'_>,
        cluster: u32,
        here: &mut [Block],
        lines: &mut [Counters],
    ) -> bool {
        let left = || self.left.iter().filter(|block| cluster_of(cx, block) == cluster);
        let arrives = here.iter().chain(left()).any(Block::arrives);
        if !arrives || !here.iter().all(Block::has_arrived) {
            return false;
        }
        let absent = here.iter().chain(left()).find_map(Block::absent_from_cluster);
        let waits = here.iter().any(Block::waits_for_cluster);
        let cycles = here.iter().map(Block::cycles_at_cluster).max().unwrap_or(0);
        let is_reported = here.iter().chain(left()).any(|block| block.unit.cluster.is_reported());
        if let Some(absent) = absent.filter(|_| !is_reported)
            && let Some(block) = here.iter_mut().find(|block| block.waits_for_cluster())
        {
            block.report_absent(cx, absent);
        }
        let mut brought = Brought::default();
        let gone = self.left.iter_mut().filter(|block| cluster_of(cx, block) == cluster);
        for block in here.iter_mut().chain(gone) {
            brought.join(&block.unit.memory.take_brought());
            block.unit.cluster.end_phase();
        }
        for block in here {
            block.end_cluster_phase(cx, global, lines, &brought, cycles);
        }
        if let Global::Direct(memory) = global {
            // What waits for a change of memory looks again: others go on now.
            memory.note_change();
        }
        waits
    }

    /// A block has left the kernel. Gives those that are not needed any more: all of its cluster, once none of it runs.
    pub(super) fn leave(&mut self, cx: &Context<'_>, running: &[Block], block: Block) -> Vec<Block> {
        let cluster = cluster_of(cx, &block);
        self.left.push(block);
        if running.iter().any(|other| cluster_of(cx, other) == cluster) {
            return Vec::new();
        }
        self.left.extract_if(.., |other| cluster_of(cx, other) == cluster).collect()
    }

    /// All that have left, at the end of the launch.
    pub(super) fn into_left(self) -> Vec<Block> {
        self.left
    }
}

fn cluster_of(cx: &Context<'_>, block: &Block) -> u32 {
    cx.tiling.cluster_of(block.number())
}
