//! Happens-before inside a block, and what its threads have acquired from elsewhere.
//!
//! # Knowledge
//!
//! Thread `u` knows the access of thread `t` stamped `s` (it happened before whatever `u` does next) if
//!
//! - `t` is `u`, or
//! - `s` is not after the block's last full barrier. Threads that had exited by then are included: the
//!   barrier that they skipped is reported elsewhere, and nothing of theirs can still be in flight. Or
//! - both are in one warp and `s` is not after its last full `bar.warp.sync`, or the matrix row says so that
//!   partial masks keep (32 × 32 stamps, joined transitively), or
//! - one of three clocks knows it: the block's, the warp's, the lane's. They hold what came through flags and
//!   through barriers of a part of the block.
//!
//! # Clusters
//!
//! Blocks of a cluster access each other's shared memory. Stamps in its cells name the block, as those in the cells of global memory
//! do, and what is known of other blocks comes through the barrier of the cluster, flags, and barriers in shared memory. An operation of
//! `.cluster` scope reaches the blocks of the cluster.
//!
//! # Proxies
//!
//! Bulk copies go through the asynchronous proxy, all else through the generic one. A plain write happens before a bulk copy
//! reads it only if a fence between the proxies lies on the way from one to the other: by the writer after the write, or by
//! anybody who knows of the write by then, up to the thread that begins the copy. What the fences of each thread have handed
//! over travels with what it knows, through barriers and flags. (PTX ISA, "Memory Consistency Model: Causality order",
//! proxy-preserved base causality order. Whose flag it was is not asked there: what a flag hands over may be more than it should.)
//! So it is with a plain read before a bulk copy overwrites what was read, unless `__syncthreads()` lies between. An H100 gave
//! wrong products in 40 of 40 runs where the readers of a stage had no such fence before they arrived at its barrier, and none with it.

mod missed;

use std::sync::Arc;

use crate::{
    findings::{Reach, Relaxed},
    ir::{FenceKind, Scope},
};

use super::{
    asynchronous::{Copies, UNDER_WAY},
    bulk::Outgoing,
    clock::{Clock, Leaf},
    cluster::Tiling,
    knowledge::{CLUSTER, DEVICE, Fence, Knowledge, LEVELS, NEAR, PROXIES, Published, Release, Unacquired},
    lanes,
    time::Time,
};

/// Per-lane state, there only once a warp does more than full synchronisation.
#[derive(Debug, Default)]
struct LaneOrder {
    matrix: Option<Box<[[u32; 32]; 32]>>,
    knowledge: [Knowledge; 32],
    /// The last fence of sequential consistency that reaches so far, by level, and the last between proxies.
    fences: [[Option<Arc<Fence>>; LEVELS + 1]; 32],
}

/// What a thread's fences that only acquire and release work on. They count for this thread alone: no barrier ends that, and none
/// passes it on.
#[derive(Debug, Default)]
struct OwnOrder {
    /// By level, the thread's last such fence: for what it writes afterwards.
    fences: [Option<Arc<Fence>>; LEVELS],
    /// By level, what it has itself read through flags since: for its next such fence.
    unacquired: [Unacquired; LEVELS],
}

#[derive(Debug, Default)]
struct WarpOrder {
    /// The lanes that the warp began with.
    lanes: u32,
    base: u32,
    /// Time of its last event.
    changed: u32,
    knowledge: Option<Box<Knowledge>>,
    each: Option<Box<LaneOrder>>,
    /// By lane.
    own: Option<Box<[OwnOrder; 32]>>,
}

/// The clocks of one running block.
#[derive(Debug)]
pub(crate) struct BlockOrder {
    block: u32,
    pub(crate) base: u32,
    knowledge: Knowledge,
    warps: Vec<WarpOrder>,
    /// False while no thread knows anything but through full barriers and full warp synchronisation.
    detailed: bool,
    /// Threads may come to know more of some than of others, so that every reader counts.
    pub(crate) every_reader: bool,
    /// Asynchronous copies into shared memory.
    pub(crate) copies: Copies,
    /// Bulk copies out of it.
    pub(crate) outgoing: Outgoing,
    /// How the grid is divided, where clusters have more than one block: then other blocks access this one's shared
    /// memory, too.
    tiling: Option<Tiling>,
    /// The shared memory at hand is another block's.
    is_visiting: bool,
    /// When the block began.
    begun: u32,
    /// Of accesses to the shared memory at hand: stamps up to here need no look,
    pub(crate) dead: u32,
    /// and stamps from here on are this block's. Copies have stamps beyond all times, and are known to their own block only.
    pub(crate) mine: u32,
}

