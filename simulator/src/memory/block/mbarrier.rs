//! Barriers in shared memory: what arrivals and waits do to order.

use crate::{
    finding::Space,
    findings::{Action, Relaxed},
    ir::{Order, Pairs, Words},
};

use super::{
    super::{
        Access, Global, LaneWords, Outcome, SHARED_WINDOW,
        data::define_lane,
        lanes,
        mbarrier::{MOST_ARRIVALS, MbarrierArrival, Misuse, Phases, PresentPhase, Reply, State, ThreadOf},
        order::BlockOrder,
        resolve::{self, shared_offsets},
        shadow::{CurrentAccess, Strong},
    },
    BlockMemory, clock,
};

/// How an operation touches the eight bytes of an mbarrier.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Touch {
    /// As a plain write: making one needs a barrier between that and all else.
    Plain,
    Atomic,
    /// An atomic that changes nothing.
    Look,
}

impl BlockMemory {
    /// Makes mbarriers for so many arrivals.
    pub fn mbarrier_init(&mut self, global: &mut Global<'_>, access: &Access, counts: &Words) -> Reply {
        let (offsets, mut reply) = self.touch_mbarriers(global, access, Touch::Plain);
        for lane in lanes(access.mask & !reply.faulted) {
            if counts[lane] == 0 || counts[lane] > MOST_ARRIVALS {
                reply.misuse.get_or_insert((lane, Misuse::Count(counts[lane])));
            }
            self.shared.mbarriers.make(offsets[lane], counts[lane]);
            let Some(variable) = self.shared.layout.find(offsets[lane], 8) else { continue };
            define_lane(offsets[lane] as usize, 8, lane, &LaneWords::ZERO, |definition| {
                self.shared.define(variable, definition, access.site);
            });
        }
        self.changes += 1;
        reply
    }

    /// Ends their lives. No race with earlier operations, for the toolkit's own destructors order lanes by a
    /// match only; whoever comes later finds no mbarrier.
    pub fn mbarrier_invalidate(&mut self, global: &mut Global<'_>, access: &Access) -> Reply {
        let (offsets, mut reply) = self.touch_mbarriers(global, access, Touch::Atomic);
        for lane in lanes(access.mask & !reply.faulted) {
            match self.shared.mbarriers.get(offsets[lane]) {
                Some(state) => state.alive = false,
                None => reply.misuse = reply.misuse.or(Some((lane, Misuse::Absent))),
            }
        }
        self.changes += 1;
        reply
    }

    /// Arrives; gives the states before.
    pub fn mbarrier_arrive(
        &mut self,
        global: &mut Global<'_>,
        access: &Access,
        arrival: MbarrierArrival<'_>,
        states: &mut Pairs,
    ) -> Reply {
        self.on_mbarriers(global, access, |this, global, access| {
            this.arrive_at(global, access, arrival, states)
        })
    }

    fn arrive_at(
        &mut self,
        global: &mut Global<'_>,
        access: &Access,
        arrival: MbarrierArrival<'_>,
        states: &mut Pairs,
    ) -> Reply {
        let (offsets, mut reply) = self.touch_mbarriers(global, access, Touch::Atomic);
        let home = self.shared.block;
        for (offset, group) in groups(&offsets, access.mask & !reply.faulted) {
            let Some(state) = self.shared.mbarriers.get(offset) else {
                reply.misuse.get_or_insert((group.trailing_zeros() as usize, Misuse::Absent));
                continue;
            };
            let time = clock(&mut self.time, global, self.block);
            // Lanes that have arrived in the present phase and not yet told what they know.
            let mut part = 0;
            for lane in lanes(group) {
                states[lane] = state.state();
                let by = (self.block, access.warp * 32 + lane as u16);
                if is_early(&self.order, state, home, by) {
                    reply.misuse.get_or_insert((lane, Misuse::Early));
                }
                state.note_arrival(by, time.now);
                let (mut count, missing) = (arrival.counts[lane], state.missing);
                if count > missing {
                    let misuse = Misuse::TooMany { arrivals: count, missing };
                    reply.misuse.get_or_insert((lane, misuse));
                    count = missing;
                } else if count == missing && !arrival.completes {
                    reply.misuse.get_or_insert((lane, Misuse::Completes));
                }
                part |= 1 << lane;
                if let Some(bytes) = arrival.bytes
                    && let Some(misuse) = state.count_bytes(bytes[lane].into())
                {
                    reply.misuse.get_or_insert((lane, misuse));
                }
                state.missing -= count;
                if arrival.drops {
                    state.expected = state.expected.saturating_sub(count);
                }
                let last = state.missing == 0 && state.bytes == 0;
                if last || group >> lane == 1 {
                    let mut brought = self.order.arrive(time, access.warp, part);
                    if home != self.block {
                        brought.join(self.order.common());
                    }
                    if !arrival.releases {
                        let (lanes, scope) = ((access.warp, part), access.scope);
                        brought = self.order.fenced_before(lanes, brought, scope, Relaxed::Arrival);
                    }
                    state.arrived.join(&brought);
                    part = 0;
                }
                if count != 0 {
                    state.settle(home);
                }
            }
        }
        self.changes += 1;
        reply
    }

