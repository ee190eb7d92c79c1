//! Textures and surfaces: what stands behind the handles that `tex`, `tld4`, `txq`, `suld`, `sust` and `suq` take. CUDA C++ Programming
//! Guide, "Texture and Surface Memory"; CUDA driver API, "Texture Object Management".
//!
//! A driver keeps the texels of an array in an order that nobody may know. Here they lie row by row in an allocation, and what a kernel
//! asks for by coordinates is read or written there: bounds, races and what was never written are found as of any other memory.

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};
use thiserror::Error;

/// The type of a texel's channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, VariantArray, IntoStaticStr, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[non_exhaustive]
pub enum TexelElement {
    /// Unsigned, 8 bits.
    U8,
    /// Signed, 8 bits.
    I8,
    /// Unsigned, 16 bits.
    U16,
    /// Signed, 16 bits.
    I16,
    /// Unsigned, 32 bits.
    U32,
    /// Signed, 32 bits.
    I32,
    /// IEEE half; read as single precision.
    F16,
    /// Single precision.
    F32,
}

impl TexelElement {
    /// Bytes of a channel.
    pub fn bytes(self) -> u32 {
        match self {
            TexelElement::U8 | TexelElement::I8 => 1,
            TexelElement::U16 | TexelElement::I16 | TexelElement::F16 => 2,
            TexelElement::U32 | TexelElement::I32 | TexelElement::F32 => 4,
        }
    }

    /// True for the floating-point formats.
    pub fn is_float(self) -> bool {
        matches!(self, TexelElement::F16 | TexelElement::F32)
    }
}

/// How texels are counted: the `.geom` of PTX.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, VariantArray, IntoStaticStr, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Geometry {
    /// One dimension.
    #[strum(serialize = "1d")]
    Line,
    /// Two dimensions.
    #[strum(serialize = "2d")]
    Plane,
    /// Three dimensions.
    #[strum(serialize = "3d")]
    Volume,
    /// Layers of one dimension.
    #[strum(serialize = "a1d")]
    LayeredLine,
    /// Layers of two dimensions.
    #[strum(serialize = "a2d")]
    LayeredPlane,
}

impl Geometry {
    /// Dimensions of a layer, or of the whole.
    pub fn dimensions(self) -> usize {
        match self {
            Geometry::Line | Geometry::LayeredLine => 1,
            Geometry::Plane | Geometry::LayeredPlane => 2,
            Geometry::Volume => 3,
        }
    }

    /// True of what has layers.
    pub fn is_layered(self) -> bool {
        matches!(self, Geometry::LayeredLine | Geometry::LayeredPlane)
    }

    /// Its name in PTX: `1d`, `a2d` …
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Texels in memory: the content of a surface, or of a texture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Texels {
    /// The channels' type.
    pub element: TexelElement,
    /// Channels of a texel: 1, 2 or 4.
    pub channels: u32,
    /// How they are counted.
    pub geometry: Geometry,
    /// Texels along each dimension, the fastest first, and the number of layers, where there are any, last.
    pub extents: Vec<u32>,
    /// Where the first texel lies; the others follow without gaps.
    pub address: u64,
}

impl Texels {
    /// Texels at an address; extents are the fastest first, and the number of layers, where there are any, last.
    pub fn new(
        element: TexelElement,
        channels: u32,
        geometry: Geometry,
        extents: &[u32],
        address: u64,
    ) -> Texels {
        Texels { element, channels, geometry, extents: extents.to_vec(), address }
    }

    /// Bytes of a texel.
    pub fn texel_bytes(&self) -> u32 {
        self.element.bytes() * self.channels
    }

    /// Bytes of all.
    pub fn bytes(&self) -> u64 {
        self.extents
            .iter()
            .fold(self.texel_bytes().into(), |bytes, &extent| bytes.saturating_mul(extent.into()))
    }

    /// Texels along a dimension; 1 beyond the last.
    pub fn extent(&self, dimension: usize) -> u32 {
        if dimension < self.geometry.dimensions() {
            self.extents.get(dimension).copied().unwrap_or(1)
        } else {
            1
        }
    }

