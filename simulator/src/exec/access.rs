//! Loads, stores and atomics: between registers and the words that memory moves.

mod undefined;

use crate::{
    counters::Counters,
    exec::{
        context::{Context, Stop, Unit},
        registers::Registers,
        undefined::{Origins, Register},
    },
    findings::RaceCause,
    ir::{
        Address, AddressSpace, AtomicOp, AtomicType, Constants, Element, LANES, Memory, Order, Pair, Pairs,
        Scope, UNUSED, Word, Words,
    },
    memory::{
        Access, BlockMemory, ConflictingRequest, Global, LaneWords, Outcome, SHARED_WINDOW, Site, Tag,
        WINDOW_BYTES,
        traffic::{Flow, Requested, Wavefronts},
    },
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
    /// What gave undefined values.
    pub origins: &'a mut Origins,
    /// The warp.
    pub warp: u32,
    /// The block.
    pub block: u32,
    /// The instruction.
    pub site: Site,
}

/// The lanes' addresses, and the lanes in which they are undefined.
#[inline(always)]
pub fn addresses(registers: &Registers, constants: &Constants, address: Address) -> (Pairs, u32) {
    let mut out = [0; LANES];
    let poison = put_addresses(registers, constants, address, &mut out);
    (out, poison)
}

/// The same, written where they are needed.
#[inline(always)]
fn put_addresses(registers: &Registers, constants: &Constants, address: Address, out: &mut Pairs) -> u32 {
    let offset = i64::from(address.offset) as u64;
    if address.wide {
        let base = registers.pair(constants, Pair(address.register));
        for lane in 0..LANES {
            out[lane] = base[lane].wrapping_add(offset);
        }
        if let Some(windows) = constants.windows {
            windows.all_inside(out);
        }
        registers.pair_poison(Pair(address.register))
    } else {
        let base = registers.word(constants, Word(address.register));
        for lane in 0..LANES {
            out[lane] = u64::from(base[lane]).wrapping_add(offset);
        }
        registers.word_poison(Word(address.register))
    }
}

/// A register by its index.
pub(super) fn register(wide: bool, index: u16) -> Register {
    if wide { Register::Pair(Pair(index)) } else { Register::Word(Word(index)) }
}

