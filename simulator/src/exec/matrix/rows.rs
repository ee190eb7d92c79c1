//! Matrices on their way between shared memory and fragments, row by row: `ldmatrix`, `stmatrix`, `movmatrix`.
//!
//! A row of `ldmatrix` is read by the lane that gives its address, and handed to four lanes. Every matrix of eight rows takes
//! wavefronts of its own, also where another has the same rows (measured with `ncu`).

use super::{Given, Held, all_defined};
use crate::{
    exec::{
        access::{Direction, Port},
        context::{Stop, report, threads},
        undefined::Undefined,
    },
    finding::{FindingKind, Severity},
    findings::Decides,
    ir::{AddressSpace, Element, LANES, Matrix, Order, Scope, row_lanes},
    memory::{
        Access, LaneWords, Outcome, SHARED_WINDOW, Site, Traffic, WINDOW_BYTES, lanes,
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

    /// A generic address must be one of shared memory: what else happens PTX leaves open.
    fn in_shared_memory(&mut self, access: &Access) -> Result<(), Stop> {
        let elsewhere = |&lane: &usize| access.addresses[lane].wrapping_sub(SHARED_WINDOW) >= WINDOW_BYTES;
        let first = lanes(access.mask).find(elsewhere).filter(|_| access.space == AddressSpace::Generic);
        let Some(first) = first else { return Ok(()) };
        report(
            &mut self.memory.findings,
            FindingKind::OutOfBounds,
            Severity::Error,
            self.site,
            Site(0),
            threads(self.block, self.warp, 1 << first),
            lanes(access.mask).filter(elsewhere).count() as u64,
            "This instruction moves rows between registers and shared memory, but the address of a row lies elsewhere. Give it the address of a \
             `__shared__` array.",
        );
        Err(Stop::Faulted)
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
        self.in_shared_memory(&access)?;
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
            self.in_shared_memory(&access)?;
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
