//! Asynchronous copies to shared memory (`cp.async`, and in bulk): which are under way, and who may
//! know that they have arrived.
//!
//! Data are moved when a copy begins, so nothing depends on when the hardware would do it; what makes it
//! asynchronous is order. A copy under way writes like a plain write that happens before nothing, not even
//! before what its own thread does next: its cells carry a stamp from [`UNDER_WAY`] on, which names the copy
//! instead of a time. It becomes known
//!
//! - to its thread when that waits for the group (`cp.async.wait_group`, `wait_all`): the cells then get the
//!   time of the wait, as if the thread had written at that moment, and all else follows from there. Or
//! - to whoever sees the end of a phase of an mbarrier that the copy was announced to
//!   (`cp.async.mbarrier.arrive`; a bulk copy is announced to its own).
//!
//! Until its thread has waited, a copy also reads its source: a write there in the meantime races with it.
//!
//! May miss: a write to the source by another block that knows, through flags, what the copying
//! thread did before it waited.

use std::{ops::Range, sync::Arc};

use super::{Site, bulk::Beginner, lanes, tile::overlap};

/// Stamps from here on are copies that are not ordered by time.
pub(crate) const UNDER_WAY: u32 = 1 << 31;

/// One `cp.async` of some lanes of a warp.
#[derive(Clone, Debug)]
pub(crate) struct Copy {
    /// Whose thread began it: of a bulk copy, maybe another block's of the cluster.
    pub(crate) block: u32,
    pub(crate) warp: u16,
    pub(crate) site: Site,
    /// The asynchronous proxy makes it.
    pub(crate) in_bulk: bool,
    /// Bytes that a lane writes.
    pub(crate) bytes: u32,
    /// Lanes that have not waited for it.
    pub(crate) lanes: u32,
    /// Where to, in the shared space.
    pub(crate) to: [u32; 32],
    /// Where from.
    pub(crate) from: [u64; 32],
    /// Bytes that each lane reads there.
    pub(crate) reads: [u32; 32],
    /// Of a copy in bulk, all that it reads: stretches in ascending order and apart from each other.
    stretches: Option<Arc<[Range<u64>]>>,
    /// Each lane's group, by number.
    groups: [u32; 32],
    /// When each lane waited for it, if it was announced to an mbarrier before; else 0.
    waited: [u32; 32],
    announced: Vec<Announced>,
}

/// Lanes' copy arrives in a phase of an mbarrier.
#[derive(Clone, Debug)]
struct Announced {
    lanes: u32,
    slot: u16,
    phase: u32,
}

impl Copy {
    /// When the thread in this lane waited for it; 0 if it has not.
    pub(crate) fn waited(&self, lane: usize) -> u32 {
        self.waited[lane]
    }

    /// The mbarriers, by slot, and their phases that this lane's copy was announced to.
    pub(crate) fn announced(&self, lane: usize) -> impl Iterator<Item = (u16, u32)> {
        (self.announced.iter()).filter(move |to| to.lanes >> lane & 1 == 1).map(|to| (to.slot, to.phase))
    }

    /// Nobody has seen it arrive.
    pub(crate) fn is_under_way(&self) -> bool {
        self.lanes != 0
    }

    fn is_announced(&self, lane: usize) -> bool {
        self.announced(lane).next().is_some()
    }
}

/// The copies of one block.
#[derive(Debug, Default)]
pub(crate) struct Copies {
    list: Vec<Copy>,
    /// Places in the list that no cell names any more.
    free: Vec<u32>,
    /// By warp: copies that some lane has not waited for.
    under_way: Vec<Vec<u32>>,
    /// By warp and lane: groups committed so far.
    committed: Vec<[u32; 32]>,
    /// The list has grown to this size before somebody looks for free places.
    sweep_at: usize,
    /// Covers all sources of copies under way.
    sources: Option<(u64, u64)>,
    /// The instructions that made copies lane by lane.
    sites: Vec<Site>,
    /// Instructions that read shared memory through the asynchronous proxy.
    reading_sites: Vec<Site>,
}

impl Copies {
    /// For blocks of so many warps.
    pub(crate) fn new(warps: usize) -> Self {
        Self {
            under_way: vec![Vec::new(); warps],
            committed: vec![[0; 32]; warps],
            sweep_at: 1024,
            ..Self::default()
        }
    }

    /// Forgets all copies. True if there were any, so that cells may still name them.
    pub(crate) fn clear(&mut self) -> bool {
        let any = !self.list.is_empty();
        if any {
            *self = Self::new(self.under_way.len());
        }
        any
    }

