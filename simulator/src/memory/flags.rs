//! The last flags that a block set, to word reports: a race between blocks that hand data over by a flag
//! lacks a fence, not a redesign. Nothing here decides whether there is a race.

use super::{block::Observed, clock::Clock};

/// A strong write by a single lane.
#[derive(Clone, Debug)]
pub(crate) struct Flag {
    pub(crate) address: u64,
    pub(crate) stamp: u32,
    pub(crate) warp: u16,
    pub(crate) thread: u16,
    /// There was a fence, but only a block-wide one.
    pub(crate) narrow: bool,
    /// Up to then barriers order what the block's threads did before the flag.
    pub(crate) base: u32,
    /// The same of its warp.
    pub(crate) warp_base: u32,
    /// What it says to other blocks.
    pub(crate) published: Clock,
}

/// What a flag lacks for handing over what was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lack {
    /// A fence between the write and the flag.
    Fence,
    /// Its fence or scope is the block's.
    Scope,
    /// Another thread set it than wrote, with no barrier between.
    Writer,
    /// Nothing: it is the reader that did not wait for it.
    Nothing,
}

impl Flag {
    /// What it lacks for a write of a thread of its block.
    fn lack(&self, block: u32, thread: u16, stamp: u32) -> Lack {
        let ordered = thread == self.thread
            || stamp <= self.base
            || thread / 32 == self.warp && stamp <= self.warp_base;
        match ordered {
            _ if self.published.knows(block, thread, stamp) => Lack::Nothing,
            _ if self.narrow => Lack::Scope,
            true => Lack::Fence,
            false => Lack::Writer,
        }
    }
}

/// The last few flags of one block.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flags {
    list: Vec<Flag>,
    next: usize,
}

impl Flags {
    const KEPT: usize = 8;

    /// Remembers a flag, in place of the oldest one.
    pub(crate) fn add(&mut self, flag: Flag) {
        if let Some(known) =
            self.list.iter_mut().find(|known| known.address == flag.address && known.warp == flag.warp)
        {
            *known = flag;
        } else if self.list.len() < Self::KEPT {
            self.list.push(flag);
        } else {
            self.list[self.next] = flag;
            self.next = (self.next + 1) % Self::KEPT;
        }
    }

    pub(crate) fn clear(&mut self) {
        self.list.clear();
        self.next = 0;
    }

    /// Bytes allocated.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.list.capacity() * size_of::<Flag>()
    }

    /// What those flags lack that were set after a write and have been observed; the best of them counts. None
    /// if there are none.
    pub(crate) fn lack(
        &self,
        observed: &Observed,
        (block, thread): (u32, u16),
        stamp: u32,
        of_warp: bool,
    ) -> Option<Lack> {
        let seen = self.list.iter().filter(|flag| {
            flag.stamp >= stamp && (!of_warp || flag.warp == thread / 32) && observed.contains(flag.address)
        });
        let lacks = seen.map(|flag| flag.lack(block, thread, stamp));
        lacks.reduce(|best, lack| match (best, lack) {
            (_, Lack::Nothing) | (Lack::Writer, _) => lack,
            _ => best,
        })
    }
}
