//! Tensor maps: what a kernel is given to have tiles of a tensor copied by their coordinates (`cp.async.bulk.tensor`). CUDA driver API,
//! "Tensor Map Object Management"; PTX ISA 9.0, "Tensors" (section 5.5).
//!
//! A driver's map is 128 bytes that nobody may look into. The simulator writes its own: what the map says, with a mark before and a
//! checksum behind, so that what is no map, or was changed, is recognised and not guessed at.

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};
use thiserror::Error;

use crate::{launch::Argument, swizzle::Swizzle};

/// The type of a tensor's elements. Those that the hardware converts as it copies (`TFLOAT32`, `FTZ`) or that lie packed are lacking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, VariantArray, IntoStaticStr, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[non_exhaustive]
pub enum TensorElement {
    /// A byte.
    U8,
    /// 16 bits.
    U16,
    /// Unsigned, 32 bits.
    U32,
    /// Signed, 32 bits.
    I32,
    /// Unsigned, 64 bits.
    U64,
    /// Signed, 64 bits.
    I64,
    /// IEEE half.
    F16,
    /// bfloat16.
    Bf16,
    /// Single precision.
    F32,
    /// Double precision.
    F64,
}

impl TensorElement {
    /// Bytes of an element.
    pub fn bytes(self) -> u32 {
        match self {
            TensorElement::U8 => 1,
            TensorElement::U16 | TensorElement::F16 | TensorElement::Bf16 => 2,
            TensorElement::U32 | TensorElement::I32 | TensorElement::F32 => 4,
            TensorElement::U64 | TensorElement::I64 | TensorElement::F64 => 8,
        }
    }

    fn is_float(self) -> bool {
        matches!(self, TensorElement::F16 | TensorElement::Bf16 | TensorElement::F32 | TensorElement::F64)
    }
}

/// What a load puts where the box sticks out of the tensor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OutsideFill {
    /// Zeros.
    #[default]
    Zeros,
    /// A NaN, for types that have one.
    Nan,
}

/// A tensor in global memory, and the box of it that one instruction copies. The innermost dimension comes first everywhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TensorMap {
    /// The elements' type.
    pub element: TensorElement,
    /// Where the tensor begins, a multiple of 16.
    pub address: u64,
    /// Elements along each dimension.
    pub dimensions: Vec<u64>,
    /// Bytes from one element to the next along each dimension but the first: multiples of 16.
    pub strides: Vec<u64>,
    /// Elements that a box spans along each dimension: at most 256.
    pub extents: Vec<u32>,
    /// Every how manieth of them is copied, along each dimension: at most 8. That of the first dimension means nothing.
    pub element_strides: Vec<u32>,
    /// How the box's chunks are swapped in shared memory.
    pub swizzle: Swizzle,
    /// What stands for what lies outside.
    pub fill: OutsideFill,
}

