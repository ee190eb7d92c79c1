//! Barriers of the block, and of parts of it: who arrives, and what those who have waited know.

use super::{super::knowledge::Knowledge, BlockMemory, Brought, clock};
use crate::memory::Global;

/// What those have brought who arrived at barriers that are not complete.
#[derive(Debug, Default)]
pub(super) struct Arrivals {
    /// Lanes that did not wait for theirs: barrier, warp, lanes, what they bring.
    waitless: Vec<(u8, u16, u32, Knowledge)>,
    /// The present phase of the cluster's barrier: what the block's threads have brought to it.
    pub(super) to_cluster: Brought,
    /// Its last phase: what all brought to it.
    pub(super) of_cluster: Brought,
}

impl Arrivals {
    /// For another block.
    pub(super) fn clear(&mut self) {
        self.waitless.clear();
        self.to_cluster = Brought::default();
        self.of_cluster = Brought::default();
    }
}

impl BlockMemory {
    /// All live threads of the block meet at a barrier.
    pub fn barrier(&mut self, global: &mut Global<'_>) {
        if self.order.tiling().is_some() {
            // Other blocks have not met here.
            self.settle_reads(global);
        }
        self.shared.deferred.forget();
        self.order.barrier(clock(&mut self.time, global, self.block));
    }

    /// Some lanes arrive at a barrier without waiting (`bar.arrive`). Call when they do.
    pub fn arrive(&mut self, global: &mut Global<'_>, barrier: u8, warp: u16, mask: u32) {
        self.settle_reads(global);
        let knowledge = self.order.arrive(clock(&mut self.time, global, self.block), warp, mask);
        self.arrivals.waitless.push((barrier, warp, mask, knowledge));
    }

    /// A barrier of a part of the block completes, with the first `announced_arrivals` of those that did not
    /// wait. Participants are given per warp as (warp, lanes that arrived, lanes among them that waited);
    /// those that didn't wait were announced by [`BlockMemory::arrive`].
    pub fn barrier_among(
        &mut self,
        global: &mut Global<'_>,
        barrier: u8,
        participants: &[(u16, u32, u32)],
        mut announced_arrivals: usize,
    ) {
        self.settle_reads(global);
        let time = clock(&mut self.time, global, self.block);
        let mut brought: Vec<Knowledge> = Vec::new();
        let mut announced = [0u32; 32];
        let order = &mut self.order;
        self.arrivals.waitless.retain(|(at, warp, mask, knowledge)| {
            let here = *at == barrier && announced_arrivals > 0;
            if here {
                announced_arrivals -= 1;
                announced[usize::from(*warp)] |= mask;
                brought.push(knowledge.clone());
            }
            !here
        });
        for &(warp, arrived, _) in participants {
            let now = arrived & !announced[usize::from(warp)];
            if now != 0 {
                brought.push(order.arrive(time, warp, now));
            }
        }
        let waiting: Vec<(u16, u32)> =
            participants.iter().filter(|who| who.2 != 0).map(|&(warp, _, waiting)| (warp, waiting)).collect();
        order.complete(time, &brought.iter().collect::<Vec<_>>(), &waiting);
    }
}
