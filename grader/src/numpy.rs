//! NumPy's `.npy` files as buffers' bytes, and back.
//!
//! Types must match exactly: a silent conversion would hide which numbers a kernel was really given.

use std::{fs, io::Cursor, path::Path};

use half::f16;
use harness::plan::Element;
use npyz::{DType, Deserialize, NpyFile, Order, TypeStr, WriterBuilder};

use crate::{
    exit::{Result, Trouble},
    files,
    specification::type_name,
};

/// NumPy's name of an element type: `f4` for f32. bf16 has none and travels as the bits in `u2`.
fn numpy_type(element: Element) -> &'static str {
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

/// The element type that a file itself says it has.
///
/// # Errors
/// Wrong usage: no such file, no `.npy` file, or a type that kernels have no use for.
pub fn element(path: &Path) -> Result<Element> {
    let found = found_type(&open(path)?);
    let all = [
        Element::U8,
        Element::I8,
        Element::U16,
        Element::I16,
        Element::U32,
        Element::I32,
        Element::U64,
        Element::I64,
        Element::F16,
        Element::F32,
        Element::F64,
    ];
    all.into_iter().find(|element| found.get(1..) == Some(numpy_type(*element))).ok_or_else(|| {
        let message = format!("{} holds {found}, but kernels read plain numbers", path.display());
        Trouble::usage(message, "convert it in NumPy with .astype, for example to '<f4'")
    })
}

fn open(path: &Path) -> Result<NpyFile<Cursor<Vec<u8>>>> {
    let bytes = fs::read(path).map_err(|error| {
        Trouble::usage(
            format!("could not read {}: {}", path.display(), files::explain(&error)),
            "name a .npy file that exists",
        )
    })?;
    NpyFile::new(Cursor::new(bytes)).map_err(|error| damaged(path, &error))
}

fn damaged(path: &Path, error: &dyn std::fmt::Display) -> Trouble {
    Trouble::usage(format!("{} is no .npy file: {error}", path.display()), "save it again with numpy.save")
}

fn found_type(file: &NpyFile<Cursor<Vec<u8>>>) -> String {
    match file.dtype() {
        DType::Plain(found) => found.to_string(),
        other => other.descr(),
    }
}

/// Reads a file of exactly this type; gives little-endian bytes in C order and the shape.
///
/// # Errors
/// Wrong usage: what was expected and what the file has.
pub fn read(path: &Path, element: Element) -> Result<(Vec<u8>, Vec<usize>)> {
    let place = path.display();
    let file = open(path)?;
    let wanted = numpy_type(element);
    let found = found_type(&file);
    if found.get(1..) != Some(wanted) {
        let next = format!("convert it in NumPy with .astype('<{wanted}'), or give the argument its type");
        let message = format!("{place} holds {found}, but {} needs <{wanted}", type_name(element));
        return Err(Trouble::usage(message, next));
    }
    if file.order() == Order::Fortran && file.shape().len() > 1 {
        let next = "save numpy.ascontiguousarray(array) instead";
        return Err(Trouble::usage(format!("{place} is in Fortran order; buffers are in C order"), next));
    }
    let shape: Vec<usize> = file.shape().iter().map(|extent| *extent as usize).collect();
    let bytes = match element {
        Element::U8 => little_endian(file, |value: u8| value.to_le_bytes()),
        Element::I8 => little_endian(file, |value: i8| value.to_le_bytes()),
        Element::U16 | Element::Bf16 => little_endian(file, |value: u16| value.to_le_bytes()),
        Element::I16 => little_endian(file, |value: i16| value.to_le_bytes()),
        Element::U32 => little_endian(file, |value: u32| value.to_le_bytes()),
        Element::I32 => little_endian(file, |value: i32| value.to_le_bytes()),
        Element::U64 => little_endian(file, |value: u64| value.to_le_bytes()),
        Element::I64 => little_endian(file, |value: i64| value.to_le_bytes()),
        Element::F16 => little_endian(file, |value: f16| value.to_le_bytes()),
        Element::F32 => little_endian(file, |value: f32| value.to_le_bytes()),
        Element::F64 => little_endian(file, |value: f64| value.to_le_bytes()),
    };
    bytes.map(|bytes| (bytes, shape)).map_err(|error| damaged(path, &error))
}

fn little_endian<T: Deserialize, const N: usize>(
    file: NpyFile<Cursor<Vec<u8>>>,
    bytes: impl Fn(T) -> [u8; N],
) -> std::io::Result<Vec<u8>> {
    let values = file.data::<T>().map_err(std::io::Error::other)?;
    let mut all = Vec::with_capacity(values.len() as usize * N);
    for value in values {
        all.extend_from_slice(&bytes(value?));
    }
    Ok(all)
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
    fn files_come_back_as_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npy");
        for element in
            [Element::U8, Element::I16, Element::F16, Element::Bf16, Element::F32, Element::U64, Element::F64]
        {
            let bytes: Vec<u8> = (0..6 * element.bytes()).map(|i| i as u8 + 1).collect();
            fs::write(&path, file(element, &[2, 3], &bytes).unwrap()).unwrap();
            let bits = if element == Element::Bf16 { Element::U16 } else { element };
            assert_eq!(super::element(&path).unwrap(), bits);
            assert_eq!(read(&path, element).unwrap(), (bytes, vec![2, 3]));
        }
        let error = read(&path, Element::F32).unwrap_err();
        assert!(error.message.contains("holds <f8, but f32 needs <f4"), "{error}");
        fs::write(&path, b"\x93NUMPY junk").unwrap();
        assert!(read(&path, Element::F32).is_err());
    }
}
