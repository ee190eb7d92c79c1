//! Loops that may wait in vain: which are watched, and when one is known to go round without effect.
//!
//! A loop whose round trip depends on nothing that has changed since its last one, while memory stays as it
//! is, does nothing until somebody changes memory: the next trip can only be the same. What a trip depends on
//! is found out by watching: the instructions of a trip are kept ([`trace`]) and sliced backwards
//! ([`slice`]). So a loop that counts its rounds, or calls functions, or whose lanes part and meet again on
//! the way, is known as well as an empty one. Its lanes then wait for a change of memory instead of running.
//!
//! Not recognised, and run until the budget ends: a round trip of more than a few thousand instructions. One
//! with a block-wide barrier in it is left to [`super::standstill`]. A loop that ends by the clock is no
//! deadlock and not taken for one.

pub mod loops;
pub mod slice;
pub mod trace;

use crate::{
    exec::{
        context::{Helped, Unit},
        machine::{After, Machine},
        spin::{slice::Slice, trace::Trace},
        warp::{FrameId, Split, Wait, Warp},
    },
    ir::{Pc, Program},
    memory::{BlockMemory, Global, GlobalMemory, SHARED_WINDOW, Site, WINDOW_BYTES},
};

/// Instructions that a warp may spend without anyone changing memory before its loops are watched.
const IDLE_INSTRUCTIONS: u64 = 16_384;

/// How patiently a loop is watched.
#[derive(Clone, Copy, Debug)]
struct Patience {
    /// Trips after which the same state may come again.
    longest_period: u32,
    /// Instructions of as many trips.
    steps: usize,
}

/// For loops that read memory as one waits for others.
const FOR_POLLING: Patience = Patience { longest_period: 16, steps: 32_768 };

/// For loops that are likely to compute.
const FOR_COMPUTING: Patience = Patience { longest_period: 3, steps: 2048 };

/// Round trips disturbed by changes of memory before a watch is given up.
const DISTURBANCES: u32 = 4;

/// Turns for which the loop around one that ended, or was given up, is waited for.
const SUSPICION_TURNS: u64 = 16;

/// Doublings of the turns between one watch given up and the next.
const MOST_DOUBLINGS: u32 = 6;

/// A loop under suspicion.
#[derive(Debug)]
pub struct LoopWatch {
    /// The loop's head.
    pub pc: Pc,
    /// The frame.
    pub frame: FrameId,
    /// The lanes that go round, when all are at the head.
    pub mask: u32,
    /// What they have executed since this stretch of trips began.
    pub trace: Trace,
    /// How often its own block had changed memory when it began to wait.
    own_changes: u64,
    /// While it waits: what its trips look at.
    polled: Vec<Polled>,
    /// No memory that others could change decides whether it goes round again: it waits for nothing.
    pub alone: bool,
    /// It was let go on by another block, and has not come to wait again.
    helped: bool,
    /// Memory's version when this stretch began.
    version: u64,
    /// The stretch before: its instructions' digest and what they depended on.
    before: Option<(u64, Slice)>,
    /// Digest of those values when this stretch began.
    digest: u64,
    /// Trips of a stretch, trips made in this one, stretches of this length.
    period: u32,
    trips: u32,
    stretches: u32,
    patience: Patience,
    disturbed: u32,
    /// Its lanes have gone on together with others, of which nothing is kept: when they are at the head
    /// again, they may have come round a loop around it.
    pub interrupted: bool,
}

/// A word that a loop looks at while it waits.
#[derive(Clone, Copy, Debug)]
struct Polled {
    /// Its generic address.
    address: u64,
    /// What was there when the wait began.
    value: u32,
    /// The block that had last changed it, and the number of the next change.
    changer: Option<u32>,
    next: u32,
}

impl LoopWatch {
    fn new(split: &Split, version: u64, patience: Patience) -> LoopWatch {
        LoopWatch {
            pc: split.pc,
            frame: split.frame,
            mask: split.mask,
            trace: Trace::new(patience.steps),
            own_changes: 0,
            polled: Vec::new(),
            alone: false,
            helped: false,
            version,
            before: None,
            digest: 0,
            period: 1,
            trips: 0,
            stretches: 0,
            patience,
            disturbed: 0,
            interrupted: false,
        }
    }

