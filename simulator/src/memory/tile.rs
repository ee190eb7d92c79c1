//! What a bulk copy moves: where each piece of it lies in shared memory, and which bytes of that have a place in global memory.
//!
//! Shared memory takes pieces of 16 bytes. Of a plain copy they lie one after the other on both sides. Of a box of a tensor
//! each is a part of one of its rows; some of its bytes may lie outside of the tensor.

use std::{ops::Range, sync::Arc};

use crate::{
    ir::{AtomicOp, AtomicType},
    tensor_map::{MOST_DIMENSIONS, OutsideFill, TensorElement, TensorMap},
};

use super::bulk::PIECE;

/// The side of a copy in global memory.
#[derive(Clone, Debug)]
pub enum GlobalSide {
    /// One stretch from this address on.
    Stretch(u64),
    /// A box of a tensor.
    Tile(Arc<Tile>),
}

/// A box of a tensor at its place.
#[derive(Clone, Debug)]
pub struct Tile {
    map: TensorMap,
    /// Coordinates of the box's first element.
    start: [i64; MOST_DIMENSIONS],
    /// Elements that are copied along each dimension.
    counts: [u32; MOST_DIMENSIONS],
}

/// A piece of a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// Its offset in shared memory.
    pub(crate) shared: u32,
    /// Where its first byte is in global memory, if that is anywhere.
    pub(crate) global: u64,
    /// Which of its bytes have a place there.
    pub(crate) inside: Range<u32>,
}

/// The hardware copies so many bytes at a time, from the start of a stretch or of a box's row on.
const CHUNK: u32 = 128;
const SECTOR: u64 = 32;

impl GlobalSide {
    /// Sectors that are moved to shared memory, as ncu counts them on an H200 (`grader/tests/counters/tensor_copy.cu`): of a box also
    /// what lies outside of the tensor counts, by itself.
    pub fn sectors_in(&self, bytes: u32) -> u64 {
        match self {
            GlobalSide::Stretch(start) => sectors(*start, 0..bytes),
            GlobalSide::Tile(tile) => {
                let (all, inside) = (0..tile.row_bytes(), tile.inside(0..tile.row_bytes()));
                let row = |number| match tile.row(number) {
                    Some(row) => {
                        let start = row.wrapping_add_signed(tile.first_offset());
                        let outside = sectors(0, 0..inside.start) + sectors(0, 0..all.end - inside.end);
                        sectors(start, inside.clone()) + outside
                    }
                    None => sectors(0, all.clone()),
                };
                (0..tile.rows()).map(row).sum()
            }
        }
    }

    /// Sectors that are moved from shared memory: those that have a place in global memory.
    pub fn sectors_out(&self, bytes: u32) -> u64 {
        match self {
            GlobalSide::Stretch(start) => sectors(*start, 0..bytes),
            GlobalSide::Tile(tile) => {
                let inside = tile.inside(0..tile.row_bytes());
                let of = |row: u64| sectors(row.wrapping_add_signed(tile.first_offset()), inside.clone());
                (0..tile.rows()).filter_map(|number| tile.row(number)).map(of).sum()
            }
        }
    }
}

/// Sectors that the bytes of a stretch touch, each [`CHUNK`] by itself.
fn sectors(start: u64, bytes: Range<u32>) -> u64 {
    let in_chunk = |chunk: u32| {
        let first = start.wrapping_add(bytes.start.max(chunk * CHUNK).into());
        let last = start.wrapping_add(u64::from(bytes.end.min((chunk + 1) * CHUNK)) - 1);
        last / SECTOR - first / SECTOR + 1
    };
    if bytes.is_empty() { 0 } else { (bytes.start / CHUNK..bytes.end.div_ceil(CHUNK)).map(in_chunk).sum() }
}

