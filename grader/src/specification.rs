//! The grammar of `run`: SPEC, FILL, SHAPE and their like, from text to data.
//!
//! Parsing knows types and shapes but neither files nor devices; `crate::launch` turns the data into a plan.

use std::{path::PathBuf, str::FromStr};

use harness::plan::Element;

/// Up to three extents, `X[,Y[,Z]]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent(pub [u32; 3]);

/// One kernel argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Specification {
    /// A scalar's little-endian bytes.
    Scalar(Vec<u8>),
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
    },
    /// The buffer of another argument.
    Same {
        /// Index of that argument.
        index: usize,
        /// Offset in elements.
        offset: usize,
    },
}

/// What a buffer or global starts with.
#[derive(Clone, Debug, PartialEq)]
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
#[derive(Clone, Debug, PartialEq)]
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

const TYPES: [(&str, Element); 12] = [
    ("u8", Element::U8),
    ("i8", Element::I8),
    ("u16", Element::U16),
    ("i16", Element::I16),
    ("u32", Element::U32),
    ("i32", Element::I32),
    ("u64", Element::U64),
    ("i64", Element::I64),
    ("f16", Element::F16),
    ("bf16", Element::Bf16),
    ("f32", Element::F32),
    ("f64", Element::F64),
];

/// The name of an element type in this grammar.
pub fn type_name(element: Element) -> &'static str {
    TYPES.iter().find(|(_, known)| *known == element).map_or("?", |(name, _)| name)
}

/// The element type of that name.
///
/// # Errors
/// What was expected.
pub fn element(name: &str) -> Result<Element, String> {
    TYPES.iter().find(|(known, _)| *known == name).map(|(_, element)| *element).ok_or_else(|| {
        format!("`{name}` is no TYPE; expected one of {}", TYPES.map(|(known, _)| known).join(" "))
    })
}

/// A number's little-endian bytes as an element. Integers may be written in hexadecimal;
/// floats also as `inf`, `nan`.
///
/// # Errors
/// What was expected.
pub fn number(element: Element, text: &str) -> Result<Vec<u8>, String> {
    fn integer<T: TryFrom<i128>>(text: &str, name: &str) -> Result<T, String> {
        let (sign, digits) = match text.strip_prefix('-') {
            Some(digits) => (-1, digits),
            None => (1, text),
        };
        let magnitude = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
            Some(hexadecimal) => i128::from_str_radix(hexadecimal, 16),
            None => digits.parse::<i128>(),
        };
        let value = magnitude.map_err(|_| format!("`{text}` is no whole number"))?;
        T::try_from(sign * value).map_err(|_| format!("{text} does not fit into {name}"))
    }
    let name = type_name(element);
    let float = || text.parse::<f64>().map_err(|_| format!("`{text}` is no number"));
    Ok(match element {
        Element::U8 => integer::<u8>(text, name)?.to_le_bytes().to_vec(),
        Element::I8 => integer::<i8>(text, name)?.to_le_bytes().to_vec(),
        Element::U16 => integer::<u16>(text, name)?.to_le_bytes().to_vec(),
        Element::I16 => integer::<i16>(text, name)?.to_le_bytes().to_vec(),
        Element::U32 => integer::<u32>(text, name)?.to_le_bytes().to_vec(),
        Element::I32 => integer::<i32>(text, name)?.to_le_bytes().to_vec(),
        Element::U64 => integer::<u64>(text, name)?.to_le_bytes().to_vec(),
        Element::I64 => integer::<i64>(text, name)?.to_le_bytes().to_vec(),
        Element::F16 => half::f16::from_f64(float()?).to_le_bytes().to_vec(),
        Element::Bf16 => half::bf16::from_f64(float()?).to_le_bytes().to_vec(),
        // Parsed as f32 at once: through f64 it would be rounded twice.
        Element::F32 => {
            text.parse::<f32>().map_err(|_| format!("`{text}` is no number"))?.to_le_bytes().to_vec()
        }
        Element::F64 => float()?.to_le_bytes().to_vec(),
    })
}

impl FromStr for Extent {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let mut extent = [1; 3];
        let numbers: Vec<&str> = text.split(',').collect();
        if numbers.len() > 3 {
            return Err(format!("{} extents; expected at most 3, as X,Y,Z", numbers.len()));
        }
        for (slot, number) in extent.iter_mut().zip(numbers) {
            *slot = match number.trim().parse() {
                Ok(0) | Err(_) => return Err(format!("`{number}` is no extent; expected a number from 1")),
                Ok(value) => value,
            };
        }
        Ok(Extent(extent))
    }
}

