//! The words of single options: SPEC, FILL, SHAPE and their like.

use std::{path::PathBuf, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::{
    Element, OptionError, number,
    texture::{self, Sampling, TexelLayout},
};

/// Up to three extents, `X[,Y[,Z]]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Extent(pub [u32; 3]);

/// One kernel argument.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Specification {
    /// A scalar.
    Scalar {
        /// Its type.
        element: Element,
        /// Its little-endian bytes.
        bytes: Vec<u8>,
    },
    /// A value by its bytes, as a structure is passed.
    Bytes(ByteSource),
    /// A null pointer.
    Null,
    /// A buffer of its own.
    Buffer {
        /// Element type.
        element: Element,
        /// Extents, slowest first.
        shape: Vec<usize>,
        /// Contents; `None` is uninitialised.
        fill: Option<Fill>,
        /// Whether the kernel writes it: `out` and `inout`.
        written: bool,
    },
    /// The buffer of another argument.
    Same {
        /// Index of that argument.
        index: usize,
        /// Offset in elements.
        offset: usize,
    },
    /// A tensor map over a buffer, which the kernel takes by value (`const __grid_constant__ CUtensorMap`).
    TensorMap {
        /// What the map says besides where its tensor is.
        tile: TensorTile,
        /// A buffer of its own, or that of another argument.
        buffer: Box<Specification>,
    },
    /// A texture (`cudaTextureObject_t`).
    Texture {
        /// How the buffer's elements are texels.
        layout: TexelLayout,
        /// How they are read.
        sampling: Sampling,
        /// A buffer of its own, or that of another argument.
        buffer: Box<Specification>,
    },
    /// A surface (`cudaSurfaceObject_t`).
    Surface {
        /// How the buffer's elements are texels.
        layout: TexelLayout,
        /// A buffer of its own, or that of another argument.
        buffer: Box<Specification>,
    },
}

/// `BOX[,OPTION…]`: what copies through a tensor map take at once. Extents are the slowest first, as in SHAPE.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TensorTile {
    /// Elements that a box spans.
    pub extents: Vec<u32>,
    /// Extents of the tensor, where it is a part of the buffer: its first elements along each dimension.
    pub dims: Option<Vec<usize>>,
    /// Every how manieth element of a box is copied, where not each is.
    pub steps: Option<Vec<u32>>,
    /// Bytes within which chunks of 16 are swapped: 32, 64 or 128; 0: none are.
    pub swizzle: u32,
    /// What lies outside of the tensor is read as NaN, not as zero.
    pub nan: bool,
}

impl TensorTile {
    /// The tensor's extents in a buffer of this shape, the slowest first.
    ///
    /// # Errors
    /// What does not go together.
    pub fn within(&self, shape: &[usize]) -> Result<Vec<usize>, OptionError> {
        let lists = [
            ("a BOX", Some(self.extents.len())),
            ("dims=", self.dims.as_ref().map(Vec::len)),
            ("steps=", self.steps.as_ref().map(Vec::len)),
        ];
        for (what, found) in lists {
            if let Some(found) = found.filter(|&found| found != shape.len()) {
                return Err(OptionError::MapRank { what, found, expected: shape.len() });
            }
        }
        let dims = self.dims.clone().unwrap_or_else(|| shape.to_vec());
        if dims.iter().zip(shape).any(|(dims, shape)| dims > shape) {
            return Err(OptionError::MapDims { dims: written(&dims), shape: written(shape) });
        }
        Ok(dims)
    }
}

/// Extents as they are written.
fn written(extents: &[usize]) -> String {
    extents.iter().map(ToString::to_string).collect::<Vec<_>>().join("x")
}

/// Where the bytes of a value come from.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ByteSource {
    /// Written out.
    Listed(Vec<u8>),
    /// A file of nothing else; or a NumPy file of one element, where it ends in `.npy`.
    File(PathBuf),
}

