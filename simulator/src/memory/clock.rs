//! What a thread knows of all others: a persistent vector clock.
//!
//! A clock maps threads to stamps: every access of that thread up to that stamp has happened before.
//! Most knowledge is about whole blocks or warps, and clocks are copied at every release and acquire,
//! so a clock is a tree of shared nodes with few children each and one leaf per block. Joining skips
//! nodes that both sides share, which keeps ten thousand blocks on one counter, or a chain of ten
//! thousand flags, near-linear.

use std::sync::Arc;

/// A persistent vector clock; cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clock {
    root: Option<Node>,
    /// The tree covers [`CHILDREN`]^height blocks.
    height: u32,
    /// No known stamp is later. Most of what is asked about is too new for anybody to know of it: this answers
    /// without a look at the tree.
    newest: u32,
}

/// Children of a branch. A version that differs in one block has its own branches all the way up, each with
/// all its children: that is least for three or four.
const CHILDREN: usize = 1 << CHILD_BITS;

/// Bits of a block's number that say which child of a branch leads to it.
const CHILD_BITS: u32 = 2;

/// Which child of a branch at that level leads to a block.
fn child_of(block: u32, level: u32) -> usize {
    (block >> (CHILD_BITS * level)) as usize % CHILDREN
}

/// True if the block is behind all those that a tree of that height covers.
fn is_beyond(block: u32, height: u32) -> bool {
    u64::from(block) >> (CHILD_BITS * height) != 0
}

#[derive(Clone, Debug)]
enum Node {
    Leaf(Arc<Leaf>),
    Branch(Arc<[Option<Node>; CHILDREN]>),
}

/// What is known of one block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Leaf {
    /// Of every thread of the block.
    pub(crate) all: u32,
    /// Of single threads (key = thread) and warps (key = [`Leaf::WARP`] + warp), by key. From
    /// [`Leaf::PHASE`] on: how many phases of an mbarrier are known to be over (key = [`Leaf::PHASE`] + its
    /// slot), which is no time.
    pub(crate) parts: Vec<(u16, u32)>,
}

impl Leaf {
    /// Keys from here on are warps.
    pub(crate) const WARP: u16 = 1024;
    /// Keys from here on are mbarriers.
    pub(crate) const PHASE: u16 = 2048;

    /// The latest stamp in it.
    fn newest(&self) -> u32 {
        let stamps = self.parts.iter().take_while(|part| part.0 < Self::PHASE).map(|part| part.1);
        stamps.fold(self.all, u32::max)
    }

    fn get(&self, key: u16) -> u32 {
        self.parts.binary_search_by_key(&key, |part| part.0).map_or(0, |at| self.parts[at].1)
    }

    /// Adds knowledge of one part.
    pub(crate) fn raise(&mut self, key: u16, stamp: u32) {
        if self.implies(key, stamp) || self.implies_by_warp(key, stamp) {
            return;
        }
        match self.parts.binary_search_by_key(&key, |part| part.0) {
            Ok(at) => self.parts[at].1 = self.parts[at].1.max(stamp),
            Err(at) => self.parts.insert(at, (key, stamp)),
        }
        if key < Self::WARP {
            self.fold(key / 32);
        }
    }

    /// Where every thread of a warp is known, what is known of all of them is known of the warp: a list of
    /// what a thousand threads announced one after the other stays short.
    fn fold(&mut self, warp: u16) {
        let (first, last) = (32 * warp, 32 * warp + 31);
        let from = self.parts.partition_point(|part| part.0 < first);
        // Keys ascend: so there are all 32.
        let Some(threads) = self.parts.get(from..from + 32).filter(|threads| threads[31].0 == last) else {
            return;
        };
        let least = threads.iter().fold(u32::MAX, |least, part| least.min(part.1));
        let mut at = 0;
        self.parts.retain(|part| {
            let is_of_warp = (from..from + 32).contains(&at);
            at += 1;
            !is_of_warp || part.1 > least
        });
        self.raise(Self::WARP + warp, least);
    }

    /// True if what is known of every thread says it already.
    fn implies(&self, key: u16, stamp: u32) -> bool {
        key < Self::PHASE && stamp <= self.all
    }

    /// True if what is known of the thread's warp says it already.
    fn implies_by_warp(&self, key: u16, stamp: u32) -> bool {
        key < Self::WARP && stamp <= self.get(Self::WARP + key / 32)
    }

    fn knows(&self, thread: u16, stamp: u32) -> bool {
        stamp <= self.all || stamp <= self.get(thread) || self.implies_by_warp(thread, stamp)
    }

