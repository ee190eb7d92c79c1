//! Zip files that are the same bytes for the same content, wherever and whenever they are made.

use std::io::{Cursor, Write as _};

use zip::{CompressionMethod, ZipWriter, result::ZipResult, write::SimpleFileOptions};

/// An archive of files, each by its name in the archive, in this order.
///
/// # Errors
/// A name twice. Writing itself is to memory.
pub fn zip<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> ZipResult<Vec<u8>> {
    // The time is the format's first, for every file.
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .compression_level(Some(6))
        .last_modified_time(zip::DateTime::default())
        .unix_permissions(0o644);
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        archive.start_file(name, options)?;
        archive.write_all(content)?;
    }
    Ok(archive.finish()?.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_same_for_the_same_files_and_has_no_name_twice() {
        let files = [("ada.html", &b"<p>"[..]), ("bob.html", b"")];
        assert_eq!(zip(files).unwrap(), zip(files).unwrap());
        assert!(zip([files[0], files[0]]).is_err());
    }
}
