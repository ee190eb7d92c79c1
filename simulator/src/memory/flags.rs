//! The last flags that a block set, to word reports: a race between blocks that hand data over by a flag
//! lacks a fence, not a redesign. Nothing here decides whether there is a race.

/// A strong write by a single lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flag {
    pub(crate) address: u64,
    pub(crate) stamp: u32,
    pub(crate) warp: u16,
    /// There was a fence, but only a block-wide one.
    pub(crate) narrow: bool,
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

    /// The flags remembered.
    pub(crate) fn set(&self) -> impl Iterator<Item = &Flag> {
        self.list.iter()
    }
}
