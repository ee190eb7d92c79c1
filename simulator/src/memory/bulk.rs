//! What the asynchronous proxy still reads of shared memory, and what it still writes: bulk copies out of it, and products of
//! matrices that lie there.
//!
//! Data are moved when a copy or product begins. From then on until the thread that began it waits for its group, it may read its
//! source and write its destination at any moment: so whoever writes the one, or touches the other, races with it. The end of the
//! wait counts as one more read and write by that thread, for those who come later without knowing of it.
//!
//! May miss: another block that touches the destination, and knows through a flag that the copy has begun; and what began before
//! [`MOST_UNDER_WAY`] others that nobody has waited for.

use std::{collections::BTreeMap, ops::Range, sync::Arc};

use crate::findings::Proxied;

use super::{Site, tile::overlap};

/// Who began a bulk copy, and where.
#[derive(Clone, Copy, Debug)]
pub struct Beginner {
    /// The warp's index in its block.
    pub warp: u16,
    /// The lane.
    pub lane: usize,
    /// The instruction.
    pub site: Site,
}

impl Beginner {
    /// The thread's index in its block.
    pub(super) fn thread(self) -> u16 {
        self.warp * 32 + self.lane as u16
    }
}

/// Copies and products of a block that are remembered.
const MOST_UNDER_WAY: usize = 4096;

/// Shared memory is read in pieces of so many bytes.
pub(crate) const PIECE: u32 = 16;

/// One copy, or product.
#[derive(Clone, Debug)]
pub(crate) struct OutgoingWork {
    pub(crate) by: Beginner,
    pub(crate) what: Proxied,
    /// From the first to the last byte that it reads in shared memory.
    from: Range<u32>,
    /// Of a product, where the pieces begin that it reads, in ascending order; a copy reads all.
    pieces: Option<Arc<[u32]>>,
    /// The stretches of global memory that a copy writes, in ascending order and apart from each other.
    pub(crate) to: Arc<[Range<u64>]>,
    /// It updates what is there, element by element.
    pub(crate) reduces: bool,
    /// Its thread's group, by number.
    group: u32,
    /// Nobody has waited for its reading yet.
    pub(crate) reads: bool,
}

impl OutgoingWork {
    /// Where the pieces begin that it reads.
    pub(crate) fn sources(&self) -> Vec<u32> {
        match &self.pieces {
            Some(pieces) => pieces.to_vec(),
            None => self.from.clone().step_by(PIECE as usize).collect(),
        }
    }

    /// The first byte that it reads.
    pub(crate) fn first_source(&self) -> u32 {
        self.from.start
    }

    fn reads_some_of(&self, start: u32, end: u32) -> bool {
        let overlaps = self.from.start < end && start < self.from.end;
        overlaps
            && self.pieces.as_ref().is_none_or(|pieces| {
                let at = pieces.partition_point(|&piece| piece + PIECE <= start);
                pieces.get(at).is_some_and(|&piece| piece < end)
            })
    }
}

/// Those of one block.
#[derive(Debug, Default)]
pub(crate) struct Outgoing {
    list: Vec<OutgoingWork>,
    /// Groups committed so far, by thread (of a warp's products, its first).
    committed: BTreeMap<(Proxied, u16), u32>,
}

impl Outgoing {
    pub(crate) fn clear(&mut self) {
        self.list.clear();
        self.committed.clear();
    }

    /// True while nothing is under way.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// A copy begins.
    pub(crate) fn begin_copy(
        &mut self,
        by: Beginner,
        from: Range<u32>,
        to: Arc<[Range<u64>]>,
        reduces: bool,
    ) {
        let (what, group) = (Proxied::Copy, self.group(Proxied::Copy, by));
        self.add(OutgoingWork { by, what, from, pieces: None, to, reduces, group, reads: true });
    }

    /// A product begins, which reads these pieces.
    pub(crate) fn begin_product(&mut self, by: Beginner, mut pieces: Vec<u32>) {
        pieces.sort_unstable();
        pieces.dedup();
        let (Some(&first), Some(&last)) = (pieces.first(), pieces.last()) else { return };
        let (what, group) = (Proxied::Product, self.group(Proxied::Product, by));
        let (from, pieces) = (first..last + PIECE, Some(pieces.into()));
        self.add(OutgoingWork { by, what, from, pieces, to: [].into(), reduces: false, group, reads: true });
    }

    fn add(&mut self, work: OutgoingWork) {
        if self.list.len() == MOST_UNDER_WAY {
            self.list.remove(0);
        }
        self.list.push(work);
    }

