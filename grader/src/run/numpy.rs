//! NumPy's `.npy` files as buffers' bytes. The way back is `harness::npy`.
//!
//! Types must match exactly: a silent conversion would hide which numbers a kernel was really given.

use std::{
    fs,
    io::{Cursor, Read as _},
    path::Path,
};

use half::f16;
use harness::{npy::numpy_type, plan::Element};
use npyz::{DType, Deserialize, NpyFile, Order};

use crate::{
    exit::{Result, Trouble},
    files,
    visible::shown,
};

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
        let message = format!("{} holds {found}, but kernels read plain numbers", shown(path));
        Trouble::usage(message, "convert it in NumPy with .astype, for example to '<f4'")
    })
}

fn open(path: &Path) -> Result<NpyFile<Cursor<Vec<u8>>>> {
    let bytes = fs::read(path).map_err(|error| {
        Trouble::usage(
            format!("could not read {}: {}", shown(path), files::explain(&error)),
            "name a .npy file that exists",
        )
    })?;
    NpyFile::new(Cursor::new(bytes)).map_err(|error| damaged(path, &error))
}

fn damaged(path: &Path, error: &dyn std::fmt::Display) -> Trouble {
    Trouble::usage(format!("{} is no .npy file: {error}", shown(path)), "save it again with numpy.save")
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
    let place = shown(path);
    let file = open(path)?;
    let wanted = numpy_type(element);
    let found = found_type(&file);
    if found.get(1..) != Some(wanted) {
        let next = format!("convert it in NumPy with .astype('<{wanted}'), or give the argument its type");
        let message = format!("{place} holds {found}, but {} needs <{wanted}", element.name());
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

/// The bytes of a file's only element, whatever its type: a record is a structure.
///
/// # Errors
/// Wrong usage: what the file has instead.
pub fn record(path: &Path) -> Result<Vec<u8>> {
    let place = shown(path);
    let file = open(path)?;
    let (dtype, count) = (file.dtype(), file.len());
    let found = found_type(&file);
    if count != 1 {
        let next = "save one record of the array, for example array[:1]";
        return Err(Trouble::usage(format!("{place} holds {count} elements, but an argument is one"), next));
    }
    if is_big_endian(&dtype) {
        let next = "give its dtype little-endian types, such as '<f4'";
        return Err(Trouble::usage(format!("{place} holds {found}, but GPUs are little-endian"), next));
    }
    let Some(size) = dtype.num_bytes() else {
        let next = "save a record of plain numbers";
        return Err(Trouble::usage(format!("{place} holds {found}, which is Python's own"), next));
    };
    // What the header promises, the file need not have.
    let mut bytes = Vec::new();
    let read = file.into_inner().take(size as u64).read_to_end(&mut bytes);
    match read.map_err(|error| damaged(path, &error))? {
        all if all == size => Ok(bytes),
        some => Err(damaged(path, &format!("its header says {size} bytes, and {some} follow"))),
    }
}

/// Whether some number in it begins with its greatest byte.
fn is_big_endian(dtype: &DType) -> bool {
    match dtype {
        DType::Plain(plain) => plain.endianness() == npyz::Endianness::Big,
        DType::Array(_, inner) => is_big_endian(inner),
        DType::Record(fields) => fields.iter().any(|field| is_big_endian(&field.dtype)),
    }
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

#[cfg(test)]
mod tests {
    use harness::npy::file;

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