impl BlockOrder {
    pub(crate) fn new(threads: u32, every_reader: bool) -> Self {
        let copies = Copies::new(threads.div_ceil(32) as usize);
        let warps = (0..threads.div_ceil(32))
            .map(|warp| {
                let rest = threads - warp * 32;
                WarpOrder {
                    lanes: if rest >= 32 { u32::MAX } else { (1 << rest) - 1 },
                    ..WarpOrder::default()
                }
            })
            .collect();
        Self {
            block: 0,
            base: 0,
            knowledge: Knowledge::default(),
            warps,
            detailed: false,
            every_reader,
            copies,
            outgoing: Outgoing::default(),
            tiling: None,
            is_visiting: false,
            begun: 0,
            dead: 0,
            mine: 0,
        }
    }

    /// The launch is divided into clusters so.
    pub(crate) fn share(&mut self, tiling: Tiling) {
        self.tiling = (tiling.blocks() > 1).then_some(tiling);
    }

    /// How, where clusters have more than one block.
    #[inline]
    pub(crate) fn tiling(&self) -> Option<Tiling> {
        self.tiling
    }

    /// The number of a block's cluster.
    pub(super) fn cluster_of(&self, block: u32) -> u32 {
        self.tiling.map_or(block, |tiling| tiling.cluster_of(block))
    }

    /// A block belongs to this one's cluster.
    pub(crate) fn is_in_cluster(&self, block: u32) -> bool {
        self.cluster_of(block) == self.cluster_of(self.block)
    }

    /// The shared memory at hand is another block's from now on, or is its own again.
    pub(crate) fn visit(&mut self, another: bool) {
        self.is_visiting = another;
        self.mine = if another { u32::MAX } else { UNDER_WAY };
    }

    /// The shared memory at hand is another block's.
    pub(crate) fn is_visiting(&self) -> bool {
        self.is_visiting
    }

    /// How far a scope reaches. Where every block is a cluster by itself, that of the cluster reaches no farther than the
    /// block's.
    pub(crate) fn level(&self, scope: Scope) -> usize {
        match scope {
            Scope::Block => NEAR,
            Scope::Cluster if self.tiling.is_none() => NEAR,
            Scope::Cluster => CLUSTER,
            Scope::Gpu | Scope::System => DEVICE,
        }
    }

    /// A scope reaches the threads of the block only.
    pub(crate) fn is_of_block(&self, scope: Scope) -> bool {
        self.level(scope) == NEAR
    }

    /// A scope reaches the threads of the cluster only, which has other blocks.
    pub(crate) fn is_of_cluster(&self, scope: Scope) -> bool {
        self.level(scope) == CLUSTER
    }

