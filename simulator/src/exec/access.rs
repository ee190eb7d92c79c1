//! Loads, stores and atomics: between registers and the words that memory moves.

use crate::{
    counters::Counters,
    exec::{
        context::{Context, Stop, Undefined, report, threads},
        registers::Registers,
    },
    finding::{Kind, Severity},
    ir::{
        Address, AddressSpace, AtomicOp, AtomicType, Constants, Element, LANES, Memory, Order, Pair, Pairs,
        Scope, Word, Words,
    },
    memory::{Access, BlockMemory, Global, LaneWords, Outcome, Site},
};

/// What a memory instruction needs besides its operands.
pub struct Port<'a, 'g> {
    /// The launch.
    pub cx: &'a Context<'a>,
    /// The block's memory.
    pub memory: &'a mut BlockMemory,
    /// Everybody's memory.
    pub global: &'a mut Global<'g>,
    /// Counters of the line.
    pub line: &'a mut Counters,
    /// Words on their way.
    pub scratch: &'a mut LaneWords,
    /// What last gave this warp an undefined value.
    pub undefined_from: &'a mut Undefined,
    /// The warp.
    pub warp: u32,
    /// The block.
    pub block: u32,
    /// The instruction.
    pub site: Site,
}

#[inline(always)]
fn addresses(registers: &Registers, constants: &Constants, address: Address) -> (Pairs, u32) {
    let offset = i64::from(address.offset) as u64;
    let mut out = [0; LANES];
    let poison = if address.wide {
        let base = registers.pair(constants, Pair(address.register));
        for lane in 0..LANES {
            out[lane] = base[lane].wrapping_add(offset);
        }
        registers.pair_poison(Pair(address.register))
    } else {
        let base = registers.word(constants, Word(address.register));
        for lane in 0..LANES {
            out[lane] = u64::from(base[lane]).wrapping_add(offset);
        }
        registers.word_poison(Word(address.register))
    };
    (out, poison)
}

/// Element `index` of the lanes' words as a word.
#[inline(always)]
fn narrow(words: &LaneWords, element: Element, index: usize) -> Words {
    if element.bytes == 4 {
        return words.words[index];
    }
    let at = index * usize::from(element.bytes);
    let shift = 8 * (at % 4) as u32;
    let unused = 32 - 8 * u32::from(element.bytes);
    let from = &words.words[at / 4];
    let mut out = [0; LANES];
    for lane in 0..LANES {
        let value = from[lane] >> shift << unused;
        out[lane] = if element.signed { ((value as i32) >> unused) as u32 } else { value >> unused };
    }
    out
}

/// Element `index` of the lanes' words as a pair.
#[inline(always)]
fn wide(words: &LaneWords, element: Element, index: usize) -> Pairs {
    let mut out = [0; LANES];
    if element.bytes == 8 {
        let (low, high) = (&words.words[2 * index], &words.words[2 * index + 1]);
        for lane in 0..LANES {
            out[lane] = u64::from(low[lane]) | u64::from(high[lane]) << 32;
        }
    } else {
        let value = narrow(words, element, index);
        for lane in 0..LANES {
            out[lane] =
                if element.signed { value[lane] as i32 as i64 as u64 } else { u64::from(value[lane]) };
        }
    }
    out
}

impl Port<'_, '_> {
    #[inline(always)]
    fn access(
        &self,
        space: AddressSpace,
        addresses: Pairs,
        mask: u32,
        bytes: u8,
        order: Order,
        scope: Scope,
    ) -> Access {
        Access { space, addresses, mask, bytes, order, scope, site: self.site, warp: self.warp as u16 }
    }

    #[cold]
    #[inline(never)]
    fn undefined(&mut self, lanes: u32, message: &'static str) {
        report(
            &mut self.memory.findings,
            Kind::UninitializedRead,
            Severity::Error,
            self.site,
            self.undefined_from.at,
            threads(self.block, self.warp, lanes),
            u64::from(lanes.count_ones()),
            message,
        );
    }

    fn undefined_address(&mut self, lanes: u32) {
        let message = if self.undefined_from.by_shuffle {
            "The address of this access is computed from what a shuffle read from a lane that takes no part in it. Use the result \
             only in lanes whose source takes part."
        } else {
            "The address of this access is computed from a value that nothing wrote. Initialise the index or pointer first."
        };
        self.undefined(lanes, message);
    }