impl Tile {
    /// A box whose first element has these coordinates, one for each dimension of the map.
    pub fn new(map: TensorMap, coordinates: &[i32]) -> Tile {
        let mut start = [0; MOST_DIMENSIONS];
        let mut counts = [1; MOST_DIMENSIONS];
        for (index, (&extent, &step)) in map.extents.iter().zip(&map.element_strides).enumerate() {
            start[index] = coordinates.get(index).copied().unwrap_or(0).into();
            // The first dimension has no steps.
            counts[index] = if index == 0 { extent } else { extent.div_ceil(step) };
        }
        Tile { map, start, counts }
    }

    /// Bytes of an element.
    pub fn element_bytes(&self) -> u8 {
        self.map.element.bytes() as u8
    }

    /// Bytes that it takes in shared memory.
    pub fn bytes(&self) -> u64 {
        u64::from(self.row_bytes()) * self.rows()
    }

    fn row_bytes(&self) -> u32 {
        self.map.row_bytes()
    }

    fn rows(&self) -> u64 {
        self.counts[1..].iter().map(|&count| u64::from(count)).product()
    }

    /// Where the tensor's row begins that is the box's row of this number; none outside of the tensor.
    fn row(&self, number: u64) -> Option<u64> {
        let mut rest = number;
        let mut address = self.map.address;
        for index in 1..self.map.dimensions.len() {
            let count = u64::from(self.counts[index]);
            let step = i64::from(self.map.element_strides[index]);
            let at = self.start[index] + (rest % count) as i64 * step;
            rest /= count;
            let at = u64::try_from(at).ok().filter(|&at| at < self.map.dimensions[index])?;
            address = address.wrapping_add(at.wrapping_mul(self.map.strides[index - 1]));
        }
        Some(address)
    }

    /// From the beginning of the tensor's row to that of the box's, which may lie before it.
    fn first_offset(&self) -> i64 {
        self.start[0] * i64::from(self.map.element.bytes())
    }

    /// Which bytes of a row, of those from one to the other of the box's, lie in the tensor.
    fn inside(&self, bytes: Range<u32>) -> Range<u32> {
        let size = i64::from(self.map.element.bytes());
        // Both are less than 2^36.
        let first = -self.start[0] * size;
        let end = (self.map.dimensions[0] as i64 - self.start[0]) * size;
        let within = |at: i64| at.clamp(bytes.start.into(), bytes.end.into()) as u32;
        within(first)..within(end)
    }

    /// The piece that would be at this offset from the box's start without a swap.
    fn piece(&self, shared: u32, at: u32) -> Piece {
        let row_bytes = self.row_bytes();
        let (number, in_row) = (at / row_bytes, at % row_bytes);
        let shared = self.map.swizzle.place(shared.wrapping_add(at));
        let Some(row) = self.row(number.into()) else { return Piece { shared, global: 0, inside: 0..0 } };
        let inside = self.inside(in_row..in_row + PIECE);
        let offset = self.first_offset() + i64::from(in_row);
        Piece {
            shared,
            global: row.wrapping_add_signed(offset),
            inside: inside.start - in_row..inside.end - in_row,
        }
    }

    /// The stretches of global memory that it takes, in ascending order and apart from each other.
    fn stretches(&self) -> Vec<Range<u64>> {
        let inside = self.inside(0..self.row_bytes());
        let offset = self.first_offset();
        let mut found: Vec<Range<u64>> = (0..self.rows())
            .filter_map(|number| self.row(number))
            .map(|row| {
                let start = row.wrapping_add_signed(offset);
                start.wrapping_add(inside.start.into())..start.wrapping_add(inside.end.into())
            })
            .filter(|stretch| stretch.start < stretch.end)
            .collect();
        found.sort_unstable_by_key(|stretch| stretch.start);
        found.dedup_by(|next, last| {
            let joins = next.start <= last.end;
            if joins {
                last.end = last.end.max(next.end);
            }
            joins
        });
        found
    }

    /// Four bytes of what stands for elements outside. The two bytes `7ff7` over and over are a NaN of every type of floats: an
    /// H100 has them in halves, bfloat16 and doubles.
    fn fill(&self) -> u32 {
        match self.map.fill {
            OutsideFill::Zeros => 0,
            OutsideFill::Nan => 0x7ff7_7ff7,
        }
    }
}

