//! The interpreter, compiled for AVX2 (with FMA and bit counting) and for the baseline,
//! and chosen once per launch.
//!
//! A register is 32 lanes: with 256-bit vectors most operations are four to eight instructions. Results do
//! not depend on the choice; `FORCE_BASELINE` lets tests see that. The loop and the register-to-register
//! operations are two functions, because one of both takes the compiler several times as long.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::{
    exec::{
        alu,
        context::Stop,
        interpreter,
        machine::Machine,
        matrix::{self, Given, Held},
        registers::Registers,
        warp::Warp,
    },
    ir::{Alu, Constants, FULL, Multiply},
};

/// Uses the baseline code even where better is available; for tests.
pub static FORCE_BASELINE: AtomicBool = AtomicBool::new(false);

/// An instruction set that the interpreter is compiled for.
pub trait InstructionSet {
    /// Loads and stores are compiled into the loop, for this instruction set. Elsewhere one copy outside of
    /// it does: the compiler takes long enough over each.
    const LOOP_HAS_MEMORY: bool;

    /// Executes a register-to-register operation in the lanes of `mask`; false if an operand is
    /// poisoned and nothing was done.
    fn alu(operation: &Alu, registers: &mut Registers, constants: &Constants, mask: u32) -> bool;
}

/// What every processor of this architecture has.
pub struct Baseline;

impl InstructionSet for Baseline {
    const LOOP_HAS_MEMORY: bool = false;

    #[inline(never)]
    fn alu(operation: &Alu, registers: &mut Registers, constants: &Constants, mask: u32) -> bool {
        alu::execute(operation, registers, constants, mask)
    }
}

/// How to run a warp.
#[derive(Clone, Copy, Debug)]
pub struct Runner {
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "there is nothing to choose"))]
    fast: bool,
}

impl Runner {
    /// The best that this processor can do.
    pub fn best() -> Runner {
        Runner { fast: !FORCE_BASELINE.load(Ordering::Relaxed) && has_avx2() }
    }

    /// Runs a warp until nothing in it can run or its turn is over.
    pub fn run(self, m: &mut Machine<'_, '_>, warp: &mut Warp) -> Result<(), Stop> {
        #[cfg(target_arch = "x86_64")]
        if self.fast {
            // SAFETY: `fast` is true only where `has_avx2` saw all the features on this processor.
            return unsafe { avx2::run(m, warp) };
        }
        interpreter::run::<Baseline>(m, warp)
    }
}

/// A product of matrices.
pub fn multiply(product: &Multiply, held: &Held) -> Given {
    #[cfg(target_arch = "x86_64")]
    if Runner::best().fast {
        // SAFETY: `fast` is true only where `has_avx2` saw all the features on this processor.
        return unsafe { avx2::multiply(product, held) };
    }
    matrix::multiply::multiply(product, held)
}

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    // Every processor with the first two has the others, or nearly.
    std::arch::is_x86_feature_detected!("avx2")
        && std::arch::is_x86_feature_detected!("fma")
        && std::arch::is_x86_feature_detected!("bmi1")
        && std::arch::is_x86_feature_detected!("bmi2")
        && std::arch::is_x86_feature_detected!("lzcnt")
        && std::arch::is_x86_feature_detected!("popcnt")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_avx2() -> bool {
    false
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{
        Alu, Constants, FULL, Given, Held, InstructionSet, Machine, Multiply, Registers, Stop, Warp, alu,
        interpreter, matrix,
    };

    /// AVX2, FMA, and counting of bits. Only [`run`] names it.
    struct Avx2;

    impl InstructionSet for Avx2 {
        const LOOP_HAS_MEMORY: bool = true;

        #[inline(always)]
        fn alu(operation: &Alu, registers: &mut Registers, constants: &Constants, mask: u32) -> bool {
            // SAFETY: only `run` below instantiates the interpreter with this target, and who calls
            // it has all the features.
            unsafe {
                mask == FULL && execute_common(operation, registers, constants)
                    || execute(operation, registers, constants, mask)
            }
        }
    }

    #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
    #[inline(never)]
    fn execute_common(operation: &Alu, registers: &mut Registers, constants: &Constants) -> bool {
        alu::execute_common(operation, registers, constants)
    }

    #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
    #[inline(never)]
    fn execute(operation: &Alu, registers: &mut Registers, constants: &Constants, mask: u32) -> bool {
        alu::execute(operation, registers, constants, mask)
    }

    /// Runs a warp until nothing in it can run or its turn is over.
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
    pub fn run(m: &mut Machine<'_, '_>, warp: &mut Warp) -> Result<(), Stop> {
        interpreter::run::<Avx2>(m, warp)
    }

    /// A product of matrices.
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
    pub fn multiply(product: &Multiply, held: &Held) -> Given {
        matrix::multiply::multiply(product, held)
    }
}
