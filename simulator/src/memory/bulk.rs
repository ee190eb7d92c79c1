//! Bulk copies out of shared memory that are under way: what they still read, and what they still write.
//!
//! Data are moved when a copy begins. From then on until the thread that began it waits for its group, the copy may read its
//! source and write its destination at any moment: so whoever writes the one, or touches the other, races with it. The end of the
//! wait counts as one more read and write by that thread, for those who come later without knowing of it.
//!
//! May miss: another block that touches the destination, and knows through a flag that the copy has begun.

use std::collections::BTreeMap;

use super::Site;

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

/// One copy.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutgoingCopy {
    pub(crate) by: Beginner,
    /// Where from, in shared memory.
    pub(crate) from: u32,
    /// Where to.
    pub(crate) to: u64,
    pub(crate) bytes: u32,
    /// Its thread's group, by number.
    group: u32,
    /// Nobody has waited for its reading yet.
    pub(crate) reads: bool,
}

/// Those of one block.
#[derive(Debug, Default)]
pub(crate) struct Outgoing {
    list: Vec<OutgoingCopy>,
    /// Bulk groups committed so far, by thread.
    committed: BTreeMap<u16, u32>,
}

impl Outgoing {
    pub(crate) fn clear(&mut self) {
        self.list.clear();
        self.committed.clear();
    }

    /// True while none is under way.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(crate) fn begin(&mut self, by: Beginner, from: u32, to: u64, bytes: u32) {
        let group = self.committed.get(&by.thread()).copied().unwrap_or(0);
        self.list.push(OutgoingCopy { by, from, to, bytes, group, reads: true });
    }

    /// `cp.async.bulk.commit_group` by a thread.
    pub(crate) fn commit(&mut self, thread: u16) {
        *self.committed.entry(thread).or_default() += 1;
    }

    /// The thread waits until at most its last `groups` groups are under way; `read`: until the others have read their
    /// sources. Gives the copies that it has waited for now, as they were.
    pub(crate) fn wait(&mut self, thread: u16, groups: u32, read: bool) -> Vec<OutgoingCopy> {
        let committed = self.committed.get(&thread).copied().unwrap_or(0);
        let is_over = |copy: &OutgoingCopy| {
            copy.by.thread() == thread
                && copy.group.saturating_add(groups) < committed
                && (copy.reads || !read)
        };
        let over = self.list.iter().filter(|copy| is_over(copy)).copied().collect();
        match read {
            true => self.list.iter_mut().filter(|copy| is_over(copy)).for_each(|copy| copy.reads = false),
            false => self.list.retain(|copy| !is_over(copy)),
        }
        over
    }

    /// A copy that may still read some of these bytes of shared memory.
    pub(crate) fn reading(&self, start: u32, end: u32) -> Option<&OutgoingCopy> {
        self.list.iter().find(|copy| copy.reads && copy.from < end && start < copy.from + copy.bytes)
    }

    /// A copy that may still write some of these bytes of global memory.
    pub(crate) fn writing(&self, start: u64, end: u64) -> Option<&OutgoingCopy> {
        self.list.iter().find(|copy| copy.to < end && start < copy.to + u64::from(copy.bytes))
    }

    /// The first copy that may still read shared memory.
    pub(crate) fn first_reading(&self) -> Option<&OutgoingCopy> {
        self.list.iter().find(|copy| copy.reads)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begin(outgoing: &mut Outgoing, lane: usize, at: u32) {
        outgoing.begin(Beginner { warp: 1, lane, site: Site(3) }, at, 0x1000 + u64::from(at), 16);
    }

    fn over(outgoing: &mut Outgoing, lane: u16, groups: u32, read: bool) -> Vec<u32> {
        outgoing.wait(32 + lane, groups, read).iter().map(|copy| copy.from).collect()
    }

    #[test]
    fn a_thread_waits_for_its_own_groups_but_the_last() {
        let mut outgoing = Outgoing::default();
        for at in [0, 16, 32] {
            begin(&mut outgoing, 2, at);
            outgoing.commit(34);
        }
        begin(&mut outgoing, 2, 48);
        begin(&mut outgoing, 5, 64);
        assert_eq!(over(&mut outgoing, 2, 3, false), []);
        assert_eq!(over(&mut outgoing, 2, 2, true), [0]);
        assert_eq!(over(&mut outgoing, 2, 1, true), [16], "the first was waited for");
        assert!(outgoing.reading(0, 32).is_none() && outgoing.writing(0x1000, 0x1004).is_some());
        assert_eq!(over(&mut outgoing, 2, 1, false), [0, 16]);
        // Of no group yet.
        assert_eq!(over(&mut outgoing, 2, 0, false), [32]);
        assert_eq!(over(&mut outgoing, 5, 0, false), []);
        assert_eq!(outgoing.first_reading().map(|copy| copy.from), Some(48));
    }
}
