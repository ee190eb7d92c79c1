//! What is wrong with an option, and what was expected.

use strum::VariantArray;

use crate::Element;

/// The forms of a kernel argument.
const SPECIFICATION: &str = "TYPE:VALUE, bytes:HEX, null, in:TYPE:SHAPE=FILL, inout:TYPE:SHAPE=FILL, out:TYPE:SHAPE, same:INDEX, tensormap:BOX:BUFFER, texture:TYPE:SHAPE=FILL or surface:TYPE:SHAPE";

/// Text that is no such option.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum OptionError {
    #[error("{0} extents; expected at most 3, as X,Y,Z")]
    Extents(usize),
    #[error("`{0}` is no extent; expected a number from 1")]
    Extent(String),
    #[error("expected {SPECIFICATION}")]
    Specification,
    #[error(
        "`{0}` are no bytes; expected two hexadecimal digits for each, in memory's order (1.0f is 0000803f), or @FILE"
    )]
    Bytes(String),
    #[error(
        "`{0}` is no BOX; expected the extents of a box, the slowest first, and options of the map, e.g. 16x32,swizzle=128"
    )]
    Box(String),
    #[error(
        "`{0}` is no option of a tensor map; expected swizzle=32, 64 or 128, fill=zeros or nan, dims=AxB for a tensor smaller than its buffer, or steps=AxB"
    )]
    MapOption(String),
    #[error(
        "expected tensormap:BOX:BUFFER, e.g. tensormap:16x32:in:f32:64x128=iota or tensormap:16x32:same:0"
    )]
    TensorMap,
    #[error(
        "`{0}` is no buffer for a tensor map; expected in:TYPE:SHAPE=FILL, inout:TYPE:SHAPE=FILL, out:TYPE:SHAPE or same:INDEX"
    )]
    NoTensor(String),
    #[error(
        "{what} of {found} extents for a tensor of {expected}; expected one for each, the slowest first, e.g. 16x32 in 64x128"
    )]
    MapRank { what: &'static str, found: usize, expected: usize },
    #[error("dims={dims} is more than its buffer of {shape} has; expected at most that")]
    MapDims { dims: String, shape: String },
    #[error(
        "`{0}` is neither a TYPE nor bytes, in, inout, out, same, tensormap, texture or surface; expected {SPECIFICATION}"
    )]
    SpecificationHead(String),
    #[error(
        "expected {what}:TYPE:SHAPE=FILL, e.g. {what}:f32:64x128=iota or {what}:u8x4:64x128=zeros, or {what}:same:0"
    )]
    Texture { what: &'static str },
    #[error(
        "`{0}` is no option of a texture; expected point or linear, clamp, border, wrap or mirror, normalized, as-float, memory, layered"
    )]
    TextureOption(String),
    #[error("`{0}` is no option of a surface; expected layered, or none")]
    SurfaceOption(String),
    #[error("`{0}` is no TYPE of texels; expected one with 1, 2 or 4 channels, e.g. f32, f32x2 or u8x4")]
    Channels(String),
    #[error("a buffer that is read needs contents: {0}=FILL")]
    NoFill(String),
    #[error("`out` starts uninitialised and takes no FILL; use inout:TYPE:SHAPE=FILL")]
    FilledOutput,
    #[error("`{0}` lacks a SHAPE; expected TYPE:SHAPE, e.g. f32:1024")]
    NoShape(String),
    #[error("`{0}` is no SHAPE; expected e.g. 1024 or 64x32")]
    Shape(String),
    #[error(
        "SHAPE `_` stands for as many elements as values are listed, as in {0}:_=values:1,2,3; write a number here"
    )]
    Counted(Element),
    #[error("a buffer of {shape} {element} is too big; the limit is 4 GiB")]
    TooBig { shape: String, element: Element },
    #[error("{} listed for {what}, and {} in it", are(*.values, "value"), are(*.elements, "element"))]
    Values { values: usize, elements: usize, what: String },
    #[error("value {place} of `{text}` is empty; expected numbers with commas between, e.g. values:1,2,3")]
    EmptyValue { place: usize, text: String },
    #[error("`{0}` is no FILL; expected zeros, ones, iota, const:V, values:V,V,…, random:SEED or PATH.npy")]
    Fill(String),
    #[error("`{0}` is no SEED; expected a whole number")]
    Seed(String),
    #[error("`{name}` is no TYPE; expected one of {}", types())]
    Type { name: String },
    #[error("`{0}` is no number")]
    Number(String),
    #[error("`{0}` is no whole number")]
    WholeNumber(String),
    #[error("{text} does not fit into {element}")]
    DoesNotFit { text: String, element: Element },
    #[error("expected NAME=FILL")]
    Global,
    #[error("expected INDEX=PATH.npy or NAME=TYPE:PATH.npy, e.g. 2=out.npy or histogram=u32:out.npy")]
    Save,
    #[error("`{0}` does not end in .npy; expected INDEX=PATH.npy or NAME=TYPE:PATH.npy, e.g. 2=out.npy")]
    SavePath(String),
    #[error("`{0}` needs a value")]
    NoValue(String),
    #[error("`{0}` is no option; options begin with `--`")]
    NoOption(String),
    #[error("no launch; expected a line `//@ run --entry NAME OPTIONS`")]
    NoLaunch,
    #[error("`{0}`; expected `//@ run OPTIONS`")]
    HeaderLine(String),
    #[error("line {number}: {error}")]
    InLine { number: usize, error: Box<OptionError> },
}

fn are(count: usize, word: &str) -> String {
    match count {
        1 => format!("1 {word} is"),
        _ => format!("{count} {word}s are"),
    }
}

fn types() -> String {
    Element::VARIANTS.iter().map(|element| element.name()).collect::<Vec<_>>().join(" ")
}
