//! Matrices on their way between shared memory and fragments: `ldmatrix`, `stmatrix`, `movmatrix`, and `wmma`'s loads and stores.
//!
//! A row of `ldmatrix` is read by the lane that gives its address, and handed to four lanes. Every matrix of eight rows takes
//! wavefronts of its own, also where another has the same rows (measured with `ncu`).

use super::{Given, Held, all_defined};
use crate::{
    exec::{
        access::{Direction, Port},
        context::Stop,
        undefined::Undefined,
    },
    findings::Decides,
    ir::{AddressSpace, Element, FragmentAccess, LANES, Matrix, MatrixType, Order, Scope, row_lanes},
    memory::{
        Access, LaneWords, Outcome, Traffic, lanes,
        traffic::{self, Flow, Requested, Wavefronts},
    },
};

/// Rows of a matrix of `ldmatrix`.
const ROWS: usize = 8;
/// Bytes of one.
const ROW_BYTES: u8 = 16;
/// Its numbers have two bytes.
const HALF: Element = Element { bytes: 2, signed: false, wide: false };

/// Where the halves of a word come from: row and column of an 8 × 8 matrix, for a lane and a half.
fn place(transposed: bool, lane: usize, half: usize) -> (usize, usize) {
    let (along, across) = (2 * (lane % 4) + half, lane / 4);
    if transposed { (along, across) } else { (across, along) }
}

/// `movmatrix`.
pub fn transpose(held: &Held) -> Given {
    let mut given = Given::default();
    let mut undefined = held.undefined.as_ref().map(|_| all_defined(super::MOST_RESULTS));
    for lane in 0..LANES {
        for half in 0..2 {
            let (row, column) = place(true, lane, half);
            let (from, of) = (4 * row + column / 2, column % 2);
            given.words[0][lane] |= (held.words[0][from] >> (16 * of) & 0xFFFF) << (16 * half);
            if let (Some(to), Some(held)) = (&mut undefined, &held.undefined) {
                let moved = moved(held[0][from], of, half);
                to[0][lane] = to[0][lane].merge(moved);
            }
        }
    }
    given.undefined = undefined;
    given
}

/// What is undefined in half `from` of a word, as half `to` of another.
fn moved(value: Undefined, from: usize, to: usize) -> Undefined {
    let bits = (value.bits >> (16 * from) & 0xFFFF) << (16 * to);
    Undefined { bits, in_place: false, ..value }
}

impl Port<'_, '_> {
    /// Says that addresses are undefined.
    pub(super) fn undefined_addresses(&mut self, undefined: &[(usize, Undefined)]) {
        if !undefined.is_empty() {
            self.report(Decides::Address, undefined.iter().copied());
        }
    }

    /// Executes a load or store of matrices. Gives results and extra cycles.
    pub(super) fn matrix(&mut self, matrix: &Matrix, held: &Held, live: u32) -> Result<(Given, u64), Stop> {
        match *matrix {
            Matrix::Load { count, transposed, space, .. } => {
                self.load_rows(usize::from(count), transposed, space, held, live)
            }
            Matrix::Store { count, transposed, space, .. } => {
                self.store_rows(usize::from(count), transposed, space, held, live)
            }
            Matrix::LoadFragment(ref access) => self.load_fragment(access, held, live),
            Matrix::StoreFragment(ref access) => self.store_fragment(access, held, live),
            _ => Ok((Given::default(), 0)),
        }
    }

    fn load_rows(
        &mut self,
        count: usize,
        transposed: bool,
        space: AddressSpace,
        held: &Held,
        live: u32,
    ) -> Result<(Given, u64), Stop> {
        let mut given = Given::default();
        let mask = row_lanes(count as u8) & live;
        let access = self.access(space, held.addresses, mask, ROW_BYTES, Order::Weak, Scope::System);
        self.memory.element = HALF.bytes;
        let mut outcome = self.memory.load_out_of_line(self.global, &access, self.scratch);
        self.count_by_matrix(count, &access, &mut outcome, Flow::Load);
        let extra = self.settle(outcome, mask, Direction::Load)?;
        let any_undefined = self.scratch.poisoned(ROW_BYTES) & mask != 0;
        for matrix in 0..count {
            let first = ROWS * matrix;
            if transposed {
                for lane in 0..LANES {
                    let number = |half: usize| {
                        let (row, column) = place(true, lane, half);
                        self.scratch.words[column / 2][first + row] >> (16 * (column % 2)) & 0xFFFF
                    };
                    given.words[matrix][lane] = number(0) | number(1) << 16;
                }
            } else {
                for lane in 0..LANES {
                    given.words[matrix][lane] = self.scratch.words[lane % 4][first + lane / 4];
                }
            }
            if any_undefined {
                self.note_undefined_rows(matrix, transposed, &access, &mut given);
            }
        }
        Ok((given, extra))
    }