/// What a buffer or global starts with.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fill {
    /// 0 everywhere.
    Zeros,
    /// 1 everywhere.
    Ones,
    /// 0, 1, 2 …
    Iota,
    /// One value everywhere, as written.
    Constant(String),
    /// Each element's own value, as written.
    Values(Vec<String>),
    /// Random values.
    Random(u64),
    /// A NumPy file.
    File(PathBuf),
}

/// `NAME=[TYPE:]FILL`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GlobalFill {
    /// The variable.
    pub name: String,
    /// Its element type, where given.
    pub element: Option<Element>,
    /// Its contents.
    pub fill: Fill,
}

/// `INDEX=PATH.npy` or `NAME=[TYPE:]PATH.npy`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Save {
    /// What is saved.
    pub what: Saved,
    /// Where to.
    pub path: PathBuf,
}

/// What `--save` saves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Saved {
    /// The buffer of the argument of this index.
    Argument(usize),
    /// A variable of the module.
    Variable {
        /// Its name.
        name: String,
        /// Its element type, where given.
        element: Option<Element>,
    },
}

impl FromStr for Extent {
    type Err = OptionError;
    fn from_str(text: &str) -> Result<Self, OptionError> {
        let mut extent = [1; 3];
        let numbers: Vec<&str> = text.split(',').collect();
        if numbers.len() > 3 {
            return Err(OptionError::Extents(numbers.len()));
        }
        for (slot, number) in extent.iter_mut().zip(numbers) {
            *slot = match number.trim().parse() {
                Ok(0) | Err(_) => return Err(OptionError::Extent(number.to_owned())),
                Ok(value) => value,
            };
        }
        Ok(Extent(extent))
    }
}

impl FromStr for Specification {
    type Err = OptionError;
    fn from_str(text: &str) -> Result<Self, OptionError> {
        if text == "null" {
            return Ok(Specification::Null);
        }
        let (head, rest) = text.split_once(':').ok_or(OptionError::Specification)?;
        match head {
            "in" | "inout" => {
                let (layout, fill) =
                    rest.split_once('=').ok_or_else(|| OptionError::NoFill(text.to_owned()))?;
                let fill = fill.parse()?;
                let (element, shape) = match (layout.split_once(':'), &fill) {
                    (Some((name, COUNTED)), Fill::Values(values)) => (name.parse()?, vec![values.len()]),
                    _ => layout_of(layout)?,
                };
                check(element, &fill)?;
                if let Fill::Values(values) = &fill {
                    counted(values.len(), shape.iter().product(), &format!("a buffer of {layout}"))?;
                }
                Ok(Specification::Buffer { element, shape, fill: Some(fill), written: head == "inout" })
            }
            "out" => {
                if rest.contains('=') {
                    return Err(OptionError::FilledOutput);
                }
                let (element, shape) = layout_of(rest)?;
                Ok(Specification::Buffer { element, shape, fill: None, written: true })
            }
            "bytes" => Ok(Specification::Bytes(rest.parse()?)),
            "same" => {
                let (index, offset) = rest.split_once('+').unwrap_or((rest, "0"));
                let whole = |text: &str| text.parse().map_err(|_| OptionError::WholeNumber(text.to_owned()));
                Ok(Specification::Same { index: whole(index)?, offset: whole(offset)? })
            }
            "tensormap" => {
                let (tile, buffer) = rest.split_once(':').ok_or(OptionError::TensorMap)?;
                let tile: TensorTile = tile.parse()?;
                let buffer = match buffer.split_once(':') {
                    Some(("in" | "inout" | "out" | "same", _)) => Box::new(buffer.parse()?),
                    _ => return Err(OptionError::NoTensor(buffer.to_owned())),
                };
                if let Specification::Buffer { shape, .. } = &*buffer {
                    tile.within(shape)?;
                }
                Ok(Specification::TensorMap { tile, buffer })
            }
            "texture" => texture::parse(rest, false),
            "surface" => texture::parse(rest, true),
            _ => match head.parse() {
                Ok(element) => Ok(Specification::Scalar { element, bytes: number(element, rest)? }),
                Err(_) => Err(OptionError::SpecificationHead(head.to_owned())),
            },
        }
    }
}