    /// Memory has changed while it waited. True when what it looks at has, and it must go round again.
    pub fn wake(&mut self, unit: &mut Unit, global: &Global<'_>, version: u64, here: Site) -> bool {
        if let Global::Direct(memory) = global {
            let changed = |polled: &Polled| polled.value != value(&unit.memory, memory, polled.address);
            let Some(first) = self.polled.iter().find(|polled| changed(polled)) else { return false };
            let changer = memory.changer(first.address);
            let helper = changer.map(|changer| changer.block);
            let helped = match helper {
                // Who had acted on it when the wait began, as the holder of a lock has, was running already.
                Some(helper) => helper != unit.block && Some(helper) != first.changer,
                // A plain store, by somebody else if not by this block.
                None => memory.space_at(first.address).is_some() && unit.own_changes == self.own_changes,
            };
            if helped && unit.helped.is_none() {
                // Its next change was enough, even if others have taken the lock since: who is not known to
                // have made it may have been that one. And whom this block had met elsewhere is running, as
                // one that claimed a thing before.
                let next = memory.changer_of(first.address, first.next);
                let excused = helper.is_some_and(|helper| {
                    next.is_none_or(|next| Some(next) == first.changer) || unit.met.contains(&helper)
                });
                let mut tickets = std::mem::take(&mut unit.counted);
                tickets.retain(|&word| self.polled.iter().all(|polled| polled.address != word));
                unit.helped = Some(Helped { at: here, helper, excused, tickets });
                self.helped = true;
            }
        }
        self.version = version;
        self.trips = 0;
        self.disturbed = 0;
        self.trace.clear();
        true
    }

    /// It begins to wait: notes what its last trips looked at.
    fn wait(&mut self, program: &Program, unit: &mut Unit, global: &mut Global<'_>) {
        if std::mem::take(&mut self.helped) {
            // It waits again: what let it go on was not yet what it waits for.
            unit.counted = unit.helped.take().map(|helped| helped.tickets).unwrap_or_default();
        }
        self.own_changes = unit.own_changes;
        self.trace.far.sort_unstable();
        self.trace.far.dedup();
        self.alone = Slice::decides_alone(program, &self.trace, self.frame);
        self.polled.clear();
        if let Global::Direct(memory) = global {
            self.polled.extend(self.trace.far.iter().map(|&address| {
                let next = memory.wait_for_change(address);
                Polled {
                    address,
                    value: value(&unit.memory, memory, address),
                    changer: memory.changer(address).map(|changer| changer.block),
                    next,
                }
            }));
        }
        self.trace.clear();
    }

    /// All lanes are at the head again.
    fn arrive(&mut self, m: &Machine<'_, '_>, warp: &Warp, changes: u64) -> Verdict {
        if self.trace.broken {
            return Verdict::GiveUp;
        }
        self.trips += 1;
        let disturbed = self.version != changes;
        if disturbed || self.interrupted {
            self.interrupted = false;
            self.disturbed += u32::from(disturbed);
            self.begin(m, warp, changes);
            return if self.disturbed > DISTURBANCES { Verdict::GiveUp } else { Verdict::GoOn };
        }
        if self.trips < self.period {
            return Verdict::GoOn;
        }
        if let Some((hash, slice)) = &self.before
            && *hash == self.trace.hash
            && self.digest == slice.digest(warp, self.frame, &m.unit.memory)
        {
            // It began with these values, did this, and has them again: it goes round until
            // somebody changes memory.
            return Verdict::Repeats;
        }
        self.stretches += 1;
        if self.stretches == 3 {
            self.stretches = 1;
            self.period += 1;
        }
        if self.period > self.patience.longest_period {
            return Verdict::GiveUp;
        }
        let Some(slice) = Slice::new(m.cx.program, &self.trace, self.frame) else { return Verdict::GiveUp };
        self.before = Some((self.trace.hash, slice));
        self.begin(m, warp, changes);
        Verdict::GoOn
    }

    /// A new stretch begins.
    fn begin(&mut self, m: &Machine<'_, '_>, warp: &Warp, changes: u64) {
        if let Some((_, slice)) = &self.before {
            self.digest = slice.digest(warp, self.frame, &m.unit.memory);
        }
        self.version = changes;
        self.trips = 0;
        self.trace.clear();
    }
}

/// The word at a generic address, as the block sees it.
fn value(memory: &BlockMemory, global: &GlobalMemory, address: u64) -> u32 {
    match address.wrapping_sub(SHARED_WINDOW) {
        offset if offset < WINDOW_BYTES => memory.shared_word(global, offset as u32),
        _ => global.word(address),
    }
}

