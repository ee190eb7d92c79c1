//! The registers of one frame of one warp, with *poison*: per register, the lanes whose value derives from memory (or a
//! register) that nothing wrote.

use crate::ir::{Constants, FULL, Function, LANES, Pair, Pairs, Predicate, Word, Words};

/// A frame's three register files.
#[derive(Clone, Debug, Default)]
pub struct Registers {
    words: Vec<Words>,
    pairs: Vec<Pairs>,
    predicates: Vec<u32>,
    word_poison: Vec<u32>,
    pair_poison: Vec<u32>,
    predicate_poison: Vec<u32>,
}

/// `new` in the lanes of `mask`, `old` elsewhere.
#[inline(always)]
fn blend<T: Copy>(old: &mut [T; LANES], new: &[T; LANES], mask: u32) {
    if mask == FULL {
        *old = *new;
    } else {
        for lane in 0..LANES {
            old[lane] = if mask >> lane & 1 != 0 { new[lane] } else { old[lane] };
        }
    }
}

/// `new` in the bits of `mask`, `old` elsewhere.
#[inline(always)]
fn blend_bits(old: &mut u32, new: u32, mask: u32) {
    *old = *old & !mask | new & mask;
}

impl Registers {
    /// The registers of a frame of `function`; those that may be read first are poisoned.
    pub fn new(function: &Function) -> Registers {
        let (words, pairs) = (usize::from(function.words), usize::from(function.pairs));
        let predicates = usize::from(function.predicates);
        let mut registers = Registers {
            words: vec![[0; LANES]; words],
            pairs: vec![[0; LANES]; pairs],
            predicates: vec![0; predicates],
            word_poison: vec![0; words],
            pair_poison: vec![0; pairs],
            predicate_poison: vec![0; predicates],
        };
        registers.enter(function);
        registers
    }

    /// Makes a used frame of the same function fit for a new call: only registers that may be read first need it.
    pub fn enter(&mut self, function: &Function) {
        for &word in &function.undefined.words {
            self.words[usize::from(word)] = [0; LANES];
            self.word_poison[usize::from(word)] = FULL;
        }
        for &pair in &function.undefined.pairs {
            self.pairs[usize::from(pair)] = [0; LANES];
            self.pair_poison[usize::from(pair)] = FULL;
        }
        for &predicate in &function.undefined.predicates {
            self.predicates[usize::from(predicate)] = 0;
            self.predicate_poison[usize::from(predicate)] = FULL;
        }
    }

    /// A word's value.
    #[inline(always)]
    pub fn word<'a>(&'a self, constants: &'a Constants, word: Word) -> &'a Words {
        if word.is_constant() { &constants.words[word.index()] } else { &self.words[word.index()] }
    }

    /// Lanes in which a word is poisoned.
    #[inline(always)]
    pub fn word_poison(&self, word: Word) -> u32 {
        if word.is_constant() { 0 } else { self.word_poison[word.index()] }
    }

    /// A pair's value.
    #[inline(always)]
    pub fn pair<'a>(&'a self, constants: &'a Constants, pair: Pair) -> &'a Pairs {
        if pair.is_constant() { &constants.pairs[pair.index()] } else { &self.pairs[pair.index()] }
    }

    /// Lanes in which a pair is poisoned.
    #[inline(always)]
    pub fn pair_poison(&self, pair: Pair) -> u32 {
        if pair.is_constant() { 0 } else { self.pair_poison[pair.index()] }
    }

    /// A predicate's lanes.
    #[inline(always)]
    pub fn predicate(&self, predicate: Predicate) -> u32 {
        if predicate.is_constant() {
            if predicate.index() == 0 { 0 } else { FULL }
        } else {
            self.predicates[predicate.index()]
        }
    }

    /// Lanes in which a predicate is poisoned.
    #[inline(always)]
    pub fn predicate_poison(&self, predicate: Predicate) -> u32 {
        if predicate.is_constant() { 0 } else { self.predicate_poison[predicate.index()] }
    }

    /// Writes a word in the lanes of `mask`. `word` is no constant and not `NONE`.
    #[inline(always)]
    pub fn set_word(&mut self, word: Word, value: &Words, poison: u32, mask: u32) {
        let index = word.index();
        blend(&mut self.words[index], value, mask);
        blend_bits(&mut self.word_poison[index], poison, mask);
    }

    /// Writes a pair in the lanes of `mask`. `pair` is no constant and not `NONE`.
    #[inline(always)]
    pub fn set_pair(&mut self, pair: Pair, value: &Pairs, poison: u32, mask: u32) {
        let index = pair.index();
        blend(&mut self.pairs[index], value, mask);
        blend_bits(&mut self.pair_poison[index], poison, mask);
    }

    /// Writes a predicate in the lanes of `mask`. `predicate` is no constant and not `NONE`.
    #[inline(always)]
    pub fn set_predicate(&mut self, predicate: Predicate, value: u32, poison: u32, mask: u32) {
        let index = predicate.index();
        blend_bits(&mut self.predicates[index], value, mask);
        blend_bits(&mut self.predicate_poison[index], poison, mask);
    }

    /// A word's value in one lane.
    #[inline(always)]
    pub fn word_lane(&self, constants: &Constants, word: Word, lane: usize) -> u32 {
        self.word(constants, word)[lane]
    }

    /// A pair's value in one lane.
    #[inline(always)]
    pub fn pair_lane(&self, constants: &Constants, pair: Pair, lane: usize) -> u64 {
        self.pair(constants, pair)[lane]
    }

    /// A digest of all registers in the lanes of `mask`: equal states have equal digests.
    pub fn digest(&self, mask: u32) -> u64 {
        let mut digest = 0xcbf2_9ce4_8422_2325u64;
        let mut mix =
            |value: u64| digest = (digest.rotate_left(5) ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        for words in &self.words {
            for lane in (0..LANES).filter(|lane| mask >> lane & 1 == 1) {
                mix(u64::from(words[lane]));
            }
        }
        for pairs in &self.pairs {
            for lane in (0..LANES).filter(|lane| mask >> lane & 1 == 1) {
                mix(pairs[lane]);
            }
        }
        for &predicate in &self.predicates {
            mix(u64::from(predicate & mask));
        }
        digest
    }
}