impl FromStr for TensorTile {
    type Err = OptionError;
    fn from_str(text: &str) -> Result<Self, OptionError> {
        let (extents, options) = match text.split_once(',') {
            Some((extents, options)) => (extents, options.split(',').collect()),
            None => (text, Vec::new()),
        };
        let extents = numbers(extents).ok_or_else(|| OptionError::Box(extents.to_owned()))?;
        let mut tile = TensorTile { extents, dims: None, steps: None, swizzle: 0, nan: false };
        for option in options {
            let wrong = || OptionError::MapOption(option.to_owned());
            match option.split_once('=').ok_or_else(wrong)? {
                ("swizzle", "32") => tile.swizzle = 32,
                ("swizzle", "64") => tile.swizzle = 64,
                ("swizzle", "128") => tile.swizzle = 128,
                ("fill", "zeros") => tile.nan = false,
                ("fill", "nan") => tile.nan = true,
                ("dims", extents) => tile.dims = Some(numbers(extents).ok_or_else(wrong)?),
                ("steps", steps) => tile.steps = Some(numbers(steps).ok_or_else(wrong)?),
                _ => return Err(wrong()),
            }
        }
        Ok(tile)
    }
}

/// Numbers from 1, with `x` between.
fn numbers<T: FromStr + PartialEq + From<u8>>(text: &str) -> Option<Vec<T>> {
    text.split('x').map(|number| number.parse().ok().filter(|number| *number != T::from(0))).collect()
}

impl FromStr for ByteSource {
    type Err = OptionError;
    fn from_str(text: &str) -> Result<Self, OptionError> {
        if let Some(path) = text.strip_prefix('@').filter(|path| !path.is_empty()) {
            return Ok(ByteSource::File(PathBuf::from(path)));
        }
        let wrong = || OptionError::Bytes(text.to_owned());
        let digits: Option<Vec<u32>> =
            text.chars().filter(|&c| c != '_').map(|digit| digit.to_digit(16)).collect();
        let digits = digits.filter(|digits| !digits.is_empty() && digits.len() % 2 == 0).ok_or_else(wrong)?;
        // Two digits are less than 256.
        Ok(ByteSource::Listed(digits.chunks(2).map(|byte| (16 * byte[0] + byte[1]) as u8).collect()))
    }
}

/// The SHAPE of a buffer that has as many elements as values are listed.
const COUNTED: &str = "_";

/// Whether as many values are listed as there are elements.
///
/// # Errors
/// How many of each.
pub fn counted(values: usize, elements: usize, what: &str) -> Result<(), OptionError> {
    match values == elements {
        true => Ok(()),
        false => Err(OptionError::Values { values, elements, what: what.to_owned() }),
    }
}

/// `TYPE:SHAPE`.
fn layout_of(text: &str) -> Result<(Element, Vec<usize>), OptionError> {
    let (name, shape) = text.split_once(':').ok_or_else(|| OptionError::NoShape(text.to_owned()))?;
    let element: Element = name.parse()?;
    if shape == COUNTED {
        return Err(OptionError::Counted(element));
    }
    let extents: Result<Vec<usize>, OptionError> = shape
        .split('x')
        .map(|extent| match extent.parse() {
            Ok(0) | Err(_) => Err(OptionError::Shape(shape.to_owned())),
            Ok(extent) => Ok(extent),
        })
        .collect();
    let extents = extents?;
    let bytes = extents.iter().try_fold(element.bytes(), |product, extent| product.checked_mul(*extent));
    match bytes {
        Some(bytes) if bytes <= GREATEST_BUFFER => Ok((element, extents)),
        _ => Err(OptionError::TooBig { shape: shape.to_owned(), element }),
    }
}

