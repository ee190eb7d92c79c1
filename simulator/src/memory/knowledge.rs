//! What threads have learned of each other's accesses beyond stamps, and what they publish of it through flags.
//!
//! A *release* publishes at a location what its thread knows, including its own accesses: an operation with
//! `.release`, or a strong write after a fence, which publishes what was known at the fence. Fences of sequential
//! consistency (`fence.sc`, `membar`, `__threadfence()`) are cumulative over barriers: what any participant had fenced
//! before a barrier, each participant publishes afterwards with its next strong write. For if the reader's fence
//! came first in the order of all such fences, its read would come before the write that it sees. Those that only acquire and release
//! are in no such order: they count for the strong writes of their own thread, and for what it has itself read. Atomics by others
//! continue a release sequence; a strong store ends it. An *acquire* is `.acquire`, or a strong read and then a fence. What was read
//! strongly but not yet acquired is kept as `unacquired`: an access ordered by that alone is right only by a dependency that the
//! source does not state, and a race.
//!
//! Arrivals at barriers in shared memory release, and waits for them acquire. A relaxed arrival releases what was fenced before it,
//! and a fence acquires what a relaxed wait before it has seen.
//!
//! May miss: fences of which only one side's is of sequential consistency, where the other side's was passed on by a barrier.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    clock::{Clock, Leaf},
    order::BlockOrder,
};
use crate::findings::{Reach, Relaxed};

/// How far something reaches: the block, its cluster, the device.
pub(super) const LEVELS: usize = 3;
pub(super) const NEAR: usize = 0;
pub(super) const CLUSTER: usize = 1;
pub(super) const DEVICE: usize = 2;
/// The place of fences between proxies behind those of the levels.
pub(super) const PROXIES: usize = 3;

/// What a group of threads has learned or published beyond stamps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Knowledge {
    /// Happened before.
    pub(crate) known: Clock,
    /// Read through a flag, still to be acquired by a fence that reaches so far, by level.
    pub(super) unacquired: [Unacquired; LEVELS],
    /// Fenced by someone of the group with sequential consistency, by level.
    pub(super) fenced: [Clock; LEVELS],
    /// Handed over to the asynchronous proxy.
    pub(super) handed_over: Clock,
    /// What is not known for want of little, to word reports. Nothing here decides whether there is a race.
    pub(super) missed: Option<Box<Missed>>,
}

/// What would be known, were it not for one thing.
#[derive(Clone, Debug, Default)]
pub(super) struct Missed {
    /// Read through a flag, with a fence behind it that reaches its own block only, or its own cluster only.
    narrowly_fenced: [Clock; 2],
    /// Lost at an operation that is relaxed, by its number.
    relaxed: [Clock; Relaxed::ALL.len()],
}

impl Missed {
    fn join(&mut self, other: &Self) {
        let mine = self.narrowly_fenced.iter_mut().chain(&mut self.relaxed);
        let theirs = other.narrowly_fenced.iter().chain(&other.relaxed);
        mine.zip(theirs).for_each(|(mine, theirs)| mine.join(theirs));
    }
}

impl Knowledge {
    /// Takes in what others know.
    pub(crate) fn join(&mut self, other: &Self) {
        self.known.join(&other.known);
        for level in 0..LEVELS {
            self.unacquired[level].join(&other.unacquired[level]);
            self.fenced[level].join(&other.fenced[level]);
        }
        self.handed_over.join(&other.handed_over);
        if let Some(missed) = &other.missed {
            self.missed.get_or_insert_default().join(missed);
        }
    }

    /// What is left of it to those who learn of it by a relaxed operation alone: nothing but what they miss.
    pub(super) fn lost_by(&self, relaxed: Relaxed) -> Self {
        let mut missed = self.missed.clone().unwrap_or_default();
        missed.relaxed[relaxed as usize].join(&self.known);
        Self { missed: Some(missed), ..Self::default() }
    }

    /// A fence that reaches no farther is behind the flag through which this was read.
    pub(super) fn fence_narrowly(&mut self, reach: Reach, read: &Clock) {
        if !read.is_empty() {
            self.missed.get_or_insert_default().narrowly_fenced[reach as usize].join(read);
        }
    }

    /// How far the fence reaches for want of which alone an access is not known.
    pub(super) fn narrow_fence(&self, block: u32, thread: u16, stamp: u32) -> Option<Reach> {
        let fenced = &self.missed.as_ref()?.narrowly_fenced;
        [Reach::Block, Reach::Cluster]
            .into_iter()
            .find(|&reach| fenced[reach as usize].knows(block, thread, stamp))
    }

    /// The relaxed operation for whose sake alone something is not known.
    pub(super) fn relaxed_at(&self, knows: impl Fn(&Clock) -> bool) -> Option<Relaxed> {
        let lost = &self.missed.as_ref()?.relaxed;
        Relaxed::ALL.into_iter().find(|&relaxed| knows(&lost[relaxed as usize]))
    }
}

