//! Warp-wide operations: what lanes offer, what the operation makes of it, what each lane gets.
//!
//! Lanes that take part may come from different splits and frames, so operands are gathered first and results
//! scattered last. PTX ISA 9.0, sections 9.7.9.6 (`shfl.sync`), 9.7.13 (`vote`, `match`, `redux`, `elect`).

pub mod meet;
mod undefined;

use crate::{
    exec::{
        registers::Registers,
        undefined::{OriginId, Register, Undefined},
    },
    ir::{Constants, FULL, LANES, Op, Pair, Predicate, ReduxOp, ShuffleMode, VoteMode, Word, Words},
    memory::lanes,
};

/// The mask operand of a warp-wide operation; `None` for other instructions, for the forms without
/// `.sync`, and for operations on matrices, which name all lanes.
#[inline(always)]
pub fn mask_operand(op: &Op) -> Option<Word> {
    match *op {
        Op::WarpSync { mask }
        | Op::Shuffle { mask, .. }
        | Op::Vote { mask, .. }
        | Op::Match { mask, .. }
        | Op::Redux { mask, .. }
        | Op::Elect { mask, .. } => mask.some(),
        _ => None,
    }
}

/// True for an operation in which lanes get what other lanes offer.
#[inline(always)]
pub fn hands_over(op: &Op) -> bool {
    matches!(op, Op::Shuffle { .. } | Op::Vote { .. } | Op::Match { .. } | Op::Redux { .. })
}

/// Operands, by lane.
#[derive(Clone, Debug)]
pub struct Offered {
    a: Words,
    high: Words,
    b: Words,
    c: Words,
    predicate: u32,
    /// What is undefined in the values, or nothing.
    undefined: Option<Box<[Undefined; LANES]>>,
    /// The same of the lane that a shuffle reads.
    source: Option<Box<[Undefined; LANES]>>,
}

impl Default for Offered {
    fn default() -> Self {
        Offered {
            a: [0; LANES],
            high: [0; LANES],
            b: [0; LANES],
            c: [0; LANES],
            predicate: 0,
            undefined: None,
            source: None,
        }
    }
}

/// Notes what is undefined in a register in some lanes.
#[cold]
fn note(into: &mut Option<Box<[Undefined; LANES]>>, registers: &Registers, register: Register, poison: u32) {
    let values = into.get_or_insert_with(|| Box::new([Undefined::NONE; LANES]));
    for lane in lanes(poison) {
        values[lane] = values[lane].merge(registers.undefined(register, lane));
    }
}

/// Results, by lane.
#[derive(Clone, Debug)]
pub struct Given {
    word: Words,
    predicate: u32,
    undefined: Option<Box<undefined::UndefinedResults>>,
    /// The first lane that read a lane which takes no part, and that lane.
    pub absent: Option<(u32, u32)>,
    /// All lanes that did.
    pub absent_lanes: u32,
}

impl Offered {
    /// Takes the operands of some lanes.
    #[inline(always)]
    pub fn gather(&mut self, op: &Op, registers: &Registers, constants: &Constants, mask: u32) {
        let take = |to: &mut Words, from: &Words| {
            for lane in 0..LANES {
                if mask >> lane & 1 != 0 {
                    to[lane] = from[lane];
                }
            }
        };
        let mut values = |register: Register| {
            let poison = registers.poison(register) & mask;
            if poison != 0 {
                note(&mut self.undefined, registers, register, poison);
            }
        };
        match *op {
            Op::Shuffle { a, b, c, .. } => {
                for register in [b, c].map(Register::Word) {
                    let poison = registers.poison(register) & mask;
                    if poison != 0 {
                        note(&mut self.source, registers, register, poison);
                    }
                }
                take(&mut self.a, registers.word(constants, a));
                take(&mut self.b, registers.word(constants, b));
                take(&mut self.c, registers.word(constants, c));
                values(Register::Word(a));
            }
            Op::Vote { predicate, negated, .. } => {
                let value = registers.predicate(predicate);
                self.predicate |= if negated { !value } else { value } & mask;
                values(Register::Predicate(predicate));
            }
            Op::Match { wide: false, a, .. } => {
                take(&mut self.a, registers.word(constants, Word(a)));
                values(Register::Word(Word(a)));
            }
            Op::Match { wide: true, a, .. } => {
                let value = registers.pair(constants, Pair(a));
                for lane in lanes(mask) {
                    self.a[lane] = value[lane] as u32;
                    self.high[lane] = (value[lane] >> 32) as u32;
                }
                values(Register::Pair(Pair(a)));
            }
            Op::Redux { a, .. } => {
                take(&mut self.a, registers.word(constants, a));
                values(Register::Word(a));
            }
            _ => {}
        }
    }

    /// What is undefined in the operands.
    #[inline(always)]
    pub fn undefined(&self) -> impl Iterator<Item = Undefined> {
        [&self.undefined, &self.source].into_iter().flatten().flat_map(|values| values.iter().copied())
    }

