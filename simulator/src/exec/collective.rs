//! Warp-wide operations: what lanes offer, what the operation makes of it, what each lane gets.
//!
//! Lanes that take part may come from different splits and frames, so operands are gathered first and results
//! scattered last. PTX ISA 9.0, sections 9.7.9.6 (`shfl.sync`), 9.7.13 (`vote`, `match`, `redux`, `elect`).

pub mod meet;

use crate::{
    exec::registers::Registers,
    ir::{Constants, FULL, LANES, Op, Pair, Predicate, ReduxOp, ShuffleMode, VoteMode, Word, Words},
    memory::lanes,
};

/// The mask operand of a warp-wide operation; `None` for other instructions, and for the forms without `.sync`.
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

/// Operands, by lane.
#[derive(Clone, Debug)]
pub struct Offered {
    a: Words,
    high: Words,
    b: Words,
    c: Words,
    predicate: u32,
    poison: u32,
}

impl Default for Offered {
    fn default() -> Self {
        Offered { a: [0; LANES], high: [0; LANES], b: [0; LANES], c: [0; LANES], predicate: 0, poison: 0 }
    }
}

/// Results, by lane.
#[derive(Clone, Debug)]
pub struct Given {
    word: Words,
    predicate: u32,
    poison: u32,
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
        match *op {
            Op::Shuffle { a, b, c, .. } => {
                take(&mut self.a, registers.word(constants, a));
                take(&mut self.b, registers.word(constants, b));
                take(&mut self.c, registers.word(constants, c));
                self.poison |= registers.word_poison(a) & mask;
            }
            Op::Vote { predicate, negated, .. } => {
                let value = registers.predicate(predicate);
                self.predicate |= if negated { !value } else { value } & mask;
                self.poison |= registers.predicate_poison(predicate) & mask;
            }
            Op::Match { wide: false, a, .. } => {
                take(&mut self.a, registers.word(constants, Word(a)));
                self.poison |= registers.word_poison(Word(a)) & mask;
            }
            Op::Match { wide: true, a, .. } => {
                let value = registers.pair(constants, Pair(a));
                for lane in lanes(mask) {
                    self.a[lane] = value[lane] as u32;
                    self.high[lane] = (value[lane] >> 32) as u32;
                }
                self.poison |= registers.pair_poison(Pair(a)) & mask;
            }
            Op::Redux { a, .. } => {
                take(&mut self.a, registers.word(constants, a));
                self.poison |= registers.word_poison(a) & mask;
            }
            _ => {}
        }
    }

    /// What the lanes of `part`, which execute it together, get.
    #[inline(always)]
    pub fn exchange(&self, op: &Op, part: u32) -> Given {
        let mut given = Given { word: [0; LANES], predicate: 0, poison: 0, absent: None, absent_lanes: 0 };
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
                given.poison = everyone(self.poison & part != 0);
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
                given.poison = everyone(self.poison & part != 0);
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
                given.poison = everyone(self.poison & part != 0);
            }
            Op::Elect { .. } => {
                let first = part.trailing_zeros();
                given.word = [first; LANES];
                given.predicate = part & part.wrapping_neg();
            }
            Op::ActiveMask { .. } => given.word = [part; LANES],
            _ => {}
        }
        given
    }

    #[inline(always)]
    fn shuffle(&self, mode: ShuffleMode, part: u32, given: &mut Given) {
        for lane in 0..LANES {
            let bit = 1u32 << lane;
            if part & bit == 0 {
                continue;
            }
            let me = lane as u32;
            let distance = self.b[lane] & 31;
            let clamp = self.c[lane] & 31;
            let segment = self.c[lane] >> 8 & 31;
            let most = me & segment | clamp & !segment;
            let (source, in_range) = match mode {
                // For `up` the clamp is the segment's lower end.
                ShuffleMode::Up => (me.wrapping_sub(distance), me as i32 - distance as i32 >= most as i32),
                ShuffleMode::Down => (me + distance, me + distance <= most),
                ShuffleMode::Butterfly => (me ^ distance, me ^ distance <= most),
                ShuffleMode::Index => {
                    let source = me & segment | distance & !segment;
                    (source, source <= most)
                }
            };
            let source = if in_range { source } else { me };
            given.predicate |= if in_range { bit } else { 0 };
            let from = 1 << source;
            if part & from == 0 {
                given.absent.get_or_insert((me, source));
                given.absent_lanes |= bit;
                given.poison |= bit;
            } else {
                given.word[lane] = self.a[source as usize];
                given.poison |= if self.poison & from != 0 { bit } else { 0 };
            }
        }
    }
}

impl Given {
    /// Writes the results of some lanes.
    #[inline(always)]
    pub fn scatter(&self, op: &Op, registers: &mut Registers, mask: u32) {
        let word = |registers: &mut Registers, d: Word| {
            if d.is_some() {
                registers.set_word(d, &self.word, self.poison, mask);
            }
        };
        let predicate = |registers: &mut Registers, d: Predicate, poison: u32| {
            if d.is_some() {
                registers.set_predicate(d, self.predicate, poison, mask);
            }
        };
        match *op {
            Op::Shuffle { d, in_range, .. } => {
                word(registers, d);
                predicate(registers, in_range, 0);
            }
            Op::Vote { mode: VoteMode::Ballot, d, .. } => word(registers, Word(d)),
            Op::Vote { d, .. } => predicate(registers, Predicate(d), self.poison),
            Op::Match { d, equal, .. } => {
                word(registers, d);
                predicate(registers, equal, self.poison);
            }
            Op::Redux { d, .. } | Op::ActiveMask { d } => word(registers, d),
            Op::Elect { d, elected, .. } => {
                word(registers, d);
                predicate(registers, elected, 0);
            }
            _ => {}
        }
    }
}
