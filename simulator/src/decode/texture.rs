//! Textures and surfaces by their handles: `tex`, `tld4`, `txq`, `suld`, `sust`, `suq`.
//!
//! Lacking are those that a module names (`.texref`), cube maps, multisampled ones, offsets, depth compares, and formatted access to
//! surfaces.

use strum::VariantArray;

use super::{
    function::{Lowering, NamedRegister},
    memory::elements,
};
use crate::{
    ir::{Op, Outside, Pair, SurfaceAccess, TextureAccess, TextureQuery, TextureRead, Word},
    ptx::{Operand, ParsedInstruction},
    texture::Geometry,
};

/// Lowers one of them.
pub fn lower(l: &mut Lowering<'_, '_, '_>, i: &ParsedInstruction<'_>) -> Option<()> {
    let access = match i.opcode {
        "tex" => TextureAccess::Read(read(l, i)?),
        "tld4" => TextureAccess::Read(gather(l, i)?),
        "suld" | "sust" => TextureAccess::Surface(surface(l, i)?),
        "txq" | "suq" => query(l, i)?,
        _ => return None,
    };
    l.emit(Op::Texture(access));
    Some(())
}

/// `tex{.level|.grad|.base}.GEOMETRY.v4.TYPE.COORDINATES {d, d, d, d}, [handle, {coordinates}]{, level}`.
fn read(l: &mut Lowering<'_, '_, '_>, i: &ParsedInstruction<'_>) -> Option<TextureRead> {
    let (levels, form) = match i.modifiers.split_first()? {
        (&("level" | "grad" | "base"), form) => (i.modifiers[0], form),
        _ => ("", &i.modifiers[..]),
    };
    let [geometry, "v4", kind, coordinate_kind] = form else { return None };
    let (geometry, by_index) = (geometry_of(geometry)?, by_index(coordinate_kind)?);
    let [d, Operand::At(handle, coordinates), level @ ..] = &i.operands[..] else { return None };
    let mut words = destinations(l, d)?;
    place(l, geometry, by_index, coordinates, &mut words)?;
    match (levels, level) {
        ("" | "base", []) => {}
        ("level", [level]) => words.push(if by_index { l.word(level)? } else { l.float(level)? }),
        ("grad", [x, y]) => {
            for gradient in [x, y] {
                for part in vector(gradient).get(..geometry.dimensions())? {
                    words.push(l.float(part)?);
                }
            }
        }
        _ => return None,
    }
    Some(TextureRead {
        geometry,
        floats: floats(kind)?,
        by_index,
        has_level: matches!(levels, "level" | "grad"),
        gathers: None,
        handle: handle_of(l, handle)?,
        words: l.list(words)?,
    })
}

/// `tld4.CHANNEL.2d.v4.TYPE.f32 {d, d, d, d}, [handle, {x, y}]`.
fn gather(l: &mut Lowering<'_, '_, '_>, i: &ParsedInstruction<'_>) -> Option<TextureRead> {
    let [channel, geometry @ "2d", "v4", kind, "f32"] = &i.modifiers[..] else { return None };
    let channel = ["r", "g", "b", "a"].iter().position(|name| name == channel)?;
    let [d, Operand::At(handle, coordinates)] = &i.operands[..] else { return None };
    let geometry = geometry_of(geometry)?;
    let mut words = destinations(l, d)?;
    place(l, geometry, false, coordinates, &mut words)?;
    Some(TextureRead {
        geometry,
        floats: floats(kind)?,
        by_index: false,
        has_level: false,
        gathers: Some(channel as u8),
        handle: handle_of(l, handle)?,
        words: l.list(words)?,
    })
}