    /// More bytes are to come in the present phases, or (`came`) have come.
    pub fn mbarrier_bytes(
        &mut self,
        global: &mut Global<'_>,
        access: &Access,
        bytes: &Words,
        came: bool,
    ) -> Reply {
        self.on_mbarriers(global, access, |this, global, access| this.count_at(global, access, bytes, came))
    }

    fn count_at(&mut self, global: &mut Global<'_>, access: &Access, bytes: &Words, came: bool) -> Reply {
        let (offsets, mut reply) = self.touch_mbarriers(global, access, Touch::Atomic);
        let home = self.shared.block;
        for lane in lanes(access.mask & !reply.faulted) {
            let Some(state) = self.shared.mbarriers.get(offsets[lane]) else {
                reply.misuse.get_or_insert((lane, Misuse::Absent));
                continue;
            };
            let bytes = i64::from(bytes[lane]);
            let misuse = state.count_bytes(if came { -bytes } else { bytes });
            reply.misuse = reply.misuse.or(misuse.map(|misuse| (lane, misuse)));
            if came {
                state.settle(home);
            }
        }
        self.changes += 1;
        reply
    }

    /// All copies that the lanes have begun and not waited for arrive; `counted`: as one of the arrivals that
    /// the mbarrier waits for anyway.
    pub fn mbarrier_arrive_with_copies(
        &mut self,
        global: &mut Global<'_>,
        access: &Access,
        counted: bool,
    ) -> Reply {
        let (offsets, mut reply) = self.touch_mbarriers(global, access, Touch::Atomic);
        let home = self.shared.block;
        for lane in lanes(access.mask & !reply.faulted) {
            let Some(state) = self.shared.mbarriers.get(offsets[lane]) else {
                reply.misuse.get_or_insert((lane, Misuse::Absent));
                continue;
            };
            self.order.copies.announce(access.warp, 1 << lane, state.slot, state.phase);
            state.note_other_arrival();
            if is_early(&self.order, state, home, (self.block, access.warp * 32 + lane as u16)) {
                reply.misuse.get_or_insert((lane, Misuse::Early));
            }
            if !counted {
                continue;
            }
            if state.missing == 0 {
                let misuse = Misuse::TooMany { arrivals: 1, missing: 0 };
                reply.misuse.get_or_insert((lane, misuse));
                continue;
            }
            state.missing -= 1;
            state.settle(home);
        }
        self.changes += 1;
        reply
    }

    /// Asks whether phases are over: the lanes for which they are, and who may know it.
    pub fn mbarrier_test(
        &mut self,
        global: &mut Global<'_>,
        access: &Access,
        phases: Phases<'_>,
        acquires: bool,
    ) -> (u32, Reply) {
        let (offsets, mut reply) = self.touch_mbarriers(global, access, Touch::Look);
        let mut all = 0;
        for (offset, group) in groups(&offsets, access.mask & !reply.faulted) {
            let Some(state) = self.shared.mbarriers.get(offset) else {
                reply.misuse.get_or_insert((group.trailing_zeros() as usize, Misuse::Absent));
                continue;
            };
            let is_over = |&lane: &usize| state.is_over(phases, lane);
            let over = lanes(group).filter(is_over).fold(0, |over, lane| over | 1u32 << lane);
            for lane in lanes(over).filter(|_| !acquires) {
                state.note_seen((self.block, access.warp * 32 + lane as u16));
            }
            if over != 0 && acquires {
                let time = clock(&mut self.time, global, self.block);
                let seen = (state.slot, state.phase);
                self.order.copies.see(access.warp, over, seen, time.now);
                self.order.complete(time, &[&state.released], &[(access.warp, over)]);
            } else if over != 0 {
                let time = clock(&mut self.time, global, self.block);
                self.order.see_relaxed(time, (access.warp, over), &state.released, access.scope);
            }
            all |= over;
        }
        (all, reply)
    }