    // A thousand threads that pass a lock around each know of each: both run along the two sorted
    // lists. Where a thousand threads announce themselves one after the other, one of the lists is
    // short, and is looked up in the other.

    /// True if a list is so short beside another that it is better looked up.
    fn is_short_beside(&self, other: &Self) -> bool {
        8 * self.parts.len() < other.parts.len()
    }

    fn covers(&self, other: &Self) -> bool {
        if other.all > self.all {
            return false;
        }
        if other.is_short_beside(self) {
            return other.parts.iter().all(|&(key, stamp)| {
                self.implies(key, stamp) || stamp <= self.get(key) || self.implies_by_warp(key, stamp)
            });
        }
        let mut mine = self.parts.iter().peekable();
        other.parts.iter().all(|&(key, stamp)| {
            if self.implies(key, stamp) {
                return true;
            }
            while mine.next_if(|part| part.0 < key).is_some() {}
            mine.peek().is_some_and(|part| part.0 == key && stamp <= part.1)
                || self.implies_by_warp(key, stamp)
        })
    }

    fn joined(&self, other: &Self) -> Self {
        let (long, short) = if self.is_short_beside(other) { (other, self) } else { (self, other) };
        if short.is_short_beside(long) && short.all <= long.all {
            let mut parts = Vec::with_capacity(long.parts.len() + short.parts.len());
            parts.extend_from_slice(&long.parts);
            let mut joined = Self { all: long.all, parts };
            for &(key, stamp) in &short.parts {
                joined.raise(key, stamp);
            }
            return joined;
        }
        let all = self.all.max(other.all);
        let mut joined = Self { all, parts: Vec::with_capacity(self.parts.len().max(other.parts.len())) };
        let (mut ours, mut theirs) = (self.parts.as_slice(), other.parts.as_slice());
        loop {
            let (key, stamp) = match (ours, theirs) {
                ([a, rest_of_ours @ ..], [b, rest_of_theirs @ ..]) if a.0 == b.0 => {
                    (ours, theirs) = (rest_of_ours, rest_of_theirs);
                    (a.0, a.1.max(b.1))
                }
                ([a, rest @ ..], [b, ..]) if a.0 < b.0 => {
                    ours = rest;
                    *a
                }
                ([a, rest @ ..], []) => {
                    ours = rest;
                    *a
                }
                (_, [b, rest @ ..]) => {
                    theirs = rest;
                    *b
                }
                ([], []) => break,
            };
            if !joined.implies(key, stamp) {
                joined.parts.push((key, stamp));
            }
        }
        let threads = joined.parts.partition_point(|part| part.0 < Self::WARP);
        if threads >= 32 {
            for warp in 0..Self::WARP / 32 {
                joined.fold(warp);
            }
        }
        joined
    }
}