const GREATEST_BUFFER: usize = 4 << 30;

fn check(element: Element, fill: &Fill) -> Result<(), OptionError> {
    match fill {
        Fill::Constant(value) => number(element, value).map(drop),
        Fill::Values(values) => values.iter().try_for_each(|value| number(element, value).map(drop)),
        _ => Ok(()),
    }
}

impl FromStr for Fill {
    type Err = OptionError;
    fn from_str(text: &str) -> Result<Self, OptionError> {
        Ok(match text {
            "zeros" => Fill::Zeros,
            "ones" => Fill::Ones,
            "iota" => Fill::Iota,
            _ => {
                if let Some(value) = text.strip_prefix("const:") {
                    Fill::Constant(value.to_owned())
                } else if let Some(values) = text.strip_prefix("values:") {
                    let values: Vec<String> =
                        values.split(',').map(|value| value.trim().to_owned()).collect();
                    if let Some(at) = values.iter().position(String::is_empty) {
                        return Err(OptionError::EmptyValue { place: at + 1, text: text.to_owned() });
                    }
                    Fill::Values(values)
                } else if let Some(seed) = text.strip_prefix("random:") {
                    Fill::Random(seed.parse().map_err(|_| OptionError::Seed(seed.to_owned()))?)
                } else if text.ends_with(".npy") {
                    Fill::File(PathBuf::from(text))
                } else {
                    return Err(OptionError::Fill(text.to_owned()));
                }
            }
        })
    }
}

impl FromStr for GlobalFill {
    type Err = OptionError;
    fn from_str(text: &str) -> Result<Self, OptionError> {
        let (name, fill) = text.split_once('=').ok_or(OptionError::Global)?;
        let typed = fill
            .split_once(':')
            .and_then(|(head, rest)| head.parse().ok().map(|element: Element| (element, rest)));
        let (element, fill) = match typed {
            Some((element, rest)) => (Some(element), rest.parse()?),
            None => (None, fill.parse()?),
        };
        if let Some(element) = element {
            check(element, &fill)?;
        }
        Ok(GlobalFill { name: name.to_owned(), element, fill })
    }
}

