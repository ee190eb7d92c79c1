//! The registers of one frame of one warp, with *poison*: per register, the lanes whose value derives from
//! memory (or a register) that nothing wrote.
//!
//! A poison bit says that some bit of the lane's value is undefined. Which, and since where, is in a *shade*
//! beside it, made when there is something to say; without one all bits are.

use crate::{
    exec::undefined::{OriginId, Register, Shade, Undefined},
    ir::{Constants, FULL, Function, LANES, Pair, Pairs, Predicate, Word, Words},
    memory::Tag,
};

/// A frame's three register files.
#[derive(Clone, Debug, Default)]
pub struct Registers {
    words: Vec<Words>,
    pairs: Vec<Pairs>,
    predicates: Vec<u32>,
    word_poison: Vec<u32>,
    pair_poison: Vec<u32>,
    predicate_poison: Vec<u32>,
    /// The shapes of addresses that have been loaded from since a pair was written.
    pair_shapes: Vec<Tag>,
    shades: Option<Box<Shades>>,
}

/// What stands behind poison, by register, and registers' worth of no poison.
#[derive(Clone, Debug, Default)]
struct Shades {
    words: Vec<Option<Box<Shade>>>,
    pairs: Vec<Option<Box<Shade>>>,
    predicates: Vec<Option<Box<Shade>>>,
    clean_words: Vec<u32>,
    clean_pairs: Vec<u32>,
    clean_predicates: Vec<u32>,
}

impl Shades {
    fn slot(&mut self, register: Register) -> &mut Option<Box<Shade>> {
        match register {
            Register::Word(word) => &mut self.words[word.index()],
            Register::Pair(pair) => &mut self.pairs[pair.index()],
            Register::Predicate(predicate) => &mut self.predicates[predicate.index()],
        }
    }