    /// The copy that a stamp names.
    pub(crate) fn get(&self, stamp: u32) -> &Copy {
        &self.list[(stamp - UNDER_WAY) as usize]
    }

    /// True when it is time for [`Copies::sweep`].
    pub(crate) fn is_full(&self) -> bool {
        self.free.is_empty() && self.list.len() >= self.sweep_at
    }

    /// Frees what no cell names. `named` tells, by stamp. A copy that its thread has left to an
    /// mbarrier for good is among it.
    pub(crate) fn sweep(&mut self, named: impl Fn(u32) -> bool) {
        let list = &mut self.list;
        for under_way in &mut self.under_way {
            under_way.retain(|&index| {
                let copy = &mut list[index as usize];
                if !named(UNDER_WAY + index) && lanes(copy.lanes).all(|lane| copy.is_announced(lane)) {
                    copy.lanes = 0;
                }
                copy.lanes != 0
            });
        }
        let unused = |&index: &u32| self.list[index as usize].lanes == 0 && !named(UNDER_WAY + index);
        self.free = (0..self.list.len() as u32).filter(unused).collect();
        self.sweep_at = (2 * (self.list.len() - self.free.len())).max(1024);
    }

    /// A copy begins; gives its stamp. Sources are given by lane: address and bytes.
    pub(crate) fn begin(
        &mut self,
        block: u32,
        (warp, site): (u16, Site),
        lanes_of_it: u32,
        bytes: u8,
        to: [u32; 32],
        (from, reads): ([u64; 32], [u32; 32]),
    ) -> u32 {
        let groups = self.committed[usize::from(warp)];
        if !self.sites.contains(&site) {
            self.sites.push(site);
        }
        self.add(Copy {
            block,
            warp,
            site,
            in_bulk: false,
            bytes: bytes.into(),
            lanes: lanes_of_it,
            to,
            from,
            reads,
            stretches: None,
            groups,
            waited: [0; 32],
            announced: Vec::new(),
        })
    }

    /// A bulk copy begins; gives its stamp.
    pub(crate) fn begin_bulk(
        &mut self,
        block: u32,
        by: Beginner,
        to: u32,
        bytes: u32,
        stretches: Arc<[Range<u64>]>,
    ) -> u32 {
        self.add(Copy {
            block,
            warp: by.warp,
            site: by.site,
            in_bulk: true,
            bytes,
            lanes: 1 << by.lane,
            to: [to; 32],
            from: [stretches.first().map_or(0, |first| first.start); 32],
            reads: [0; 32],
            stretches: Some(stretches),
            groups: [u32::MAX; 32],
            waited: [0; 32],
            announced: Vec::new(),
        })
    }

    fn add(&mut self, copy: Copy) -> u32 {
        let warp = copy.warp;
        let mut covers = |low: u64, high: u64| {
            let (first, last) = self.sources.unwrap_or((low, high));
            self.sources = Some((first.min(low), last.max(high)));
        };
        if let Some([first, ..]) = copy.stretches.as_deref()
            && let Some([.., last]) = copy.stretches.as_deref()
        {
            covers(first.start, last.end);
        }
        for lane in lanes(copy.lanes).filter(|&lane| copy.reads[lane] != 0) {
            covers(copy.from[lane], copy.from[lane].saturating_add(copy.reads[lane].into()));
        }
        let index = match self.free.pop() {
            Some(index) => {
                self.list[index as usize] = copy;
                index
            }
            None => {
                self.list.push(copy);
                self.list.len() as u32 - 1
            }
        };
        let warp = usize::from(warp);
        if self.under_way.len() <= warp {
            // A block to whose memory a copy goes before it has begun.
            self.under_way.resize_with(warp + 1, Vec::new);
        }
        self.under_way[warp].push(index);
        UNDER_WAY + index
    }

    /// True while the warp has copies under way.
    #[inline(always)]
    pub(crate) fn is_under_way(&self, warp: u16) -> bool {
        !self.under_way[usize::from(warp)].is_empty()
    }

    /// `cp.async.commit_group`.
    pub(crate) fn commit(&mut self, warp: u16, mask: u32) {
        for lane in lanes(mask) {
            self.committed[usize::from(warp)][lane] += 1;
        }
    }

