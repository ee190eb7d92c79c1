//! `cp.async.bulk.tensor`: from a tensor map and coordinates to the copies that memory carries out.

use std::sync::Arc;

use crate::{
    exec::{access::Port, context::Stop, registers::Registers, undefined::Register},
    finding::FindingKind,
    findings::Decides,
    ir::{Address, AddressSpace, AtomicOp, Constants, LANES, Order, Scope, Word, Words},
    memory::{Beginner, BulkCopy, GlobalSide, LaneWords, Tile, lanes},
    swizzle::Swizzle,
    tensor_map::{MAP_BYTES, NoMap, TensorMap},
};

/// What a tensor map must be aligned to.
const MAP_ALIGNMENT: u64 = 64;
/// What a box's place in its rows must be a multiple of, in bytes.
const START_ALIGNMENT: u32 = 16;
/// No block has so much shared memory.
const MOST_BYTES: u64 = 256 << 10;

impl Port<'_, '_> {
    /// What each lane asks for: the box at the last of these words, moved to or from the first.
    pub(super) fn tiles(
        &mut self,
        map: Address,
        (shared, coordinates): (Word, &[Word]),
        comes: bool,
        registers: &Registers,
        constants: &Constants,
        mask: u32,
    ) -> Result<Vec<BulkCopy>, Stop> {
        let maps = self.addresses_of(map, registers, constants, mask);
        let shared = self.address_word(shared, registers, constants, mask);
        let mut at = Vec::new();
        for &coordinate in coordinates {
            at.push(self.address_word(coordinate, registers, constants, mask));
        }
        let mut copies = Vec::new();
        for lane in lanes(mask) {
            let map = self.tensor_map(maps[lane], lane)?;
            let coordinates: Vec<i32> = at.iter().map(|values| values[lane] as i32).collect();
            let tile = self.tile(map, &coordinates, comes, lane)?;
            copies.push(BulkCopy {
                by: Beginner { warp: self.warp as u16, lane, site: self.site },
                shared: shared[lane].into(),
                bytes: tile.bytes() as u32,
                global: GlobalSide::Tile(Arc::new(tile)),
            });
        }
        Ok(copies)
    }

    /// A word of lanes that decides where something goes.
    fn address_word(&mut self, word: Word, registers: &Registers, constants: &Constants, mask: u32) -> Words {
        let poison = registers.word_poison(word) & mask;
        self.undefined(Decides::Address, Register::Word(word), registers, poison);
        *registers.word(constants, word)
    }

    /// The box of a map at its place.
    fn tile(&mut self, map: TensorMap, coordinates: &[i32], comes: bool, lane: usize) -> Result<Tile, Stop> {
        let (rank, asked) = (map.dimensions.len(), coordinates.len());
        if rank != asked {
            let message = format!(
                "This copies by {asked} coordinate{}, but the tensor map has {rank} dimension{}. Use the form of the copy that the map was \
                 made for (`cp.async.bulk.tensor.{rank}d`), or make a map of {asked}.",
                plural(asked),
                plural(rank),
            );
            return Err(self.refuse(FindingKind::OutOfBounds, lane, message));
        }
        let (first, size) = (coordinates[0], map.element.bytes());
        if !(i64::from(first) * i64::from(size)).unsigned_abs().is_multiple_of(START_ALIGNMENT.into()) {
            let apart = START_ALIGNMENT / size;
            let message = format!(
                "This copies a box whose first coordinate is {first}, and elements of {size} byte{}. The hardware stops a kernel that begins a box \
                 between two multiples of {START_ALIGNMENT} bytes of a row: take a multiple of {apart} for the first coordinate. If \
                 the elements that you want begin between two, take a wider box and leave its first elements aside.",
                plural(size as usize),
            );
            return Err(self.refuse(FindingKind::Misaligned, lane, message));
        }
        if let Some(index) = coordinates.iter().position(|&at| at < 0).filter(|_| !comes) {
            let message = format!(
                "This copies a box to a tensor from coordinate {} of dimension {index} on, before the tensor begins. The hardware stops a \
                 kernel that does this: what comes from outside of a tensor is filled in, and a box that goes to one may stick out at its \
                 end, but not at its beginning. Begin at 0, with a tile that holds only the elements from there on.",
                coordinates[index],
            );
            return Err(self.refuse(FindingKind::OutOfBounds, lane, message));
        }
        let (row, span) = (map.row_bytes(), map.swizzle.span());
        if map.swizzle != Swizzle::None && row < span {
            let what = format!("boxes with rows of {row} bytes, narrower than the swizzle of {span}");
            return Err(self.lack(lane, &what));
        }
        if !comes && map.element_strides.iter().skip(1).any(|&step| step != 1) {
            return Err(self.lack(lane, "copies to a tensor through a map with element strides"));
        }
        let tile = Tile::new(map, coordinates);
        if tile.bytes() > MOST_BYTES {
            let message = format!(
                "This copies a box of {} bytes, more than any block has of shared memory. Make the tensor map with a smaller box.",
                tile.bytes()
            );
            return Err(self.refuse(FindingKind::OutOfBounds, lane, message));
        }
        Ok(tile)
    }

    /// Reports tensors whose elements can't be updated so.
    pub(super) fn check_reduction(&mut self, op: AtomicOp, copies: &[BulkCopy]) -> Result<(), Stop> {
        match copies.iter().find(|copy| copy.global.reduction(op).is_none()) {
            Some(copy) => Err(self.lack(copy.by.lane, "this reduction of elements of the tensor map's type")),
            None => Ok(()),
        }
    }

    /// The map at a generic address.
    fn tensor_map(&mut self, address: u64, lane: usize) -> Result<TensorMap, Stop> {
        if !address.is_multiple_of(MAP_ALIGNMENT) {
            let message = format!(
                "The tensor map lies at address {address:#x}, which is not a multiple of {MAP_ALIGNMENT}. Take it as \
                 `const __grid_constant__ CUtensorMap`, or declare its copy `alignas({MAP_ALIGNMENT})`."
            );
            return Err(self.refuse(FindingKind::Misaligned, lane, message));
        }
        let mut bytes = [0; MAP_BYTES];
        for (sixteen, at) in bytes.chunks_exact_mut(16).zip((address..).step_by(16)) {
            let access =
                self.access(AddressSpace::Generic, [at; LANES], 1 << lane, 16, Order::Weak, Scope::System);
            let mut value = LaneWords::ZERO;
            if self.memory.load(self.global, &access, &mut value).faulted != 0 {
                return Err(Stop::Faulted);
            }
            if value.poisoned(16) != 0 {
                let message = "Some of the 128 bytes of this tensor map were never written. The host makes a map as a whole: take it as \
                               `const __grid_constant__ CUtensorMap`, or copy all of it.";
                return Err(self.refuse(FindingKind::UninitializedRead, lane, message.to_owned()));
            }
            for (four, word) in sixteen.chunks_exact_mut(4).zip(&value.words) {
                four.copy_from_slice(&word[lane].to_le_bytes());
            }
        }
        TensorMap::of_bytes(&bytes).map_err(|why| {
            let message = match why {
                NoMap::Unmade => {
                    "The 128 bytes here are no tensor map. The host makes one (`cuTensorMapEncodeTiled`): hand on the \
                     address of a kernel parameter `const __grid_constant__ CUtensorMap`, not that of the tensor."
                }
                NoMap::Changed => {
                    "The 128 bytes here were a tensor map and have been changed since. What a map holds is for the driver alone: leave it as \
                     the host made it."
                }
            };
            self.refuse(FindingKind::UninitializedRead, lane, message.to_owned())
        })
    }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}