    /// Layers; 1 where there are none.
    pub fn layers(&self) -> u32 {
        match self.geometry.is_layered() {
            true => self.extents.last().copied().unwrap_or(1),
            false => 1,
        }
    }

    /// Whether a CUDA array can be like that.
    ///
    /// # Errors
    /// What must hold, and what was found.
    pub fn check(&self) -> Result<(), TextureError> {
        if !matches!(self.channels, 1 | 2 | 4) {
            return Err(TextureError::Channels { found: self.channels });
        }
        let expected = self.geometry.dimensions() + usize::from(self.geometry.is_layered());
        if self.extents.len() != expected {
            return Err(TextureError::Extents {
                geometry: self.geometry,
                expected,
                found: self.extents.len(),
            });
        }
        for dimension in 0..self.geometry.dimensions() {
            let (found, most) = (self.extent(dimension), self.most(dimension));
            if found == 0 || found > most {
                return Err(TextureError::Extent { dimension, most, found });
            }
        }
        let (found, most) = (self.layers(), MOST_LAYERS);
        if found == 0 || found > most {
            return Err(TextureError::Layers { most, found });
        }
        Ok(())
    }

    /// Whether a CUDA array like that can be a surface.
    ///
    /// # Errors
    /// What must hold, and what was found.
    pub fn check_surface(&self) -> Result<(), TextureError> {
        self.check()?;
        let found = self.extent(0);
        if self.geometry == Geometry::Line && found > MOST_SURFACE_LINE {
            return Err(TextureError::Extent { dimension: 0, most: MOST_SURFACE_LINE, found });
        }
        Ok(())
    }

    /// Texels along a dimension that an array of every GPU may have. CUDA C++ Programming Guide, "Technical Specifications per Compute
    /// Capability".
    fn most(&self, dimension: usize) -> u32 {
        match (self.geometry, dimension) {
            (Geometry::Line, _) => 131_072,
            (Geometry::Plane, 0) => 131_072,
            (Geometry::Plane, _) => 65_536,
            (Geometry::Volume, _) => 16_384,
            (Geometry::LayeredLine | Geometry::LayeredPlane, _) => 32_768,
        }
    }
}

const MOST_LAYERS: u32 = 2048;
/// Texels of a surface of one dimension.
const MOST_SURFACE_LINE: u32 = 32_768;
/// Texels of linear memory that a texture may have.
const MOST_LINEAR: u32 = 1 << 28;

/// What lies between texels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TextureFilter {
    /// The nearest texel.
    #[default]
    Point,
    /// The mean of the nearest two, four or eight, weighed by how near they are.
    Linear,
}

/// What lies outside of a texture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TextureAddressing {
    /// The texel at the edge, over and over.
    #[default]
    Clamp,
    /// Zero.
    Border,
    /// The texture again; of normalised coordinates only.
    Wrap,
    /// The texture again, every other time mirrored; of normalised coordinates only.
    Mirror,
}

/// Texels, and how they are read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Texture {
    /// The texels.
    pub texels: Texels,
    /// What lies between them.
    pub filter: TextureFilter,
    /// What lies outside of them, along every dimension.
    pub addressing: TextureAddressing,
    /// Coordinates go from 0 to 1, not to the number of texels.
    pub normalized: bool,
    /// Integers of 8 and 16 bits are read as parts of 1 (`cudaReadModeNormalizedFloat`).
    pub as_float: bool,
    /// The texels are linear memory, not an array: only `tex1Dfetch` reads them.
    pub linear_memory: bool,
}

impl Texture {
    /// Texels of an array that are read as they are: by coordinates that are not normalised, the nearest one, clamped.
    pub fn new(texels: Texels) -> Texture {
        Texture {
            texels,
            filter: TextureFilter::Point,
            addressing: TextureAddressing::Clamp,
            normalized: false,
            as_float: false,
            linear_memory: false,
        }
    }