/// `suld.b.GEOMETRY{.v2|.v4}.TYPE.OUTSIDE d, [handle, {coordinates}]`, and `sust.b` with its operands turned.
fn surface(l: &mut Lowering<'_, '_, '_>, i: &ParsedInstruction<'_>) -> Option<SurfaceAccess> {
    let stores = i.opcode == "sust";
    // Which cache keeps it changes no value.
    let is_form = |of: &&str| !matches!(*of, "ca" | "cg" | "cs" | "wb" | "wt");
    let form: Vec<&str> = i.modifiers.iter().copied().filter(is_form).collect();
    let (count, geometry, outside, kind) = match &form[..] {
        ["b", geometry, outside, "v2", kind] => (2, geometry, outside, kind),
        ["b", geometry, outside, "v4", kind] => (4, geometry, outside, kind),
        ["b", geometry, outside, kind] => (1, geometry, outside, kind),
        _ => return None,
    };
    let bytes = match *kind {
        "b8" => 1,
        "b16" => 2,
        "b32" => 4,
        "b64" => 8,
        _ => return None,
    };
    let outside = match *outside {
        "trap" => Outside::Trap,
        "clamp" => Outside::Clamp,
        "zero" => Outside::Zero,
        _ => return None,
    };
    let (value, at) = match &i.operands[..] {
        [at, value] if stores => (value, at),
        [value, at] => (value, at),
        _ => return None,
    };
    let Operand::At(handle, coordinates) = at else { return None };
    if bytes * count > MOST_BYTES {
        return None;
    }
    let geometry = geometry_of(geometry)?;
    let mut words = Vec::new();
    place(l, geometry, true, coordinates, &mut words)?;
    let mut registers = Vec::new();
    for element in elements(value, count)? {
        // A list has words: a pair's number is as good there.
        registers.push(match (stores, bytes) {
            (true, 8) => Word(l.pair(element)?.0),
            (true, _) => l.float(element)?,
            (false, 8) => Word(l.d_pair(element)?.0),
            (false, _) => l.d_word(element)?,
        });
    }
    let (words, registers) = (l.list(words)?, l.list(registers)?);
    Some(SurfaceAccess {
        stores,
        geometry,
        outside,
        bytes,
        count,
        handle: handle_of(l, handle)?,
        words,
        registers,
    })
}

/// No instruction moves more.
const MOST_BYTES: u8 = 16;

/// `txq.WHAT.b32 d, [handle]`, `suq` likewise.
fn query(l: &mut Lowering<'_, '_, '_>, i: &ParsedInstruction<'_>) -> Option<TextureAccess> {
    let [asked, "b32"] = &i.modifiers[..] else { return None };
    let surface = i.opcode == "suq";
    let asked = match *asked {
        "width" => TextureQuery::Extent(0),
        "height" => TextureQuery::Extent(1),
        "depth" => TextureQuery::Extent(2),
        // Drivers load no kernel that asks this of a surface (580.159 on an H100).
        "array_size" if !surface => TextureQuery::Layers,
        "normalized_coords" if !surface => TextureQuery::IsNormalized,
        "num_mipmap_levels" if !surface => TextureQuery::Levels,
        _ => return None,
    };
    let [d, handle] = &i.operands[..] else { return None };
    Some(TextureAccess::Query { surface, asked, handle: handle_of(l, handle)?, d: l.d_word(d)? })
}

fn geometry_of(name: &str) -> Option<Geometry> {
    Geometry::VARIANTS.iter().copied().find(|geometry| geometry.name() == name)
}

fn floats(kind: &str) -> Option<bool> {
    match kind {
        "f32" => Some(true),
        "u32" | "s32" => Some(false),
        _ => None,
    }
}

fn by_index(kind: &str) -> Option<bool> {
    match kind {
        "f32" => Some(false),
        "s32" => Some(true),
        _ => None,
    }
}

/// The register of a handle; a texture that the module names is none.
fn handle_of(l: &Lowering<'_, '_, '_>, operand: &Operand<'_>) -> Option<Pair> {
    let Operand::Address(Some(name), 0) = operand else { return None };
    match l.register(&Operand::Name(name))? {
        NamedRegister::Pair(pair) => Some(pair),
        _ => None,
    }
}

/// Four words to write.
fn destinations(l: &mut Lowering<'_, '_, '_>, operand: &Operand<'_>) -> Option<Vec<Word>> {
    let parts = elements(operand, 4)?;
    parts.iter().map(|part| l.d_word(part)).collect()
}

/// The layer, where there are any, and the coordinates; what fills up a vector is left out.
fn place(
    l: &mut Lowering<'_, '_, '_>,
    geometry: Geometry,
    by_index: bool,
    coordinates: &[Operand<'_>],
    words: &mut Vec<Word>,
) -> Option<()> {
    let layer = usize::from(geometry.is_layered());
    for (at, coordinate) in coordinates.get(..layer + geometry.dimensions())?.iter().enumerate() {
        words.push(if by_index || at < layer { l.word(coordinate)? } else { l.float(coordinate)? });
    }
    Some(())
}

/// The elements of a vector, or the one that stands for it.
fn vector<'o, 'a>(operand: &'o Operand<'a>) -> &'o [Operand<'a>] {
    match operand {
        Operand::Vector(parts) => parts,
        single => std::slice::from_ref(single),
    }
}
