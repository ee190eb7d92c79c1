//! Where a matrix descriptor puts the numbers of a matrix in shared memory. PTX ISA 9.0, "Matrix Descriptor Format" and "Strides"
//! (sections 9.7.16.5.1 and following).
//!
//! A *line* is a row of A or a column of B. Lines and what lies along K come in blocks of 8 × 16 bytes; descriptors say how
//! far blocks are apart, and whether the chunks of 16 bytes of eight neighbouring lines are swapped ("swizzled") so that no two
//! share banks. The swap is of the address: bits 4–6 are combined with bits 7–9.

use crate::swizzle::Swizzle;

/// Bytes that lie together whatever the layout.
pub const CHUNK_BYTES: u32 = 16;

/// The layout of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    start: u32,
    /// Bytes between blocks: along the leading dimension, and across.
    leading: u32,
    stride: u32,
    base: u32,
    swizzle: Swizzle,
    transposed: bool,
}

impl Layout {
    /// Takes a descriptor apart.
    pub fn of(descriptor: u64, transposed: bool) -> Layout {
        let field = |at: u32| (descriptor >> at & 0x3FFF) as u32 * CHUNK_BYTES;
        Layout {
            start: field(0),
            leading: field(16),
            stride: field(32),
            base: (descriptor >> 49 & 7) as u32,
            swizzle: match descriptor >> 62 {
                0 => Swizzle::None,
                1 => Swizzle::Bytes128,
                2 => Swizzle::Bytes64,
                _ => Swizzle::Bytes32,
            },
            transposed,
        }
    }

    /// The pattern of the swap does not begin where the address is a multiple of its size.
    pub fn is_shifted(self) -> bool {
        self.base != 0
    }

    /// Numbers of lines lie side by side.
    pub fn transposed(self) -> bool {
        self.transposed
    }

    /// Where each chunk of some lines begins in shared memory, in the order that [`Layout::place`] counts.
    pub fn chunks(self, first: u32, lines: u32) -> Vec<u32> {
        // Chunks side by side that are swapped: 1 (none), 2, 4 or 8.
        let swapped = self.swizzle.span() / CHUNK_BYTES;
        if self.transposed {
            // Eight lines of one step along K; 16 steps of two bytes.
            let chunk = |lines: u32, k: u32| {
                let (block, within) = (lines / swapped, lines % swapped);
                let (of_lines, of_k) = match swapped {
                    1 => (block * self.stride, k / 8 * self.leading),
                    _ => (block * self.leading, k / 8 * self.stride),
                };
                of_lines + within * CHUNK_BYTES + k % 8 * CHUNK_BYTES * swapped + of_k
            };
            (first / 8..(first + lines) / 8)
                .flat_map(|lines| (0..16).map(move |k| (lines, k)))
                .map(|(lines, k)| self.swap(chunk(lines, k)))
                .collect()
        } else {
            let chunk = |line: u32, half: u32| {
                let along = if swapped == 1 { half * self.leading } else { half * CHUNK_BYTES };
                line % 8 * CHUNK_BYTES * swapped + line / 8 * self.stride + along
            };
            (first..first + lines)
                .flat_map(|line| (0..2).map(move |half| (line, half)))
                .map(|(line, half)| self.swap(chunk(line, half)))
                .collect()
        }
    }

    /// Swaps the chunks of an offset from the start.
    fn swap(self, offset: u32) -> u32 {
        self.swizzle.place(self.start.wrapping_add(offset))
    }

    /// In which chunk of the list, and at which of its bytes, lie the four bytes number `quarter` of half `half` of a line's 32,
    /// counted from the first line of the list; of a transposed matrix the two bytes of part `part`.
    pub fn place(self, line: u32, half: u32, quarter: u32, part: u32) -> (usize, usize) {
        let (chunk, byte) = match self.transposed {
            true => (line / 8 * 16 + 8 * half + 2 * quarter + part, 2 * (line % 8)),
            false => (2 * line + half, 4 * quarter),
        };
        (chunk as usize, byte as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(start: u32, leading: u32, stride: u32, swizzle: u64, transposed: bool) -> Layout {
        let field = |bytes: u32| u64::from(bytes / 16);
        Layout::of(field(start) | field(leading) << 16 | field(stride) << 32 | swizzle << 62, transposed)
    }

    #[test]
    fn rows_of_128_bytes_are_swapped_by_their_number() {
        let chunks = layout(0x400, 0, 1024, 1, false).chunks(0, 16);
        assert_eq!(chunks[0], 0x400);
        // Row 3: chunks 0 and 1 lie where 3 and 2 would.
        assert_eq!(chunks[6..8], [0x400 + 3 * 128 + 48, 0x400 + 3 * 128 + 32]);
        // Row 8 begins the next eight.
        assert_eq!(chunks[16], 0x400 + 1024);
    }

    #[test]
    fn blocks_without_a_swap_lie_where_the_descriptor_says() {
        let chunks = layout(0, 128, 256, 0, false).chunks(8, 8);
        assert_eq!(chunks[..4], [256, 256 + 128, 256 + 16, 256 + 16 + 128]);
        let turned = layout(0, 128, 256, 0, true).chunks(0, 16);
        assert_eq!((turned[1], turned[8], turned[16]), (16, 128, 256));
    }

    #[test]
    fn every_byte_has_its_place_once() {
        for swizzle in 0..4 {
            for transposed in [false, true] {
                let (leading, stride) = match (swizzle, transposed) {
                    (0, _) => (128, 256),
                    (_, true) => (4096, 1024),
                    (_, false) => (0, 1024),
                };
                let chunks = layout(0x2000, leading, stride, swizzle, transposed).chunks(0, 64);
                assert_eq!(chunks.len(), 128);
                let mut distinct = chunks.clone();
                distinct.sort_unstable();
                distinct.dedup();
                assert_eq!(distinct.len(), 128, "{swizzle} {transposed}");
            }
        }
    }
}