    /// The lanes wait until at most their last `groups` groups are under way (`None`: nothing at all, nor
    /// what was not committed). Gives the copies that they no longer have to wait for: stamp, copy, and the
    /// lanes whose cells are to get the time of this wait.
    pub(crate) fn wait(
        &mut self,
        warp: u16,
        mask: u32,
        groups: Option<u32>,
        now: u32,
    ) -> Vec<(u32, Copy, u32)> {
        if groups.is_none() {
            self.commit(warp, mask);
        }
        let committed = self.committed[usize::from(warp)];
        let list = &mut self.list;
        let free = &mut self.free;
        let mut arrived = Vec::new();
        self.under_way[usize::from(warp)].retain(|&index| {
            let copy = &mut list[index as usize];
            let is_over =
                |&lane: &usize| copy.groups[lane].saturating_add(groups.unwrap_or(0)) < committed[lane];
            let over = lanes(copy.lanes & mask).filter(is_over).fold(0, |all, lane| all | 1u32 << lane);
            if over == 0 {
                return true;
            }
            copy.lanes &= !over;
            let mut timed = over;
            for lane in lanes(over) {
                if copy.is_announced(lane) {
                    copy.waited[lane] = now;
                    timed &= !(1 << lane);
                }
            }
            if timed != 0 {
                arrived.push((UNDER_WAY + index, copy.clone(), timed));
            }
            if copy.lanes == 0 && copy.announced.is_empty() {
                free.push(index);
            }
            copy.lanes != 0
        });
        self.forget_sources();
        arrived
    }

    /// All copies of the lanes that are under way arrive in this phase of the mbarrier.
    pub(crate) fn announce(&mut self, warp: u16, mask: u32, slot: u16, phase: u32) {
        for &index in &self.under_way[usize::from(warp)] {
            let copy = &mut self.list[index as usize];
            if copy.in_bulk {
                continue;
            }
            // Who knows a later phase knows the earlier one, so the first counts.
            let known = copy.announced.iter().filter(|to| to.slot == slot);
            let lanes = copy.lanes & mask & !known.fold(0, |all, to| all | to.lanes);
            if lanes != 0 {
                copy.announced.push(Announced { lanes, slot, phase });
            }
        }
    }

    /// A bulk copy's bytes count for this phase of the mbarrier.
    pub(crate) fn announce_bulk(&mut self, stamp: u32, slot: u16, phase: u32) {
        let copy = &mut self.list[(stamp - UNDER_WAY) as usize];
        copy.announced.push(Announced { lanes: copy.lanes, slot, phase });
    }

    /// A bulk copy that was announced to a phase of which nobody has seen the end: whose thread began it, and where it
    /// writes.
    pub(crate) fn unseen_bulk(&self) -> Option<(u32, Beginner, u32)> {
        let mut copies = self.under_way.iter().flatten().map(|&index| &self.list[index as usize]);
        let copy = copies.find(|copy| copy.in_bulk && copy.lanes != 0)?;
        let lane = copy.lanes.trailing_zeros() as usize;
        Some((copy.block, Beginner { warp: copy.warp, lane, site: copy.site }, copy.to[lane]))
    }

    /// The lanes see that so many phases of an mbarrier are over: they have waited for
    /// what was announced to those. A bulk copy is then over for all, though not all know it.
    pub(crate) fn see(&mut self, warp: u16, mask: u32, (slot, phases): (u16, u32), now: u32) {
        let list = &mut self.list;
        for under_way in &mut self.under_way {
            under_way.retain(|&index| {
                let copy = &mut list[index as usize];
                if copy.in_bulk && copy.announced.iter().any(|to| to.slot == slot && to.phase < phases) {
                    copy.lanes = 0;
                }
                copy.lanes != 0
            });
        }
        self.under_way[usize::from(warp)].retain(|&index| {
            let copy = &mut list[index as usize];
            let over = (copy.announced.iter())
                .filter(|to| to.slot == slot && to.phase < phases)
                .fold(0, |all, to| all | to.lanes & copy.lanes & mask);
            for lane in lanes(over) {
                copy.waited[lane] = now;
            }
            copy.lanes &= !over;
            copy.lanes != 0
        });
        self.forget_sources();
    }

    fn forget_sources(&mut self) {
        if self.under_way.iter().all(Vec::is_empty) {
            self.sources = None;
        }
    }

    /// True if this instruction copies lane by lane (`cp.async`). By the letter of PTX its writes are the generic proxy's, yet
    /// everybody lets bulk copies and tensor cores read them after no more than a wait and a barrier.
    pub(crate) fn are_made_at(&self, site: Site) -> bool {
        self.sites.contains(&site)
    }

    /// This instruction reads shared memory through the asynchronous proxy.
    pub(crate) fn reads_at(&mut self, site: Site) {
        if !self.reading_sites.contains(&site) {
            self.reading_sites.push(site);
        }
    }

    /// True if it does. The same proxy may overwrite what it has read once that is in order.
    pub(crate) fn has_read_at(&self, site: Site) -> bool {
        self.reading_sites.contains(&site)
    }