    /// The same with another filter.
    #[must_use]
    pub fn with_filter(self, filter: TextureFilter) -> Texture {
        Texture { filter, ..self }
    }

    /// The same with something else outside.
    #[must_use]
    pub fn with_addressing(self, addressing: TextureAddressing) -> Texture {
        Texture { addressing, ..self }
    }

    /// The same with coordinates from 0 to 1, or not.
    #[must_use]
    pub fn with_normalized(self, normalized: bool) -> Texture {
        Texture { normalized, ..self }
    }

    /// The same with integers read as parts of 1, or not.
    #[must_use]
    pub fn with_as_float(self, as_float: bool) -> Texture {
        Texture { as_float, ..self }
    }

    /// The same in linear memory, or not.
    #[must_use]
    pub fn with_linear_memory(self, linear_memory: bool) -> Texture {
        Texture { linear_memory, ..self }
    }

    /// True if a read gives floating-point numbers.
    pub(crate) fn gives_floats(&self) -> bool {
        self.texels.element.is_float() || self.as_float
    }

    /// Whether the driver would make it (`cuTexObjectCreate`).
    ///
    /// # Errors
    /// What must hold, and what was found.
    pub fn check(&self) -> Result<(), TextureError> {
        if self.linear_memory {
            if self.texels.geometry != Geometry::Line {
                return Err(TextureError::LinearGeometry { geometry: self.texels.geometry });
            }
            if self.filter != TextureFilter::Point
                || self.normalized
                || self.addressing != TextureAddressing::Clamp
            {
                return Err(TextureError::LinearSampling);
            }
            let texels = Texels { extents: vec![1], ..self.texels.clone() };
            texels.check()?;
            let found = self.texels.extent(0);
            if found == 0 || found > MOST_LINEAR {
                return Err(TextureError::Extent { dimension: 0, most: MOST_LINEAR, found });
            }
        } else {
            self.texels.check()?;
        }
        let element = self.texels.element;
        if self.as_float && (element.is_float() || element.bytes() > 2) {
            return Err(TextureError::AsFloat { element });
        }
        if self.filter == TextureFilter::Linear && !self.gives_floats() {
            return Err(TextureError::Filter { element });
        }
        let repeats = matches!(self.addressing, TextureAddressing::Wrap | TextureAddressing::Mirror);
        if repeats && !self.normalized {
            return Err(TextureError::Addressing);
        }
        Ok(())
    }
}

/// A texture or surface that the driver would refuse.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum TextureError {
    /// Another number of channels.
    #[error("a texel has 1, 2 or 4 channels, found {found}")]
    Channels {
        /// How many there are.
        found: u32,
    },
    /// Extents that do not go with the geometry.
    #[error("a texture of geometry {} takes {expected} extents, found {found}", .geometry.name())]
    Extents {
        /// The geometry.
        geometry: Geometry,
        /// How many it takes.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// An empty or too long dimension.
    #[error("dimension {dimension} must have 1 to {most} texels, found {found}")]
    Extent {
        /// Which, the fastest is 0.
        dimension: usize,
        /// The most there may be.
        most: u32,
        /// How many there are.
        found: u32,
    },
    /// No layer, or too many.
    #[error("a layered texture must have 1 to {most} layers, found {found}")]
    Layers {
        /// The most there may be.
        most: u32,
        /// How many there are.
        found: u32,
    },
    /// Linear memory has one dimension.
    #[error("a texture of linear memory has one dimension, found geometry {}", .geometry.name())]
    LinearGeometry {
        /// The geometry.
        geometry: Geometry,
    },
    /// Linear memory is read by whole indices.
    #[error(
        "a texture of linear memory is read by its index: it has no filter, no address mode and no normalised coordinates"
    )]
    LinearSampling,
    /// What no part of 1 can stand for.
    #[error("only integers of 8 and 16 bits can be read as parts of 1, found {}", <&str>::from(.element))]
    AsFloat {
        /// The type.
        element: TexelElement,
    },
    /// There is no mean of integers.
    #[error(
        "linear filtering takes texels that are read as floats, found {}; integers of 8 and 16 bits can be read so (cudaReadModeNormalizedFloat)",
        <&str>::from(.element)
    )]
    Filter {
        /// The type.
        element: TexelElement,
    },
    /// What repeats takes normalised coordinates.
    #[error("the address modes wrap and mirror take normalised coordinates")]
    Addressing,
}

