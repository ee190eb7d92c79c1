//! What of the order is missing for want of little: it words reports, and decides nothing.

use crate::findings::{Reach, Relaxed};

use super::{
    super::{asynchronous::UNDER_WAY, clock::Clock, knowledge::Knowledge},
    BlockOrder,
};

impl BlockOrder {
    /// How far the fence of an access's lane reaches that would make known an earlier one, if it reached far enough.
    #[cold]
    pub(crate) fn narrow_fence(
        &self,
        warp: u16,
        lane: usize,
        (block, thread): (u32, u16),
        stamp: u32,
    ) -> Option<Reach> {
        self.first(warp, lane, |knowledge| knowledge.narrow_fence(block, thread, stamp))
    }

    /// The operation that would make known an earlier access, or that a copy has arrived, if it were not relaxed.
    #[cold]
    pub(crate) fn relaxed_between(
        &self,
        warp: u16,
        lane: usize,
        (block, thread): (u32, u16),
        stamp: u32,
    ) -> Option<Relaxed> {
        let knows = |clock: &Clock| {
            if stamp < UNDER_WAY {
                return clock.knows(block, thread, stamp);
            }
            let copy = self.copies.get(stamp);
            let of = usize::from(thread % 32);
            let waited = copy.waited(of);
            waited != 0 && clock.knows(block, thread, waited)
                || copy.announced(of).any(|(slot, phase)| clock.phases(block, slot) > phase)
        };
        self.first(warp, lane, |knowledge| knowledge.relaxed_at(knows))
    }

    /// The first answer that what a lane knows has to a question.
    fn first<A>(&self, warp: u16, lane: usize, question: impl Fn(&Knowledge) -> Option<A>) -> Option<A> {
        let warp = &self.warps[usize::from(warp)];
        let of_lane = || warp.each.as_ref().and_then(|each| question(&each.knowledge[lane]));
        let of_warp = || warp.knowledge.as_deref().and_then(&question);
        question(&self.knowledge).or_else(of_warp).or_else(of_lane)
    }
}