    /// True if some copy under way reads global memory.
    #[inline]
    pub(crate) fn any_reading(&self) -> bool {
        self.sources.is_some()
    }

    /// A copy under way of which some lane reads in this stretch of global memory, by stamp and lane, unless
    /// `known` says that it has arrived.
    pub(crate) fn reading(
        &self,
        start: u64,
        end: u64,
        known: impl Fn(u32, usize) -> bool,
    ) -> Option<(u32, usize)> {
        let (first, last) = self.sources?;
        if end <= first || last <= start {
            return None;
        }
        self.under_way.iter().flatten().find_map(|&index| {
            let copy = &self.list[index as usize];
            let stamp = UNDER_WAY + index;
            let reads = |&lane: &usize| {
                let there = match &copy.stretches {
                    Some(stretches) => overlap(stretches, start, end),
                    None => start < copy.from[lane] + u64::from(copy.reads[lane]) && copy.from[lane] < end,
                };
                there && !known(stamp, lane)
            };
            lanes(copy.lanes).find(reads).map(|lane| (stamp, lane))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begin(copies: &mut Copies, lanes: u32) -> u32 {
        copies.begin(0, (0, Site(7)), lanes, 4, [0; 32], ([0x1000; 32], [4; 32]))
    }

    fn waited(copies: &mut Copies, mask: u32, groups: Option<u32>) -> Vec<(u32, u32)> {
        copies.wait(0, mask, groups, 9).into_iter().map(|(stamp, _, lanes)| (stamp, lanes)).collect()
    }

    #[test]
    fn the_last_groups_may_be_under_way() {
        let mut copies = Copies::new(1);
        let first = begin(&mut copies, 3);
        copies.commit(0, 3);
        let second = begin(&mut copies, 3);
        copies.commit(0, 3);
        assert_eq!(waited(&mut copies, 3, Some(2)), []);
        assert_eq!(waited(&mut copies, 1, Some(1)), [(first, 1)]);
        assert_eq!(waited(&mut copies, 3, Some(0)), [(first, 2), (second, 3)]);
        assert!(copies.reading(0x1000, 0x1004, |_, _| false).is_none());
    }

    #[test]
    fn what_was_not_committed_is_only_waited_for_by_wait_all() {
        let mut copies = Copies::new(1);
        let only = begin(&mut copies, 1);
        assert_eq!(waited(&mut copies, 1, Some(0)), []);
        let reading = |start, end, known| copies.reading(start, end, |_, _| known);
        assert_eq!(reading(0xffe, 0x1001, false), Some((only, 0)));
        assert!(reading(0xffe, 0x1000, false).is_none() && reading(0xffe, 0x1001, true).is_none());
        assert_eq!(waited(&mut copies, 1, None), [(only, 1)]);
    }

    #[test]
    fn announced_copies_keep_their_stamp() {
        let mut copies = Copies::new(1);
        let stamp = begin(&mut copies, 3);
        copies.announce(0, 1, 5, 2);
        assert_eq!(waited(&mut copies, 3, None), [(stamp, 2)]);
        assert_eq!(copies.get(stamp).waited(0), 9);
        assert_eq!(copies.get(stamp).announced(0).collect::<Vec<_>>(), [(5, 2)]);
        assert_eq!(copies.get(stamp).announced(1).count(), 0);
        copies.sweep(|named| named == stamp);
        assert_ne!(begin(&mut copies, 1), stamp);
        copies.sweep(|_| false);
        assert_eq!(begin(&mut copies, 1), stamp);
    }

    #[test]
    fn who_sees_the_phase_has_waited() {
        let mut copies = Copies::new(1);
        let stamp = begin(&mut copies, 7);
        copies.announce(0, 3, 5, 2);
        copies.announce(0, 3, 5, 3);
        assert_eq!(copies.get(stamp).announced(0).collect::<Vec<_>>(), [(5, 2)]);
        copies.see(0, 5, (5, 2), 9);
        assert_eq!(copies.get(stamp).lanes, 7);
        copies.see(0, 5, (5, 3), 9);
        assert_eq!((copies.get(stamp).lanes, copies.get(stamp).waited(0)), (6, 9));
    }

    #[test]
    fn what_is_left_to_an_mbarrier_does_not_pile_up() {
        let mut copies = Copies::new(1);
        for _ in 0..10_000 {
            if copies.is_full() {
                copies.sweep(|_| false);
            }
            begin(&mut copies, 1);
            copies.announce(0, 1, 0, 0);
        }
        assert!(copies.list.len() < 2000 && copies.under_way[0].len() < 2000);
    }
}