impl FromStr for Specification {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        if text == "null" {
            return Ok(Specification::Null);
        }
        let expected = "expected TYPE:VALUE, null, in:TYPE:SHAPE=FILL, inout:TYPE:SHAPE=FILL, out:TYPE:SHAPE or same:INDEX";
        let (head, rest) = text.split_once(':').ok_or(expected)?;
        match head {
            "in" | "inout" => {
                let (layout, fill) = rest
                    .split_once('=')
                    .ok_or(format!("a buffer that is read needs contents: {head}:{rest}=FILL"))?;
                let fill = fill.parse()?;
                let (element, shape) = match (layout.split_once(':'), &fill) {
                    (Some((name, COUNTED)), Fill::Values(values)) => (element(name)?, vec![values.len()]),
                    _ => layout_of(layout)?,
                };
                check(element, &fill)?;
                if let Fill::Values(values) = &fill {
                    counted(values.len(), shape.iter().product(), &format!("a buffer of {layout}"))?;
                }
                Ok(Specification::Buffer { element, shape, fill: Some(fill) })
            }
            "out" => {
                if rest.contains('=') {
                    return Err(
                        "`out` starts uninitialised and takes no FILL; use inout:TYPE:SHAPE=FILL".to_owned()
                    );
                }
                let (element, shape) = layout_of(rest)?;
                Ok(Specification::Buffer { element, shape, fill: None })
            }
            "same" => {
                let (index, offset) = rest.split_once('+').unwrap_or((rest, "0"));
                let whole = |text: &str| text.parse().map_err(|_| format!("`{text}` is no whole number"));
                Ok(Specification::Same { index: whole(index)?, offset: whole(offset)? })
            }
            _ => match element(head) {
                Ok(element) => Ok(Specification::Scalar(number(element, rest)?)),
                Err(_) => Err(format!("`{head}` is neither a TYPE nor in, inout, out or same; {expected}")),
            },
        }
    }
}

/// The SHAPE of a buffer that has as many elements as values are listed.
const COUNTED: &str = "_";

/// Whether as many values are listed as there are elements.
///
/// # Errors
/// How many of each.
pub fn counted(values: usize, elements: usize, what: &str) -> Result<(), String> {
    if values == elements {
        return Ok(());
    }
    let are = |count: usize, word: &str| match count {
        1 => format!("1 {word} is"),
        _ => format!("{count} {word}s are"),
    };
    Err(format!("{} listed for {what}, and {} in it", are(values, "value"), are(elements, "element")))
}

/// `TYPE:SHAPE`.
fn layout_of(text: &str) -> Result<(Element, Vec<usize>), String> {
    let (name, shape) =
        text.split_once(':').ok_or(format!("`{text}` lacks a SHAPE; expected TYPE:SHAPE, e.g. f32:1024"))?;
    let element = element(name)?;
    if shape == COUNTED {
        return Err(format!(
            "SHAPE `{COUNTED}` stands for as many elements as values are listed, as in {name}:{COUNTED}=values:1,2,3; \
             write a number here"
        ));
    }
    let extents: Result<Vec<usize>, String> = shape
        .split('x')
        .map(|extent| match extent.parse() {
            Ok(0) | Err(_) => Err(format!("`{shape}` is no SHAPE; expected e.g. 1024 or 64x32")),
            Ok(extent) => Ok(extent),
        })
        .collect();
    let extents = extents?;
    let bytes = extents.iter().try_fold(element.bytes(), |product, extent| product.checked_mul(*extent));
    match bytes {
        Some(bytes) if bytes <= GREATEST_BUFFER => Ok((element, extents)),
        _ => Err(format!("a buffer of {shape} {name} is too big; the limit is 4 GiB")),
    }
}

const GREATEST_BUFFER: usize = 4 << 30;

fn check(element: Element, fill: &Fill) -> Result<(), String> {
    match fill {
        Fill::Constant(value) => number(element, value).map(drop),
        Fill::Values(values) => values.iter().try_for_each(|value| number(element, value).map(drop)),
        _ => Ok(()),
    }
}

impl FromStr for Fill {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
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
                        return Err(format!(
                            "value {} of `{text}` is empty; expected numbers with commas between, e.g. values:1,2,3",
                            at + 1
                        ));
                    }
                    Fill::Values(values)
                } else if let Some(seed) = text.strip_prefix("random:") {
                    Fill::Random(
                        seed.parse().map_err(|_| format!("`{seed}` is no SEED; expected a whole number"))?,
                    )
                } else if text.ends_with(".npy") {
                    Fill::File(PathBuf::from(text))
                } else {
                    return Err(format!(
                        "`{text}` is no FILL; expected zeros, ones, iota, const:V, values:V,V,…, random:SEED or PATH.npy"
                    ));
                }
            }
        })
    }
}

impl FromStr for GlobalFill {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let (name, fill) = text.split_once('=').ok_or("expected NAME=FILL")?;
        let typed =
            fill.split_once(':').and_then(|(head, rest)| element(head).ok().map(|element| (element, rest)));
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
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let expected = "expected INDEX=PATH.npy, e.g. 2=out.npy";
        let (index, path) = text.split_once('=').ok_or(expected)?;
        let index = index.parse().map_err(|_| expected)?;
        if !path.ends_with(".npy") {
            return Err(format!("`{path}` does not end in .npy; {expected}"));
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
        .map(|text| format!("{text:<22} {:?}", text.parse::<GlobalFill>()))
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