impl GlobalSide {
    /// The piece at this offset of a copy whose shared side begins there.
    pub(super) fn piece(&self, shared: u32, at: u32) -> Piece {
        match self {
            GlobalSide::Stretch(start) => Piece {
                shared: shared.wrapping_add(at),
                global: start.wrapping_add(at.into()),
                inside: 0..PIECE,
            },
            GlobalSide::Tile(tile) => tile.piece(shared, at),
        }
    }

    /// The stretches of global memory that so many bytes of it take, in ascending order and apart from each other.
    pub(super) fn stretches(&self, bytes: u32) -> Arc<[Range<u64>]> {
        match self {
            GlobalSide::Stretch(start) => {
                std::iter::once(*start..start.saturating_add(bytes.into())).collect()
            }
            GlobalSide::Tile(tile) => tile.stretches().into(),
        }
    }

    /// What its shared side must be aligned to.
    pub(super) fn alignment(&self) -> u8 {
        match self {
            GlobalSide::Stretch(_) => PIECE as u8,
            GlobalSide::Tile(_) => 128,
        }
    }

    /// The update of a tensor's elements; none where the simulator lacks it.
    pub fn reduction(&self, op: AtomicOp) -> Option<(AtomicOp, AtomicType)> {
        use TensorElement as Element;
        let GlobalSide::Tile(tile) = self else { return None };
        let bitwise = matches!(op, AtomicOp::And | AtomicOp::Or | AtomicOp::Xor);
        let kind = match (tile.map.element, op) {
            (Element::U32 | Element::I32, _) if bitwise => AtomicType::B32,
            (Element::U64 | Element::I64, _) if bitwise => AtomicType::B64,
            (Element::U32, _) => AtomicType::U32,
            (Element::I32, AtomicOp::Add | AtomicOp::Min | AtomicOp::Max) => AtomicType::S32,
            (Element::U64, AtomicOp::Add | AtomicOp::Min | AtomicOp::Max) => AtomicType::U64,
            (Element::I64, AtomicOp::Min | AtomicOp::Max) => AtomicType::S64,
            (Element::F16, AtomicOp::Add) => AtomicType::F16,
            (Element::Bf16, AtomicOp::Add) => AtomicType::Bf16,
            (Element::F32, AtomicOp::Add) => AtomicType::F32,
            _ => return None,
        };
        Some((op, kind))
    }

    /// Bytes of its elements, where that is known.
    pub(super) fn element(&self) -> u8 {
        match self {
            GlobalSide::Stretch(_) => 0,
            GlobalSide::Tile(tile) => tile.element_bytes(),
        }
    }

    /// A word of what stands for elements outside of the tensor.
    pub(super) fn fill(&self) -> u32 {
        match self {
            GlobalSide::Stretch(_) => 0,
            GlobalSide::Tile(tile) => tile.fill(),
        }
    }
}

/// The elements of so many bytes that lie in some bytes: how far from the start, and how many bytes each.
pub(super) fn elements(bytes: u64, size: u8) -> impl Iterator<Item = (u64, u8)> {
    (0..bytes / u64::from(size)).map(move |at| (at * u64::from(size), size))
}

/// The accesses of 1, 2, 4, 8 or 16 bytes that some bytes of memory take, each aligned to its size there and where it lies in its piece:
/// how far from the start, and how many.
pub(super) fn aligned(start: u64, in_piece: u64, bytes: u64) -> impl Iterator<Item = (u64, u8)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let most = 16.min(bytes - at);
        if most == 0 {
            return None;
        }
        let both = start.wrapping_add(at) | in_piece.wrapping_add(at);
        let aligned = 1 << both.trailing_zeros().min(4);
        let size: u64 = aligned.min(1 << most.ilog2());
        let found = (at, size as u8);
        at += size;
        Some(found)
    })
}

