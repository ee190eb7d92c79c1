//! Undefined bits on their way between registers and memory: which of them are remembered, and
//! where using them is a defect.

use super::{
    super::{
        registers::Registers,
        undefined::{OriginId, Register, Undefined},
    },
    Port, register,
};
use crate::{
    finding::Space,
    findings::{Decides, ThreadId},
    ir::{Address, Element},
    memory::{Access, Passed},
};

impl Port<'_, '_> {
    /// Reports that undefined values decide something.
    #[cold]
    #[inline(never)]
    pub(in super::super) fn report(
        &mut self,
        decides: Decides,
        values: impl Iterator<Item = (usize, Undefined)>,
    ) {
        let (block, warp) = (self.block, self.warp);
        let values = values.map(|(lane, value)| (ThreadId { block, thread: warp * 32 + lane as u32 }, value));
        self.origins.report(&mut self.memory.findings, decides, self.site, values);
    }

    /// Reports that a register's undefined lanes decide something.
    pub(in super::super) fn undefined(
        &mut self,
        decides: Decides,
        register: Register,
        registers: &Registers,
        lanes: u32,
    ) {
        if lanes != 0 {
            let values = crate::memory::lanes(lanes).map(|lane| (lane, registers.undefined(register, lane)));
            self.report(decides, values);
        }
    }

    /// Of an address in some lanes.
    #[cold]
    #[inline(never)]
    pub(in super::super) fn undefined_address(
        &mut self,
        registers: &Registers,
        address: Address,
        lanes: u32,
    ) {
        let register = register(address.wide, address.register);
        let values = crate::memory::lanes(lanes).map(|lane| (lane, registers.undefined(register, lane)));
        self.report(Decides::Address, values);
    }

    /// What is undefined in an element that was loaded, and where from.
    #[cold]
    #[inline(never)]
    pub(super) fn note_loaded(
        &mut self,
        access: &Access,
        element: Element,
        index: usize,
        register: Register,
        registers: &mut Registers,
        lanes: u32,
    ) {
        for lane in crate::memory::lanes(lanes) {
            let value = self.loaded(access, element, index, lane);
            registers.set_undefined(register, lane, value);
        }
    }

    /// What is undefined in an element that one lane has loaded, and where from.
    pub(in super::super) fn loaded(
        &mut self,
        access: &Access,
        element: Element,
        index: usize,
        lane: usize,
    ) -> Undefined {
        let at = index * usize::from(element.bytes);
        let width = 8 * u32::from(element.bytes);
        let field = u64::MAX >> (64 - width);
        let low = u64::from(self.scratch.undefined(at / 4, lane));
        let high = if width == 64 { u64::from(self.scratch.undefined(at / 4 + 1, lane)) << 32 } else { 0 };
        let bits = (low >> (8 * (at % 4)) | high) & field;
        let unused = 64 - width;
        // An undefined sign is copied to all the bits above.
        let extended = if element.signed { ((bits << unused) as i64 >> unused) as u64 } else { bits };
        let byte = u64::from(bits.trailing_zeros() / 8) & 7;
        let first = at as u64 + byte;
        let left = if bits == 0 { None } else { self.memory.left(self.global.get(), access, lane, first) };
        if self.memory.marked() >> lane & 1 == 1 {
            let (origin, address) = (self.origins.mark(access.site), self.memory.shown(access, lane));
            return Undefined { bits: extended, origin, address, ..Undefined::NONE };
        }
        match left.and_then(|entry| entry.passed) {
            Some(passed)
                if self.origins.is_over(OriginId(passed.origin)) && self.memory.is_local(access, lane) =>
            {
                Undefined::NONE
            }
            Some(passed) => Undefined {
                bits: extended,
                origin: OriginId(passed.origin),
                address: passed.address,
                part_of_byte: passed.part_of_byte,
                in_place: false,
                passed_on: true,
                // What a product was still adding up has only been moved: else it would be spoiled.
                moved: bits != field || OriginId(passed.origin).is_in_flight(),
            },
            None => Undefined {
                bits: extended,
                origin: if bits == 0 {
                    OriginId::default()
                } else {
                    self.origin(access, lane, left.is_some_and(|entry| entry.is_stored_whole()))
                },
                address: self.memory.shown(access, lane).wrapping_add(first),
                part_of_byte: (bits >> (8 * byte)) & 0xff != 0xff,
                in_place: true,
                passed_on: false,
                moved: bits != field,
            },
        }
    }

