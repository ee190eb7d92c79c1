//! Barriers of the block, and of parts of it: who arrives, and what those who have waited know.

use std::collections::BTreeMap;

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
    /// Of barriers of a part of the block, to word reports: their counts, the last rounds since all met, and which lanes of a warp
    /// have ever arrived.
    counts: [u32; BARRIERS],
    rounds: Vec<Round>,
    ever: BTreeMap<(u8, u16), u32>,
}

/// What a block has of barriers.
const BARRIERS: usize = 16;

/// Rounds that are remembered.
const MOST_ROUNDS: usize = 64;

/// A round of a barrier of a part of the block.
#[derive(Debug)]
struct Round {
    barrier: u8,
    /// Its end.
    stamp: u32,
    /// Who arrived, and who of these waited, by warp.
    participants: Vec<(u16, u32, u32)>,
}

impl Round {
    fn is_among(&self, thread: u16, lanes: impl Fn(&(u16, u32, u32)) -> u32) -> bool {
        let of_warp = self.participants.iter().filter(|who| who.0 == thread / 32);
        of_warp.fold(0, |all, who| all | lanes(who)) >> (thread % 32) & 1 == 1
    }
}

impl Arrivals {
    /// For another block.
    pub(super) fn clear(&mut self) {
        self.waitless.clear();
        self.rounds.clear();
        self.ever.clear();
        self.to_cluster = Brought::default();
        self.of_cluster = Brought::default();
    }

    /// See [`BlockMemory::other_round`].
    fn other_round(&self, me: u16, other: u16, stamp: u32) -> Option<(u8, u32)> {
        let passed = |round: &&Round| {
            let comes =
                self.ever.get(&(round.barrier, other / 32)).is_some_and(|ever| ever >> (other % 32) & 1 == 1);
            round.stamp > stamp
                && round.is_among(me, |who| who.2)
                && !round.is_among(other, |who| who.1)
                && comes
        };
        let barrier = self.rounds.iter().rev().find(passed)?.barrier;
        Some((barrier, self.counts[usize::from(barrier) % BARRIERS]))
    }

    fn note_round(&mut self, barrier: u8, stamp: u32, participants: &[(u16, u32, u32)]) {
        for &(warp, arrived, _) in participants {
            *self.ever.entry((barrier, warp)).or_default() |= arrived;
        }
        if self.rounds.len() == MOST_ROUNDS {
            self.rounds.remove(0);
        }
        self.rounds.push(Round { barrier, stamp, participants: participants.to_vec() });
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
        self.arrivals.rounds.clear();
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
        self.arrivals.note_round(barrier, time.now, participants);
    }

    /// A barrier of a part of the block, with its count, that one thread has passed since the other's access in a round in which the
    /// other was not, though it comes there, too.
    pub(in super::super) fn other_round(&self, me: u16, other: u16, stamp: u32) -> Option<(u8, u32)> {
        self.arrivals.other_round(me, other, stamp)
    }

    /// A barrier of a part of the block counts so many threads in each round.
    pub fn note_count(&mut self, barrier: u8, count: u32) {
        self.arrivals.counts[usize::from(barrier) % BARRIERS] = count;
    }
}