    /// What the lanes of `part`, which execute it together, get.
    #[inline(always)]
    pub fn exchange(&self, op: &Op, part: u32) -> Given {
        let mut given =
            Given { word: [0; LANES], predicate: 0, undefined: None, absent: None, absent_lanes: 0 };
        let everyone = |any: bool| if any { FULL } else { 0 };
        match *op {
            Op::Shuffle { mode, .. } => self.shuffle(mode, part, &mut given),
            Op::Vote { mode, .. } => {
                let yes = self.predicate & part;
                given.predicate = everyone(match mode {
                    VoteMode::All => yes == part,
                    VoteMode::Any | VoteMode::Ballot => yes != 0,
                    VoteMode::Uniform => yes == part || yes == 0,
                });
                given.word = [yes; LANES];
            }
            Op::Match { all, .. } => {
                let same = |lane: usize| {
                    lanes(part)
                        .filter(|&other| self.a[other] == self.a[lane] && self.high[other] == self.high[lane])
                        .fold(0, |mask, other| mask | 1 << other)
                };
                for lane in lanes(part) {
                    given.word[lane] = same(lane);
                }
                if all {
                    let equal = lanes(part).all(|lane| given.word[lane] == part);
                    given.predicate = everyone(equal);
                    given.word = [if equal { part } else { 0 }; LANES];
                }
            }
            Op::Redux { op, .. } => {
                let values = lanes(part).map(|lane| self.a[lane]);
                let value = match op {
                    ReduxOp::Add => values.fold(0, u32::wrapping_add),
                    ReduxOp::MinU => values.min().unwrap_or(0),
                    ReduxOp::MaxU => values.max().unwrap_or(0),
                    ReduxOp::MinS => values.map(|v| v as i32).min().unwrap_or(0) as u32,
                    ReduxOp::MaxS => values.map(|v| v as i32).max().unwrap_or(0) as u32,
                    ReduxOp::And => values.fold(FULL, |all, v| all & v),
                    ReduxOp::Or => values.fold(0, |all, v| all | v),
                    ReduxOp::Xor => values.fold(0, |all, v| all ^ v),
                };
                given.word = [value; LANES];
            }
            Op::Elect { .. } => {
                let first = part.trailing_zeros();
                given.word = [first; LANES];
                given.predicate = part & part.wrapping_neg();
            }
            Op::ActiveMask { .. } => given.word = [part; LANES],
            _ => {}
        }
        if self.undefined.is_some() || self.source.is_some() || given.absent_lanes != 0 {
            given.undefined = Some(self.undefined_results(op, part));
        }
        given
    }

    /// The lane that a lane reads, and whether it may.
    #[inline(always)]
    fn source_lane(&self, mode: ShuffleMode, me: u32) -> (u32, bool) {
        let distance = self.b[me as usize] & 31;
        let clamp = self.c[me as usize] & 31;
        let segment = self.c[me as usize] >> 8 & 31;
        let most = me & segment | clamp & !segment;
        match mode {
            // For `up` the clamp is the segment's lower end.
            ShuffleMode::Up => (me.wrapping_sub(distance), me as i32 - distance as i32 >= most as i32),
            ShuffleMode::Down => (me + distance, me + distance <= most),
            ShuffleMode::Butterfly => (me ^ distance, me ^ distance <= most),
            ShuffleMode::Index => {
                let source = me & segment | distance & !segment;
                (source, source <= most)
            }
        }
    }

    #[inline(always)]
    fn shuffle(&self, mode: ShuffleMode, part: u32, given: &mut Given) {
        for lane in 0..LANES {
            let bit = 1u32 << lane;
            if part & bit == 0 {
                continue;
            }
            let me = lane as u32;
            let (source, in_range) = self.source_lane(mode, me);
            let source = if in_range { source } else { me };
            given.predicate |= if in_range { bit } else { 0 };
            let from = 1 << source;
            if part & from == 0 {
                given.absent.get_or_insert((me, source));
                given.absent_lanes |= bit;
            } else {
                given.word[lane] = self.a[source as usize];
            }
        }
    }
}

impl Given {
    /// Says what is to blame for what lanes got that read a lane which takes no part.
    pub fn blame(&mut self, origin: OriginId) {
        if let Some(undefined) = &mut self.undefined {
            for lane in lanes(self.absent_lanes) {
                undefined.word[lane] = Undefined { bits: u32::MAX.into(), origin, ..Undefined::NONE };
            }
        }
    }

    /// Writes the results of some lanes.
    #[inline(always)]
    pub fn scatter(&self, op: &Op, registers: &mut Registers, mask: u32) {
        let word = |registers: &mut Registers, d: Word| {
            if d.is_some() {
                registers.set_word(d, &self.word, 0, mask);
                if let Some(undefined) = &self.undefined {
                    undefined.scatter(registers, Register::Word(d), &undefined.word, mask);
                }
            }
        };
        let predicate = |registers: &mut Registers, d: Predicate| {
            if d.is_some() {
                registers.set_predicate(d, self.predicate, 0, mask);
                if let Some(undefined) = &self.undefined {
                    undefined.scatter(registers, Register::Predicate(d), &undefined.predicate, mask);
                }
            }
        };
        match *op {
            Op::Shuffle { d, in_range, .. } => {
                word(registers, d);
                predicate(registers, in_range);
            }
            Op::Vote { mode: VoteMode::Ballot, d, .. } => word(registers, Word(d)),
            Op::Vote { d, .. } => predicate(registers, Predicate(d)),
            Op::Match { d, equal, .. } => {
                word(registers, d);
                predicate(registers, equal);
            }
            Op::Redux { d, .. } | Op::ActiveMask { d } => word(registers, d),
            Op::Elect { d, elected, .. } => {
                word(registers, d);
                predicate(registers, elected);
            }
            _ => {}
        }
    }
}
