//! Atomics: each lane in turn takes what memory holds and leaves something else.
//!
//! Nearly always all bits are defined and fit 64: then a lane's value is a number. Others go as words with
//! what is known of their bits.

use super::{
    super::{
        Access, Global, LaneWords, Outcome, SHARED_WINDOW, atomic,
        data::{define_lane, defined_pair, load_lane, store_lane, store_pair},
        lanes,
        resolve::{self, Spaces, shared_offsets},
        shadow::Strong,
    },
    BlockMemory, global, shared,
};
use crate::{
    finding::{FindingKind, Space},
    findings::{Action, Reason},
    ir::{AtomicOp, AtomicType},
};

/// What the lanes of an atomic do.
struct Operation<'a> {
    operation: AtomicOp,
    kind: AtomicType,
    first: &'a LaneWords,
    second: &'a LaneWords,
    /// Where what was there before goes, if anybody wants it.
    old: Option<&'a mut LaneWords>,
    /// Lanes whose operands are numbers.
    numbers: u32,
    /// Lanes that use what nothing wrote.
    undefined: u32,
}

/// What a lane leaves behind.
enum New {
    Number(u64),
    Words(Box<LaneWords>),
}

impl<'a> Operation<'a> {
    fn new(
        operation: AtomicOp,
        kind: AtomicType,
        [first, second]: [&'a LaneWords; 2],
        old: Option<&'a mut LaneWords>,
    ) -> Self {
        let bytes = kind.bytes();
        let numbers = if bytes > 8 { 0 } else { !(first.poisoned(bytes) | second.poisoned(bytes)) };
        Self { operation, kind, first, second, old, numbers, undefined: 0 }
    }

    /// True if the lane's operands are numbers.
    fn is_number(&self, lane: usize) -> bool {
        self.numbers >> lane & 1 == 1
    }

    /// What a lane whose operands are numbers leaves where there is one; none if a compare-and-swap fails.
    fn on_number(&mut self, lane: usize, current: u64, flush: bool) -> Option<New> {
        if let Some(old) = self.old.as_deref_mut() {
            old.words[0][lane] = current as u32;
            old.poison[0] &= !(1 << lane);
            if self.kind.bytes() == 8 {
                old.words[1][lane] = (current >> 32) as u32;
                old.poison[1] &= !(1 << lane);
            }
        }
        let (first, second) = (self.first.pair(lane), self.second.pair(lane));
        atomic::apply(self.operation, self.kind, current, first, second, flush).map(New::Number)
    }

    /// The same for any lane.
    #[cold]
    fn on_words(&mut self, lane: usize, current: &LaneWords, flush: bool) -> Option<New> {
        let bit = 1 << lane;
        let (operation, kind, first, second) = (self.operation, self.kind, self.first, self.second);
        let bytes = kind.bytes();
        if let Some(old) = self.old.as_deref_mut() {
            for word in 0..usize::from(bytes).div_ceil(4) {
                old.words[word][lane] = current.words[word][lane];
                old.poison[word] &= !bit;
                if current.poison[word] & bit != 0 {
                    old.set_undefined(word, lane, current.undefined(word, lane));
                }
            }
        }
        if kind == AtomicType::B128 {
            let (new, reads_undefined) = atomic::exchange_16(operation, [current, first, second], lane);
            self.undefined |= if reads_undefined { bit } else { 0 };
            return new.map(|new| New::Words(Box::new(new)));
        }
        let new =
            atomic::apply(operation, kind, current.pair(lane), first.pair(lane), second.pair(lane), flush);
        let mut value = LaneWords::ZERO;
        let any = current.poisoned(bytes) | first.poisoned(bytes) | second.poisoned(bytes);
        if any & bit == 0 {
            value.set_pair(lane, new?);
        } else {
            let result = atomic::undefined(operation, kind, [current, first, second], lane);
            if result.reads_undefined {
                self.undefined |= bit;
            }
            value.set_pair(lane, new?);
            value.set_undefined(0, lane, result.bits as u32);
            value.set_undefined(1, lane, (result.bits >> 32) as u32);
        }
        Some(New::Words(Box::new(value)))
    }
}

impl BlockMemory {
    /// An atomic or reduction (`old` is none for a reduction), lane by lane in order. The second
    /// operand is for compare-and-swap. Global atomics need [`Global::Direct`]; on local memory an
    /// atomic is a load and a store.
    #[expect(clippy::too_many_arguments, reason = "an atomic has this many parts")]
    pub fn atomic(
        &mut self,
        global: &mut Global<'_>,
        access: &Access,
        operation: AtomicOp,
        kind: AtomicType,
        first: &LaneWords,
        second: &LaneWords,
        old: Option<&mut LaneWords>,
    ) -> Outcome {
        debug_assert_eq!(access.bytes, kind.bytes());
        if self.attendance.looks() {
            self.attend_write(global, access, Action::Atomic);
        }
        self.settle_reads(global);
        let mut outcome = Outcome::default();
        let spaces = Spaces::of(access);
        let bytes = access.bytes;
        let offsets = shared_offsets(access);
        let mut shared_resolved = resolve::shared(&self.shared.layout, &offsets, spaces.shared, bytes, None);
        let far = resolve::global(global.get(), access, spaces.global, true);
        let memory = &self.local[usize::from(access.warp)];
        let (local_offsets, local, _) = resolve::local(memory, access, spaces.local, Action::Atomic);
        if !self.order.outgoing.is_empty() {
            self.check_outgoing(global, access, Action::Atomic);
        }
        if spaces.global != 0 && self.order.copies.any_reading() {
            self.check_sources(global, access, spaces.global, Action::Atomic);
        }
        let mut with = Operation::new(operation, kind, [first, second], old);
        for (variable, mask) in shared_resolved.regions() {
            let start = self.shared.cells_start(variable);
            for lane in lanes(mask) {
                self.atomic_shared(global, access, (variable, offsets[lane]), lane, &mut with);
            }
            self.finish_strong(global, access, Space::Shared, SHARED_WINDOW + u64::from(start));
        }
        if shared_resolved.stray != 0 {
            let old = with.old.as_deref_mut();
            let operation = (operation, kind);
            self.atomic_elsewhere(
                global,
                access,
                &mut shared_resolved,
                operation,
                [first, second],
                old,
                &mut outcome,
            );
        }
        for (index, mask) in far.regions() {
            for lane in lanes(mask) {
                self.atomic_global(global, access, index, lane, &mut with);
            }
            self.finish_release(global, access);
        }
        for lane in lanes(local.good()) {
            let memory = &mut self.local[usize::from(access.warp)];
            let mut current = LaneWords::ZERO;
            memory.load(lane, local_offsets[lane], bytes, &mut current);
            match with.on_words(lane, &current, false) {
                Some(New::Words(new)) => memory.store(lane, local_offsets[lane], bytes, &new, access.site),
                Some(New::Number(_)) => unreachable!("words give words"),
                None => {}
            }
        }
        shared::count_atomic(operation, &offsets, shared_resolved.good(), bytes, &mut outcome);
        global::count_atomic(access, far.good(), &mut outcome);
        outcome.traffic.local_requests = u16::from(local.good() != 0);
        for resolved in [&shared_resolved, &far, &local] {
            self.check(global.get(), access, resolved, Action::Atomic, &mut outcome);
        }
        if with.undefined != 0 {
            let (lanes, kind) = (with.undefined, FindingKind::UninitializedRead);
            self.report(global.get(), access, lanes, kind, Reason::UndefinedAtomic);
        }
        outcome
    }

