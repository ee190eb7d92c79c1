//! Fragments of `wmma` on their way between memory and registers: each lane loads and stores its own numbers.

use super::{Given, Held, all_defined};
use crate::{
    exec::{
        access::{Direction, Port},
        context::Stop,
        undefined::Undefined,
    },
    findings::Decides,
    ir::{Element, FragmentAccess, MatrixType, Order, Scope},
    memory::{
        LaneWords, lanes,
        traffic::{Flow, Requested},
    },
};

impl Port<'_, '_> {
    /// Each lane's own numbers, as many at a time as lie side by side in a register and in memory.
    pub(super) fn load_fragment(
        &mut self,
        access: &FragmentAccess,
        held: &Held,
        live: u32,
    ) -> Result<(Given, u64), Stop> {
        let mut given = Given::default();
        let mut extra = 0;
        let pieces = pieces(access);
        let distinct = access.fragment.distinct_registers();
        for register in 0..distinct {
            for piece in 0..pieces.count {
                let addresses =
                    std::array::from_fn(|lane| pieces.address(access, held, register, piece, lane));
                let of = self.access(access.space, addresses, live, pieces.bytes, Order::Weak, Scope::System);
                let element = Element { bytes: pieces.element, signed: false, wide: false };
                self.memory.element = pieces.element;
                let outcome = self.memory.load_out_of_line(self.global, &of, self.scratch);
                self.note_wavefronts(&of, outcome, Requested::Plain(Flow::Load));
                extra += self.settle(outcome, live, Direction::Load)?;
                let shift = 8 * usize::from(pieces.bytes) * piece;
                for lane in lanes(live) {
                    for word in 0..pieces.words() {
                        let to = pieces.words() * register + word;
                        given.words[to][lane] |= self.scratch.words[word][lane] << shift;
                        if self.scratch.poison[word] >> lane & 1 != 0 {
                            let whole = Element { bytes: pieces.bytes.min(4), ..element };
                            let value = self.loaded(&of, whole, word, lane);
                            let value = Undefined { bits: value.bits << shift, ..value };
                            let all = given.undefined.get_or_insert_with(|| all_defined(super::MOST_RESULTS));
                            all[to][lane] = all[to][lane].merge(value);
                        }
                    }
                }
            }
        }
        for register in distinct..access.fragment.registers() {
            given.words[register] = given.words[register % distinct];
            if let Some(undefined) = &mut given.undefined {
                undefined[register] = undefined[register % distinct];
            }
        }
        Ok((given, extra))
    }

    pub(super) fn store_fragment(
        &mut self,
        access: &FragmentAccess,
        held: &Held,
        live: u32,
    ) -> Result<(Given, u64), Stop> {
        let mut extra = 0;
        let pieces = pieces(access);
        for register in 0..access.fragment.registers() {
            for piece in 0..pieces.count {
                let addresses =
                    std::array::from_fn(|lane| pieces.address(access, held, register, piece, lane));
                let of = self.access(access.space, addresses, live, pieces.bytes, Order::Weak, Scope::System);
                self.memory.element = pieces.element;
                *self.scratch = LaneWords::ZERO;
                let shift = 8 * usize::from(pieces.bytes) * piece;
                let field = u32::MAX >> (32 - 8 * u32::from(pieces.bytes.min(4)));
                let mut undefined: Vec<(usize, u8, Undefined)> = Vec::new();
                for lane in lanes(live) {
                    for word in 0..pieces.words() {
                        let from = pieces.words() * register + word;
                        self.scratch.words[word][lane] = held.words[from][lane] >> shift & field;
                        let value = held.undefined.as_ref().map_or(Undefined::NONE, |held| held[from][lane]);
                        let bits = value.bits >> shift & u64::from(field);
                        if bits != 0 {
                            self.scratch.set_undefined(word, lane, bits as u32);
                            undefined.push((lane, 4 * word as u8, Undefined { bits, ..value }));
                        }
                    }
                }
                let outcome = self.memory.store_out_of_line(self.global, &of, self.scratch);
                self.note_wavefronts(&of, outcome, Requested::Plain(Flow::Store));
                self.pass_on_values(&of, pieces.bytes.min(4), &undefined);
                if outcome.traffic.global_requests != 0 && !undefined.is_empty() {
                    self.report(Decides::Output, undefined.iter().map(|&(lane, _, value)| (lane, value)));
                }
                extra += self.settle(outcome, live, Direction::Store)?;
            }
        }
        Ok((Given::default(), extra))
    }
}

/// How a lane moves a register of a fragment.
struct Pieces {
    /// Accesses.
    count: usize,
    /// Bytes of each.
    bytes: u8,
    /// Bytes of a number, at least one.
    element: u8,
}

impl Pieces {
    fn words(&self) -> usize {
        usize::from(self.bytes).div_ceil(4)
    }

    fn address(
        &self,
        access: &FragmentAccess,
        held: &Held,
        register: usize,
        piece: usize,
        lane: usize,
    ) -> u64 {
        let fragment = access.fragment;
        let (rows, columns) = fragment.sides();
        let part = piece * 8 * usize::from(self.bytes) / fragment.kind.bits();
        let (row, column) = fragment.place(register, part, lane);
        let (line, along, length) =
            if access.row_major { (row, column, columns) } else { (column, row, rows) };
        let stride = if access.stride.is_some() { u64::from(held.strides[lane]) } else { length as u64 };
        let number = (line as u64).wrapping_mul(stride).wrapping_add(along as u64);
        held.addresses[lane].wrapping_add(number.wrapping_mul(fragment.kind.bits() as u64) / 8)
    }
}

/// The numbers of a register lie side by side in memory where a row of A, a column of B or a row of C does.
fn pieces(access: &FragmentAccess) -> Pieces {
    let fragment = access.fragment;
    let (numbers, bits) = (fragment.kind.per_register(), fragment.kind.bits());
    let element = (bits / 8).max(1) as u8;
    let together = numbers == 1 || {
        let ((row, column), (next_row, next_column)) = (fragment.place(0, 0, 0), fragment.place(0, 1, 0));
        if access.row_major {
            row == next_row && column + 1 == next_column
        } else {
            column == next_column && row + 1 == next_row
        }
    };
    // Numbers of less than a byte are only there in the order in which they lie side by side.
    if together || fragment.kind == MatrixType::F64 {
        Pieces { count: 1, bytes: if fragment.kind.is_wide() { 8 } else { 4 }, element }
    } else {
        Pieces { count: numbers, bytes: element, element }
    }
}