    /// How many groups a thread has ended.
    pub(crate) fn group(&self, what: Proxied, by: Beginner) -> u32 {
        self.committed.get(&(what, by.thread())).copied().unwrap_or(0)
    }

    /// A thread ends a group.
    pub(crate) fn commit(&mut self, what: Proxied, thread: u16) {
        *self.committed.entry((what, thread)).or_default() += 1;
    }

    /// The thread waits until at most its last `groups` groups are under way; `read`: until the others have read their
    /// sources. Gives the work that it has waited for now, as it was.
    pub(crate) fn wait(&mut self, what: Proxied, thread: u16, groups: u32, read: bool) -> Vec<OutgoingWork> {
        let committed = self.committed.get(&(what, thread)).copied().unwrap_or(0);
        let is_over = |work: &OutgoingWork| {
            (work.what, work.by.thread()) == (what, thread)
                && work.group.saturating_add(groups) < committed
                && (work.reads || !read)
        };
        let over = self.list.iter().filter(|work| is_over(work)).cloned().collect();
        match read {
            true => self.list.iter_mut().filter(|work| is_over(work)).for_each(|work| work.reads = false),
            false => self.list.retain(|work| !is_over(work)),
        }
        over
    }

    /// What may still read some of these bytes of shared memory.
    pub(crate) fn reading(&self, start: u32, end: u32) -> Option<&OutgoingWork> {
        self.list.iter().find(|work| work.reads && work.reads_some_of(start, end))
    }

    /// A copy that may still write some of these bytes of global memory; one that updates them is no harm to atomics.
    pub(crate) fn writing(&self, start: u64, end: u64, atomic: bool) -> Option<&OutgoingWork> {
        self.list.iter().find(|work| overlap(&work.to, start, end) && !(atomic && work.reduces))
    }

    /// The first that may still read shared memory.
    pub(crate) fn first_reading(&self) -> Option<&OutgoingWork> {
        self.list.iter().find(|work| work.reads)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begin(outgoing: &mut Outgoing, lane: usize, at: u32) {
        let to = 0x1000 + u64::from(at);
        outgoing.begin_copy(
            Beginner { warp: 1, lane, site: Site(3) },
            at..at + 16,
            std::iter::once(to..to + 16).collect(),
            false,
        );
    }

    fn over(outgoing: &mut Outgoing, lane: u16, groups: u32, read: bool) -> Vec<u32> {
        outgoing.wait(Proxied::Copy, 32 + lane, groups, read).iter().map(OutgoingWork::first_source).collect()
    }

    #[test]
    fn a_thread_waits_for_its_own_groups_but_the_last() {
        let mut outgoing = Outgoing::default();
        for at in [0, 16, 32] {
            begin(&mut outgoing, 2, at);
            outgoing.commit(Proxied::Copy, 34);
        }
        begin(&mut outgoing, 2, 48);
        begin(&mut outgoing, 5, 64);
        assert!(over(&mut outgoing, 2, 3, false).is_empty());
        assert_eq!(over(&mut outgoing, 2, 2, true), [0]);
        assert_eq!(over(&mut outgoing, 2, 1, true), [16], "the first was waited for");
        assert!(outgoing.reading(0, 32).is_none() && outgoing.writing(0x1000, 0x1004, false).is_some());
        assert_eq!(over(&mut outgoing, 2, 1, false), [0, 16]);
        // Of no group yet.
        assert_eq!(over(&mut outgoing, 2, 0, false), [32]);
        assert!(over(&mut outgoing, 5, 0, false).is_empty());
        assert_eq!(outgoing.first_reading().map(OutgoingWork::first_source), Some(48));
    }

    #[test]
    fn a_product_reads_its_pieces_only() {
        let mut outgoing = Outgoing::default();
        outgoing.begin_product(Beginner { warp: 0, lane: 0, site: Site(1) }, vec![128, 0, 144, 128]);
        let reads = |start, end| outgoing.reading(start, end).is_some();
        assert!(reads(0, 4) && reads(12, 16) && reads(159, 160) && reads(100, 129));
        assert!(!reads(16, 128) && !reads(160, 164));
        outgoing.commit(Proxied::Product, 0);
        assert!(outgoing.wait(Proxied::Copy, 0, 0, false).is_empty());
        assert_eq!(outgoing.wait(Proxied::Product, 0, 0, false).len(), 1);
        assert!(outgoing.is_empty());
    }
}