    /// Notes what is undefined in what was loaded of a matrix.
    #[cold]
    fn note_undefined_rows(&mut self, matrix: usize, transposed: bool, access: &Access, given: &mut Given) {
        for lane in 0..LANES {
            for half in 0..2 {
                let (row, column) = place(transposed, lane, half);
                let from = ROWS * matrix + row;
                if self.scratch.poison[column / 2] >> from & 1 != 0 {
                    let value = moved(self.loaded(access, HALF, column, from), 0, half);
                    let all = given.undefined.get_or_insert_with(|| all_defined(super::MOST_RESULTS));
                    all[matrix][lane] = all[matrix][lane].merge(value);
                }
            }
        }
    }

    /// Counts the wavefronts of every matrix by itself: none is served together with another.
    fn count_by_matrix(&mut self, count: usize, access: &Access, outcome: &mut Outcome, flow: Flow) {
        if outcome.traffic.shared_requests == 0 {
            return;
        }
        outcome.traffic.wavefronts = Wavefronts::default();
        // A generic address of shared memory and the one in its window agree in all that banks look at.
        let offsets = access.addresses.map(|address| address as u32);
        for matrix in 0..count {
            let mask = (0xFF << (ROWS * matrix)) & access.mask;
            let wavefronts = traffic::wavefronts(flow, &offsets, mask, ROW_BYTES);
            outcome.traffic.wavefronts.taken += wavefronts.taken;
            outcome.traffic.wavefronts.ideal += wavefronts.ideal;
            if wavefronts.taken > wavefronts.ideal {
                let traffic = Traffic { wavefronts, ..outcome.traffic };
                let part = Outcome { traffic, ..*outcome };
                self.note_wavefronts(&Access { mask, ..*access }, part, Requested::Plain(flow));
            }
        }
    }

    fn store_rows(
        &mut self,
        count: usize,
        transposed: bool,
        space: AddressSpace,
        held: &Held,
        live: u32,
    ) -> Result<(Given, u64), Stop> {
        let mut whole = Outcome::default();
        for matrix in 0..count {
            let mask = (0xFF << (ROWS * matrix)) & live;
            let access = self.access(space, held.addresses, mask, ROW_BYTES, Order::Weak, Scope::System);
            self.memory.element = HALF.bytes;
            *self.scratch = LaneWords::ZERO;
            // By row: what is undefined, and at which of its bytes.
            let mut undefined: Vec<(usize, u8, Undefined)> = Vec::new();
            for lane in 0..LANES {
                for half in 0..2 {
                    let (row, column) = place(transposed, lane, half);
                    let (to, word, of) = (ROWS * matrix + row, column / 2, column % 2);
                    let number = held.words[matrix][lane] >> (16 * half) & 0xFFFF;
                    self.scratch.words[word][to] |= number << (16 * of);
                    let value = held.undefined.as_ref().map_or(Undefined::NONE, |held| held[matrix][lane]);
                    let value = moved(value, half, 0);
                    if value.bits != 0 {
                        let before = self.scratch.undefined(word, to);
                        self.scratch.set_undefined(word, to, before | (value.bits << (16 * of)) as u32);
                        undefined.push((to, 2 * column as u8, value));
                    }
                }
            }
            let outcome = self.memory.store_out_of_line(self.global, &access, self.scratch);
            self.note_wavefronts(&access, outcome, Requested::Plain(Flow::Store));
            self.pass_on_values(&access, HALF.bytes, &undefined);
            add(&mut whole, outcome);
        }
        let extra = self.settle(whole, live, Direction::Store)?;
        Ok((Given::default(), extra))
    }

    /// Each lane's own numbers, as many at a time as lie side by side in a register and in memory.
    fn load_fragment(
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

    fn store_fragment(
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

/// Adds what a part of an instruction took: one request in all.
fn add(whole: &mut Outcome, part: Outcome) {
    let (to, from) = (&mut whole.traffic, part.traffic);
    to.global_requests |= from.global_requests;
    to.sectors += from.sectors;
    to.global_bytes += from.global_bytes;
    to.shared_requests |= from.shared_requests;
    to.wavefronts.taken += from.wavefronts.taken;
    to.wavefronts.ideal += from.wavefronts.ideal;
    to.local_requests |= from.local_requests;
    whole.faulted |= part.faulted;
}
