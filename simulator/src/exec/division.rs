//! Divides integers: what comes of a divisor of zero is undefined, like what nothing wrote.

use super::{
    alu::{execute, with_undefined},
    context::Unit,
    registers::Registers,
    undefined::{Register, Undefined},
};
use crate::{
    ir::{Alu, Constants, Division, LANES},
    memory::{Site, lanes},
};

/// Executes a division or remainder in the lanes of `mask`.
#[inline(never)]
pub fn divide(
    unit: &mut Unit,
    registers: &mut Registers,
    constants: &Constants,
    alu: &Alu,
    mask: u32,
    at: Site,
) {
    // Looked at first, for the result may take the divisor's place.
    let by_zero = by_zero(registers, constants, alu);
    if !execute(alu, registers, constants, mask) {
        with_undefined(alu, registers, constants, mask, |registers| {
            let done = execute(alu, registers, constants, mask);
            debug_assert!(done, "no poison is to be seen");
        });
    }
    if let Some((result, by_zero)) = by_zero
        && by_zero & mask != 0
    {
        let value = Undefined { bits: result.all(), origin: unit.origins.division(at), ..Undefined::NONE };
        lanes(by_zero & mask).for_each(|lane| registers.set_undefined(result, lane, value));
    }
}

/// The result's register, and the lanes whose divisor is defined and zero.
fn by_zero(registers: &Registers, constants: &Constants, alu: &Alu) -> Option<(Register, u32)> {
    let zeros = |is_zero: &dyn Fn(usize) -> bool| {
        (0..LANES).fold(0, |zeros, lane| zeros | u32::from(is_zero(lane)) << lane)
    };
    Some(match alu.division()? {
        Division::Word { d, b, bits } => {
            let divisors = registers.word(constants, b);
            (Register::Word(d), zeros(&|lane| divisors[lane] & bits == 0) & !registers.word_poison(b))
        }
        Division::Pair { d, b } => {
            let divisors = registers.pair(constants, b);
            (Register::Pair(d), zeros(&|lane| divisors[lane] == 0) & !registers.pair_poison(b))
        }
    })
}