    /// The levels up to that of a scope. The cluster's is none of them where it is the block's.
    fn levels(&self, scope: Scope) -> &'static [usize] {
        match (self.level(scope), self.tiling) {
            (NEAR, _) => &[NEAR],
            (CLUSTER, _) => &[NEAR, CLUSTER],
            (_, None) => &[NEAR, DEVICE],
            (_, Some(_)) => &[NEAR, CLUSTER, DEVICE],
        }
    }

    /// A block begins: all stamps so far are in its past (or another block's and not in this memory).
    pub(crate) fn begin(&mut self, block: u32, base: u32) {
        self.block = block;
        self.base = base;
        self.begun = base;
        self.dead = base;
        self.is_visiting = false;
        self.mine = if self.tiling.is_some() { UNDER_WAY } else { 0 };
        self.knowledge = Knowledge::default();
        self.detailed = false;
        for warp in &mut self.warps {
            warp.base = base;
            warp.changed = base;
            warp.knowledge = None;
            warp.each = None;
            warp.own = None;
        }
    }

    /// The block has come to its end: nobody asks any more what its threads know.
    pub(crate) fn end(&mut self) {
        self.knowledge = Knowledge::default();
        for warp in &mut self.warps {
            warp.knowledge = None;
            warp.each = None;
            warp.own = None;
        }
    }

    /// When something last happened to a warp's order.
    #[inline]
    pub(crate) fn changed(&self, warp: u16) -> u32 {
        self.warps[usize::from(warp)].changed.max(self.base + 1)
    }

    #[inline]
    pub(crate) fn warp_base(&self, warp: u16) -> u32 {
        self.warps[usize::from(warp)].base.max(self.base)
    }

    /// True if an access of a thread of this block is known to a lane.
    #[inline]
    pub(crate) fn knows_own(&self, warp: u16, lane: usize, thread: u16, stamp: u32) -> bool {
        if stamp >= UNDER_WAY {
            return self.knows_copy(warp, lane, thread, stamp);
        }
        if stamp <= self.base || thread == warp * 32 + lane as u16 {
            return true;
        }
        if thread / 32 == warp {
            let mine = &self.warps[usize::from(warp)];
            if stamp <= mine.base {
                return true;
            }
            if let Some(matrix) = mine.each.as_ref().and_then(|each| each.matrix.as_ref())
                && stamp <= matrix[lane][usize::from(thread % 32)]
            {
                return true;
            }
        }
        self.detailed && self.clocks_know(warp, lane, self.block, thread, stamp)
    }

    /// True if a lane knows that a thread's copy has arrived.
    #[cold]
    fn knows_copy(&self, warp: u16, lane: usize, thread: u16, stamp: u32) -> bool {
        let copy = self.copies.get(stamp);
        let of = usize::from(thread % 32);
        let waited = copy.waited(of);
        waited != 0 && self.knows_own(warp, lane, thread, waited)
            || copy.announced(of).any(|(slot, phase)| {
                self.any(warp, lane, |knowledge| knowledge.known.phases(self.block, slot) > phase)
            })
    }

    /// True if a lane knows that so many phases of a block's mbarrier are over.
    pub(crate) fn knows_phases(
        &self,
        (warp, lane): (u16, usize),
        (block, slot): (u32, u16),
        phases: u32,
    ) -> bool {
        self.any(warp, lane, |knowledge| knowledge.known.phases(block, slot) >= phases)
    }

    /// True if an access of any block is known through flags or partial barriers.
    pub(crate) fn clocks_know(&self, warp: u16, lane: usize, block: u32, thread: u16, stamp: u32) -> bool {
        self.any(warp, lane, |knowledge| knowledge.known.knows(block, thread, stamp))
    }

    /// Of what other warps have done, a lane knows nothing that is later.
    pub(crate) fn newest_known(&self, warp: u16, lane: usize) -> u32 {
        let warp = &self.warps[usize::from(warp)];
        let of_warp = warp.knowledge.as_deref().map_or(0, |knowledge| knowledge.known.newest());
        let of_lane = warp.each.as_ref().map_or(0, |each| each.knowledge[lane].known.newest());
        self.base.max(self.knowledge.known.newest()).max(of_warp).max(of_lane)
    }

    /// True if it would be known, had the reader a fence.
    pub(crate) fn unacquired_knows(
        &self,
        warp: u16,
        lane: usize,
        block: u32,
        thread: u16,
        stamp: u32,
    ) -> bool {
        self.detailed
            && self.any(warp, lane, |knowledge| {
                knowledge.unacquired.iter().any(|read| read.clock.knows(block, thread, stamp))
            })
    }

    /// True if any thread knows an access of another block, or would, had it a fence.
    #[cold]
    pub(crate) fn anybody_knows(&self, (block, thread): (u32, u16), stamp: u32) -> bool {
        let knows = |knowledge: &Knowledge| {
            knowledge.known.knows(block, thread, stamp)
                || knowledge.unacquired.iter().any(|read| read.clock.knows(block, thread, stamp))
        };
        self.detailed && self.somebodys(knows)
    }

    /// True if some thread knows an access of another block.
    #[cold]
    pub(crate) fn somebody_knows(&self, (block, thread): (u32, u16), stamp: u32) -> bool {
        self.somebodys(|knowledge| knowledge.known.knows(block, thread, stamp))
    }

    /// A test holds for what some thread knows.
    fn somebodys(&self, test: impl Fn(&Knowledge) -> bool) -> bool {
        let of_warp = |warp: &WarpOrder| {
            warp.knowledge.as_deref().is_some_and(&test)
                || warp.each.as_ref().is_some_and(|each| each.knowledge.iter().any(&test))
        };
        test(&self.knowledge) || self.warps.iter().any(of_warp)
    }

    fn any(&self, warp: u16, lane: usize, test: impl Fn(&Knowledge) -> bool) -> bool {
        let warp = &self.warps[usize::from(warp)];
        test(&self.knowledge)
            || warp.knowledge.as_deref().is_some_and(&test)
            || warp.each.as_ref().is_some_and(|each| test(&each.knowledge[lane]))
    }

    /// A barrier of all live threads.
    pub(crate) fn barrier(&mut self, time: &mut Time) {
        self.base = time.now;
        if self.tiling.is_none() {
            self.dead = self.base;
        }
        if self.detailed {
            for index in 0..self.warps.len() {
                let all = self.warps[index].lanes;
                let sum = self.gather(index, all);
                self.knowledge.join(&sum);
                self.warps[index].knowledge = None;
                self.warps[index].each = None;
            }
        }
        time.tick();
    }

    /// What some lanes bring to a barrier that others wait at. Their later accesses are not included.
    pub(crate) fn arrive(&mut self, time: &mut Time, warp: u16, mask: u32) -> Knowledge {
        self.detailed = true;
        let index = usize::from(warp);
        let state = &self.warps[index];
        let mut leaf = Leaf { all: self.base, parts: Vec::new() };
        if mask & state.lanes == state.lanes {
            leaf.raise(Leaf::WARP + warp, time.now);
        } else {
            leaf.raise(Leaf::WARP + warp, state.base);
            for lane in lanes(mask) {
                leaf.raise(warp * 32 + lane as u16, time.now);
                if let Some(matrix) = state.each.as_ref().and_then(|each| each.matrix.as_ref()) {
                    for (other, &stamp) in matrix[lane].iter().enumerate() {
                        leaf.raise(warp * 32 + other as u16, stamp);
                    }
                }
            }
        }
        let mut sum = self.gather(index, mask);
        sum.known.join(&Clock::of(self.block, leaf));
        self.warps[index].changed = time.now + 1;
        time.tick();
        sum
    }

    /// What some lanes bring to the barrier of the cluster: that their block has begun, and what they know, or `relaxed` what of
    /// it they have fenced for the cluster.
    pub(crate) fn arrive_at_cluster(
        &mut self,
        time: &mut Time,
        warp: u16,
        mask: u32,
        relaxed: bool,
    ) -> Knowledge {
        let mut sum = self.arrive(time, warp, mask);
        // At a barrier of the block all have that anyway.
        sum.join(&self.knowledge);
        if relaxed {
            sum = self.fenced_before((warp, mask), sum, Scope::Cluster, Relaxed::ClusterArrival);
        }
        sum.known.join(&Clock::of(self.block, Leaf { all: self.begun, parts: Vec::new() }));
        sum
    }

    /// What some lanes bring to a relaxed arrival of this scope, of all that they know: what they have fenced so far.
    pub(crate) fn fenced_before(
        &self,
        (warp, mask): (u16, u32),
        mut brought: Knowledge,
        scope: Scope,
        arrival: Relaxed,
    ) -> Knowledge {
        let level = self.level(scope);
        let mut fenced = std::mem::take(&mut brought.fenced[level]);
        lanes(mask).filter_map(|lane| self.own_fenced(warp, lane, level)).for_each(|own| fenced.join(&own));
        Knowledge { known: fenced, ..brought.lost_by(arrival) }
    }

    /// What a thread's last fence of its own covers, if it has one that reaches so far.
    fn own_fenced(&self, warp: u16, lane: usize, level: usize) -> Option<Clock> {
        let fence = self.warps[usize::from(warp)].own.as_ref()?[lane].fences[level].as_ref()?;
        Some(fence.clock(self.block, std::iter::once(warp * 32 + lane as u16), false, warp))
    }

    /// Lanes see by a relaxed wait of this scope what others brought. They know it once they have a fence of that scope behind the
    /// wait; of what their own block did, a fence for the block is enough.
    pub(crate) fn see_relaxed(
        &mut self,
        time: &mut Time,
        (warp, mask): (u16, u32),
        brought: &Knowledge,
        scope: Scope,
    ) {
        let mut seen = brought.lost_by(Relaxed::Wait);
        let level = self.level(scope);
        seen.unacquired[level] = Unacquired::of(brought.known.clone());
        if level != NEAR {
            seen.unacquired[NEAR] = Unacquired::of(brought.known.only(self.block));
        }
        let own = self.warps[usize::from(warp)].own.get_or_insert_default();
        for lane in lanes(mask) {
            for (mine, seen) in own[lane].unacquired.iter_mut().zip(&seen.unacquired) {
                mine.join(seen);
            }
        }
        self.detailed = true;
        self.complete(time, &[&seen], &[(warp, mask)]);
    }

    /// What all threads of the block know beyond stamps.
    pub(crate) fn common(&self) -> &Knowledge {
        &self.knowledge
    }

    /// Waiting lanes go on, knowing what all brought who arrived.
    pub(crate) fn complete(&mut self, time: &mut Time, arrived: &[&Knowledge], waiting: &[(u16, u32)]) {
        let mut sum = Knowledge::default();
        for knowledge in arrived {
            sum.join(knowledge);
        }
        for &(warp, mask) in waiting {
            let state = &mut self.warps[usize::from(warp)];
            state.changed = time.now + 1;
            if mask & state.lanes == state.lanes {
                state.knowledge.get_or_insert_default().join(&sum);
            } else {
                let each = state.each.get_or_insert_default();
                for lane in lanes(mask) {
                    each.knowledge[lane].join(&sum);
                }
            }
        }
        time.tick();
    }

    /// `bar.warp.sync`.
    pub(crate) fn sync_warp(&mut self, time: &mut Time, warp: u16, mask: u32) {
        let index = usize::from(warp);
        let all = self.warps[index].lanes;
        if mask & all == all {
            if self.warps[index].each.is_some() {
                let sum = self.gather(index, all);
                self.warps[index].each = None;
                self.warps[index].knowledge.get_or_insert_default().join(&sum);
            }
            self.warps[index].base = time.now;
        } else {
            self.detailed = true;
            let sum = self.warps[index].each.is_some().then(|| self.gather(index, mask));
            let each = self.warps[index].each.get_or_insert_default();
            let matrix = each.matrix.get_or_insert_with(|| Box::new([[0; 32]; 32]));
            let mut row = [0; 32];
            for lane in lanes(mask) {
                for (stamp, &theirs) in row.iter_mut().zip(&matrix[lane]) {
                    *stamp = theirs.max(*stamp);
                }
            }
            for lane in lanes(mask) {
                row[lane] = time.now;
            }
            for lane in lanes(mask) {
                matrix[lane] = row;
                if let Some(sum) = &sum {
                    each.knowledge[lane].join(sum);
                }
            }
        }
        self.warps[index].changed = time.now + 1;
        time.tick();
    }

    /// A fence: acquires what was read through flags, and fixes what the next strong writes publish.
    pub(crate) fn fence(&mut self, time: &mut Time, warp: u16, mask: u32, scope: Scope, kind: FenceKind) {
        let levels = self.levels(scope);
        let narrow = match scope {
            Scope::Block => Some(Reach::Block),
            Scope::Cluster => Some(Reach::Cluster),
            Scope::Gpu | Scope::System => None,
        };
        // What others have read and told counts for fences of sequential consistency alone.
        let is_own = kind == FenceKind::AcquireRelease;
        let common = &self.knowledge;
        let state = &mut self.warps[usize::from(warp)];
        let each = state.each.get_or_insert_default();
        for lane in lanes(mask) {
            if let Some(reach) = narrow {
                let mut missed = Clock::default();
                for level in (0..LEVELS).filter(|level| !levels.contains(level)) {
                    for knowledge in [Some(common), state.knowledge.as_deref(), Some(&each.knowledge[lane])] {
                        knowledge.iter().for_each(|known| missed.join(&known.unacquired[level].clock));
                    }
                }
                each.knowledge[lane].fence_narrowly(reach, &missed);
            }
            let mine = &mut each.knowledge[lane];
            let mut acquired = Clock::default();
            if !is_own {
                for knowledge in [Some(common), state.knowledge.as_deref()].into_iter().flatten() {
                    levels.iter().for_each(|&level| acquired.join(&knowledge.unacquired[level].clock));
                }
                levels.iter().for_each(|&level| acquired.join(&mine.unacquired[level].take()));
            }
            if let Some(own) = &mut state.own {
                levels.iter().for_each(|&level| acquired.join(&own[lane].unacquired[level].take()));
            }
            mine.known.join(&acquired);
        }
        self.keep_fence(time, warp, mask, levels, is_own);
    }

    /// A fence between the generic and the asynchronous proxy: all that the lanes know of is handed over.
    pub(crate) fn hand_over(&mut self, time: &mut Time, warp: u16, mask: u32) {
        self.keep_fence(time, warp, mask, &[PROXIES], false);
    }

    /// Keeps what lanes know now as their last fences of these kinds, for themselves alone or for those that they meet, too.
    fn keep_fence(&mut self, time: &mut Time, warp: u16, mask: u32, kinds: &[usize], is_own: bool) {
        self.detailed = true;
        let common = &self.knowledge;
        let state = &mut self.warps[usize::from(warp)];
        state.changed = time.now + 1;
        let each = state.each.get_or_insert_default();
        let mut shared: Option<Arc<Fence>> = None;
        for lane in lanes(mask) {
            let mine = &each.knowledge[lane];
            let plain = mine.known.is_empty() && each.matrix.is_none();
            let fence = match &shared {
                Some(fence) if plain => Arc::clone(fence),
                _ => {
                    let mut known = common.known.clone();
                    if let Some(knowledge) = &state.knowledge {
                        known.join(&knowledge.known);
                    }
                    known.join(&mine.known);
                    let row = each.matrix.as_ref().map(|matrix| matrix[lane]);
                    Arc::new(Fence { now: time.now, base: self.base, warp_base: state.base, row, known })
                }
            };
            if plain {
                shared = Some(Arc::clone(&fence));
            }
            for &kind in kinds {
                let kept = match is_own {
                    true => &mut state.own.get_or_insert_default()[lane].fences[kind],
                    false => &mut each.fences[lane][kind],
                };
                *kept = Some(Arc::clone(&fence));
            }
        }
        time.tick();
    }

    /// True if an access by a thread was handed over to the asynchronous proxy on its way to a lane that knows
    /// of it. What the asynchronous proxy wrote itself needs that not.
    pub(crate) fn is_handed_over(&self, warp: u16, lane: usize, block: u32, thread: u16, stamp: u32) -> bool {
        let by_others =
            || self.any(warp, lane, |knowledge| knowledge.handed_over.knows(block, thread, stamp));
        let own =
            self.warps[usize::from(warp)].each.as_ref().and_then(|each| each.fences[lane][PROXIES].as_ref());
        stamp >= UNDER_WAY
            || own.is_some_and(|fence| match block == self.block {
                true => fence.knows(block, warp * 32 + lane as u16, thread, stamp),
                false => fence.known.knows(block, thread, stamp),
            })
            || by_others()
    }

    /// The block.
    pub(crate) fn block(&self) -> u32 {
        self.block
    }

    /// True if strong accesses need [`BlockOrder::publish`] at all unless they release by themselves.
    #[inline]
    pub(crate) fn is_detailed(&self) -> bool {
        self.detailed
    }

    /// What a strong write of a lane publishes.
    pub(crate) fn publish(
        &mut self,
        time: &Time,
        warp: u16,
        lane: usize,
        releases: bool,
        scope: Scope,
    ) -> Published {
        let levels = self.levels(scope);
        let thread = warp * 32 + lane as u16;
        let state = &self.warps[usize::from(warp)];
        let mut published = Published::default();
        let fences = state.each.as_ref().map(|each| &each.fences[lane]);
        for knowledge in [
            Some(&self.knowledge),
            state.knowledge.as_deref(),
            state.each.as_ref().map(|each| &each.knowledge[lane]),
        ]
        .into_iter()
        .flatten()
        {
            levels.iter().for_each(|&level| published.to[level].join(&knowledge.fenced[level]));
            published.handed_over.join(&knowledge.handed_over);
        }
        let clock = |fence: &Arc<Fence>| fence.clock(self.block, std::iter::once(thread), false, warp);
        let fence = |kind: usize| fences.and_then(|fences| fences[kind].as_ref());
        if let Some(fence) = fence(PROXIES) {
            published.handed_over.join(&clock(fence));
        }
        let near = fence(NEAR);
        let near_clock = near.map(&clock).unwrap_or_default();
        for &level in levels {
            let Some(fence) = fence(level) else { continue };
            match near {
                // Most often the last fence of all reaches the device.
                Some(near) if Arc::ptr_eq(near, fence) => published.to[level].join(&near_clock),
                _ => published.to[level].join(&clock(fence)),
            }
        }
        for &level in levels {
            if let Some(own) = self.own_fenced(warp, lane, level) {
                published.to[level].join(&own);
            }
        }
        if releases {
            let mut known = self.knowledge.known.clone();
            if let Some(knowledge) = &state.knowledge {
                known.join(&knowledge.known);
            }
            let mut row = None;
            if let Some(each) = &state.each {
                known.join(&each.knowledge[lane].known);
                row = each.matrix.as_ref().map(|matrix| matrix[lane]);
            }
            let fence = Fence { now: time.now, base: self.base, warp_base: state.base, row, known };
            let clock = clock(&Arc::new(fence));
            levels.iter().for_each(|&level| published.to[level].join(&clock));
            self.warps[usize::from(warp)].changed = time.now + 1;
        }
        published
    }

    /// A strong read of a lane sees what a location holds.
    pub(crate) fn observe(
        &mut self,
        warp: u16,
        lane: usize,
        release: &Release,
        acquires: bool,
        scope: Scope,
    ) {
        let level = self.level(scope);
        let cluster = || release.clusters.get(&self.cluster_of(self.block));
        let held: [Option<&Clock>; LEVELS] = [
            release.near.get(&self.block),
            if level >= CLUSTER { cluster() } else { None },
            Some(&release.device).filter(|device| level >= DEVICE && !device.is_empty()),
        ];
        if held.iter().all(Option::is_none) {
            return;
        }
        self.detailed = true;
        let state = &mut self.warps[usize::from(warp)];
        let mine = &mut state.each.get_or_insert_default().knowledge[lane];
        mine.handed_over.join(&release.handed_over);
        for (level, clock) in held.into_iter().enumerate() {
            match clock {
                Some(clock) if acquires => mine.known.join(clock),
                Some(clock) => {
                    mine.unacquired[level].poll(clock, &release.origin);
                    let own = &mut state.own.get_or_insert_default()[lane];
                    own.unacquired[level].poll(clock, &release.origin);
                }
                None => {}
            }
        }
    }

    /// All that the warp's level and the given lanes know and have fenced.
    fn gather(&self, index: usize, mask: u32) -> Knowledge {
        let state = &self.warps[index];
        let mut sum = state.knowledge.as_deref().cloned().unwrap_or_default();
        let Some(each) = &state.each else { return sum };
        let warp = index as u16;
        for lane in lanes(mask) {
            sum.join(&each.knowledge[lane]);
        }
        let [near, cluster, device] = &mut sum.fenced;
        let kept = [near, cluster, device, &mut sum.handed_over];
        for (kind, fenced) in kept.into_iter().enumerate() {
            let mut rest = mask;
            while rest != 0 {
                let first = rest.trailing_zeros() as usize;
                let Some(fence) = &each.fences[first][kind] else {
                    rest &= rest - 1;
                    continue;
                };
                let alike = lanes(rest)
                    .filter(|&lane| {
                        each.fences[lane][kind].as_ref().is_some_and(|other| Arc::ptr_eq(other, fence))
                    })
                    .fold(0, |all, lane| all | 1u32 << lane);
                let threads = lanes(alike).map(|lane| warp * 32 + lane as u16);
                fenced.join(&fence.clock(self.block, threads, alike == state.lanes, warp));
                rest &= !alike;
            }
        }
        sum
    }
}