impl Node {
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Leaf(a), Self::Leaf(b)) => Arc::ptr_eq(a, b),
            (Self::Branch(a), Self::Branch(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    fn joined(&self, other: &Self) -> Self {
        match (self, other) {
            _ if self.same(other) => self.clone(),
            (Self::Leaf(a), Self::Leaf(b)) => {
                if a.covers(b) {
                    self.clone()
                } else if b.covers(a) {
                    other.clone()
                } else {
                    Self::Leaf(Arc::new(a.joined(b)))
                }
            }
            (Self::Branch(a), Self::Branch(b)) => {
                let (mut is_a, mut is_b) = (true, true);
                let mut children = [const { None }; CHILDREN];
                // No closure: one is not always inlined here, where it matters.
                for (joined, (a, b)) in children.iter_mut().zip(a.iter().zip(&**b)) {
                    *joined = match (a, b) {
                        (Some(a), Some(b)) => Some(a.joined(b)),
                        (one, None) | (None, one) => one.clone(),
                    };
                    let is = |side: &Option<Self>| match (side, &*joined) {
                        (Some(side), Some(joined)) => side.same(joined),
                        (None, None) => true,
                        _ => false,
                    };
                    is_a &= is(a);
                    is_b &= is(b);
                }
                if is_a {
                    self.clone()
                } else if is_b {
                    other.clone()
                } else {
                    Self::Branch(Arc::new(children))
                }
            }
            // Both sides are at the same height, and leaves are at height 0 only.
            _ => self.clone(),
        }
    }

    /// The node as the first child of `levels` more branches.
    fn raised(self, levels: u32) -> Self {
        let mut node = self;
        for _ in 0..levels {
            let mut children: [Option<Self>; CHILDREN] = Default::default();
            children[0] = Some(node);
            node = Self::Branch(Arc::new(children));
        }
        node
    }
}

impl Clock {
    /// A clock that knows of one block only.
    pub(crate) fn of(block: u32, leaf: Leaf) -> Self {
        let mut height = 0;
        while is_beyond(block, height) {
            height += 1;
        }
        let newest = leaf.newest();
        let mut node = Node::Leaf(Arc::new(leaf));
        for level in 0..height {
            let mut children: [Option<Node>; CHILDREN] = Default::default();
            children[child_of(block, level)] = Some(node);
            node = Node::Branch(Arc::new(children));
        }
        Self { root: Some(node), height, newest }
    }

    /// True if it knows nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    /// Takes in all that another clock knows.
    pub(crate) fn join(&mut self, other: &Self) {
        let Some(theirs) = &other.root else { return };
        let Some(ours) = self.root.take() else {
            *self = other.clone();
            return;
        };
        let height = self.height.max(other.height);
        let ours = ours.raised(height - self.height);
        self.root = Some(if other.height == height {
            ours.joined(theirs)
        } else {
            ours.joined(&theirs.clone().raised(height - other.height))
        });
        self.height = height;
        self.newest = self.newest.max(other.newest);
    }

    /// True if the access of that thread with that stamp is known to have happened before.
    #[inline]
    pub(crate) fn knows(&self, block: u32, thread: u16, stamp: u32) -> bool {
        stamp <= self.newest && self.leaf_knows(block, thread, stamp)
    }

    fn leaf_knows(&self, block: u32, thread: u16, stamp: u32) -> bool {
        self.leaf(block).is_some_and(|leaf| leaf.knows(thread, stamp))
    }

    /// Whatever has a later stamp is not known.
    pub(crate) fn newest(&self) -> u32 {
        self.newest
    }

    /// How many phases of an mbarrier of that block are known to be over.
    pub(crate) fn phases(&self, block: u32, slot: u16) -> u32 {
        self.leaf(block).map_or(0, |leaf| leaf.get(Leaf::PHASE + slot))
    }

    /// Of a block alone.
    pub(crate) fn only(&self, block: u32) -> Clock {
        self.leaf(block).map_or_else(Clock::default, |leaf| Clock::of(block, leaf.clone()))
    }

    fn leaf(&self, block: u32) -> Option<&Leaf> {
        let mut node = self.root.as_ref()?;
        if is_beyond(block, self.height) {
            return None;
        }
        let mut level = self.height;
        loop {
            match node {
                Node::Leaf(leaf) => return Some(leaf),
                Node::Branch(children) => {
                    level -= 1;
                    node = children[child_of(block, level)].as_ref()?;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::{Clock, Leaf};

    proptest! {
        /// A tree of joins knows what a plain table of maxima knows.
        #[test]
        fn joins_like_a_table(events in prop::collection::vec((0usize..6, 0usize..6, prop::sample::select(vec![0u32, 1, 15, 16, 17, 255, 256, 70_000, u32::MAX - 1]), 0u16..70, 1u32..50, 0u8..3), 1..60)) {
            let mut clocks = vec![Clock::default(); 6];
            let mut tables: Vec<HashMap<(u32, u16), u32>> = vec![HashMap::new(); 6];
            for (into, from, block, thread, stamp, what) in events {
                let mut leaf = Leaf::default();
                match what {
                    0 => leaf.all = stamp,
                    1 => leaf.raise(Leaf::WARP + thread / 32, stamp),
                    _ => leaf.raise(thread, stamp),
                }
                clocks[from].join(&Clock::of(block, leaf));
                for other in 0..70 {
                    if what == 0 || (what == 1 && other / 32 == thread / 32) || other == thread {
                        let entry = tables[from].entry((block, other)).or_default();
                        *entry = stamp.max(*entry);
                    }
                }
                let (theirs, table) = (clocks[from].clone(), tables[from].clone());
                clocks[into].join(&theirs);
                for (key, stamp) in table {
                    let entry = tables[into].entry(key).or_default();
                    *entry = stamp.max(*entry);
                }
            }
            for (clock, table) in clocks.iter().zip(&tables) {
                for block in [0, 1, 15, 16, 17, 255, 256, 70_000, u32::MAX - 1] {
                    for thread in 0..70 {
                        let stamp = table.get(&(block, thread)).copied().unwrap_or(0);
                        prop_assert!(stamp == 0 || clock.knows(block, thread, stamp));
                        prop_assert!(!clock.knows(block, thread, stamp + 1));
                    }
                }
            }
        }
    }
}