/// A tensor map that the driver would refuse.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum TensorMapError {
    /// No dimension, or too many.
    #[error("a tensor map has 1 to {MOST_DIMENSIONS} dimensions, found {found}")]
    Rank {
        /// How many there are.
        found: usize,
    },
    /// Lists that do not go together.
    #[error("a tensor map of {rank} dimensions takes {expected} {what}, found {found}")]
    Count {
        /// Dimensions of the tensor.
        rank: usize,
        /// Of what.
        what: &'static str,
        /// How many it takes.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// The tensor begins at a wrong place.
    #[error("a tensor must begin at a multiple of 16 bytes, found address {address:#x}")]
    Address {
        /// Where it begins.
        address: u64,
    },
    /// An empty or endless dimension.
    #[error("dimension {dimension} must have 1 to 2^32 elements, found {found}")]
    Extent {
        /// Which, the innermost is 0.
        dimension: usize,
        /// How many there are.
        found: u64,
    },
    /// A wrong stride.
    #[error(
        "the elements along dimension {dimension} must be a multiple of 16 bytes apart, and less than 2^40, found {found}: pad the rows"
    )]
    Stride {
        /// Which, the innermost is 0.
        dimension: usize,
        /// How many bytes.
        found: u64,
    },
    /// A wrong box.
    #[error("a box must span 1 to {MOST_EXTENT} elements along dimension {dimension}, found {found}")]
    Box {
        /// Which, the innermost is 0.
        dimension: usize,
        /// How many elements.
        found: u32,
    },
    /// A box whose rows are no whole chunks.
    #[error("a row of a box must be a multiple of 16 bytes, found {found}")]
    Row {
        /// How many bytes.
        found: u32,
    },
    /// A wrong step.
    #[error("the element stride of dimension {dimension} must be 1 to {MOST_STEP}, found {found}")]
    ElementStride {
        /// Which, the innermost is 0.
        dimension: usize,
        /// How many elements.
        found: u32,
    },
    /// A box whose rows are too long to be swapped.
    #[error("a swizzle of {span} bytes takes boxes with rows of at most {span} bytes, found {found}")]
    Swizzle {
        /// What is swapped within.
        span: u32,
        /// Bytes of a row.
        found: u32,
    },
    /// There is no NaN.
    #[error("only floating-point types have a NaN to fill with, found {}", <&str>::from(.element))]
    Fill {
        /// The type.
        element: TensorElement,
    },
}

/// Dimensions that a tensor may have.
pub const MOST_DIMENSIONS: usize = 5;
/// Elements that a box may span along a dimension.
pub const MOST_EXTENT: u32 = 256;
const MOST_STEP: u32 = 8;

/// Bytes of a map.
pub(crate) const MAP_BYTES: usize = 128;
const MARK: [u8; 8] = *b"warpsim\x01";

/// Why bytes are no map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoMap {
    /// They don't begin as one.
    Unmade,
    /// They did once, and were changed since.
    Changed,
}

impl TensorMap {
    /// A map of a tensor whose elements lie without gaps, and of boxes that are not swapped; the innermost dimension first.
    pub fn new(element: TensorElement, address: u64, dimensions: &[u64], extents: &[u32]) -> TensorMap {
        let mut strides = Vec::new();
        let mut stride = u64::from(element.bytes());
        for &dimension in dimensions.iter().take(dimensions.len().saturating_sub(1)) {
            stride = stride.saturating_mul(dimension);
            strides.push(stride);
        }
        TensorMap {
            element,
            address,
            dimensions: dimensions.to_vec(),
            strides,
            extents: extents.to_vec(),
            element_strides: vec![1; dimensions.len()],
            swizzle: Swizzle::None,
            fill: OutsideFill::Zeros,
        }
    }

    /// The same with these bytes from one element to the next along each dimension but the first.
    #[must_use]
    pub fn with_strides(self, strides: &[u64]) -> TensorMap {
        TensorMap { strides: strides.to_vec(), ..self }
    }

    /// The same with every so manieth element copied along each dimension.
    #[must_use]
    pub fn with_element_strides(self, element_strides: &[u32]) -> TensorMap {
        TensorMap { element_strides: element_strides.to_vec(), ..self }
    }

    /// The same with chunks swapped so.
    #[must_use]
    pub fn with_swizzle(self, swizzle: Swizzle) -> TensorMap {
        TensorMap { swizzle, ..self }
    }

    /// The same with this for what lies outside.
    #[must_use]
    pub fn with_fill(self, fill: OutsideFill) -> TensorMap {
        TensorMap { fill, ..self }
    }

    /// Bytes of a row of a box.
    pub(crate) fn row_bytes(&self) -> u32 {
        self.extents.first().copied().unwrap_or(0).saturating_mul(self.element.bytes())
    }