/// Whether one of these stretches, in ascending order and apart from each other, has some byte of another one.
pub(super) fn overlap(stretches: &[Range<u64>], start: u64, end: u64) -> bool {
    let at = stretches.partition_point(|stretch| stretch.end <= start);
    stretches.get(at).is_some_and(|stretch| stretch.start < end)
}

#[cfg(test)]
#[expect(clippy::single_range_in_vec_init, reason = "a list of one stretch is meant")]
mod tests {
    use super::*;
    use crate::swizzle::Swizzle;

    #[test]
    fn pieces_of_a_box_lie_in_rows_and_may_stick_out() {
        // 5 × 3 elements of 4 bytes, rows 32 bytes apart; the box begins left of the tensor and above its last row.
        let map = TensorMap::new(TensorElement::I32, 0x1000, &[5, 3], &[8, 2]).with_strides(&[32]);
        let tile = Tile::new(map, &[-2, 2]);
        assert_eq!(tile.bytes(), 64);
        let piece = |at| tile.piece(0x400, at);
        assert_eq!(piece(0), Piece { shared: 0x400, global: 0x1038, inside: 8..16 });
        assert_eq!(piece(16), Piece { shared: 0x410, global: 0x1048, inside: 0..12 });
        assert_eq!(piece(32), Piece { shared: 0x420, global: 0, inside: 0..0 });
        assert_eq!(tile.stretches(), [0x1040..0x1054]);
    }

    #[test]
    fn rows_without_gaps_are_one_stretch() {
        let map = TensorMap::new(TensorElement::F16, 0x1000, &[8, 4, 2], &[8, 4, 2]);
        let of = |map: &TensorMap, at: [i32; 3]| Tile::new(map.clone(), &at).stretches();
        assert_eq!(of(&map, [0, 0, 0]), [0x1000..0x1080]);
        assert_eq!(of(&map, [0, 3, 0]), [0x1030..0x1040, 0x1070..0x1080]);
        assert_eq!(of(&map, [9, 0, 0]), []);
        assert_eq!(of(&map.with_element_strides(&[1, 2, 1]), [0, 0, 1]), [0x1040..0x1050, 0x1060..0x1070]);
    }

    #[test]
    fn pieces_are_swapped_by_their_address() {
        let map = TensorMap::new(TensorElement::U8, 0, &[128, 64], &[128, 8]).with_swizzle(Swizzle::Bytes128);
        let tile = Tile::new(map, &[0, 0]);
        let places: Vec<u32> = (0..3).map(|row| tile.piece(0x800, 128 * row + 16).shared).collect();
        assert_eq!(places, [0x810, 0x880, 0x900 + 0x30]);
    }

    #[test]
    fn accesses_are_aligned_to_their_size() {
        assert_eq!(aligned(0x1000, 0, 16).collect::<Vec<_>>(), [(0, 16)]);
        assert_eq!(aligned(0x1006, 6, 10).collect::<Vec<_>>(), [(0, 2), (2, 8)]);
        assert_eq!(aligned(0x1004, 4, 12).collect::<Vec<_>>(), [(0, 4), (4, 8)]);
        assert_eq!(aligned(0x1000, 0, 7).collect::<Vec<_>>(), [(0, 4), (4, 2), (6, 1)]);
        assert_eq!(aligned(0x1003, 3, 0).count(), 0);
        assert_eq!(aligned(0x1000, 3, 5).collect::<Vec<_>>(), [(0, 1), (1, 1), (2, 1), (3, 1), (4, 1)]);
    }

    #[test]
    fn a_gap_between_stretches_overlaps_nothing() {
        let stretches = [0x1000..0x1010, 0x1020..0x1030];
        let hits = [(0xff0, 0x1000), (0xff0, 0x1001), (0x1010, 0x1020), (0x101f, 0x1021), (0x1030, 0x1040)];
        assert_eq!(
            hits.map(|(start, end)| overlap(&stretches, start, end)),
            [false, true, false, true, false]
        );
    }
}