    /// How far the mbarrier at an offset is.
    pub fn mbarrier_state(&self, offset: u32) -> Option<PresentPhase> {
        self.shared.mbarriers.look(offset).map(State::present_phase)
    }

    /// As what changes them does that is no thread's arrival: gives their offsets.
    pub(super) fn touch_mbarriers_as_atomic(
        &mut self,
        global: &mut Global<'_>,
        access: &Access,
    ) -> ([u32; 32], Reply) {
        self.touch_mbarriers(global, access, Touch::Atomic)
    }

    /// Checks the addresses and compares the accesses with earlier ones.
    fn touch_mbarriers(
        &mut self,
        global: &mut Global<'_>,
        access: &Access,
        touch: Touch,
    ) -> ([u32; 32], Reply) {
        debug_assert_eq!(access.bytes, 8);
        self.settle_reads(global);
        let offsets = shared_offsets(access);
        let resolved = resolve::shared(&self.shared.layout, &offsets, access.mask, access.bytes, None);
        for (variable, mask) in resolved.regions() {
            let start = self.shared.cells_start(variable);
            let time = clock(&mut self.time, global, self.block);
            let mut current =
                CurrentAccess::of_own(time, &self.order, access.warp, access.site, &mut self.conflicts);
            let cells = &mut self.shared.cells[variable];
            for lane in lanes(mask) {
                let offset = offsets[lane] - start;
                if touch == Touch::Plain {
                    cells.write(&mut current, offset, lane, access.bytes, false);
                    continue;
                }
                let strong = Strong {
                    reads: true,
                    writes: touch == Touch::Atomic,
                    atomic: true,
                    order: Order::Relaxed,
                    scope: access.scope,
                    lockstep: true,
                    packed: false,
                };
                cells.strong(&mut current, offset, lane, access.bytes, strong);
            }
            if !self.conflicts.is_empty() {
                for conflict in &mut self.conflicts {
                    conflict.initialises = touch == Touch::Plain && conflict.other_site == access.site;
                }
                self.report_conflicts(global.get(), access, Space::Shared, SHARED_WINDOW + u64::from(start));
            }
        }
        let mut outcome = Outcome::default();
        self.check(global.get(), access, &resolved, Action::Atomic, &mut outcome);
        (offsets, Reply { faulted: outcome.faulted, misuse: None })
    }
}

/// True unless a thread that arrives knows that the phase before is over.
fn is_early(order: &BlockOrder, state: &State, home: u32, by: ThreadOf) -> bool {
    let (block, thread) = by;
    let (warp, lane) = (thread / 32, usize::from(thread % 32));
    // What a block of the cluster has copied or handed over to another says nothing of phases here. Most threads have waited for
    // the phase, and need not be asked for every arrival.
    block == home
        && !order.knows_phases((warp, lane), (home, state.slot), state.phase)
        && state.is_unseen(by, |(other, thread), stamp| match other == block {
            true => order.knows_own(warp, lane, thread, stamp),
            false => order.clocks_know(warp, lane, other, thread, stamp),
        })
}

/// Lanes with the same offset.
fn groups(offsets: &[u32; 32], mask: u32) -> Vec<(u32, u32)> {
    let mut groups: Vec<(u32, u32)> = Vec::new();
    for lane in lanes(mask) {
        match groups.iter_mut().find(|group| group.0 == offsets[lane]) {
            Some(group) => group.1 |= 1 << lane,
            None => groups.push((offsets[lane], 1 << lane)),
        }
    }
    groups
}
