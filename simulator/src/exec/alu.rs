//! Executes register-to-register operations on whole warps.

use crate::{
    exec::registers::Registers,
    ir::{Alu, Constants},
};

/// Executes `alu` in the lanes of `mask`. Poison of the operands passes on to the result.
#[inline(always)]
pub fn execute(alu: &Alu, registers: &mut Registers, constants: &Constants, mask: u32) {
    match *alu {
        Alu::MoveWord { d, a } => {
            let value = *registers.word(constants, a);
            registers.set_word(d, &value, registers.word_poison(a), mask);
        }
        Alu::MovePair { d, a } => {
            let value = *registers.pair(constants, a);
            registers.set_pair(d, &value, registers.pair_poison(a), mask);
        }
        _ => unreachable!("decoded programs that need this operation are not made yet"),
    }
}
