//! The one shape of every handler: operands of 32 lanes in, a result of 32 lanes out under a mask.

use crate::{
    exec::registers::Registers,
    ir::{Constants, LANES, Pair, Pairs, Predicate, Word, Words},
};

/// Registers, constants and the mask of the executing lanes.
pub struct Lanes<'r> {
    /// The frame's registers.
    pub registers: &'r mut Registers,
    /// The function's constants.
    pub constants: &'r Constants,
    /// Executing lanes.
    pub mask: u32,
    /// An operand is poisoned in one of them: nothing may be written any more.
    pub poisoned: bool,
}

/// Maps every lane.
#[inline(always)]
pub fn map1<A: Copy, R: Copy + Default>(a: &[A; LANES], f: impl Fn(A) -> R) -> [R; LANES] {
    let mut result = [R::default(); LANES];
    for lane in 0..LANES {
        result[lane] = f(a[lane]);
    }
    result
}

/// Maps every lane of two operands.
#[inline(always)]
pub fn map2<A: Copy, B: Copy, R: Copy + Default>(
    a: &[A; LANES],
    b: &[B; LANES],
    f: impl Fn(A, B) -> R,
) -> [R; LANES] {
    let mut result = [R::default(); LANES];
    for lane in 0..LANES {
        result[lane] = f(a[lane], b[lane]);
    }
    result
}

/// Maps every lane of three operands.
#[inline(always)]
pub fn map3<A: Copy, B: Copy, C: Copy, R: Copy + Default>(
    a: &[A; LANES],
    b: &[B; LANES],
    c: &[C; LANES],
    f: impl Fn(A, B, C) -> R,
) -> [R; LANES] {
    let mut result = [R::default(); LANES];
    for lane in 0..LANES {
        result[lane] = f(a[lane], b[lane], c[lane]);
    }
    result
}

/// `a` in the lanes of `p`, `b` elsewhere.
#[inline(always)]
pub fn select<T: Copy + Default>(a: &[T; LANES], b: &[T; LANES], p: u32) -> [T; LANES] {
    let mut result = [T::default(); LANES];
    for lane in 0..LANES {
        result[lane] = if p >> lane & 1 != 0 { a[lane] } else { b[lane] };
    }
    result
}

/// The lanes in which `f` holds.
#[inline(always)]
pub fn test2<A: Copy>(a: &[A; LANES], b: &[A; LANES], f: impl Fn(A, A) -> bool) -> u32 {
    let mut result = 0;
    for lane in 0..LANES {
        result |= u32::from(f(a[lane], b[lane])) << lane;
    }
    result
}

