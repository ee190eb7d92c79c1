//! The words of single options: SPEC, FILL, SHAPE and their like.

use std::{path::PathBuf, str::FromStr};

use serde::Serialize;

use crate::{Element, OptionError, number};

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

/// `INDEX=PATH.npy`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Save {
    /// Index of the argument.
    pub index: usize,
    /// Where to.
    pub path: PathBuf,
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
            _ => match head.parse() {
                Ok(element) => Ok(Specification::Scalar { element, bytes: number(element, rest)? }),
                Err(_) => Err(OptionError::SpecificationHead(head.to_owned())),
            },
        }
    }
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
        let (index, path) = text.split_once('=').ok_or(OptionError::Save)?;
        let index = index.parse().map_err(|_| OptionError::Save)?;
        if !path.ends_with(".npy") {
            return Err(OptionError::SavePath(path.to_owned()));
        }
        Ok(Save { index, path: PathBuf::from(path) })
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
        assert_eq!("2=a=b.npy".parse(), Ok(Save { index: 2, path: PathBuf::from("a=b.npy") }));
        assert!("2=a.txt".parse::<Save>().is_err());
    }
}
