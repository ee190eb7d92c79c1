//! The current access, as the shadow needs it: whether an earlier one is known to its
//! threads, and what it races with.

use super::super::{
    Site,
    asynchronous::UNDER_WAY,
    cells::{CellRead, unpack},
    lanes,
    order::BlockOrder,
    time::Time,
};
use crate::findings::{Action, Proxied};

/// A race of one access with earlier ones, merged over lanes with the same earlier site.
#[derive(Clone, Debug)]
pub(crate) struct Conflict {
    /// Lanes of the current access.
    pub(crate) lanes: u32,
    /// The first such lane.
    pub(crate) lane: usize,
    /// The first such cell's byte offset from the cells' start.
    pub(crate) offset: u32,
    pub(crate) this: Action,
    pub(crate) other: Action,
    pub(crate) other_block: u32,
    pub(crate) other_thread: u16,
    pub(crate) other_stamp: u32,
    pub(crate) other_site: Site,
    pub(crate) same_value: bool,
    /// Ordered, had the reader a fence.
    pub(crate) unacquired: bool,
    /// Both strong: the scopes don't meet.
    pub(crate) scopes: bool,
    /// Of these, whether this one's and the earlier one's are their own block's.
    pub(crate) narrow: [bool; 2],
    /// The same where the narrower of them is the cluster's.
    pub(crate) cluster_scope: bool,
    /// Both volatile, in one warp.
    pub(crate) volatile: bool,
    /// Both strong, at least one an atomic, of different widths.
    pub(crate) widths: bool,
    /// Both are the initialisation of a barrier in memory.
    pub(crate) initialises: bool,
    /// This side is the asynchronous proxy's.
    pub(crate) by_proxy: Option<Proxied>,
    /// The earlier one is known, but was not handed over to the asynchronous proxy.
    pub(crate) unfenced: bool,
}

/// The current access, as the shadow needs it.
pub(crate) struct CurrentAccess<'a> {
    pub(crate) time: &'a Time,
    /// The stamp of the access.
    pub(crate) now: u32,
    pub(crate) order: &'a BlockOrder,
    pub(crate) block: u32,
    pub(crate) warp: u16,
    pub(crate) site: Site,
    /// Stamps up to here need no look.
    pub(crate) dead: u32,
    /// Stamps from here on are this block's.
    pub(crate) mine: u32,
    /// The asynchronous proxy makes it for its thread.
    pub(crate) by_proxy: Option<Proxied>,
    pub(crate) conflicts: &'a mut Vec<Conflict>,
}

impl<'a> CurrentAccess<'a> {
    /// An access to shared memory, or to global memory that only this block's threads touch for now.
    #[inline(always)]
    pub(crate) fn of_own(
        time: &'a Time,
        order: &'a BlockOrder,
        warp: u16,
        site: Site,
        conflicts: &'a mut Vec<Conflict>,
    ) -> Self {
        let (now, block, dead, mine) = (time.now, order.block(), order.dead, order.mine);
        Self { time, now, order, block, warp, site, dead, mine, by_proxy: None, conflicts }
    }

    /// The same by the asynchronous proxy, for a thread. What a barrier has put into the past may still have to be handed
    /// over.
    pub(crate) fn of_proxy(
        time: &'a Time,
        order: &'a BlockOrder,
        what: Proxied,
        (warp, site): (u16, Site),
        conflicts: &'a mut Vec<Conflict>,
    ) -> Self {
        Self { dead: time.floor, by_proxy: Some(what), ..Self::of_own(time, order, warp, site, conflicts) }
    }
}

