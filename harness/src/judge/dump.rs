//! Writes a case's inputs, outputs and expected outputs as `.npy`, for a learner who wants to look at them.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::{
    compare,
    device::Output,
    exercise::Case,
    fill, npy,
    plan::{Buffer, Bytes, Element, Plan},
};

/// Writes `FOLDER/CASE-DEVICE/BUFFER.{input,output,expected}.npy`, and says into which folder.
pub(super) fn dump(
    folder: &Path,
    case: &Case,
    device: &str,
    plan: &Plan,
    outputs: &[Output],
) -> io::Result<PathBuf> {
    let folder = folder.join(format!("case-{}-{}", case.index, device.replace(':', "-")));
    fs::create_dir_all(&folder)?;
    for buffer in &plan.buffers {
        if let Some(contents) = fill::contents(buffer) {
            let path = folder.join(file_name(buffer, "input"));
            write(&path, buffer.element, &buffer.shape, &contents)?;
        }
    }
    for output in outputs {
        let buffer = &plan.buffers[output.buffer.0];
        let path = folder.join(file_name(buffer, "output"));
        write(&path, buffer.element, &buffer.shape, &output.bytes.0)?;
    }
    for expectation in &plan.expectations {
        let buffer = &plan.buffers[expectation.buffer.0];
        let path = folder.join(file_name(buffer, "expected"));
        let listed = compare::listed(&plan.buffers, expectation);
        // What only a GPU knows is not written.
        let Some(Bytes(expected)) = &listed else { continue };
        match expectation.range {
            None => write(&path, buffer.element, &buffer.shape, expected)?,
            Some(_) => write(&path, buffer.element, &[expected.len() / buffer.element.bytes()], expected)?,
        }
    }
    Ok(folder)
}

/// `launch-2-out.expected.npy`: a name for shells, too.
fn file_name(buffer: &Buffer, what: &str) -> String {
    format!("{}.{what}.npy", buffer.name.replace("'s ", "-").replace(' ', "-"))
}

fn write(path: &Path, element: Element, shape: &[usize], bytes: &[u8]) -> io::Result<()> {
    fs::write(path, npy::file(element, shape, bytes)?)
}