/// What a handle stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TextureObject {
    Texture(Texture),
    Surface(Texels),
}

impl TextureObject {
    /// The texels behind it.
    pub(crate) fn texels(&self) -> &Texels {
        match self {
            TextureObject::Texture(texture) => &texture.texels,
            TextureObject::Surface(texels) => texels,
        }
    }
}

/// The first handle. No address and no small number is one, so that either is recognised when it is taken for a handle.
const FIRST_HANDLE: u64 = 0x7e8e_1000_0000_0001;

/// The objects of a context, by handle.
#[derive(Clone, Debug, Default)]
pub(crate) struct TextureObjects(Vec<TextureObject>);

impl TextureObjects {
    /// The handle of an object: that of an equal one, if there is one.
    pub(crate) fn add(&mut self, object: TextureObject) -> u64 {
        let index = self.0.iter().position(|known| *known == object).unwrap_or_else(|| {
            self.0.push(object);
            self.0.len() - 1
        });
        FIRST_HANDLE + index as u64
    }

    /// What a handle stands for.
    pub(crate) fn get(&self, handle: u64) -> Option<&TextureObject> {
        self.0.get(usize::try_from(handle.checked_sub(FIRST_HANDLE)?).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texture(element: TexelElement) -> Texture {
        Texture::new(Texels::new(element, 1, Geometry::Plane, &[8, 4], 0x1000))
    }

    #[test]
    fn what_the_driver_refuses_is_refused_with_its_reason() {
        let texels = |channels, geometry, extents: &[u32]| {
            Texels::new(TexelElement::U8, channels, geometry, extents, 0).check()
        };
        let refused = [
            texels(3, Geometry::Plane, &[4, 4]),
            texels(1, Geometry::LayeredPlane, &[4, 4]),
            texels(1, Geometry::Volume, &[4, 20_000, 4]),
            texels(1, Geometry::LayeredLine, &[4, 4096]),
            Texels::new(TexelElement::U8, 1, Geometry::Line, &[40_000], 0).check_surface(),
            texture(TexelElement::I32).with_filter(TextureFilter::Linear).check(),
            texture(TexelElement::F32).with_as_float(true).check(),
            texture(TexelElement::U32).with_as_float(true).check(),
            texture(TexelElement::F32).with_addressing(TextureAddressing::Wrap).check(),
            texture(TexelElement::F32).with_linear_memory(true).check(),
            Texture::new(Texels::new(TexelElement::F32, 1, Geometry::Line, &[9], 0))
                .with_linear_memory(true)
                .with_normalized(true)
                .check(),
        ]
        .map(|refused| refused.expect_err("no texture").to_string());
        insta::assert_snapshot!(refused.join("\n"));
        let linear = texture(TexelElement::U8).with_filter(TextureFilter::Linear).with_as_float(true);
        assert_eq!(linear.check(), Ok(()));
    }

    #[test]
    fn a_handle_is_of_one_object() {
        let mut objects = TextureObjects::default();
        let one = objects.add(TextureObject::Texture(texture(TexelElement::F32)));
        let other = objects.add(TextureObject::Texture(texture(TexelElement::U8)));
        assert_eq!(objects.add(TextureObject::Texture(texture(TexelElement::F32))), one);
        assert_ne!(one, other);
        assert_eq!(objects.get(other).map(|object| object.texels().element), Some(TexelElement::U8));
        for handle in [0, 1, 0x1000, other + 1, u64::MAX] {
            assert_eq!(objects.get(handle), None, "{handle:#x}");
        }
    }
}
