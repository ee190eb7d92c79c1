//! The swap of 16-byte chunks by which tiles in shared memory avoid bank conflicts: tensor maps put it in, matrix descriptors
//! (`wgmma`) take it out. PTX ISA 9.0, "Swizzling Modes" (section 5.5.7) and "Matrix Descriptor Format".
//!
//! The swap is of the address: the bits from 4 on that number the chunk within a span are combined with as many from 7 on.

use serde::{Deserialize, Serialize};

/// How chunks of 16 bytes are swapped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Swizzle {
    /// Not at all.
    #[default]
    None,
    /// Within 32 bytes.
    Bytes32,
    /// Within 64 bytes.
    Bytes64,
    /// Within 128 bytes.
    Bytes128,
}

impl Swizzle {
    /// Bytes within which chunks are swapped: 16 where none are.
    pub fn span(self) -> u32 {
        match self {
            Swizzle::None => 16,
            Swizzle::Bytes32 => 32,
            Swizzle::Bytes64 => 64,
            Swizzle::Bytes128 => 128,
        }
    }

    /// Where the byte lies that would lie at this offset in shared memory without a swap.
    pub fn place(self, offset: u32) -> u32 {
        let chunks = self.span() / 16;
        offset ^ (offset >> 7 & (chunks - 1)) << 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_stay_in_their_span_and_swap_by_the_lines_of_128_bytes() {
        let placed = |swizzle: Swizzle, offsets: [u32; 4]| offsets.map(|offset| swizzle.place(offset));
        assert_eq!(placed(Swizzle::None, [0, 16, 128, 1000]), [0, 16, 128, 1000]);
        assert_eq!(placed(Swizzle::Bytes32, [0, 128, 128 + 16, 256 + 16]), [0, 144, 128, 272]);
        assert_eq!(placed(Swizzle::Bytes64, [64, 192, 384 + 5, 512]), [64, 208, 432 + 5, 512]);
        assert_eq!(
            placed(Swizzle::Bytes128, [112, 128, 7 * 128, 1024 + 16]),
            [112, 144, 7 * 128 + 112, 1040]
        );
    }

    #[test]
    fn a_swap_undoes_itself() {
        for swizzle in [Swizzle::None, Swizzle::Bytes32, Swizzle::Bytes64, Swizzle::Bytes128] {
            for offset in 0..4096 {
                let place = swizzle.place(offset);
                assert_eq!(swizzle.place(place), offset);
                assert_eq!(place / swizzle.span(), offset / swizzle.span());
            }
        }
    }
}