    fn atomic_shared(
        &mut self,
        global: &mut Global<'_>,
        access: &Access,
        (variable, offset): (usize, u32),
        lane: usize,
        with: &mut Operation<'_>,
    ) {
        let (at, bytes) = (offset as usize, access.bytes);
        let number =
            if with.is_number(lane) { defined_pair(self.shared.contents(), at, bytes) } else { None };
        let new = match number {
            Some(current) => with.on_number(lane, current, false),
            None => {
                let mut current = LaneWords::ZERO;
                load_lane(self.shared.contents(), at, bytes, lane, &mut current);
                with.on_words(lane, &current, false)
            }
        };
        let strong = strong(access, with.kind, new.is_some(), true);
        self.strong_shared(global, access, variable, offset, lane, strong);
        match new {
            // All of it was defined before.
            Some(New::Number(new)) => {
                self.changes += u64::from(store_pair(&mut self.shared.data, at, bytes, new));
            }
            Some(New::Words(new)) => {
                self.changes += u64::from(store_lane(&mut self.shared.data, at, bytes, lane, &new));
                define_lane(at, bytes, lane, &new, |definition| {
                    self.shared.define(variable, definition, access.site);
                });
            }
            None => {}
        }
    }

    fn atomic_global(
        &mut self,
        global: &mut Global<'_>,
        access: &Access,
        index: usize,
        lane: usize,
        with: &mut Operation<'_>,
    ) {
        let bytes = access.bytes;
        let allocation = global.get().allocation(index);
        let at = (access.addresses[lane] - allocation.address) as usize;
        let number = match global {
            Global::Direct(_) if with.is_number(lane) => defined_pair(allocation.contents(), at, bytes),
            _ => None,
        };
        let new = match number {
            Some(current) => with.on_number(lane, current, true),
            None => {
                let mut current = LaneWords::ZERO;
                self.fetch_global(global.get(), index, access, 1 << lane, &mut current);
                with.on_words(lane, &current, true)
            }
        };
        let strong = strong(access, with.kind, new.is_some(), false);
        self.strong_global(global, index, access, lane, strong);
        match (new, global) {
            (Some(New::Number(new)), Global::Direct(global)) => {
                let allocation = global.allocation_mut(index);
                if store_pair(&mut allocation.data, at, bytes, new) {
                    if allocation.first_change.is_some() {
                        allocation.note_first_change(at as u64);
                    }
                    self.note_changes(global, access, 1 << lane);
                }
            }
            (Some(New::Words(new)), global) => self.put_global(global, index, access, 1 << lane, &new),
            (Some(New::Number(_)), Global::Overlay(_)) => unreachable!("numbers are found directly"),
            (None, _) => {}
        }
    }
}

fn strong(access: &Access, kind: AtomicType, writes: bool, lockstep: bool) -> Strong {
    let (order, scope) = (access.order, access.scope);
    Strong { reads: true, writes, atomic: true, order, scope, lockstep, packed: kind.is_packed() }
}
