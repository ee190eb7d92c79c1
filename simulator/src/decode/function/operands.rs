//! What names and operands of instructions stand for: registers, constants, addresses.
//!
//! Families of instructions use these methods; each gives `None` where the operand has another form.

use super::{Binding, Lowering, NamedRegister, REGISTERS};
use crate::{
    decode::{moves, names::CallTarget, variables},
    ir::{Address, Alu, Constant, Op, Pair, Predicate, SYSTEM_RESERVED, Word},
    ptx::{self, Operand, ParsedInstruction, ParsedVariable},
};

impl<'m, 'a> Lowering<'_, 'm, 'a> {
    pub(super) fn bind(&mut self, name: &'a str, binding: Binding) {
        self.scopes[self.scope as usize].names.insert(name, binding);
    }

    pub(super) fn bind_words(&mut self, variable: &ParsedVariable<'a>) {
        let words = variable.words().min(u64::from(REGISTERS)) as u32;
        let first = self.words.min(REGISTERS) as u16;
        self.words = self.words.saturating_add(words);
        self.bind(variable.name, Binding::Param { first, words: words as u16 });
    }

    /// What a name stands for, from the innermost scope outward. `v.x` and `v.r` are the first element of `v`.
    pub fn binding(&self, name: &str) -> Option<Binding> {
        if let Some((vector, element)) = name.split_once('.') {
            let number =
                "xyzw".find(element).or_else(|| "rgba".find(element)).filter(|_| element.len() == 1)?;
            return self.element(vector, number as u8);
        }
        let mut scope = self.scope;
        loop {
            let names = &self.scopes[scope as usize];
            if let Some(binding) = names.names.get(name) {
                return Some(binding.clone());
            }
            // `%rd12` is number 12 of `%rd<…>`, or number 2 of `%rd1<…>`.
            let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
            for count in (1..=digits).rev() {
                let (prefix, number) = name.split_at(name.len() - count);
                if let Some((size, binding)) = names.ranges.get(prefix)
                    && let Ok(number) = number.parse::<u32>()
                    && number < *size
                {
                    let number = number as u16;
                    return Some(match *binding {
                        // Past the limit numbers mean nothing, and the function is refused when
                        // all of it has been seen.
                        Binding::Word(first) => Binding::Word(first.wrapping_add(number)),
                        Binding::Pair(first) => Binding::Pair(first.wrapping_add(number)),
                        Binding::Quad(first) => Binding::Quad(first.wrapping_add(number.wrapping_mul(2))),
                        Binding::Predicate(first) => Binding::Predicate(first.wrapping_add(number)),
                        Binding::Vector { first, count } => {
                            Binding::Vector { first: first.after(number.wrapping_mul(count.into())), count }
                        }
                        ref other => other.clone(),
                    });
                }
            }
            let parent = self.parents[scope as usize];
            if parent == scope {
                return None;
            }
            scope = parent;
        }
    }

    /// An element of a vector register.
    fn element(&self, vector: &str, number: u8) -> Option<Binding> {
        match self.binding(vector)? {
            Binding::Vector { first, count } if number < count => Some(first.after(number.into()).into()),
            _ => None,
        }
    }

    /// The instruction with the elements of a vector register wherever it names one as a whole; none where it names none.
    pub(super) fn spread(&self, instruction: &ParsedInstruction<'a>) -> Option<ParsedInstruction<'a>> {
        if !self.has_vectors {
            return None;
        }
        let operands = self.spread_all(&instruction.operands)?;
        Some(ParsedInstruction { operands, ..instruction.clone() })
    }

    fn spread_all(&self, operands: &[Operand<'a>]) -> Option<Vec<Operand<'a>>> {
        let spread: Vec<_> = operands.iter().map(|operand| self.elements(operand)).collect();
        spread.iter().any(Option::is_some).then(|| {
            let kept = operands.iter().zip(spread);
            kept.map(|(operand, spread)| spread.unwrap_or_else(|| operand.clone())).collect()
        })
    }

    fn elements(&self, operand: &Operand<'a>) -> Option<Operand<'a>> {
        match operand {
            Operand::Name(name) => match self.binding(name)? {
                Binding::Vector { count, .. } => {
                    Some(Operand::Vector((0..count).map(|number| Operand::Element(name, number)).collect()))
                }
                _ => None,
            },
            Operand::List(list) => self.spread_all(list).map(Operand::List),
            _ => None,
        }
    }

    /// The label that a name means here.
    pub fn label(&self, name: &str) -> Option<usize> {
        let mut scope = self.scope;
        loop {
            // The map's keys are slices of the same text, so the lookup needs no owned name.
            if let Some(&label) = self.label_names.get(&(scope, name)) {
                return Some(label);
            }
            let parent = self.parents[scope as usize];
            if parent == scope {
                return None;
            }
            scope = parent;
        }
    }

    /// The function that a name means.
    pub fn target(&self, name: &str) -> Option<CallTarget> {
        self.names.function(name)
    }

    /// How often a word of a parameter is stored to in this scope.
    pub fn stores_to(&self, name: &str, word: u32) -> u32 {
        self.composed.get(&(self.scope, name, word)).copied().unwrap_or(0)
    }

    // Registers and constants.

    /// A fresh word.
    pub fn new_word(&mut self) -> Word {
        self.words = self.words.saturating_add(1);
        Word((self.words - 1).min(REGISTERS) as u16)
    }

    /// A fresh pair.
    pub fn new_pair(&mut self) -> Pair {
        self.pairs = self.pairs.saturating_add(1);
        Pair((self.pairs - 1).min(REGISTERS) as u16)
    }

    /// A fresh predicate.
    pub fn new_predicate(&mut self) -> Predicate {
        self.predicates = self.predicates.saturating_add(1);
        Predicate((self.predicates - 1).min(REGISTERS) as u16)
    }

    /// The carry flag of `add.cc` and its kin.
    pub fn carry(&mut self) -> Predicate {
        match self.carry {
            Some(carry) => carry,
            None => {
                let carry = self.new_predicate();
                self.carry = Some(carry);
                carry
            }
        }
    }

    /// A constant as a word.
    pub fn word_constant(&mut self, constant: Constant) -> Word {
        let constants = &mut self.function.word_constants;
        let index = *self.word_constants.entry(constant).or_insert_with(|| {
            constants.push(constant);
            (constants.len() - 1).min(REGISTERS as usize) as u16
        });
        Word::constant(index)
    }

    /// A constant as a pair.
    pub fn pair_constant(&mut self, constant: Constant) -> Pair {
        let constants = &mut self.function.pair_constants;
        let index = *self.pair_constants.entry(constant).or_insert_with(|| {
            constants.push(constant);
            (constants.len() - 1).min(REGISTERS as usize) as u16
        });
        Pair::constant(index)
    }

    /// A value as a word.
    pub fn word_bits(&mut self, bits: u32) -> Word {
        self.word_constant(Constant::Bits(u64::from(bits)))
    }

    /// A value as a pair.
    pub fn pair_bits(&mut self, bits: u64) -> Pair {
        self.pair_constant(Constant::Bits(bits))
    }

    /// The register that an operand names; none for anything else.
    pub fn register(&self, operand: &Operand<'_>) -> Option<NamedRegister> {
        let binding = match operand {
            Operand::Name(name) => self.binding(name)?,
            Operand::Element(vector, number) => self.element(vector, *number)?,
            _ => return None,
        };
        match binding {
            Binding::Word(index) => Some(NamedRegister::Word(Word(index))),
            Binding::Pair(index) => Some(NamedRegister::Pair(Pair(index))),
            Binding::Predicate(index) => Some(NamedRegister::Predicate(Predicate(index))),
            _ => None,
        }
    }

    /// The two pairs of a 128-bit register, the lower one first. The sink `_` gets fresh ones.
    pub fn quad(&mut self, operand: &Operand<'_>) -> Option<[Pair; 2]> {
        match operand {
            Operand::Name("_") => Some([self.new_pair(), self.new_pair()]),
            Operand::Name(name) => match self.binding(name)? {
                Binding::Quad(first) => Some([Pair(first), Pair(first.wrapping_add(1))]),
                _ => None,
            },
            _ => None,
        }
    }

    /// The address of a variable or function as a constant.
    pub fn address_constant(&self, name: &str, offset: i64) -> Option<Constant> {
        if let Some(Binding::EntryParam { offset: at }) = self.binding(name) {
            return Some(Constant::Bits(u64::from(at).wrapping_add_signed(offset)));
        }
        let symbol = match self.binding(name) {
            Some(Binding::Symbol(symbol)) => Some(symbol),
            _ => self.names.symbol(name),
        };
        if let Some(symbol) = symbol {
            return Some(Constant::Address { symbol, offset });
        }
        match self.names.function(name)? {
            CallTarget::Defined(function) if offset == 0 => Some(Constant::Function(function)),
            _ => None,
        }
    }

    // Sources, by the type that the instruction gives them.

    /// A word operand: integers and bits.
    pub fn word(&mut self, operand: &Operand<'_>) -> Option<Word> {
        match operand {
            Operand::Integer(value) => Some(self.word_bits(*value as u32)),
            Operand::Float(bits) => Some(self.word_bits(*bits)),
            Operand::Name(name) => match self.binding(name) {
                Some(Binding::Word(index)) => Some(Word(index)),
                // A wider register may stand for its low bits.
                Some(Binding::Pair(index)) => {
                    let lo = self.new_word();
                    self.alu(Alu::UnpackPair { lo, hi: Word::NONE, a: Pair(index) })?;
                    Some(lo)
                }
                // Its address.
                Some(Binding::EntryParam { offset }) => Some(self.word_bits(offset)),
                Some(Binding::Symbol(symbol)) => {
                    Some(self.word_constant(Constant::Address { symbol, offset: 0 }))
                }
                Some(_) => None,
                None => self.special_word(name).or_else(|| {
                    let constant = self.address_constant(name, 0)?;
                    Some(self.word_constant(constant))
                }),
            },
            Operand::Offset(name, offset) => {
                let constant = self.address_constant(name, *offset)?;
                Some(self.word_constant(constant))
            }
            Operand::Element(..) => match self.register(operand)? {
                NamedRegister::Word(word) => Some(word),
                _ => None,
            },
            _ => None,
        }
    }

    /// A pair operand: integers and bits.
    pub fn pair(&mut self, operand: &Operand<'_>) -> Option<Pair> {
        match operand {
            Operand::Integer(value) => Some(self.pair_bits(*value)),
            Operand::Double(bits) => Some(self.pair_bits(*bits)),
            Operand::Name(name) => match self.binding(name) {
                Some(Binding::Pair(index)) => Some(Pair(index)),
                // Its address.
                Some(Binding::EntryParam { offset }) => Some(self.pair_bits(u64::from(offset))),
                Some(Binding::Symbol(symbol)) => {
                    Some(self.pair_constant(Constant::Address { symbol, offset: 0 }))
                }
                Some(_) => None,
                None => self.special_pair(name).or_else(|| {
                    let constant = self.address_constant(name, 0)?;
                    Some(self.pair_constant(constant))
                }),
            },
            Operand::Offset(name, offset) => {
                let constant = self.address_constant(name, *offset)?;
                Some(self.pair_constant(constant))
            }
            Operand::Element(..) => match self.register(operand)? {
                NamedRegister::Pair(pair) => Some(pair),
                _ => None,
            },
            _ => None,
        }
    }

    /// `%reserved_smem_offset_0`, `_1`: shared memory that the system keeps for cooperative groups of several
    /// warps. A variable stands for it.
    fn reserved(&mut self, name: &str) -> Option<Constant> {
        name.strip_prefix("%reserved_smem_offset_").filter(|which| matches!(*which, "0" | "1" | "begin"))?;
        let symbol = self.names.symbol(SYSTEM_RESERVED).unwrap_or_else(|| {
            let kind = ptx::Type { scalar: "b8", vector: 1 };
            let (space, elements) = ("shared", Some(1024));
            let (align, is_extern, initial) = (16, false, Vec::new());
            let reserved = ParsedVariable {
                line: 0,
                space,
                name: SYSTEM_RESERVED,
                kind,
                align,
                elements,
                is_extern,
                initial,
            };
            let symbol = variables::add(&reserved, self.program);
            self.names.add_symbol(SYSTEM_RESERVED, symbol);
            symbol
        });
        Some(Constant::Address { symbol, offset: 0 })
    }

    fn special_word(&mut self, name: &str) -> Option<Word> {
        if let Some(reserved) = self.reserved(name) {
            return Some(self.word_constant(reserved));
        }
        let register = moves::special_register(name)?;
        let d = self.new_word();
        self.emit(Op::Special { register, wide: false, d: d.0 });
        Some(d)
    }

    fn special_pair(&mut self, name: &str) -> Option<Pair> {
        let register = moves::special_register(name)?;
        let d = self.new_pair();
        self.emit(Op::Special { register, wide: true, d: d.0 });
        Some(d)
    }

    /// An `f32` operand.
    pub fn float(&mut self, operand: &Operand<'_>) -> Option<Word> {
        match operand {
            Operand::Double(bits) => Some(self.word_bits((f64::from_bits(*bits) as f32).to_bits())),
            Operand::Decimal(value) => Some(self.word_bits((*value as f32).to_bits())),
            _ => self.word(operand),
        }
    }

    /// An `f64` operand.
    pub fn double(&mut self, operand: &Operand<'_>) -> Option<Pair> {
        match operand {
            Operand::Float(bits) => Some(self.pair_bits(f64::from(f32::from_bits(*bits)).to_bits())),
            Operand::Decimal(value) => Some(self.pair_bits(value.to_bits())),
            _ => self.pair(operand),
        }
    }

    /// A predicate operand, and whether it is negated.
    pub fn predicate(&mut self, operand: &Operand<'_>) -> Option<(Predicate, bool)> {
        match operand {
            Operand::Not(inner) => self.predicate(inner).map(|(predicate, negated)| (predicate, !negated)),
            Operand::Integer(value) => Some((Predicate::constant(u16::from(*value != 0)), false)),
            _ => match self.register(operand)? {
                NamedRegister::Predicate(predicate) => Some((predicate, false)),
                _ => None,
            },
        }
    }

    // Destinations. The sink `_` gets a fresh register.

    /// A word to write.
    pub fn d_word(&mut self, operand: &Operand<'_>) -> Option<Word> {
        match self.register(operand) {
            Some(NamedRegister::Word(word)) => Some(word),
            None if *operand == Operand::Name("_") => Some(self.new_word()),
            _ => None,
        }
    }

    /// A pair to write.
    pub fn d_pair(&mut self, operand: &Operand<'_>) -> Option<Pair> {
        match self.register(operand) {
            Some(NamedRegister::Pair(pair)) => Some(pair),
            None if *operand == Operand::Name("_") => Some(self.new_pair()),
            _ => None,
        }
    }

    /// A predicate to write.
    pub fn d_predicate(&mut self, operand: &Operand<'_>) -> Option<Predicate> {
        match self.register(operand) {
            Some(NamedRegister::Predicate(predicate)) => Some(predicate),
            None if *operand == Operand::Name("_") => Some(self.new_predicate()),
            _ => None,
        }
    }

    /// `[base+offset]`.
    pub fn address(&mut self, operand: &Operand<'_>) -> Option<Address> {
        let Operand::Address(base, offset) = operand else { return None };
        let Some(name) = base else {
            return Some(Address { register: self.pair_bits(*offset as u64).0, wide: true, offset: 0 });
        };
        let small = i32::try_from(*offset).ok();
        match self.binding(name) {
            Some(Binding::Pair(index)) => Some(Address { register: index, wide: true, offset: small? }),
            Some(Binding::Word(index)) => Some(Address { register: index, wide: false, offset: small? }),
            Some(Binding::Local { offset: at }) => {
                let d = self.new_pair();
                self.emit(Op::LocalAddress { wide: true, d: d.0, offset: at });
                Some(Address { register: d.0, wide: true, offset: small? })
            }
            _ => {
                let constant = self.address_constant(name, *offset)?;
                Some(Address { register: self.pair_constant(constant).0, wide: true, offset: 0 })
            }
        }
    }

    // Shapes that many instructions share.

    /// `d, a` in words.
    pub fn words2(&mut self, o: &[Operand<'_>]) -> Option<(Word, Word)> {
        let [d, a] = o else { return None };
        Some((self.d_word(d)?, self.word(a)?))
    }

    /// `d, a, b` in words.
    pub fn words3(&mut self, o: &[Operand<'_>]) -> Option<(Word, Word, Word)> {
        let [d, a, b] = o else { return None };
        Some((self.d_word(d)?, self.word(a)?, self.word(b)?))
    }

    /// `d, a, b, c` in words.
    pub fn words4(&mut self, o: &[Operand<'_>]) -> Option<(Word, Word, Word, Word)> {
        let [d, a, b, c] = o else { return None };
        Some((self.d_word(d)?, self.word(a)?, self.word(b)?, self.word(c)?))
    }

    /// `d, a` in pairs.
    pub fn pairs2(&mut self, o: &[Operand<'_>]) -> Option<(Pair, Pair)> {
        let [d, a] = o else { return None };
        Some((self.d_pair(d)?, self.pair(a)?))
    }

    /// `d, a, b` in pairs.
    pub fn pairs3(&mut self, o: &[Operand<'_>]) -> Option<(Pair, Pair, Pair)> {
        let [d, a, b] = o else { return None };
        Some((self.d_pair(d)?, self.pair(a)?, self.pair(b)?))
    }

    /// `d, a, b, c` in pairs.
    pub fn pairs4(&mut self, o: &[Operand<'_>]) -> Option<(Pair, Pair, Pair, Pair)> {
        let [d, a, b, c] = o else { return None };
        Some((self.d_pair(d)?, self.pair(a)?, self.pair(b)?, self.pair(c)?))
    }
}