    fn undefined_output(&mut self, lanes: u32) {
        let message = if self.undefined_from.by_shuffle {
            "What a shuffle read from a lane that takes no part in it is stored to global memory. Use the result only in lanes \
             whose source takes part."
        } else {
            "A value that nothing wrote is stored to global memory. Initialise it before it is read; shared memory starts with \
             arbitrary contents."
        };
        self.undefined(lanes, message);
    }

    /// Extra cycles of an access, under the documented cost model.
    #[inline(always)]
    fn settle(&mut self, outcome: Outcome, mask: u32, kind: Direction) -> Result<u64, Stop> {
        let traffic = outcome.traffic;
        let line = &mut *self.line;
        line.local_requests += u64::from(traffic.local_requests);
        let (requests, sectors) = (u64::from(traffic.global_requests), u64::from(traffic.sectors));
        let (shared, wavefronts) = (u64::from(traffic.shared_requests), u64::from(traffic.wavefronts));
        match kind {
            Direction::Load => {
                line.global_load_requests += requests;
                line.global_load_sectors += sectors;
                line.shared_load_requests += shared;
                line.shared_load_wavefronts += wavefronts;
                line.shared_load_ideal_wavefronts += u64::from(traffic.ideal_wavefronts);
            }
            Direction::Store => {
                line.global_store_requests += requests;
                line.global_store_sectors += sectors;
                line.shared_store_requests += shared;
                line.shared_store_wavefronts += wavefronts;
                line.shared_store_ideal_wavefronts += u64::from(traffic.ideal_wavefronts);
            }
            Direction::Atomic => {
                line.global_atomic_requests += requests;
                line.global_store_requests += requests;
                line.global_store_sectors += sectors;
                line.shared_atomic_requests += shared;
            }
        }
        if outcome.faulted & mask != 0 {
            return Err(Stop::Faulted);
        }
        Ok(wavefronts.saturating_sub(1))
    }

    /// Executes a load; gives extra cycles.
    #[inline(always)]
    pub fn load(
        &mut self,
        memory: &Memory,
        d: &[u16; 4],
        address: Address,
        registers: &mut Registers,
        constants: &Constants,
        mask: u32,
    ) -> Result<u64, Stop> {
        let (addresses, poison) = addresses(registers, constants, address);
        if poison & mask != 0 {
            self.undefined_address(poison & mask);
        }
        let element = memory.element;
        let bytes = element.bytes * memory.count;
        let extra = if memory.space == AddressSpace::Param {
            self.load_parameters(&addresses, bytes, mask)?
        } else {
            let access = self.access(memory.space, addresses, mask, bytes, memory.order, memory.scope);
            let outcome = self.memory.load(self.global, &access, self.scratch);
            self.settle(outcome, mask, Direction::Load)?
        };
        let words = &*self.scratch;
        let mut undefined = 0;
        for (index, &d) in d.iter().enumerate().take(usize::from(memory.count)) {
            let at = index * usize::from(element.bytes) / 4;
            // A pair is undefined when both of its halves are: padding that travels with a member is no defect.
            let poison =
                if element.bytes == 8 { words.poison[at] & words.poison[at + 1] } else { words.poison[at] };
            undefined |= poison & mask;
            if d == u16::MAX {
                continue;
            }
            if element.wide {
                registers.set_pair(Pair(d), &wide(words, element, index), poison, mask);
            } else {
                registers.set_word(Word(d), &narrow(words, element, index), poison, mask);
            }
        }
        if undefined != 0 {
            *self.undefined_from = Undefined { at: self.site, by_shuffle: false };
        }
        Ok(extra)
    }

    /// Kernel parameters are constants of the launch: no traffic is counted for them.
    #[inline(always)]
    fn load_parameters(&mut self, addresses: &Pairs, bytes: u8, mask: u32) -> Result<u64, Stop> {
        let count = usize::from(bytes).div_ceil(4);
        for lane in crate::memory::lanes(mask) {
            let at = addresses[lane] as usize;
            for word in 0..count {
                let mut value = 0;
                for byte in (0..4usize).rev() {
                    let index = at.wrapping_add(4 * word + byte);
                    value = value << 8 | u32::from(self.cx.parameters.get(index).copied().unwrap_or(0));
                }
                self.scratch.words[word][lane] = value;
            }
        }
        self.scratch.poison[..count].fill(0);
        Ok(0)
    }