/// Element `index` of the lanes' words as a word.
#[inline(always)]
pub(super) fn narrow(words: &LaneWords, element: Element, index: usize) -> Words {
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

impl<'a, 'g> Port<'a, 'g> {
    /// For an instruction of a warp of this block.
    #[inline(always)]
    pub fn of(
        cx: &'a Context<'a>,
        unit: &'a mut Unit,
        global: &'a mut Global<'g>,
        line: &'a mut Counters,
        warp: u32,
        site: Site,
    ) -> Self {
        let Unit { memory, scratch, origins, block, .. } = unit;
        Port { cx, memory, global, line, scratch, origins, warp, block: *block, site }
    }
}

impl Port<'_, '_> {
    #[inline(always)]
    pub(super) fn access(
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

    /// Keeps a request with conflicts, where that is asked for.
    #[cold]
    #[inline(never)]
    fn note_conflicts(&mut self, access: &Access, requested: Requested, wavefronts: Wavefronts) {
        let Some(worst) = self.memory.tally.worst.as_deref_mut() else { return };
        // Of a generic access other lanes may be elsewhere.
        let generic = access.space == AddressSpace::Generic;
        let start = if generic { SHARED_WINDOW } else { 0 };
        let offset = |lane: usize| access.addresses[lane].wrapping_sub(start);
        let is_shared = |&lane: &usize| !generic || offset(lane) < WINDOW_BYTES;
        let mask = crate::memory::lanes(access.mask).filter(is_shared).fold(0, |mask, lane| mask | 1 << lane);
        let offsets = std::array::from_fn(|lane| offset(lane) as u32);
        let request = ConflictingRequest {
            requested,
            offsets,
            mask,
            bytes: access.bytes,
            wavefronts,
            block: self.block,
            warp: access.warp,
        };
        worst.note(self.site, request);
    }

    /// Settles an access that names its lanes' places in shared memory, if it goes there.
    #[inline(always)]
    fn settle_access(
        &mut self,
        outcome: Outcome,
        access: &Access,
        kind: Direction,
        requested: Requested,
    ) -> Result<u64, Stop> {
        self.note_wavefronts(access, outcome, requested);
        self.settle(outcome, access.mask, kind)
    }

    /// Keeps a request if it has conflicts and that is asked for.
    #[inline(always)]
    pub(super) fn note_wavefronts(&mut self, access: &Access, outcome: Outcome, requested: Requested) {
        let wavefronts = outcome.traffic.wavefronts;
        if wavefronts.taken > wavefronts.ideal {
            self.note_conflicts(access, requested, wavefronts);
        }
    }

    /// Extra cycles of an access, under the documented cost model.
    #[inline(always)]
    pub(super) fn settle(&mut self, outcome: Outcome, mask: u32, kind: Direction) -> Result<u64, Stop> {
        let traffic = outcome.traffic;
        let line = &mut *self.line;
        line.local_requests += u64::from(traffic.local_requests);
        let (requests, sectors) = (u64::from(traffic.global_requests), u64::from(traffic.sectors));
        let bytes = u64::from(traffic.global_bytes);
        let shared = u64::from(traffic.shared_requests);
        let (wavefronts, ideal) = (u64::from(traffic.wavefronts.taken), u64::from(traffic.wavefronts.ideal));
        match kind {
            Direction::Load => {
                line.global_load_requests += requests;
                line.global_load_sectors += sectors;
                self.memory.tally.load_sectors += sectors;
                line.global_load_bytes += bytes;
                line.shared_load_requests += shared;
                if self.memory.is_copying(self.warp as u16) {
                    line.shared_load_requests_during_copies += shared;
                }
                line.shared_load_wavefronts += wavefronts;
                line.shared_load_ideal_wavefronts += ideal;
            }
            Direction::Store => {
                line.global_store_requests += requests;
                line.global_store_sectors += sectors;
                line.global_store_bytes += bytes;
                line.shared_store_requests += shared;
                line.shared_store_wavefronts += wavefronts;
                line.shared_store_ideal_wavefronts += ideal;
            }
            Direction::Atomic => {
                line.global_atomic_requests += requests;
                line.global_atomic_sectors += sectors;
                self.memory.tally.load_sectors += sectors;
                line.global_store_requests += requests;
                line.global_store_sectors += sectors;
                line.global_store_bytes += bytes;
                line.shared_atomic_requests += shared;
                line.shared_atomic_wavefronts += wavefronts;
                line.shared_atomic_ideal_wavefronts += ideal;
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
        if let Some(extra) = self.load_known(memory, d[0], address, registers, constants, mask) {
            return Ok(extra);
        }
        let element = memory.element;
        let bytes = element.bytes * memory.count;
        let mut access = self.access(memory.space, [0; LANES], mask, bytes, memory.order, memory.scope);
        self.memory.element = element.bytes;
        let poison = put_addresses(registers, constants, address, &mut access.addresses);
        if poison & mask != 0 {
            self.undefined_address(registers, address, poison & mask);
        }
        let extra = if memory.space == AddressSpace::Param {
            self.load_parameters(&access.addresses, bytes, mask)?
        } else {
            if memory.read_only {
                self.memory.check_read_only(self.global, &access, RaceCause::ReadOnlyCache);
            }
            let outcome = self.memory.load(self.global, &access, self.scratch);
            self.settle_access(outcome, &access, Direction::Load, Requested::Plain(Flow::Load))?
        };
        self.put_loaded(memory, d, &access, registers, mask);
        Ok(extra)
    }

    /// Puts the elements that were loaded into their registers.
    #[inline(always)]
    fn put_loaded(
        &mut self,
        memory: &Memory,
        d: &[u16; 4],
        access: &Access,
        registers: &mut Registers,
        mask: u32,
    ) {
        let element = memory.element;
        for (index, &d) in d.iter().enumerate().take(usize::from(memory.count)) {
            if d == u16::MAX {
                continue;
            }
            if element.wide {
                registers.set_pair(Pair(d), &wide(self.scratch, element, index), 0, mask);
            } else {
                registers.set_word(Word(d), &narrow(self.scratch, element, index), 0, mask);
            }
            let at = index * usize::from(element.bytes) / 4;
            let high = if element.bytes == 8 { self.scratch.poison[at + 1] } else { 0 };
            let poison = (self.scratch.poison[at] | high) & mask;
            if poison != 0 {
                self.note_loaded(access, element, index, register(element.wide, d), registers, poison);
            }
        }
    }

    /// A load from places that no register holds.
    #[inline(never)]
    pub(super) fn load_at(
        &mut self,
        memory: &Memory,
        d: &[u16; 4],
        addresses: Pairs,
        registers: &mut Registers,
        mask: u32,
    ) -> Result<u64, Stop> {
        let bytes = memory.element.bytes * memory.count;
        let access = self.access(memory.space, addresses, mask, bytes, memory.order, memory.scope);
        self.memory.element = memory.element.bytes;
        let outcome = self.memory.load_out_of_line(self.global, &access, self.scratch);
        let extra = self.settle_access(outcome, &access, Direction::Load, Requested::Plain(Flow::Load))?;
        self.put_loaded(memory, d, &access, registers, mask);
        Ok(extra)
    }

    /// The same for a plain load of a word where there is little to find out, and nothing to do but to load.
    /// None if that is not so; then nothing has been done.
    #[inline(always)]
    fn load_known(
        &mut self,
        memory: &Memory,
        d: u16,
        address: Address,
        registers: &mut Registers,
        constants: &Constants,
        mask: u32,
    ) -> Option<u64> {
        let base = Pair(address.register);
        let plain = memory.element.bytes == 4 && memory.count == 1 && memory.order == Order::Weak;
        let near = matches!(memory.space, AddressSpace::Shared | AddressSpace::Generic);
        if !(plain && near && address.wide && !memory.element.wide) || d == u16::MAX {
            return None;
        }
        let bases = registers.pair(constants, base);
        let first = bases[mask.trailing_zeros() as usize & 31];
        let mut shape = registers.pair_shape(base);
        if shape == Tag::NONE {
            if registers.pair_poison(base) & mask != 0 {
                return None;
            }
            shape = self.memory.shape(bases, mask);
            if shape == Tag::NONE {
                return None;
            }
            registers.keep_shape(base, shape);
        }
        let mut first = first.wrapping_add(i64::from(address.offset) as u64);
        if let Some(windows) = constants.windows {
            first = windows.inside(first);
        }
        let by = (self.warp as u16, self.site);
        let out = registers.word_to_write(Word(d));
        let wavefronts = self.memory.load_known(self.global, (memory.space, shape, first), mask, by, out)?;
        registers.written(Word(d), mask);
        if wavefronts.taken > wavefronts.ideal && self.memory.tally.worst.is_some() {
            let mut access = self.access(memory.space, [0; LANES], mask, 4, memory.order, memory.scope);
            put_addresses(registers, constants, address, &mut access.addresses);
            self.note_conflicts(&access, Requested::Plain(Flow::Load), wavefronts);
        }
        self.line.shared_load_requests += 1;
        self.line.shared_load_requests_during_copies += u64::from(self.memory.is_copying(self.warp as u16));
        self.line.shared_load_wavefronts += u64::from(wavefronts.taken);
        self.line.shared_load_ideal_wavefronts += u64::from(wavefronts.ideal);
        Some(u64::from(wavefronts.taken).saturating_sub(1))
    }

    /// [`Port::load`] where it is not worth a copy of its own.
    #[inline(never)]
    pub fn load_out_of_line(
        &mut self,
        memory: &Memory,
        d: &[u16; 4],
        address: Address,
        registers: &mut Registers,
        constants: &Constants,
        mask: u32,
    ) -> Result<u64, Stop> {
        self.load(memory, d, address, registers, constants, mask)
    }

    /// The same for [`Port::store`].
    #[inline(never)]
    pub fn store_out_of_line(
        &mut self,
        memory: &Memory,
        a: &[u16; 4],
        address: Address,
        registers: &Registers,
        constants: &Constants,
        mask: u32,
    ) -> Result<u64, Stop> {
        self.store(memory, a, address, registers, constants, mask)
    }

    /// Kernel parameters are constants of the launch: no traffic is counted for them.
    #[inline(always)]
    fn load_parameters(&mut self, addresses: &Pairs, bytes: u8, mask: u32) -> Result<u64, Stop> {
        let count = usize::from(bytes).div_ceil(4);
        let word = |at: u64, word: usize| {
            let byte = |byte: usize| {
                let index = (at as usize).wrapping_add(4 * word + byte);
                self.cx.parameters.get(index).copied().unwrap_or(0)
            };
            u32::from_le_bytes([byte(0), byte(1), byte(2), byte(3)])
        };
        // Nearly always all lanes want the same.
        let first = addresses[mask.trailing_zeros() as usize & 31];
        let common = std::array::from_fn::<u32, 4, _>(|at| if at < count { word(first, at) } else { 0 });
        for lane in crate::memory::lanes(mask) {
            let at = addresses[lane];
            for part in 0..count {
                let value = if at == first { common[part] } else { word(at, part) };
                self.scratch.words[part][lane] = value;
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
            self.undefined_address(registers, address, poison & mask);
        }
        self.store_to(memory, a, addresses, registers, constants, mask)
    }

    /// A store to places that no register holds.
    #[inline(never)]
    pub(super) fn store_at(
        &mut self,
        memory: &Memory,
        a: &[u16; 4],
        addresses: Pairs,
        registers: &Registers,
        constants: &Constants,
        mask: u32,
    ) -> Result<u64, Stop> {
        self.store_to(memory, a, addresses, registers, constants, mask)
    }

    #[inline(always)]
    fn store_to(
        &mut self,
        memory: &Memory,
        a: &[u16; 4],
        addresses: Pairs,
        registers: &Registers,
        constants: &Constants,
        mask: u32,
    ) -> Result<u64, Stop> {
        let element = memory.element;
        self.memory.element = element.bytes;
        let bytes = element.bytes * memory.count;
        let words = &mut *self.scratch;
        if element.bytes < 4 {
            words.words = [[0; LANES]; 4];
        }
        words.poison = [0; 4];
        if words.bits.is_some() {
            words.bits = None;
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
            undefined |= poison & mask;
        }
        let access = self.access(memory.space, addresses, mask, bytes, memory.order, memory.scope);
        if undefined != 0 {
            return self.store_undefined(memory, a, registers, &access, undefined);
        }
        let outcome = self.memory.store(self.global, &access, self.scratch);
        self.settle_access(outcome, &access, Direction::Store, Requested::Plain(Flow::Store))
    }

    /// The rest of a store of which a value is poisoned.
    #[cold]
    #[inline(never)]
    fn store_undefined(
        &mut self,
        memory: &Memory,
        a: &[u16; 4],
        registers: &Registers,
        access: &Access,
        undefined: u32,
    ) -> Result<u64, Stop> {
        let element = memory.element;
        let stored: Vec<(Register, u8, u64)> = (a.iter().enumerate().take(usize::from(memory.count)))
            .map(|(index, &a)| {
                let at = index * usize::from(element.bytes);
                (register(element.wide, a), element.bytes, at as u64)
            })
            .collect();
        for &(register, _, at) in &stored {
            self.note_stored(element, at as usize, register, registers, undefined);
        }
        let outcome = self.memory.store_out_of_line(self.global, access, self.scratch);
        self.pass_on(registers, &stored, access, undefined);
        if outcome.traffic.shared_requests != 0 || outcome.traffic.global_requests != 0 {
            self.use_stored(registers, &stored, undefined);
        }
        if outcome.traffic.global_requests != 0 {
            self.undefined_outputs(registers, &stored, access, undefined);
        }
        self.settle_access(outcome, access, Direction::Store, Requested::Plain(Flow::Store))
    }

    /// Executes an atomic or reduction; gives extra cycles.
    #[expect(clippy::too_many_arguments, reason = "an atomic has that many operands")]
    pub fn atomic(
        &mut self,
        op: AtomicOp,
        kind: AtomicType,
        space: AddressSpace,
        (order, scope): (Order, Scope),
        d: [u16; 2],
        address: Address,
        (b, c): ([u16; 2], [u16; 2]),
        registers: &mut Registers,
        constants: &Constants,
        mask: u32,
    ) -> Result<u64, Stop> {
        let (addresses, poison) = addresses(registers, constants, address);
        if poison & mask != 0 {
            self.undefined_address(registers, address, poison & mask);
        }
        self.memory.element = kind.bytes();
        // Of 128 bits there are two registers, of all others one.
        let registers_of = usize::from(kind.bytes()).div_ceil(8);
        let operand = |indices: [u16; 2]| {
            let mut words = LaneWords::ZERO;
            let mut undefined = 0;
            for (part, &index) in indices.iter().enumerate().take(registers_of) {
                if kind.is_wide() {
                    let value = registers.pair(constants, Pair(index));
                    for lane in 0..LANES {
                        words.words[2 * part][lane] = value[lane] as u32;
                        words.words[2 * part + 1][lane] = (value[lane] >> 32) as u32;
                    }
                } else {
                    words.words[0] = *registers.word(constants, Word(index));
                }
                let register = register(kind.is_wide(), index);
                let poison = registers.poison(register) & mask;
                for lane in crate::memory::lanes(poison) {
                    let bits = registers.undefined(register, lane).bits;
                    words.set_undefined(2 * part, lane, bits as u32);
                    words.set_undefined(2 * part + 1, lane, (bits >> 32) as u32);
                }
                undefined |= poison;
            }
            (words, undefined)
        };
        let (first, mut undefined) = operand(b);
        // An operand comes from nowhere near the place that it goes to.
        let described = |index: u16| (register(kind.is_wide(), index), kind.bytes().min(8), u64::MAX);
        let second = if op == AtomicOp::CompareAndSwap {
            let (second, poison) = operand(c);
            undefined |= poison;
            second
        } else {
            LaneWords::ZERO
        };
        let also = if op == AtomicOp::CompareAndSwap { c } else { b };
        let operands = [b[0], b[registers_of - 1], also[0], also[registers_of - 1]].map(described);
        let access = self.access(space, addresses, mask, kind.bytes(), order, scope);
        let old = (d != UNUSED).then_some(&mut *self.scratch);
        let outcome = self.memory.atomic(self.global, &access, op, kind, &first, &second, old);
        if undefined != 0 {
            self.use_stored(registers, &operands, undefined);
        }
        if undefined != 0 && outcome.traffic.global_requests != 0 {
            self.undefined_outputs(registers, &operands, &access, undefined);
        }
        let extra = self.settle_access(outcome, &access, Direction::Atomic, Requested::Atomic(op))?;
        if d != UNUSED {
            let element = Element { bytes: kind.bytes().min(8), signed: false, wide: kind.is_wide() };
            for (part, &d) in d.iter().enumerate().take(registers_of) {
                let mut poison = self.scratch.poison[2 * part];
                if kind.is_wide() {
                    poison |= self.scratch.poison[2 * part + 1];
                    registers.set_pair(Pair(d), &wide(self.scratch, element, part), 0, mask);
                } else {
                    registers.set_word(Word(d), &self.scratch.words[0], 0, mask);
                }
                if poison & mask != 0 {
                    let d = register(kind.is_wide(), d);
                    self.note_loaded(&access, element, part, d, registers, poison & mask);
                }
            }
        }
        Ok(extra)
    }
}

/// What an access counts as.
pub(super) enum Direction {
    Load,
    Store,
    Atomic,
}