/// What was read through flags and is still to be acquired.
#[derive(Clone, Debug, Default)]
pub(super) struct Unacquired {
    pub(super) clock: Clock,
    /// The one location that all of it was read from, if so. What a location holds only grows: whoever
    /// polls it again has what it holds now, and need not add that to what it held before. A thousand
    /// threads may poll one lock.
    from: Option<Arc<LocationId>>,
}

/// Tells apart what locations hold, each time from the store that began it.
#[derive(Debug, Default)]
pub(super) struct LocationId;

impl Unacquired {
    /// Of what was read at once.
    pub(super) fn of(clock: Clock) -> Self {
        Self { clock, from: None }
    }

    pub(super) fn join(&mut self, other: &Self) {
        if !other.clock.is_empty() {
            self.read(&other.clock, other.from.as_ref());
        }
    }

    /// Adds what was read from a location.
    fn read(&mut self, clock: &Clock, from: Option<&Arc<LocationId>>) {
        if self.clock.is_empty() {
            self.clock = clock.clone();
            self.from = from.cloned();
            return;
        }
        let same = matches!((&self.from, from), (Some(one), Some(other)) if Arc::ptr_eq(one, other));
        if !same {
            self.from = None;
        }
        self.clock.join(clock);
    }

    /// The same where it is read just now, so that it holds more than ever.
    pub(super) fn poll(&mut self, clock: &Clock, from: &Arc<LocationId>) {
        if self.from.as_ref().is_some_and(|known| Arc::ptr_eq(known, from)) {
            self.clock = clock.clone();
        } else {
            self.read(clock, Some(from));
        }
    }

    pub(super) fn take(&mut self) -> Clock {
        self.from = None;
        std::mem::take(&mut self.clock)
    }
}

/// What a lane knew when it executed a fence.
#[derive(Debug)]
pub(super) struct Fence {
    pub(super) now: u32,
    pub(super) base: u32,
    pub(super) warp_base: u32,
    pub(super) row: Option<[u32; 32]>,
    pub(super) known: Clock,
}

impl Fence {
    /// True if the thread whose fence it is knew of an access by a thread of its block.
    pub(super) fn knows(&self, block: u32, owner: u16, thread: u16, stamp: u32) -> bool {
        let of_warp = thread / 32 == owner / 32;
        stamp <= self.base
            || thread == owner && stamp <= self.now
            || of_warp && stamp <= self.warp_base
            || of_warp && self.row.is_some_and(|row| stamp <= row[usize::from(thread % 32)])
            || self.known.knows(block, thread, stamp)
    }

    pub(super) fn clock(
        &self,
        block: u32,
        threads: impl Iterator<Item = u16>,
        whole_warp: bool,
        warp: u16,
    ) -> Clock {
        let mut leaf = Leaf { all: self.base, parts: Vec::new() };
        leaf.raise(Leaf::WARP + warp, if whole_warp { self.now } else { self.warp_base });
        if !whole_warp {
            for thread in threads {
                leaf.raise(thread, self.now);
            }
        }
        for (lane, &stamp) in self.row.iter().flatten().enumerate() {
            leaf.raise(warp * 32 + lane as u16, stamp);
        }
        let mut clock = self.known.clone();
        clock.join(&Clock::of(block, leaf));
        clock
    }
}

/// What a strong write publishes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Published {
    /// To its own block, its cluster, all.
    pub(super) to: [Clock; LEVELS],
    /// Of that, what was handed over to the asynchronous proxy.
    pub(super) handed_over: Clock,
}

impl Published {
    /// Something is published.
    pub(crate) fn is_any(&self) -> bool {
        self.to.iter().any(|clock| !clock.is_empty())
    }

    /// To all.
    pub(crate) fn device(&self) -> &Clock {
        &self.to[DEVICE]
    }
}

/// What a location holds for those who read it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Release {
    pub(super) device: Clock,
    /// To threads of a block, by block.
    pub(super) near: BTreeMap<u32, Clock>,
    /// To threads of a cluster, by cluster.
    pub(super) clusters: BTreeMap<u32, Clock>,
    pub(super) handed_over: Clock,
    pub(super) origin: Arc<LocationId>,
}

impl Release {
    /// Adds what a strong write by the block publishes; a store that is no atomic first ends what was there.
    pub(crate) fn add(&mut self, order: &BlockOrder, published: &Published) {
        self.device.join(&published.to[DEVICE]);
        self.handed_over.join(&published.handed_over);
        if !published.to[NEAR].is_empty() {
            self.near.entry(order.block()).or_default().join(&published.to[NEAR]);
        }
        if !published.to[CLUSTER].is_empty() {
            self.clusters.entry(order.cluster_of(order.block())).or_default().join(&published.to[CLUSTER]);
        }
    }
}
