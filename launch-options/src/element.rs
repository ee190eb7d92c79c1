//! Element types: their names, their sizes, and numbers of them as bytes.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

use crate::OptionError;

/// The element type of a buffer. Kernels that check buffers know types by their place here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, IntoStaticStr, VariantArray)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[allow(missing_docs)]
pub enum Element {
    U8,
    I8,
    U16,
    I16,
    F16,
    Bf16,
    U32,
    I32,
    F32,
    U64,
    I64,
    F64,
}

impl Element {
    /// Size of one element in bytes.
    pub fn bytes(self) -> usize {
        match self {
            Element::U8 | Element::I8 => 1,
            Element::U16 | Element::I16 | Element::F16 | Element::Bf16 => 2,
            Element::U32 | Element::I32 | Element::F32 => 4,
            Element::U64 | Element::I64 | Element::F64 => 8,
        }
    }

    /// True for floating-point types.
    pub fn is_float(self) -> bool {
        matches!(self, Element::F16 | Element::Bf16 | Element::F32 | Element::F64)
    }

    /// Its name as TYPE: `u8`, `bf16`, …
    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl FromStr for Element {
    type Err = OptionError;
    fn from_str(name: &str) -> Result<Self, OptionError> {
        let known = Element::VARIANTS.iter().copied().find(|known| known.name() == name);
        known.ok_or_else(|| OptionError::Type { name: name.to_owned() })
    }
}

impl fmt::Display for Element {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A number's little-endian bytes as an element. Integers may be written in hexadecimal;
/// floats also as `inf`, `nan`.
///
/// # Errors
/// What was expected.
pub fn number(element: Element, text: &str) -> Result<Vec<u8>, OptionError> {
    fn integer<T: TryFrom<i128>>(text: &str, element: Element) -> Result<T, OptionError> {
        let (sign, digits) = match text.strip_prefix('-') {
            Some(digits) => (-1, digits),
            None => (1, text),
        };
        let magnitude = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
            Some(hexadecimal) => i128::from_str_radix(hexadecimal, 16),
            None => digits.parse::<i128>(),
        };
        let value = magnitude.map_err(|_| OptionError::WholeNumber(text.to_owned()))?;
        T::try_from(sign * value).map_err(|_| OptionError::DoesNotFit { text: text.to_owned(), element })
    }
    let no_number = |_| OptionError::Number(text.to_owned());
    let float = || text.parse::<f64>().map_err(no_number);
    Ok(match element {
        Element::U8 => integer::<u8>(text, element)?.to_le_bytes().to_vec(),
        Element::I8 => integer::<i8>(text, element)?.to_le_bytes().to_vec(),
        Element::U16 => integer::<u16>(text, element)?.to_le_bytes().to_vec(),
        Element::I16 => integer::<i16>(text, element)?.to_le_bytes().to_vec(),
        Element::U32 => integer::<u32>(text, element)?.to_le_bytes().to_vec(),
        Element::I32 => integer::<i32>(text, element)?.to_le_bytes().to_vec(),
        Element::U64 => integer::<u64>(text, element)?.to_le_bytes().to_vec(),
        Element::I64 => integer::<i64>(text, element)?.to_le_bytes().to_vec(),
        Element::F16 => half::f16::from_f64(float()?).to_le_bytes().to_vec(),
        Element::Bf16 => half::bf16::from_f64(float()?).to_le_bytes().to_vec(),
        // Parsed as f32 at once: through f64 it would be rounded twice.
        Element::F32 => text.parse::<f32>().map_err(no_number)?.to_le_bytes().to_vec(),
        Element::F64 => float()?.to_le_bytes().to_vec(),
    })
}
