//! What is said of a block that ends before its work is done: nobody can run any more,
//! or the budget is used up.

use crate::{
    exec::{
        block::Block,
        context::{Context, Stop, report, say, site, threads},
        machine::source_of,
        mbarrier,
        warp::{Split, Wait, Warp},
        way_out::{self, WayOut},
    },
    finding::{FindingKind, Severity},
    findings::{Message, ThreadId},
    ir::SourceIndex,
    memory::Site,
};

/// What a block takes from the budget before its loops are looked at for the first time.
const FIRST_LOOK: u64 = 1 << 18;
/// The same where tests look sooner: nobody is stopped then, and it must not have been a mistake.
pub const LOOK_AT: u64 = if cfg!(debug_assertions) { FIRST_LOOK >> 8 } else { FIRST_LOOK };

const NO_WAY_OUT: &str = "This loop never ends, because no way leads out of it: its condition is true whatever happens, as `k >= 0` is for an \
                          unsigned `k`. What should end it?";
const NOTHING_CHANGES: &str = "This loop never ends, because no further round changes what its condition depends on. Does the step assign \
                               (`i += n`, not `i + n`), and to the variable that the condition looks at? Or has that come to a value \
                               that the step leaves as it is, as half of 0 is 0?";

impl Block {
    /// Adds the finding for a block in which nobody can run any more. `waiting_blocks` blocks have not
    /// started because only `resident` fit.
    pub fn report_deadlock(&mut self, cx: &Context<'_>, waiting_blocks: u64, resident: u32) {
        let mut spinning: Option<(SourceIndex, ThreadId)> = None;
        let mut places: Vec<(SourceIndex, ThreadId)> = Vec::new();
        let mut count = 0;
        let mut counted = 0;
        let mut alone = false;
        let mut no_way_out = false;
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
                    no_way_out = way_out::of(cx, &self.unit, warp, split) == WayOut::Nowhere;
                    alone = warp.loops.watch_of(split.mask).is_some_and(|at| warp.loops.watches[at].alone);
                } else if matches!(split.wait, Wait::Phase { .. }) && phase.is_none() {
                    phase = Some((source, thread, mbarrier::in_vain(cx, &self.unit, warp, split)));
                } else if places.iter().all(|place| place.0 != source) {
                    // Of the loop that is named below: the one that spins, or else the first.
                    no_way_out |= spinning.is_none()
                        && places.is_empty()
                        && way_out::of(cx, &self.unit, warp, split) == WayOut::Nowhere;
                    places.push((source, thread));
                }
            }
        }
        let ending = phase.as_ref().map(|phase| (phase.0, phase.1));
        let first = spinning.or(ending).or(places.first().copied());
        let Some((source, thread)) = first else { return };
        let second = places.iter().find(|place| place.0 != source);
        // Who polls in rounds waits for somebody; others only go round.
        let repeats = self.repeats_at.is_some() && !self.warps.iter().any(|warp| warp.loops.has_polled);
        let message = if no_way_out && (alone || repeats) {
            NO_WAY_OUT.to_owned()
        } else if alone {
            NOTHING_CHANGES.to_owned()
        } else if spinning.is_some() && waiting_blocks > 0 {
            format!(
                "This loop waits for a change that cannot come: every thread that runs waits too. {waiting_blocks} blocks of the \
                 grid have not started and will not before others end, because {} holds {resident} blocks of this kernel at once. \
                 Let no block wait for one that may start later: hand out work by a counter (`atomicAdd`), not by `blockIdx`.",
                cx.profile.name
            )
        } else if self.repeats_at.is_some() && !repeats {
            "The threads of this block meet at this barrier again and again: every round finds the same values, and no thread is left \
             to change them, because all others have ended or wait themselves. What should end the loop around it?"
                .to_owned()
        } else if repeats {
            "The loop around this barrier never ends, because nothing changes from round to round: the threads of the block meet here \
             again and again with the same values. What should end it?"
                .to_owned()
        } else if spinning.is_some() {
            "This loop goes round forever: every round finds the same values, and no thread is left to change them, because all others \
             have ended or wait themselves. What should end it?"
                .to_owned()
        } else if let Some((.., message)) = phase {
            message
        } else if self.waits_for_cluster() {
            "Threads wait here for others of the cluster that wait somewhere else, so none of them can go on. Every thread of every block \
             of the cluster must arrive at the barrier of the cluster, or have left the kernel."
                .to_owned()
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
            if alone || repeats { FindingKind::Unfinished } else { FindingKind::Deadlock },
            Severity::Error,
            site(source),
            second.map_or(Site(0), |place| site(place.0)),
            std::iter::once(thread).chain(second.map(|place| place.1)).collect(),
            count.max(1),
            message,
        );
    }

    /// Whether the lanes that run next have no way out of the kernel left. It is looked for after [`FIRST_LOOK`] and
    /// twice as much each time: what never ends need not use up a budget that is large.
    pub fn is_endless(&mut self, cx: &Context<'_>) -> bool {
        let cost = self.unit.cost();
        if cost < self.look_at {
            return false;
        }
        // Whoever else can go on waits for these, or is the next when they have ended.
        let has_none = match self.running().next() {
            Some((warp, split)) => way_out::of(cx, &self.unit, warp, &split) != WayOut::Open,
            None => false,
        };
        if cost < FIRST_LOOK {
            self.has_no_way_out |= has_none;
            self.look_at = FIRST_LOOK.min(2 * cost);
            return false;
        }
        self.look_at = 2 * cost;
        has_none
    }

    /// The warps that can run, each with the lanes that run next.
    fn running(&self) -> impl Iterator<Item = (&Warp, Split)> {
        self.warps.iter().filter_map(|warp| warp.ready.front().map(|split| (warp, *split)))
    }

    /// Adds the finding for a block that used up the budget, or never ends, when so many blocks had come to their end.
    /// Which of the two it is.
    pub fn report_unfinished(&mut self, cx: &Context<'_>, budget: u64, ended: u64) -> Stop {
        let endless = self
            .running()
            .map(|(warp, split)| (warp, split, way_out::of(cx, &self.unit, warp, &split)))
            .find(|&(.., way_out)| way_out != WayOut::Open);
        let stop = if endless.is_some() { Stop::Endless } else { Stop::Budget };
        let running =
            endless.or_else(|| self.running().next().map(|(warp, split)| (warp, split, WayOut::Open)));
        let at = |warp, split| site(source_of(cx, warp, split));
        let (at, message) = match running {
            Some((warp, split, WayOut::Nowhere)) => (at(warp, &split), Message::Text(NO_WAY_OUT.into())),
            Some((.., WayOut::Shut(by))) => (site(by), Message::Text(NOTHING_CHANGES.into())),
            Some((warp, split, WayOut::Open)) => (at(warp, &split), out_of_budget(cx, budget, ended, true)),
            None => (Site(0), out_of_budget(cx, budget, ended, true)),
        };
        let list = running.map_or(Vec::new(), |(warp, split, _)| {
            threads(self.unit.block, warp.index, split.mask & split.mask.wrapping_neg())
        });
        let kind = FindingKind::Unfinished;
        say(&mut self.unit.memory.findings, kind, Severity::Error, at, Site(0), list, 1, message);
        stop
    }
}

/// That a launch may issue no more, and how far it came; `here`: a thread was in the middle of its work.
pub fn out_of_budget(cx: &Context<'_>, budget: u64, ended: u64, here: bool) -> Message {
    let blocks = match cx.blocks() {
        1 => "before the kernel ended".to_owned(),
        blocks => format!("when {ended} of {blocks} blocks had ended"),
    };
    let question = if here {
        "Does every loop end, and does the work grow as it should? "
    } else {
        "Most of its instructions came from this line. "
    };
    let text = format!(
        "The launch's budget of {budget} warp instructions was used up here, {blocks}. {question}If the launch is only that large, give \
         it a larger budget."
    );
    Message::Budget(budget, text)
}
