//! Textures and surfaces. PTX ISA 9.0, "Texture Instructions" and "Surface Instructions".

use super::{List, Pair, Word};
use crate::texture::Geometry;

/// What is done with a texture or surface. Registers are entries of [`Function::lists`](super::Function::lists).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextureAccess {
    /// `tex`, `tld4`.
    Read(TextureRead),
    /// `suld.b`, `sust.b`.
    Surface(SurfaceAccess),
    /// `txq`, `suq`.
    Query {
        /// Of a surface (else of a texture).
        surface: bool,
        /// What is asked.
        asked: TextureQuery,
        /// The object.
        handle: Pair,
        /// Receives the answer.
        d: Word,
    },
}

/// `tex` or `tld4`: four words come of texels at some coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureRead {
    /// How the texture is taken to be counted.
    pub geometry: Geometry,
    /// What comes: floats (else integers).
    pub floats: bool,
    /// Coordinates are signed integers (else floats).
    pub by_index: bool,
    /// A level of detail is asked for, which a texture without mipmaps has only one of.
    pub has_level: bool,
    /// `tld4`: one channel, by its number, of each of the four nearest texels.
    pub gathers: Option<u8>,
    /// The object.
    pub handle: Pair,
    /// Four words that receive what comes; then the layer, where there are any; then the coordinates, and what says the level.
    pub words: List,
}

/// `suld.b` or `sust.b`: bytes of a texel, or of some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SurfaceAccess {
    /// It writes (else reads).
    pub stores: bool,
    /// How the surface is taken to be counted.
    pub geometry: Geometry,
    /// What happens outside.
    pub outside: Outside,
    /// Bytes of an element: 1, 2, 4 or 8, which is a pair.
    pub bytes: u8,
    /// Elements: 1, 2 or 4.
    pub count: u8,
    /// The object.
    pub handle: Pair,
    /// The layer, where there are any, and the coordinates: the first in bytes.
    pub words: List,
    /// The elements' registers: pairs where an element has 8 bytes.
    pub registers: List,
}

/// What an access outside of a surface does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outside {
    /// It stops the kernel.
    Trap,
    /// It goes to the nearest place inside.
    Clamp,
    /// It reads zero and writes nothing.
    Zero,
}

/// What can be asked of a texture or surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextureQuery {
    /// Texels along the dimension of this number.
    Extent(u8),
    /// Layers.
    Layers,
    /// Coordinates go from 0 to 1.
    IsNormalized,
    /// Levels of detail.
    Levels,
}
