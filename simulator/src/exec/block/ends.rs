//! What is said of a block that ends before its work is done: nobody can run any more,
//! or the budget is used up.

use crate::{
    exec::{
        block::Block,
        context::{Context, report, site, threads},
        machine::source_of,
        mbarrier,
        warp::Wait,
    },
    finding::{Kind, Severity},
    findings::ThreadId,
    ir::SourceIndex,
    memory::Site,
};

impl Block {
    /// Adds the finding for a block in which nobody can run any more. `waiting_blocks` blocks have not
    /// started because only `resident` fit.
    pub fn report_deadlock(&mut self, cx: &Context<'_>, waiting_blocks: u64, resident: u32) {
        let mut spinning: Option<(SourceIndex, ThreadId)> = None;
        let mut places: Vec<(SourceIndex, ThreadId)> = Vec::new();
        let mut count = 0;
        let mut counted = 0;
        let mut alone = false;
        let mut phase: Option<(SourceIndex, ThreadId, String)> = None;
        for warp in &self.warps {
            for split in &warp.waiting {
                let source = source_of(cx, warp, split);
                let thread = ThreadId {
                    block: self.unit.block,
                    thread: warp.index * 32 + split.mask.trailing_zeros(),
                };
                count += u64::from(split.mask.count_ones());
                if let Wait::Barrier { count, .. } = split.wait {
                    counted = counted.max(count);
                }
                if matches!(split.wait, Wait::Change { .. }) && spinning.is_none() {
                    spinning = Some((source, thread));
                    alone = warp.watch_of(split.mask).is_some_and(|at| warp.watches[at].alone);
                } else if matches!(split.wait, Wait::Phase { .. }) && phase.is_none() {
                    phase = Some((source, thread, mbarrier::in_vain(cx, &self.unit, warp, split)));
                } else if places.iter().all(|place| place.0 != source) {
                    places.push((source, thread));
                }
            }
        }
        let ending = phase.as_ref().map(|phase| (phase.0, phase.1));
        let first = spinning.or(ending).or(places.first().copied());
        let Some((source, thread)) = first else { return };
        let second = places.iter().find(|place| place.0 != source);
        let message = if alone {
            "This loop goes round forever: every round begins with the same values, and it looks at no memory that another thread \
             could change. What should end it?"
                .to_owned()
        } else if spinning.is_some() && waiting_blocks > 0 {
            format!(
                "This loop waits for a change that cannot come: every thread that runs waits too. {waiting_blocks} blocks of the \
                 grid have not started and will not before others end, because {} holds {resident} blocks of this kernel at once. \
                 Let no block wait for one that may start later: hand out work by a counter (`atomicAdd`), not by `blockIdx`.",
                cx.profile.name
            )
        } else if self.repeats_at.is_some() {
            "The threads of this block meet at this barrier again and again: every round finds the same values, and no thread is left \
             to change them, because all others have ended or wait themselves. What should end the loop around it?"
                .to_owned()
        } else if spinning.is_some() {
            "This loop goes round forever: every round finds the same values, and no thread is left to change them, because all others \
             have ended or wait themselves. What should end it?"
                .to_owned()
        } else if let Some((.., message)) = phase {
            message
        } else if second.is_none() && counted > 0 {
            format!(
                "This barrier counts {counted} threads, but only {count} threads of the block are left and all of them wait here \
                 already. Give it the number of threads that really take part."
            )
        } else {
            "Threads wait here for others that wait somewhere else, so none of them can go on. Every thread that a barrier counts \
             must be able to reach it."
                .to_owned()
        };
        report(
            &mut self.unit.memory.findings,
            // Nobody is waited for: that is no deadlock.
            if alone { Kind::Unfinished } else { Kind::Deadlock },
            Severity::Error,
            site(source),
            second.map_or(Site(0), |place| site(place.0)),
            std::iter::once(thread).chain(second.map(|place| place.1)).collect(),
            count.max(1),
            message,
        );
    }

    /// Adds the finding for a block that used up the budget.
    pub fn report_unfinished(&mut self, cx: &Context<'_>, budget: u64) {
        let running = self.warps.iter().find_map(|warp| warp.ready.front().map(|split| (warp, *split)));
        let (at, list) = match running {
            Some((warp, split)) => (
                site(source_of(cx, warp, &split)),
                threads(self.unit.block, warp.index, split.mask & split.mask.wrapping_neg()),
            ),
            None => (Site(0), Vec::new()),
        };
        report(
            &mut self.unit.memory.findings,
            Kind::Unfinished,
            Severity::Error,
            at,
            Site(0),
            list,
            1,
            format!(
                "The budget of {budget} warp instructions was used up here before the kernel ended. Does every loop end, and does \
                 the work grow as it should?"
            ),
        );
    }
}
