//! Registers: what a name in a body stands for, fresh registers for a declaration, and those that are a function's
//! parameters and results.

use std::collections::HashMap;

use super::Lowering;
use crate::{
    ir::{Alu, Guard, NO_JOIN, Op, Pair, Pc, Predicate, SymbolIndex, Word},
    ptx::{self, ParsedVariable},
};

/// Registers of a file must leave room for the constant bit and for `NONE`.
pub(super) const REGISTERS: u32 = 0x7FFE;

/// What a name in a body stands for.
#[derive(Clone, Debug)]
pub enum Binding {
    /// A register, or the first of `count`.
    Word(u16),
    /// A 64-bit register.
    Pair(u16),
    /// A 128-bit register: its lower pair, which the upper one follows.
    Quad(u16),
    /// A predicate.
    Predicate(u16),
    /// A register of two or four elements: the first, which the others follow.
    Vector {
        /// The first element.
        first: NamedRegister,
        /// Elements.
        count: u8,
    },
    /// A `.param` variable that lives in words.
    Param {
        /// First word.
        first: u16,
        /// Words.
        words: u16,
    },
    /// A kernel parameter.
    EntryParam {
        /// Offset in the parameter block.
        offset: u32,
    },
    /// A local variable.
    Local {
        /// Offset in the frame's local bytes.
        offset: u32,
    },
    /// A variable in shared, global or constant memory that the function declares.
    Symbol(SymbolIndex),
    /// A list of labels.
    Targets(Vec<usize>),
    /// A call prototype; only its presence matters.
    Prototype,
}

/// A value's register, of whichever file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedRegister {
    /// Up to 32 bits.
    Word(Word),
    /// 64 bits.
    Pair(Pair),
    /// A predicate.
    Predicate(Predicate),
}

impl NamedRegister {
    /// The register so many places further on.
    pub(super) fn after(self, places: u16) -> Self {
        match self {
            NamedRegister::Word(word) => NamedRegister::Word(Word(word.0.wrapping_add(places))),
            NamedRegister::Pair(pair) => NamedRegister::Pair(Pair(pair.0.wrapping_add(places))),
            NamedRegister::Predicate(p) => NamedRegister::Predicate(Predicate(p.0.wrapping_add(places))),
        }
    }
}

impl From<NamedRegister> for Binding {
    fn from(register: NamedRegister) -> Self {
        match register {
            NamedRegister::Word(word) => Binding::Word(word.0),
            NamedRegister::Pair(pair) => Binding::Pair(pair.0),
            NamedRegister::Predicate(predicate) => Binding::Predicate(predicate.0),
        }
    }
}

/// The names of one pair of braces.
#[derive(Default)]
pub(super) struct NameScope<'a> {
    /// What each name stands for.
    pub(super) names: HashMap<&'a str, Binding>,
    /// `%r<100>`: prefix, count, first register.
    pub(super) ranges: HashMap<&'a str, (u32, Binding)>,
}

impl<'a> Lowering<'_, '_, 'a> {
    /// Takes `count` fresh registers of a type; none for a type that no register has. Past the limit nothing is executed: see `finish`.
    pub(in crate::decode) fn registers(&mut self, kind: ptx::Type<'_>, count: u32) -> Option<Binding> {
        fn take(file: &mut u32, size: u32) -> u16 {
            *file = file.saturating_add(size);
            file.saturating_sub(size) as u16
        }
        let elements = count.saturating_mul(kind.vector);
        let first = match ptx::scalar_bytes(kind.scalar) {
            _ if kind.scalar == "pred" => {
                NamedRegister::Predicate(Predicate(take(&mut self.predicates, elements)))
            }
            // No register is wider than 16 bytes.
            16 if kind.vector == 1 => {
                return Some(Binding::Quad(take(&mut self.pairs, elements.saturating_mul(2))));
            }
            8 => NamedRegister::Pair(Pair(take(&mut self.pairs, elements))),
            1 | 2 | 4 => NamedRegister::Word(Word(take(&mut self.words, elements))),
            _ => return None,
        };
        self.has_vectors |= kind.vector > 1;
        Some(if kind.vector == 1 {
            first.into()
        } else {
            Binding::Vector { first, count: kind.vector as u8 }
        })
    }

    /// A parameter that is a register (`.func f (.reg .f64 a)`): it gets what came in words.
    pub(super) fn take_register(&mut self, variable: &ParsedVariable<'a>) {
        let Some((first, registers)) = self.named_registers(variable) else { return };
        let mut word = first;
        for register in registers {
            match register {
                NamedRegister::Word(d) => {
                    self.emit(Op::Alu(Alu::MoveWord { d, a: Word(word) }));
                    word += 1;
                }
                NamedRegister::Pair(d) => {
                    self.emit(Op::Alu(Alu::PackPair { d, lo: Word(word), hi: Word(word + 1) }));
                    word += 2;
                }
                NamedRegister::Predicate(_) => {}
            }
        }
    }

    /// A result that is a register: every return hands it over in words.
    pub(super) fn give_register(&mut self, variable: &ParsedVariable<'a>) {
        let Some((mut word, registers)) = self.named_registers(variable) else { return };
        for register in registers {
            self.results.push((register, word));
            word += if matches!(register, NamedRegister::Pair(_)) { 2 } else { 1 };
        }
    }

    /// The words that a parameter is handed over in, and fresh registers for it, which its name stands for from now on.
    fn named_registers(&mut self, variable: &ParsedVariable<'a>) -> Option<(u16, Vec<NamedRegister>)> {
        let Some(Binding::Param { first, .. }) = self.binding(variable.name) else { return None };
        let binding = self.registers(variable.kind, 1)?;
        let registers = match binding {
            Binding::Vector { first, count } => {
                (0..count).map(|element| first.after(element.into())).collect()
            }
            Binding::Word(word) => vec![NamedRegister::Word(Word(word))],
            Binding::Pair(pair) => vec![NamedRegister::Pair(Pair(pair))],
            // A predicate or 16 bytes: none that any ABI hands over.
            _ => return None,
        };
        self.bind(variable.name, binding);
        Some((first, registers))
    }

    /// The function ends here for its threads, which hand over its results. With a guard the others branch around it:
    /// lanes that wait for each other at the end of a function go on from any one of its returns.
    pub fn returns(&mut self) {
        if self.guard != Guard::ALWAYS && !self.function.is_entry {
            let guard = self.guard;
            let label = self.labels.len();
            self.labels.push(0);
            self.guard = Guard { negated: !guard.negated, ..guard };
            self.emit(Op::Branch { target: label as Pc, join: NO_JOIN });
            self.guard = Guard::ALWAYS;
            self.returns();
            self.guard = guard;
            self.labels[label] = self.function.code.len() as Pc;
            self.block_start = self.function.code.len();
            return;
        }
        for (register, word) in self.results.clone() {
            self.emit(Op::Alu(match register {
                NamedRegister::Word(a) => Alu::MoveWord { d: Word(word), a },
                NamedRegister::Pair(a) => Alu::UnpackPair { lo: Word(word), hi: Word(word + 1), a },
                NamedRegister::Predicate(_) => continue,
            }));
        }
        self.emit(Op::Return);
    }
}
