//! Operations that divide integers. PTX leaves open what comes of a divisor of zero (PTX ISA, 9.7.1, `div`: an
//! unspecified, machine-specific value), and C++ calls it undefined, as it does the remainder.

use super::{Alu, Pair, Pair2, Word, Word2};

/// Where a division or remainder of integers puts its result, and what it divides by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Division {
    /// Of 16 or 32 bits.
    Word {
        /// The result.
        d: Word,
        /// The divisor, in the bits of a mask.
        b: Word,
        /// The mask.
        bits: u32,
    },
    /// Of 64 bits.
    Pair {
        /// The result.
        d: Pair,
        /// The divisor.
        b: Pair,
    },
}

impl Alu {
    /// What it divides, if it is a division or a remainder of integers.
    pub fn division(&self) -> Option<Division> {
        match *self {
            Alu::Word2 { op: Word2::DivS | Word2::DivU | Word2::RemS | Word2::RemU, d, b, .. } => {
                Some(Division::Word { d, b, bits: u32::MAX })
            }
            Alu::Word2 {
                op: Word2::DivS16 | Word2::DivU16 | Word2::RemS16 | Word2::RemU16, d, b, ..
            } => Some(Division::Word { d, b, bits: u16::MAX.into() }),
            Alu::Pair2 { op: Pair2::DivS | Pair2::DivU | Pair2::RemS | Pair2::RemU, d, b, .. } => {
                Some(Division::Pair { d, b })
            }
            _ => None,
        }
    }
}