    /// Executes a store; gives extra cycles, and the lanes that stored to local memory.
    #[inline(always)]
    pub fn store(
        &mut self,
        memory: &Memory,
        a: &[u16; 4],
        address: Address,
        registers: &Registers,
        constants: &Constants,
        mask: u32,
    ) -> Result<u64, Stop> {
        let (addresses, poison) = addresses(registers, constants, address);
        if poison & mask != 0 {
            self.undefined_address(poison & mask);
        }
        let element = memory.element;
        let bytes = element.bytes * memory.count;
        let words = &mut *self.scratch;
        if element.bytes < 4 {
            words.words = [[0; LANES]; 4];
            words.poison = [0; 4];
        }
        let mut undefined = 0;
        for (index, &a) in a.iter().enumerate().take(usize::from(memory.count)) {
            let at = index * usize::from(element.bytes);
            let poison = if element.wide {
                let (value, poison) = (registers.pair(constants, Pair(a)), registers.pair_poison(Pair(a)));
                match element.bytes {
                    8 => {
                        for lane in 0..LANES {
                            words.words[at / 4][lane] = value[lane] as u32;
                            words.words[at / 4 + 1][lane] = (value[lane] >> 32) as u32;
                        }
                        words.poison[at / 4 + 1] = poison;
                    }
                    4 => {
                        for lane in 0..LANES {
                            words.words[at / 4][lane] = value[lane] as u32;
                        }
                    }
                    narrow => {
                        let field = (1u32 << (8 * narrow)) - 1;
                        for lane in 0..LANES {
                            words.words[at / 4][lane] |= (value[lane] as u32 & field) << (8 * (at % 4));
                        }
                    }
                }
                poison
            } else {
                let (value, poison) = (registers.word(constants, Word(a)), registers.word_poison(Word(a)));
                if element.bytes == 4 {
                    words.words[at / 4] = *value;
                } else {
                    let field = (1u32 << (8 * element.bytes)) - 1;
                    for lane in 0..LANES {
                        words.words[at / 4][lane] |= (value[lane] & field) << (8 * (at % 4));
                    }
                }
                poison
            };
            if element.bytes < 4 {
                words.poison[at / 4] |= poison;
            } else {
                words.poison[at / 4] = poison;
            }
            undefined |= poison & mask;
        }
        let access = self.access(memory.space, addresses, mask, bytes, memory.order, memory.scope);
        let outcome = self.memory.store(self.global, &access, self.scratch);
        if undefined != 0 && outcome.traffic.global_requests != 0 {
            self.undefined_output(undefined);
        }
        self.settle(outcome, mask, Direction::Store)
    }

    /// Executes an atomic or reduction; gives extra cycles.
    #[expect(clippy::too_many_arguments, reason = "an atomic has that many operands")]
    pub fn atomic(
        &mut self,
        op: AtomicOp,
        kind: AtomicType,
        space: AddressSpace,
        (order, scope): (Order, Scope),
        d: u16,
        address: Address,
        (b, c): (u16, u16),
        registers: &mut Registers,
        constants: &Constants,
        mask: u32,
    ) -> Result<u64, Stop> {
        let (addresses, poison) = addresses(registers, constants, address);
        if poison & mask != 0 {
            self.undefined_address(poison & mask);
        }
        let operand = |register: u16| {
            let mut words = LaneWords::ZERO;
            let poison;
            if kind.is_wide() {
                let value = registers.pair(constants, Pair(register));
                for lane in 0..LANES {
                    words.set_pair(lane, value[lane]);
                }
                poison = registers.pair_poison(Pair(register));
                words.poison[1] = poison;
            } else {
                words.words[0] = *registers.word(constants, Word(register));
                poison = registers.word_poison(Word(register));
            }
            words.poison[0] = poison;
            (words, poison & mask)
        };
        let (first, mut undefined) = operand(b);
        let second = if op == AtomicOp::CompareAndSwap {
            let (second, poison) = operand(c);
            undefined |= poison;
            second
        } else {
            LaneWords::ZERO
        };
        let access = self.access(space, addresses, mask, kind.bytes(), order, scope);
        let old = (d != u16::MAX).then_some(&mut *self.scratch);
        let outcome = self.memory.atomic(self.global, &access, op, kind, &first, &second, old);
        if undefined != 0 && outcome.traffic.global_requests != 0 {
            self.undefined_output(undefined);
        }
        let extra = self.settle(outcome, mask, Direction::Atomic)?;
        if d != u16::MAX {
            if kind.is_wide() {
                let element = Element { bytes: 8, signed: false, wide: true };
                let poison = self.scratch.poison[0] & self.scratch.poison[1];
                registers.set_pair(Pair(d), &wide(self.scratch, element, 0), poison, mask);
            } else {
                registers.set_word(Word(d), &self.scratch.words[0], self.scratch.poison[0], mask);
            }
        }
        Ok(extra)
    }
}

enum Direction {
    Load,
    Store,
    Atomic,
}
