//! What is said of a block that ends before its work is done: nobody can run any more,
//! or the budget is used up.

use crate::{
    exec::{
        block::Block,
        context::{Context, report, say, site, threads},
        machine::source_of,
        mbarrier,
        warp::{Split, Wait, Warp},
    },
    finding::{FindingKind, Severity},
    findings::{Message, ThreadId},
    ir::{Guard, Op, SourceIndex},
    memory::Site,
};

/// What a block takes from the budget before its loops are looked at for the first time.
pub const FIRST_LOOK: u64 = 1 << 18;

const NO_WAY_OUT: &str = "This loop never ends, because no way leads out of it: its condition is true whatever happens, as `k >= 0` is for an \
                          unsigned `k`. What should end it?";

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
                    no_way_out = !can_leave(cx, warp, split);
                    alone = warp.loops.watch_of(split.mask).is_some_and(|at| warp.loops.watches[at].alone);
                } else if matches!(split.wait, Wait::Phase { .. }) && phase.is_none() {
                    phase = Some((source, thread, mbarrier::in_vain(cx, &self.unit, warp, split)));
                } else if places.iter().all(|place| place.0 != source) {
                    // Of the loop that is named below: the one that spins, or else the first.
                    no_way_out |= spinning.is_none() && places.is_empty() && !can_leave(cx, warp, split);
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
            "This loop never ends, because nothing changes that its condition depends on: every round begins with the same values. \
             Does the step assign (`i += n`, not `i + n`), and to the variable that the condition looks at?"
                .to_owned()
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

    /// Whether some lanes have no way out of the kernel. It is looked for after [`FIRST_LOOK`] and
    /// twice as much each time: what never ends need not use up a budget that is large.
    pub fn is_endless(&mut self, cx: &Context<'_>) -> bool {
        if self.unit.cost() < self.look_at {
            return false;
        }
        self.look_at = 2 * self.unit.cost();
        self.running().any(|(warp, split)| !can_leave(cx, warp, &split))
    }

    /// The warps that can run, each with the lanes that run next.
    fn running(&self) -> impl Iterator<Item = (&Warp, Split)> {
        self.warps.iter().filter_map(|warp| warp.ready.front().map(|split| (warp, *split)))
    }

    /// Adds the finding for a block that used up the budget, or never ends, when so many blocks had come to their end.
    pub fn report_unfinished(&mut self, cx: &Context<'_>, budget: u64, ended: u64) {
        let endless = self.running().find(|(warp, split)| !can_leave(cx, warp, split));
        let running = endless.or_else(|| self.running().next());
        let (at, list) = match running {
            Some((warp, split)) => (
                site(source_of(cx, warp, &split)),
                threads(self.unit.block, warp.index, split.mask & split.mask.wrapping_neg()),
            ),
            None => (Site(0), Vec::new()),
        };
        let message = if endless.is_some() {
            Message::Text(NO_WAY_OUT.into())
        } else {
            out_of_budget(cx, budget, ended, true)
        };
        let kind = FindingKind::Unfinished;
        say(&mut self.unit.memory.findings, kind, Severity::Error, at, Site(0), list, 1, message);
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

/// False if no way out of the kernel is left for these lanes: some function that they are in has none from
/// where they stand.
fn can_leave(cx: &Context<'_>, warp: &Warp, split: &Split) -> bool {
    let (mut frame, mut pc) = (warp.frame(split.frame), split.pc);
    loop {
        let function = cx.program.function(frame.function);
        let mut seen = vec![false; function.code.len()];
        let mut next = vec![pc];
        let mut leaves = false;
        while let Some(pc) = next.pop() {
            let Some(instruction) = function.code.get(pc as usize) else { continue };
            if std::mem::replace(&mut seen[pc as usize], true) {
                continue;
            }
            match instruction.op {
                Op::Exit | Op::Trap | Op::Unsupported { .. } => return true,
                Op::Return => leaves = true,
                Op::Branch { target, .. } => next.push(target),
                Op::BranchIndexed { targets, .. } => next.extend(&function.targets[targets.range()]),
                _ => {}
            }
            let goes_on =
                !matches!(instruction.op, Op::Return | Op::Branch { .. } | Op::BranchIndexed { .. });
            if goes_on || instruction.guard != Guard::ALWAYS {
                next.push(pc + 1);
            }
        }
        match frame.parent {
            _ if !leaves => return false,
            Some(parent) => (frame, pc) = (warp.frame(parent), frame.return_pc),
            None => return true,
        }
    }
}
