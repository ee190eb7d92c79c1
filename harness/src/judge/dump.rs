//! Writes a case's inputs, outputs and expected outputs as `.npy`, for a learner who wants to look at them.

use std::{
    fs,
    io::{self, Write as _},
    path::Path,
};

use crate::{
    device::Output,
    exercise::Case,
    fill,
    plan::{Element, Plan},
};

/// Writes `FOLDER/CASE-DEVICE/BUFFER.{input,output,expected}.npy`.
pub(super) fn dump(
    folder: &Path,
    case: &Case,
    device: &str,
    plan: &Plan,
    outputs: &[Output],
) -> io::Result<()> {
    let folder = folder.join(format!("case-{}-{}", case.index, device.replace(':', "-")));
    fs::create_dir_all(&folder)?;
    for buffer in &plan.buffers {
        if let Some(contents) = fill::contents(buffer) {
            let path = folder.join(format!("{}.input.npy", buffer.name));
            write_npy(&path, buffer.element, &buffer.shape, &contents)?;
        }
    }
    for output in outputs {
        let buffer = &plan.buffers[output.buffer.0];
        let path = folder.join(format!("{}.output.npy", buffer.name));
        write_npy(&path, buffer.element, &buffer.shape, &output.bytes.0)?;
    }
    for expectation in &plan.expectations {
        let buffer = &plan.buffers[expectation.buffer.0];
        let path = folder.join(format!("{}.expected.npy", buffer.name));
        let expected = &expectation.expected.0;
        match expectation.range {
            None => write_npy(&path, buffer.element, &buffer.shape, expected)?,
            Some(_) => {
                write_npy(&path, buffer.element, &[expected.len() / buffer.element.bytes()], expected)?
            }
        }
    }
    Ok(())
}

/// Writes one array (format version 1.0, little-endian, C order). NumPy has no bfloat16: it comes as `u2`.
pub fn write_npy(path: &Path, element: Element, shape: &[usize], bytes: &[u8]) -> io::Result<()> {
    let descriptor = match element {
        Element::U8 => "|u1",
        Element::I8 => "|i1",
        Element::U16 | Element::Bf16 => "<u2",
        Element::I16 => "<i2",
        Element::F16 => "<f2",
        Element::U32 => "<u4",
        Element::I32 => "<i4",
        Element::F32 => "<f4",
        Element::U64 => "<u8",
        Element::I64 => "<i8",
        Element::F64 => "<f8",
    };
    let extents: String = shape.iter().map(|extent| format!("{extent}, ")).collect();
    let mut header =
        format!("{{'descr': '{descriptor}', 'fortran_order': False, 'shape': ({}), }}", extents.trim_end());
    // The magic, the version and the header's length take 10 bytes; data starts at a multiple of 64.
    let padding = 63 - (10 + header.len()) % 64;
    header.push_str(&" ".repeat(padding));
    header.push('\n');
    let mut file = io::BufWriter::new(fs::File::create(path)?);
    file.write_all(b"\x93NUMPY\x01\x00")?;
    file.write_all(&u16::try_from(header.len()).map_err(io::Error::other)?.to_le_bytes())?;
    file.write_all(header.as_bytes())?;
    file.write_all(bytes)?;
    file.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_is_what_numpy_writes() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("a.npy");
        write_npy(&path, Element::F32, &[2, 3], &[0; 24]).expect("it can be written");
        let bytes = fs::read(&path).expect("it can be read");
        assert_eq!(bytes.len(), 128 + 24);
        assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
        assert_eq!(u16::from_le_bytes([bytes[8], bytes[9]]), 118);
        let header = std::str::from_utf8(&bytes[10..128]).expect("text");
        assert!(
            header.starts_with("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3,), }"),
            "{header}"
        );
        assert!(header.ends_with('\n'));
    }
}