    /// Whether the driver would make it (`cuTensorMapEncodeTiled`).
    ///
    /// # Errors
    /// What must hold, and what was found.
    pub fn check(&self) -> Result<(), TensorMapError> {
        let rank = self.dimensions.len();
        if rank == 0 || rank > MOST_DIMENSIONS {
            return Err(TensorMapError::Rank { found: rank });
        }
        let counts = [
            ("strides", rank - 1, self.strides.len()),
            ("extents of a box", rank, self.extents.len()),
            ("element strides", rank, self.element_strides.len()),
        ];
        for (what, expected, found) in counts {
            if expected != found {
                return Err(TensorMapError::Count { rank, what, expected, found });
            }
        }
        if !self.address.is_multiple_of(16) {
            return Err(TensorMapError::Address { address: self.address });
        }
        for (dimension, &found) in self.dimensions.iter().enumerate() {
            if found == 0 || found > 1 << 32 {
                return Err(TensorMapError::Extent { dimension, found });
            }
        }
        for (&found, dimension) in self.strides.iter().zip(1..) {
            if !found.is_multiple_of(16) || found >= 1 << 40 {
                return Err(TensorMapError::Stride { dimension, found });
            }
        }
        for (dimension, &found) in self.extents.iter().enumerate() {
            if found == 0 || found > MOST_EXTENT {
                return Err(TensorMapError::Box { dimension, found });
            }
        }
        for (dimension, &found) in self.element_strides.iter().enumerate() {
            if found == 0 || found > MOST_STEP {
                return Err(TensorMapError::ElementStride { dimension, found });
            }
        }
        let (row, span) = (self.row_bytes(), self.swizzle.span());
        if !row.is_multiple_of(16) {
            return Err(TensorMapError::Row { found: row });
        }
        if self.swizzle != Swizzle::None && row > span {
            return Err(TensorMapError::Swizzle { span, found: row });
        }
        if self.fill == OutsideFill::Nan && !self.element.is_float() {
            return Err(TensorMapError::Fill { element: self.element });
        }
        Ok(())
    }

    /// The map's 128 bytes, for a kernel parameter (`const __grid_constant__ CUtensorMap`) or a variable, as this simulator
    /// knows them; they mean nothing to a GPU.
    ///
    /// # Errors
    /// See [`TensorMap::check`].
    pub fn bytes(&self) -> Result<[u8; MAP_BYTES], TensorMapError> {
        self.check()?;
        let mut bytes = MARK.to_vec();
        let element = TensorElement::VARIANTS.iter().position(|&element| element == self.element);
        // Their places and numbers are small: see `check`.
        bytes.extend([
            element.unwrap_or(0) as u8,
            self.dimensions.len() as u8,
            SWIZZLES.iter().position(|&swizzle| swizzle == self.swizzle).unwrap_or(0) as u8,
            u8::from(self.fill == OutsideFill::Nan),
        ]);
        bytes.extend(self.address.to_le_bytes());
        for index in 0..MOST_DIMENSIONS {
            let at = |list: &[u32]| list.get(index).copied().unwrap_or(1);
            let dimension = self.dimensions.get(index).map_or(0, |&dimension| (dimension - 1) as u32);
            bytes.extend(dimension.to_le_bytes());
            bytes.extend(self.strides.get(index).copied().unwrap_or(0).to_le_bytes());
            bytes.extend([(at(&self.extents) - 1) as u8, at(&self.element_strides) as u8]);
        }
        bytes.resize(MAP_BYTES - 8, 0);
        bytes.extend(checksum(&bytes).to_le_bytes());
        let mut map = [0; MAP_BYTES];
        map.copy_from_slice(&bytes);
        Ok(map)
    }

    /// The map as a kernel's argument.
    ///
    /// # Errors
    /// See [`TensorMap::check`].
    pub fn argument(&self) -> Result<Argument, TensorMapError> {
        Ok(Argument::Bytes(self.bytes()?.to_vec()))
    }