impl FromStr for Save {
    type Err = OptionError;
    fn from_str(text: &str) -> Result<Self, OptionError> {
        let (what, path) = text.split_once('=').ok_or(OptionError::Save)?;
        let is_name = what.starts_with(|first: char| first.is_alphabetic() || first == '_');
        let (what, path) = if is_name {
            let typed = path.split_once(':').and_then(|(head, rest)| Some((head.parse().ok()?, rest)));
            let (element, path) = typed.map_or((None, path), |(element, rest)| (Some(element), rest));
            (Saved::Variable { name: what.to_owned(), element }, path)
        } else {
            (Saved::Argument(what.parse().map_err(|_| OptionError::Save)?), path)
        };
        if !path.ends_with(".npy") {
            return Err(OptionError::SavePath(path.to_owned()));
        }
        Ok(Save { what, path: PathBuf::from(path) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> String {
        match text.parse::<Specification>() {
            Ok(specification) => format!("{specification:?}"),
            Err(error) => format!("error: {error}"),
        }
    }

    #[test]
    fn arguments() {
        let all: Vec<String> = [
            "i32:-5",
            "u32:0x10",
            "u32:-1",
            "i8:128",
            "f32:0.1",
            "f32:-inf",
            "bf16:1",
            "null",
            "bytes:0000803F_2a000000",
            "bytes:@point.bin",
            "bytes:@point.npy",
            "bytes:123",
            "bytes:0x12",
            "bytes:",
            "bytes:@",
            "in:f32:1024=iota",
            "inout:u8:64x32=const:300",
            "inout:i16:64x32=random:7",
            "in:f64:4=dir/a.npy",
            "in:i32:4=values:0,2,-4,0x7",
            "in:f32:2x2=values:0.5, nan,-inf,1",
            "in:u8:_=values:1,2,3",
            "in:i32:4=values:0,2,4",
            "in:i32:1=values:0,2",
            "in:i32:2=values:7",
            "in:u8:_=values:1,256",
            "in:u8:3=values:1,,3",
            "in:u8:_=values:",
            "in:f32:_=zeros",
            "in:f32=values:1",
            "out:f32:_",
            "out:f16:3x4x5",
            "out:f32:3=zeros",
            "in:f32:3",
            "in:f32=zeros",
            "in:f32:0=zeros",
            "in:f32:99999999999x99999999999=zeros",
            "same:2",
            "same:2+16",
            "same:x",
            "tensormap:16x32:in:f32:64x128=iota",
            "tensormap:8x16,swizzle=128,fill=nan,dims=30x20,steps=2x1:out:f16:32x32",
            "tensormap:64:same:0",
            "tensormap:64",
            "tensormap:0x4:same:0",
            "tensormap:4,swizzle=16:same:0",
            "tensormap:4,box:same:0",
            "tensormap:4:u32:5",
            "tensormap:4:in:u8:64x64=iota",
            "tensormap:4x4,dims=65x4:in:u8:64x64=iota",
            "texture:f32:8x16=iota",
            "texture:u8x4:8x16=zeros,linear,wrap,normalized,as-float",
            "texture:f32:2x2=values:1,2,3,4,linear,border",
            "texture:f32:2x4x4=iota,layered,mirror",
            "texture:i32:100=iota,memory",
            "texture:same:1,linear",
            "texture:f32:8x16",
            "texture:f32:8x16=iota,linaer",
            "texture:f32:2=values:1,linaer",
            "texture:f32x3:8=iota",
            "texture:f32",
            "surface:f32:8x16",
            "surface:u8x4:8x16=zeros",
            "surface:f32:2x4x4=iota,layered",
            "surface:f32:8x16,linear",
            "surface:same:0",
            "float:1",
            "5",
        ]
        .iter()
        .map(|text| format!("{text:<26} {}", parsed(text)))
        .collect();
        insta::assert_snapshot!(all.join("\n"));
    }

    #[test]
    fn globals() {
        let all: Vec<String> = [
            "filter=zeros",
            "filter=f32:const:0.5",
            "filter=values:1,0,-1",
            "filter=f32:values:1,x",
            "table=random:3",
            "k=i32:const:x",
            "k",
        ]
        .iter()
        .map(|text| match text.parse::<GlobalFill>() {
            Ok(fill) => format!("{text:<22} {fill:?}"),
            Err(error) => format!("{text:<22} error: {error}"),
        })
        .collect();
        insta::assert_snapshot!(all.join("\n"));
    }

    #[test]
    fn extents_and_saves() {
        assert_eq!("8".parse(), Ok(Extent([8, 1, 1])));
        assert_eq!("8,4,2".parse(), Ok(Extent([8, 4, 2])));
        assert!("0".parse::<Extent>().is_err() && "1,2,3,4".parse::<Extent>().is_err());
        let saved = |what, path: &str| Ok(Save { what, path: PathBuf::from(path) });
        let variable = |name: &str, element| Saved::Variable { name: name.to_owned(), element };
        assert_eq!("2=a=b.npy".parse(), saved(Saved::Argument(2), "a=b.npy"));
        assert_eq!("sum=a.npy".parse(), saved(variable("sum", None), "a.npy"));
        assert_eq!("sum=f32:a.npy".parse(), saved(variable("sum", Some(Element::F32)), "a.npy"));
        assert_eq!("sum=c:a.npy".parse(), saved(variable("sum", None), "c:a.npy"));
        for wrong in ["2=a.txt", "sum=f32:a.txt", "2", "-1=a.npy", "2x=a.npy", "=a.npy"] {
            assert!(wrong.parse::<Save>().is_err(), "{wrong}");
        }
    }
}