impl CurrentAccess<'_> {
    #[inline]
    pub(super) fn is_own(&self, stamp: u32) -> bool {
        stamp >= self.mine || (stamp > self.time.floor && self.time.owner(stamp) == self.block)
    }

    /// A block of this one's cluster made a stamp that is not dead.
    pub(super) fn is_of_cluster(&self, stamp: u32) -> bool {
        self.order.is_in_cluster(self.owner(stamp))
    }

    /// The block that made a stamp which is not dead.
    pub(super) fn owner(&self, stamp: u32) -> u32 {
        if self.is_own(stamp) { self.block } else { self.time.owner(stamp) }
    }

    /// What [`CurrentAccess::cannot_know`] compares: one look at the order serves for many reads.
    pub(super) fn newest_known(&self, reading: u32) -> u32 {
        let first = reading.trailing_zeros() as usize;
        self.time.floor.max(self.order.newest_known(self.warp, first))
    }

    /// True if a read by another warp is later than all that the first of these lanes knows. If not, they may
    /// know of it or not.
    #[inline]
    pub(super) fn cannot_know(&self, newest_known: u32, read: &CellRead) -> bool {
        read.stamp > newest_known && read.stamp < UNDER_WAY && unpack(read.by).0 != self.warp
    }

    /// True if each of these lanes knows a read by all its lanes.
    pub(super) fn all_know(&self, reading: u32, read: &CellRead) -> bool {
        if read.stamp <= self.time.floor {
            return true;
        }
        let owner = self.owner(read.stamp);
        let warp = unpack(read.by).0;
        lanes(reading).all(|lane| {
            lanes(read.lanes).all(|reader| {
                let thread = warp * 32 + reader as u16;
                match owner == self.block {
                    true => self.order.knows_own(self.warp, lane, thread, read.stamp),
                    false => self.order.clocks_know(self.warp, lane, owner, thread, read.stamp),
                }
            })
        })
    }

    /// Compares the lanes' access with an earlier one; true if they race.
    #[inline]
    pub(super) fn compare(
        &mut self,
        me: u32,
        earlier: (u32, u16, Site),
        actions: (Action, Action),
        offset: u32,
        same_value: bool,
    ) -> bool {
        self.compare_as(me, earlier, actions, offset, same_value, |_| {})
    }

    pub(super) fn compare_as(
        &mut self,
        me: u32,
        (stamp, thread, site): (u32, u16, Site),
        (this, other): (Action, Action),
        offset: u32,
        same_value: bool,
        mark: impl Fn(&mut Conflict),
    ) -> bool {
        if stamp <= self.time.floor {
            return false;
        }
        // A copy into another block's memory, of whose arrival that one knows, if any.
        let is_theirs = stamp >= UNDER_WAY && self.mine > UNDER_WAY;
        if is_theirs && !(self.by_proxy.is_some() && self.order.copies.get(stamp).is_under_way()) {
            return false;
        }
        let own = !is_theirs && self.is_own(stamp);
        // What has been read may be overwritten by the asynchronous proxy once it is handed over, as what was written may be
        // read by it. Of reads that is asked where flags and barriers in shared memory are all that orders them: behind
        // `__syncthreads()` no GPU is known to need it, and the libraries have no fence there.
        let was_read = matches!(other, Action::Read | Action::StrongRead);
        let is_past = own && stamp <= self.order.base;
        let copies = &self.order.copies;
        let is_handed_over =
            if was_read { is_past || copies.has_read_at(site) } else { copies.are_made_at(site) };
        let to_hand_over = self.by_proxy.is_some() && !is_handed_over;
        if is_past && !to_hand_over {
            return false;
        }
        // A bulk copy's read is no plain load.
        let this = if self.by_proxy.is_some() && this == Action::Read { Action::StrongRead } else { this };
        let owner = match own {
            _ if stamp >= UNDER_WAY => copies.get(stamp).block,
            true => self.block,
            false => self.time.owner(stamp),
        };
        let mut found = false;
        for lane in lanes(me) {
            let known = if own {
                self.order.knows_own(self.warp, lane, thread, stamp)
            } else if is_theirs {
                false
            } else {
                self.order.clocks_know(self.warp, lane, owner, thread, stamp)
            };
            let unfenced =
                known && to_hand_over && !self.order.is_handed_over(self.warp, lane, owner, thread, stamp);
            if known && !unfenced {
                continue;
            }
            found = true;
            let mut conflict = Conflict {
                lanes: 1 << lane,
                lane,
                offset,
                this,
                other,
                other_block: owner,
                other_thread: thread,
                other_stamp: stamp,
                other_site: site,
                same_value,
                unacquired: self.order.unacquired_knows(self.warp, lane, owner, thread, stamp),
                scopes: false,
                narrow: [false; 2],
                cluster_scope: false,
                volatile: false,
                widths: false,
                initialises: false,
                by_proxy: self.by_proxy,
                unfenced,
            };
            mark(&mut conflict);
            let same = self.conflicts.iter_mut().find(|known| {
                known.this == conflict.this
                    && known.other == conflict.other
                    && known.other_site == conflict.other_site
                    && (known.other_block == self.block) == (owner == self.block)
                    && (known.other_thread / 32 == self.warp) == (conflict.other_thread / 32 == self.warp)
                    && known.same_value == conflict.same_value
                    && known.unacquired == conflict.unacquired
                    && known.scopes == conflict.scopes
                    && known.narrow == conflict.narrow
                    && known.volatile == conflict.volatile
                    && known.widths == conflict.widths
                    && known.unfenced == conflict.unfenced
            });
            match same {
                Some(known) => known.lanes |= conflict.lanes,
                None => self.conflicts.push(conflict),
            }
        }
        found
    }
}