    /// The map of which these are the bytes.
    pub(crate) fn of_bytes(bytes: &[u8; MAP_BYTES]) -> Result<TensorMap, NoMap> {
        if bytes[..8] != MARK {
            return Err(NoMap::Unmade);
        }
        let (held, sum) = bytes.split_at(MAP_BYTES - 8);
        if checksum(held).to_le_bytes() != sum {
            return Err(NoMap::Changed);
        }
        let rank = usize::from(held[9]).min(MOST_DIMENSIONS);
        let number = |at: usize, bytes: usize| {
            let mut eight = [0; 8];
            eight[..bytes].copy_from_slice(&held[at..at + bytes]);
            u64::from_le_bytes(eight)
        };
        let starts = (0..rank).map(|index| 20 + 14 * index);
        let swizzle = SWIZZLES.get(usize::from(held[10])).copied().ok_or(NoMap::Changed)?;
        let map = TensorMap {
            element: TensorElement::VARIANTS.get(usize::from(held[8])).copied().ok_or(NoMap::Changed)?,
            address: number(12, 8),
            dimensions: starts.clone().map(|at| number(at, 4) + 1).collect(),
            strides: starts.clone().take(rank.saturating_sub(1)).map(|at| number(at + 4, 8)).collect(),
            extents: starts.clone().map(|at| u32::from(held[at + 12]) + 1).collect(),
            element_strides: starts.map(|at| u32::from(held[at + 13])).collect(),
            swizzle,
            fill: if held[11] == 0 { OutsideFill::Zeros } else { OutsideFill::Nan },
        };
        // Whoever makes the checksum himself may have written anything.
        map.check().map_err(|_| NoMap::Changed)?;
        Ok(map)
    }
}

const SWIZZLES: [Swizzle; 4] = [Swizzle::None, Swizzle::Bytes32, Swizzle::Bytes64, Swizzle::Bytes128];

/// FNV-1a.
fn checksum(bytes: &[u8]) -> u64 {
    let step = |sum: u64, &byte: &u8| (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map() -> TensorMap {
        TensorMap::new(TensorElement::F16, 0x1000, &[1 << 32, 7, 5], &[64, 7, 256])
            .with_strides(&[(1 << 40) - 16, 0])
            .with_element_strides(&[1, 8, 2])
            .with_swizzle(Swizzle::Bytes128)
            .with_fill(OutsideFill::Nan)
    }

    #[test]
    fn bytes_say_what_the_map_says() {
        assert_eq!(TensorMap::of_bytes(&map().bytes().expect("a map")), Ok(map()));
        let one = TensorMap::new(TensorElement::U8, 0, &[1], &[16]);
        assert_eq!(TensorMap::of_bytes(&one.bytes().expect("a map")), Ok(one));
    }

    #[test]
    fn what_was_not_made_or_was_changed_is_no_map() {
        assert_eq!(TensorMap::of_bytes(&[0; MAP_BYTES]), Err(NoMap::Unmade));
        let bytes = map().bytes().expect("a map");
        for at in 0..MAP_BYTES {
            let mut changed = bytes;
            changed[at] ^= 1;
            assert!(TensorMap::of_bytes(&changed).is_err(), "byte {at}");
        }
    }

    #[test]
    fn what_the_driver_refuses_is_refused_with_its_reason() {
        let of = |dimensions: &[u64], extents: &[u32]| {
            TensorMap::new(TensorElement::F32, 0x1000, dimensions, extents)
        };
        let refused = [
            of(&[], &[]),
            of(&[4; 6], &[4; 6]),
            of(&[64, 64], &[64]),
            TensorMap { address: 0x1008, ..of(&[64], &[4]) },
            of(&[64, 0], &[4, 1]),
            of(&[63, 4], &[4, 1]),
            of(&[64, 4], &[4, 257]),
            of(&[64, 4], &[3, 4]),
            of(&[64, 4], &[4, 4]).with_element_strides(&[1, 9]),
            of(&[64, 4], &[64, 4]).with_swizzle(Swizzle::Bytes128),
            TensorMap::new(TensorElement::I32, 0, &[4], &[4]).with_fill(OutsideFill::Nan),
        ]
        .map(|map| map.check().expect_err("no map").to_string());
        insta::assert_snapshot!(refused.join("\n"));
    }
}