    fn origin(&mut self, access: &Access, lane: usize, stored: bool) -> OriginId {
        let (memory, global) = (&*self.memory, &*self.global);
        let address = memory.shown(access, lane);
        self.origins.load(access.site, access.space, address, stored, memory.element, || {
            memory.locate(global.get(), access, lane)
        })
    }

    /// Puts the undefined bits of an element that is to be stored among the words, and reports it if it goes
    /// to global memory as an output.
    #[cold]
    #[inline(never)]
    pub(super) fn note_stored(
        &mut self,
        element: Element,
        at: usize,
        register: Register,
        registers: &Registers,
        lanes: u32,
    ) {
        let width = 8 * u32::from(element.bytes);
        let field = u64::MAX >> (64 - width);
        for lane in crate::memory::lanes(lanes) {
            let bits = registers.undefined(register, lane).bits & field;
            if bits == 0 {
                continue;
            }
            let before = self.scratch.undefined(at / 4, lane);
            self.scratch.set_undefined(at / 4, lane, before | (bits << (8 * (at % 4))) as u32);
            if width == 64 {
                self.scratch.set_undefined(at / 4 + 1, lane, (bits >> 32) as u32);
            }
        }
    }

    /// Keeps with the words of the block's own memory where the undefined values come from that were stored.
    #[cold]
    #[inline(never)]
    pub(super) fn pass_on(
        &mut self,
        registers: &Registers,
        stored: &[(Register, u8, u64)],
        access: &Access,
        lanes: u32,
    ) {
        for lane in crate::memory::lanes(lanes) {
            for &(register, bytes, at) in stored {
                self.pass_on_value(access, lane, (at, bytes), registers.undefined(register, lane));
            }
        }
    }

    /// The same of values at places in what their lanes stored, of so many bytes each.
    pub(in super::super) fn pass_on_values(
        &mut self,
        access: &Access,
        bytes: u8,
        values: &[(usize, u8, Undefined)],
    ) {
        for &(lane, at, value) in values {
            self.pass_on_value(access, lane, (at.into(), bytes), value);
        }
    }

    fn pass_on_value(&mut self, access: &Access, lane: usize, (at, bytes): (u64, u8), value: Undefined) {
        let start = self.memory.shown(access, lane).wrapping_add(at);
        if value.in_place && value.address.wrapping_sub(start) < bytes.into() {
            // It goes back to where it comes from, with some bits set.
            return;
        }
        let low = 8 * u32::from(bytes.min(4));
        for (word, bits) in [(0, value.bits & (u64::MAX >> (64 - low))), (4, value.bits >> 32)] {
            if bits != 0 && word < bytes {
                let passed = Passed {
                    origin: if value.moved { value.origin } else { value.origin.spoiled() }.0,
                    address: value.address,
                    part_of_byte: value.part_of_byte,
                };
                self.memory.pass(access, lane, at + u64::from(word), passed);
            }
        }
    }

    /// Says that marked values are stored where others see them.
    pub(super) fn use_stored(&mut self, registers: &Registers, stored: &[(Register, u8, u64)], lanes: u32) {
        let values = crate::memory::lanes(lanes)
            .flat_map(|lane| stored.iter().map(move |stored| registers.undefined(stored.0, lane)));
        self.origins.use_marks(&mut self.memory.findings, values);
    }

    /// Reports undefined values that become outputs. A structure that travels with its padding is none, nor a
    /// word of which some bits are set and stored back: whoever uses the other bits is told.
    #[cold]
    #[inline(never)]
    pub(super) fn undefined_outputs(
        &mut self,
        registers: &Registers,
        stored: &[(Register, u8, u64)],
        access: &Access,
        lanes: u32,
    ) {
        let mut values = Vec::new();
        for lane in crate::memory::lanes(lanes) {
            for &(register, bytes, at) in stored {
                let field = u64::MAX >> (64 - 8 * u32::from(bytes));
                let value = registers.undefined(register, lane);
                let bits = value.bits & field;
                let start = self.memory.shown(access, lane).wrapping_add(at);
                let back = value.in_place
                    && value.address.wrapping_sub(start) < bytes.into()
                    && self.origins.space(value.origin) == Some(Space::Global);
                if bits == field || bits != 0 && !value.moved && !back {
                    values.push((lane, value));
                    break;
                }
            }
        }
        if !values.is_empty() {
            self.report(Decides::Output, values.into_iter());
        }
    }
}