impl Lanes<'_> {
    /// A word operand.
    #[inline(always)]
    pub fn word(&self, a: Word) -> &Words {
        self.registers.word(self.constants, a)
    }

    /// A pair operand.
    #[inline(always)]
    pub fn pair(&self, a: Pair) -> &Pairs {
        self.registers.pair(self.constants, a)
    }

    /// A predicate operand and its poison.
    #[inline(always)]
    pub fn predicate(&self, a: Predicate) -> (u32, u32) {
        (self.registers.predicate(a), self.registers.predicate_poison(a))
    }

    /// Writes a word, unless it is poisoned.
    #[inline(always)]
    pub fn set_word(&mut self, d: Word, value: &Words, poison: u32) {
        if poison & self.mask != 0 {
            self.poisoned = true;
        } else {
            self.registers.set_word(d, value, 0, self.mask);
        }
    }

    /// Writes a pair, unless it is poisoned.
    #[inline(always)]
    pub fn set_pair(&mut self, d: Pair, value: &Pairs, poison: u32) {
        if poison & self.mask != 0 {
            self.poisoned = true;
        } else {
            self.registers.set_pair(d, value, 0, self.mask);
        }
    }

    /// True if a word is not poisoned, so that it may be written. Asked before its value is worked out, which
    /// then need not wait in memory for the answer.
    #[inline(always)]
    fn may_write_word(&mut self, d: Word, poison: u32) -> bool {
        self.registers.expect_word(d);
        self.poisoned |= poison & self.mask != 0;
        !self.poisoned
    }

    /// The same for a pair.
    #[inline(always)]
    pub fn may_write_pair(&mut self, d: Pair, poison: u32) -> bool {
        self.registers.expect_pair(d);
        self.poisoned |= poison & self.mask != 0;
        !self.poisoned
    }

    /// Writes a predicate, unless it is poisoned. An operation's second result comes after its first
    /// and has the same poison.
    #[inline(always)]
    pub fn set_predicate(&mut self, d: Predicate, value: u32, poison: u32) {
        if poison & self.mask != 0 {
            self.poisoned = true;
        } else {
            self.registers.set_predicate(d, value, 0, self.mask);
        }
    }

    /// word = f(word)
    #[inline(always)]
    pub fn w1(&mut self, d: Word, a: Word, f: impl Fn(u32) -> u32) {
        if self.may_write_word(d, self.registers.word_poison(a)) {
            let value = map1(self.word(a), f);
            self.registers.set_word(d, &value, 0, self.mask);
        }
    }

    /// word = f(word, word)
    #[inline(always)]
    pub fn w2(&mut self, d: Word, a: Word, b: Word, f: impl Fn(u32, u32) -> u32) {
        if self.may_write_word(d, self.registers.word_poison(a) | self.registers.word_poison(b)) {
            let value = map2(self.word(a), self.word(b), f);
            self.registers.set_word(d, &value, 0, self.mask);
        }
    }

    /// word = f(word, word, word)
    #[inline(always)]
    pub fn w3(&mut self, d: Word, a: Word, b: Word, c: Word, f: impl Fn(u32, u32, u32) -> u32) {
        let r = &self.registers;
        if self.may_write_word(d, r.word_poison(a) | r.word_poison(b) | r.word_poison(c)) {
            let value = map3(self.word(a), self.word(b), self.word(c), f);
            self.registers.set_word(d, &value, 0, self.mask);
        }
    }

    /// pair = f(pair)
    #[inline(always)]
    pub fn p1(&mut self, d: Pair, a: Pair, f: impl Fn(u64) -> u64) {
        if self.may_write_pair(d, self.registers.pair_poison(a)) {
            let value = map1(self.pair(a), f);
            self.registers.set_pair(d, &value, 0, self.mask);
        }
    }

    /// pair = f(pair, pair)
    #[inline(always)]
    pub fn p2(&mut self, d: Pair, a: Pair, b: Pair, f: impl Fn(u64, u64) -> u64) {
        if self.may_write_pair(d, self.registers.pair_poison(a) | self.registers.pair_poison(b)) {
            let value = map2(self.pair(a), self.pair(b), f);
            self.registers.set_pair(d, &value, 0, self.mask);
        }
    }

    /// pair = f(pair, pair, pair)
    #[inline(always)]
    pub fn p3(&mut self, d: Pair, a: Pair, b: Pair, c: Pair, f: impl Fn(u64, u64, u64) -> u64) {
        let value = map3(self.pair(a), self.pair(b), self.pair(c), f);
        let r = &self.registers;
        let poison = r.pair_poison(a) | r.pair_poison(b) | r.pair_poison(c);
        self.set_pair(d, &value, poison);
    }

    /// f32 = f(f32)
    #[inline(always)]
    pub fn f1(&mut self, d: Word, a: Word, f: impl Fn(f32) -> f32) {
        self.w1(d, a, |a| f(f32::from_bits(a)).to_bits());
    }

    /// f32 = f(f32, f32)
    #[inline(always)]
    pub fn f2(&mut self, d: Word, a: Word, b: Word, f: impl Fn(f32, f32) -> f32) {
        self.w2(d, a, b, |a, b| f(f32::from_bits(a), f32::from_bits(b)).to_bits());
    }

    /// f64 = f(f64)
    #[inline(always)]
    pub fn d1(&mut self, d: Pair, a: Pair, f: impl Fn(f64) -> f64) {
        self.p1(d, a, |a| f(f64::from_bits(a)).to_bits());
    }

    /// f64 = f(f64, f64)
    #[inline(always)]
    pub fn d2(&mut self, d: Pair, a: Pair, b: Pair, f: impl Fn(f64, f64) -> f64) {
        self.p2(d, a, b, |a, b| f(f64::from_bits(a), f64::from_bits(b)).to_bits());
    }
}