enum Verdict {
    GoOn,
    Repeats,
    GiveUp,
}

/// Lanes that were parked at the head of a loop are together again.
pub fn joined(m: &mut Machine<'_, '_>, warp: &mut Warp, split: &mut Split) -> After {
    match warp.loops.watch_of(split.mask) {
        Some(at) if warp.loops.watches[at].is_at(split) => arrive(m, warp, split, at),
        _ => After::GoOn,
    }
}

impl LoopWatch {
    fn is_at(&self, split: &Split) -> bool {
        self.pc == split.pc && self.frame == split.frame && self.mask == split.mask
    }
}

fn arrive(m: &mut Machine<'_, '_>, warp: &mut Warp, split: &mut Split, at: usize) -> After {
    let changes = m.unit.version(m.global);
    let mut watch = warp.loops.watches.swap_remove(at);
    let verdict = watch.arrive(m, warp, changes);
    match verdict {
        Verdict::GiveUp => {
            warp.loops.doublings = (warp.loops.doublings + 1).min(MOST_DOUBLINGS);
            // It may be a long loop that ends, in a function that is called again and again.
            warp.loops.suspicion = warp.frame(split.frame).depth.checked_sub(1);
            After::GoOn
        }
        Verdict::GoOn => {
            warp.loops.watches.push(watch);
            After::GoOn
        }
        Verdict::Repeats => {
            watch.wait(m.cx.program, m.unit, m.global);
            warp.loops.watches.push(watch);
            split.wait = Wait::Change { version: changes };
            warp.waiting.push(*split);
            warp.loops.fruitless += 1;
            warp.loops.doublings = 0;
            After::Parked
        }
    }
}

/// A loop goes round when the turn is over, or while it is watched.
pub fn back(m: &mut Machine<'_, '_>, warp: &mut Warp, split: &mut Split, deadline: u64) -> After {
    if let Some(at) = warp.loops.watch_of(split.mask) {
        let watch = &warp.loops.watches[at];
        if watch.is_at(split) {
            if let After::Parked = arrive(m, warp, split, at) {
                return After::Parked;
            }
        } else if watch.frame == split.frame && !warp.at_join(split) {
            let lost = watch.pc == split.pc;
            // The head of a loop around the one that is watched.
            let around = watch.mask == split.mask && split.pc < watch.pc;
            if watch.trace.broken {
                warp.loops.watches.swap_remove(at);
            } else if lost || around {
                // Lanes have left the loop: the others are watched without them.
                let patience = watch.patience;
                warp.loops.watches[at] = LoopWatch::new(split, m.unit.version(m.global), patience);
            }
        }
    }
    if let Some(depth) = warp.loops.suspicion
        && warp.loops.watch_of(split.mask).is_none()
        && warp.frame(split.frame).depth <= depth
    {
        let patience = if warp.loops.polls { FOR_POLLING } else { FOR_COMPUTING };
        warp.loops.suspicion = None;
        warp.loops.polls = false;
        warp.loops.watches.retain(|watch| watch.mask & split.mask == 0);
        warp.loops.watches.push(LoopWatch::new(split, m.unit.version(m.global), patience));
    }
    turn_over(m, warp, split, deadline)
}

/// Ends the split's turn when it is over, and suspects its loops when nobody has changed memory for long.
pub fn turn_over(m: &Machine<'_, '_>, warp: &mut Warp, split: &Split, deadline: u64) -> After {
    if m.unit.issued < deadline {
        return After::GoOn;
    }
    warp.loops.watches.retain(|watch| !watch.trace.broken);
    let changes = m.unit.version(m.global);
    // Who polls may wait however much others change.
    if warp.loops.idle_version == changes || warp.loops.polls {
        warp.loops.idle_turns += 1;
    } else {
        warp.loops.idle_turns = 0;
        warp.loops.idle_version = changes;
    }
    // A loop that polls is likely to wait; others are likely to compute.
    let most = (if warp.loops.polls { 1 } else { IDLE_INSTRUCTIONS / m.quantum() }) << warp.loops.doublings;
    let most = if warp.loops.suspicion.is_some() { most.max(SUSPICION_TURNS) } else { most };
    if u64::from(warp.loops.idle_turns) >= most {
        warp.loops.idle_turns = 0;
        warp.loops.fruitless += u32::from(warp.loops.polls);
        warp.loops.suspicion = Some(u32::MAX);
    }
    warp.ready.push_back(*split);
    After::Parked
}
