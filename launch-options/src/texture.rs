//! `texture:…` and `surface:…`: texels of an argument, and how a texture of them is read.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{OptionError, Specification};

/// How the elements of a buffer are texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TexelLayout {
    /// Elements of a texel: 1, 2 or 4. Where there are several, they are the last extent of the buffer.
    pub channels: usize,
    /// The first extent counts layers.
    pub layered: bool,
}

/// What a texture has outside of its texels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AddressMode {
    /// The texel at the edge.
    #[default]
    Clamp,
    /// Zero.
    Border,
    /// The texture again.
    Wrap,
    /// The texture again, mirrored every other time.
    Mirror,
}

/// How a texture is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sampling {
    /// Texels are filtered (else the nearest is read).
    pub linear: bool,
    /// What lies outside.
    pub address_mode: AddressMode,
    /// Coordinates go from 0 to 1.
    pub normalized: bool,
    /// Integers are read as parts of 1 (`cudaReadModeNormalizedFloat`).
    pub as_float: bool,
    /// Its texels are linear memory (`tex1Dfetch`), not an array.
    pub memory: bool,
}

/// What an option of a texture says.
enum Word {
    Filter { linear: bool },
    AddressMode(AddressMode),
    Normalized,
    AsFloat,
    Memory,
    Layered,
}

fn word(text: &str) -> Option<Word> {
    Some(match text {
        "point" => Word::Filter { linear: false },
        "linear" => Word::Filter { linear: true },
        "clamp" => Word::AddressMode(AddressMode::Clamp),
        "border" => Word::AddressMode(AddressMode::Border),
        "wrap" => Word::AddressMode(AddressMode::Wrap),
        "mirror" => Word::AddressMode(AddressMode::Mirror),
        "normalized" => Word::Normalized,
        "as-float" => Word::AsFloat,
        "memory" => Word::Memory,
        "layered" => Word::Layered,
        _ => return None,
    })
}

/// Parses what follows `texture:` or `surface:`.
pub(crate) fn parse(rest: &str, is_surface: bool) -> Result<Specification, OptionError> {
    let (of, options) = split(rest);
    let (mut sampling, mut layered) = (Sampling::default(), false);
    for option in options {
        match word(option) {
            Some(Word::Layered) => layered = true,
            Some(_) | None if is_surface => return Err(OptionError::SurfaceOption(option.to_owned())),
            Some(Word::Filter { linear }) => sampling.linear = linear,
            Some(Word::AddressMode(mode)) => sampling.address_mode = mode,
            Some(Word::Normalized) => sampling.normalized = true,
            Some(Word::AsFloat) => sampling.as_float = true,
            Some(Word::Memory) => sampling.memory = true,
            None => return Err(OptionError::TextureOption(option.to_owned())),
        }
    }
    let (channels, buffer) = buffer(of, is_surface)?;
    let layout = TexelLayout { channels, layered };
    let buffer = Box::new(buffer);
    Ok(match is_surface {
        true => Specification::Surface { layout, buffer },
        false => Specification::Texture { layout, sampling, buffer },
    })
}

/// The texels, and the options behind them. A FILL may have commas of its own, between numbers.
fn split(rest: &str) -> (&str, Vec<&str>) {
    let lists_values = rest.split_once('=').is_some_and(|(_, fill)| fill.starts_with("values:"));
    let mut end = rest.len();
    let mut options = Vec::new();
    while let Some(comma) = rest[..end].rfind(',') {
        let last = &rest[comma + 1..end];
        if lists_values && word(last).is_none() {
            break;
        }
        options.insert(0, last);
        end = comma;
    }
    (&rest[..end], options)
}

/// The buffer that holds the texels, and their channels.
fn buffer(text: &str, is_surface: bool) -> Result<(usize, Specification), OptionError> {
    if text.starts_with("same:") {
        // How many channels is said where it comes from.
        return Ok((1, Specification::from_str(text)?));
    }
    let what = if is_surface { "surface" } else { "texture" };
    let (layout, fill) = match text.split_once('=') {
        Some((layout, fill)) => (layout, Some(fill)),
        None if is_surface => (text, None),
        None => return Err(OptionError::NoFill(format!("texture:{text}"))),
    };
    let wrong = || OptionError::Texture { what };
    let (kind, shape) = layout.split_once(':').ok_or_else(wrong)?;
    let (element, channels) = match kind.split_once('x') {
        Some((element, "1")) => (element, 1),
        Some((element, "2")) => (element, 2),
        Some((element, "4")) => (element, 4),
        Some(_) => return Err(OptionError::Channels(kind.to_owned())),
        None => (kind, 1),
    };
    let shape = if channels > 1 { format!("{shape}x{channels}") } else { shape.to_owned() };
    let written = match (is_surface, fill) {
        (true, Some(fill)) => format!("inout:{element}:{shape}={fill}"),
        (true, None) => format!("out:{element}:{shape}"),
        (false, fill) => format!("in:{element}:{shape}={}", fill.unwrap_or_default()),
    };
    Ok((channels, written.parse()?))
}
