//! Buffers' bytes as NumPy's `.npy` files.

use half::f16;
use npyz::{DType, TypeStr, WriterBuilder as _};

use crate::plan::Element;

/// NumPy's name of an element type: `f4` for f32. bf16 has none and travels as the bits in `u2`.
pub fn numpy_type(element: Element) -> &'static str {
    match element {
        Element::U8 => "u1",
        Element::I8 => "i1",
        Element::U16 | Element::Bf16 => "u2",
        Element::I16 => "i2",
        Element::U32 => "u4",
        Element::I32 => "i4",
        Element::U64 => "u8",
        Element::I64 => "i8",
        Element::F16 => "f2",
        Element::F32 => "f4",
        Element::F64 => "f8",
    }
}

/// The bytes of a `.npy` file with these elements. bf16 is written as its bits in uint16.
///
/// # Errors
/// Never for bytes that are as many as type and shape say; otherwise what does not fit.
pub fn file(element: Element, shape: &[usize], bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let order = if element.bytes() == 1 { '|' } else { '<' };
    let name: TypeStr = format!("{order}{}", numpy_type(element)).parse().map_err(std::io::Error::other)?;
    let shape: Vec<u64> = shape.iter().map(|extent| *extent as u64).collect();
    let mut out = Vec::with_capacity(bytes.len() + 128);
    macro_rules! write {
        ($($element:pat => $type:ty),*) => {
            match element {
                $($element => {
                    let options = npyz::WriteOptions::new().dtype(DType::Plain(name)).shape(&shape);
                    let mut writer = options.writer(&mut out).begin_nd()?;
                    for value in bytes.chunks_exact(size_of::<$type>()) {
                        let mut fixed = [0; size_of::<$type>()];
                        fixed.copy_from_slice(value);
                        writer.push(&<$type>::from_le_bytes(fixed))?;
                    }
                    writer.finish()?;
                })*
            }
        };
    }
    write!(
        Element::U8 => u8, Element::I8 => i8, Element::U16 | Element::Bf16 => u16, Element::I16 => i16,
        Element::U32 => u32, Element::I32 => i32, Element::U64 => u64, Element::I64 => i64,
        Element::F16 => f16, Element::F32 => f32, Element::F64 => f64
    );
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_is_what_numpy_writes() {
        let bytes = file(Element::F32, &[2, 3], &[0; 24]).expect("as many bytes as elements");
        assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
        let header = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        assert_eq!(((10 + header) % 64, bytes.len()), (0, 10 + header + 24));
        let text = std::str::from_utf8(&bytes[10..10 + header]).expect("text");
        assert!(text.starts_with("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3"), "{text}");
        assert!(text.ends_with('\n'));
    }
}