    fn get(&self, register: Register) -> Option<&Shade> {
        match register {
            Register::Word(word) => self.words[word.index()].as_deref(),
            Register::Pair(pair) => self.pairs[pair.index()].as_deref(),
            Register::Predicate(predicate) => self.predicates[predicate.index()].as_deref(),
        }
    }
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
            pair_shapes: vec![Tag::NONE; pairs],
            predicate_poison: vec![0; predicates],
            shades: None,
        };
        registers.enter(function);
        registers
    }

    /// Makes a used frame of the same function fit for a new call: only registers that
    /// may be read first need it.
    pub fn enter(&mut self, function: &Function) {
        for &word in &function.undefined.words {
            self.words[usize::from(word)] = [0; LANES];
            self.word_poison[usize::from(word)] = FULL;
            self.forget(Register::Word(Word(word)), FULL);
        }
        for &pair in &function.undefined.pairs {
            self.pairs[usize::from(pair)] = [0; LANES];
            self.pair_poison[usize::from(pair)] = FULL;
            self.pair_shapes[usize::from(pair)] = Tag::NONE;
            self.forget(Register::Pair(Pair(pair)), FULL);
        }
        for &predicate in &function.undefined.predicates {
            self.predicates[usize::from(predicate)] = 0;
            self.predicate_poison[usize::from(predicate)] = FULL;
            self.forget(Register::Predicate(Predicate(predicate)), FULL);
        }
    }

    /// How many words, pairs and predicates there are.
    pub fn counts(&self) -> (u16, u16, u16) {
        (self.words.len() as u16, self.pairs.len() as u16, self.predicates.len() as u16)
    }

    /// Hands every value of every register and lane to a function, in a fixed order.
    pub fn each_value(&self, with: &mut impl FnMut(u64)) {
        self.words.iter().flatten().for_each(|&word| with(u64::from(word)));
        self.pairs.iter().flatten().for_each(|&pair| with(pair));
        self.predicates.iter().for_each(|&predicate| with(u64::from(predicate)));
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

    /// Writes a word in the lanes of `mask`; where it is poisoned all of it is undefined. `word` is no
    /// constant and not `NONE`.
    #[inline(always)]
    pub fn set_word(&mut self, word: Word, value: &Words, poison: u32, mask: u32) {
        let index = word.index();
        blend(&mut self.words[index], value, mask);
        blend_bits(&mut self.word_poison[index], poison, mask);
        if poison & mask != 0 {
            self.forget(Register::Word(word), poison & mask);
        }
    }

    /// Writes a pair in the lanes of `mask`; where it is poisoned all of it is undefined. `pair` is no
    /// constant and not `NONE`.
    #[inline(always)]
    pub fn set_pair(&mut self, pair: Pair, value: &Pairs, poison: u32, mask: u32) {
        let index = pair.index();
        blend(&mut self.pairs[index], value, mask);
        self.pair_shapes[index] = Tag::NONE;
        blend_bits(&mut self.pair_poison[index], poison, mask);
        if poison & mask != 0 {
            self.forget(Register::Pair(pair), poison & mask);
        }
    }

    /// Makes sure that there is such a word, so that nobody need ask again.
    #[inline(always)]
    pub fn expect_word(&self, word: Word) {
        assert!(word.index() < self.words.len());
    }

    /// The same for a pair.
    #[inline(always)]
    pub fn expect_pair(&self, pair: Pair) {
        assert!(pair.index() < self.pairs.len());
    }

    /// The shape of a pair's values as addresses, if one was kept; it says that they
    /// are defined in its lanes.
    #[inline(always)]
    pub fn pair_shape(&self, pair: Pair) -> Tag {
        if pair.is_constant() { Tag::NONE } else { self.pair_shapes[pair.index()] }
    }

    /// Keeps the shape of a pair's values until it is written.
    #[inline(always)]
    pub fn keep_shape(&mut self, pair: Pair, shape: Tag) {
        if !pair.is_constant() {
            self.pair_shapes[pair.index()] = shape;
        }
    }

    /// A word of which the lanes of a mask are about to be written;
    /// [`Registers::written`] says that they were.
    #[inline(always)]
    pub fn word_to_write(&mut self, word: Word) -> &mut Words {
        &mut self.words[word.index()]
    }

    /// The lanes of a mask have been written with defined values.
    #[inline(always)]
    pub fn written(&mut self, word: Word, mask: u32) {
        self.word_poison[word.index()] &= !mask;
    }

    /// Writes a predicate in the lanes of `mask`. `predicate` is no constant and not `NONE`.
    #[inline(always)]
    pub fn set_predicate(&mut self, predicate: Predicate, value: u32, poison: u32, mask: u32) {
        let index = predicate.index();
        blend_bits(&mut self.predicates[index], value, mask);
        blend_bits(&mut self.predicate_poison[index], poison, mask);
        if poison & mask != 0 {
            self.forget(Register::Predicate(predicate), poison & mask);
        }
    }

    /// Lanes in which a register is poisoned.
    #[inline(always)]
    pub fn poison(&self, register: Register) -> u32 {
        match register {
            Register::Word(word) => self.word_poison(word),
            Register::Pair(pair) => self.pair_poison(pair),
            Register::Predicate(predicate) => self.predicate_poison(predicate),
        }
    }

    /// Of these lanes no more is known than that they are poisoned.
    #[cold]
    fn forget(&mut self, register: Register, lanes: u32) {
        if let Some(shade) = self.shades.as_mut().and_then(|shades| shades.slot(register).as_mut()) {
            shade.known &= !lanes;
        }
    }

    fn shades(&mut self) -> &mut Shades {
        let (words, pairs, predicates) = (self.words.len(), self.pairs.len(), self.predicates.len());
        self.shades.get_or_insert_with(|| {
            Box::new(Shades {
                words: vec![None; words],
                pairs: vec![None; pairs],
                predicates: vec![None; predicates],
                clean_words: vec![0; words],
                clean_pairs: vec![0; pairs],
                clean_predicates: vec![0; predicates],
            })
        })
    }

    /// What is undefined in one lane of a register.
    pub fn undefined(&self, register: Register, lane: usize) -> Undefined {
        if self.poison(register) >> lane & 1 == 0 {
            return Undefined::NONE;
        }
        let shade = self.shades.as_ref().and_then(|shades| shades.get(register));
        shade
            .and_then(|shade| shade.get(lane))
            .unwrap_or(Undefined { bits: register.all(), ..Undefined::NONE })
    }

    /// Says what is undefined in one lane of a register, which is no constant.
    pub fn set_undefined(&mut self, register: Register, lane: usize, value: Undefined) {
        let value = Undefined { bits: value.bits & register.all(), ..value };
        let poison = match register {
            Register::Word(word) => &mut self.word_poison[word.index()],
            Register::Pair(pair) => {
                self.pair_shapes[pair.index()] = Tag::NONE;
                &mut self.pair_poison[pair.index()]
            }
            Register::Predicate(predicate) => &mut self.predicate_poison[predicate.index()],
        };
        if value.bits == 0 {
            *poison &= !(1 << lane);
            return;
        }
        *poison |= 1 << lane;
        let shade = self.shades().slot(register).get_or_insert_default();
        shade.set(lane, value);
    }

    /// A word's lanes are taken for undefined until [`Registers::settle`], with this origin.
    pub fn put_in_flight(&mut self, word: Word, origin: OriginId, mask: u32) {
        self.word_poison[word.index()] |= mask;
        let shade = self.shades().slot(Register::Word(word)).get_or_insert_default();
        let value = Undefined { bits: u32::MAX.into(), origin, moved: true, ..Undefined::NONE };
        shade.set_all(mask, value);
    }

    /// What is undefined in these lanes of any word is defined where a function says so of all of it.
    pub fn settle(&mut self, mask: u32, is_defined: impl Fn(Undefined) -> bool) {
        for index in 0..self.words.len() {
            let register = Register::Word(Word(index as u16));
            let poison = self.word_poison[index] & mask;
            let over = crate::memory::lanes(poison)
                .filter(|&lane| {
                    let value = self.undefined(register, lane);
                    value.moved && is_defined(value)
                })
                .fold(0, |all, lane| all | 1u32 << lane);
            self.word_poison[index] &= !over;
        }
    }

    /// Copies a word of another frame in the lanes of `mask`, with what is undefined in it.
    #[inline(always)]
    pub fn pass(&mut self, to: Word, from: &Registers, constants: &Constants, word: Word, mask: u32) {
        let poison = from.word_poison(word) & mask;
        self.set_word(to, from.word(constants, word), 0, mask);
        if poison != 0 {
            self.pass_undefined(to, from, word, poison);
        }
    }

    #[cold]
    fn pass_undefined(&mut self, to: Word, from: &Registers, word: Word, lanes: u32) {
        for lane in crate::memory::lanes(lanes) {
            self.set_undefined(Register::Word(to), lane, from.undefined(Register::Word(word), lane));
        }
    }

    /// Hides all poison, or shows it again. What is executed in between must write no poison.
    pub fn hide_poison(&mut self) {
        self.shades();
        if let Some(shades) = &mut self.shades {
            std::mem::swap(&mut self.word_poison, &mut shades.clean_words);
            std::mem::swap(&mut self.pair_poison, &mut shades.clean_pairs);
            std::mem::swap(&mut self.predicate_poison, &mut shades.clean_predicates);
        }
    }
}
