//! The book as a release carries it, one compressed archive, and the folder that it is unpacked to.
//!
//! The folder's name has the archive's hash, so that no version shows another one's pages. The folder appears by one rename,
//! and whoever finds it compares every page with the archive: what a full disk, a power cut or a tidy hand has left of a
//! book is unpacked anew.

use std::{
    fs,
    io::{self, ErrorKind, Read as _},
    path::{Path, PathBuf},
};

use flate2::read::GzDecoder;

use crate::{
    exit::{Result, Trouble},
    files::explain,
    visible::shown,
};

/// What to do where the cache can't be written.
pub const KEEP_IT_ELSEWHERE: &str = "make room or mend the permissions there, or keep it elsewhere: `export CUDA_GRADER_CACHE=\"$PWD/cuda-grader\"`";

/// Characters of the hash that are in a folder's name.
const HASH: usize = 16;

/// How often another process may come in between.
const TRIES: usize = 3;

/// A file of the book: its path in it, and its bytes.
type Page = (PathBuf, Vec<u8>);

/// The folder with the book, unpacked to the cache where it isn't there whole.
///
/// # Errors
/// A cache that can't be written; a damaged program.
pub fn unpacked(packed: &[u8], cache: &Path) -> Result<PathBuf> {
    let pages = pages(packed).map_err(|error| {
        Trouble::judge(format!("the book in this program is damaged: {error}"), "install the program again")
    })?;
    let folder = cache.join(format!("book-{}", &blake3::hash(packed).to_hex()[..HASH]));
    if !is_whole(&folder, &pages) {
        put(&pages, &folder, cache).map_err(|error| {
            Trouble::judge(
                format!("could not unpack the book into {}: {}", shown(cache), explain(&error)),
                KEEP_IT_ELSEWHERE,
            )
        })?;
    }
    Ok(folder)
}

/// All that is in the archive.
fn pages(packed: &[u8]) -> io::Result<Vec<Page>> {
    let mut archive = tar::Archive::new(GzDecoder::new(packed));
    let mut pages = Vec::new();
    for entry in archive.entries()? {
        let mut entry = entry?;
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes)?;
        pages.push((entry.path()?.into_owned(), bytes));
    }
    Ok(pages)
}

/// Whether every page is in the folder, byte for byte.
fn is_whole(folder: &Path, pages: &[Page]) -> bool {
    pages.iter().all(|(path, bytes)| fs::read(folder.join(path)).is_ok_and(|found| found == *bytes))
}

/// Writes the pages to a folder beside the one that is meant, and gives it that one's name.
fn put(pages: &[Page], folder: &Path, cache: &Path) -> io::Result<()> {
    fs::create_dir_all(cache)?;
    // Gone when this ends, however it ends.
    let aside = tempfile::Builder::new().prefix(".book-").tempdir_in(cache)?;
    let new = aside.path().join("new");
    for (path, bytes) in pages {
        let path = new.join(path);
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(path, bytes)?;
    }
    for attempt in 0..TRIES {
        match fs::rename(&new, folder) {
            Err(error) if is_taken(&error) => {}
            done => return done,
        }
        // Another process was faster.
        if is_whole(folder, pages) {
            return Ok(());
        }
        match fs::rename(folder, aside.path().join(format!("damaged-{attempt}"))) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    fs::rename(&new, folder)
}

/// Whether something has the name already.
fn is_taken(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::DirectoryNotEmpty | ErrorKind::AlreadyExists | ErrorKind::NotADirectory)
}

#[cfg(test)]
mod tests {
    use std::{process::Command, thread};

    use super::*;

    /// The source's pages, as a release's script packs those that are built.
    fn packed() -> Vec<u8> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let program = "import pathlib, sys, packed; book = pathlib.Path('book/src'); \
                       sys.stdout.buffer.write(packed.tar_gz([(file, 0o644, (book / file).read_bytes()) \
                       for file in packed.files(book)], 315532800))";
        let made = Command::new("python3")
            .args(["-B", "-c", program])
            .current_dir(root)
            .env("PYTHONPATH", "release")
            .output()
            .expect("python3");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        made.stdout
    }

    fn entries(folder: &Path) -> usize {
        fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn what_a_release_packs_is_unpacked_once_and_whole() {
        let (packed, home) = (packed(), tempfile::tempdir().unwrap());
        let cache = home.path().join("not/there/yet");
        let book = unpacked(&packed, &cache).unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../book/src");
        for page in ["SUMMARY.md", "chapters/03-reduction.md", "images/report.svg"] {
            assert_eq!(fs::read(book.join(page)).unwrap(), fs::read(source.join(page)).unwrap(), "{page}");
        }
        let made = book.join("SUMMARY.md").metadata().unwrap().modified().unwrap();
        assert_eq!(unpacked(&packed, &cache).unwrap(), book);
        assert_eq!(book.join("SUMMARY.md").metadata().unwrap().modified().unwrap(), made, "it was there");
        assert_eq!(entries(&cache), 1, "something is left behind");
        assert_eq!(packed, self::packed(), "the same files make other bytes");
    }

    #[test]
    fn a_part_of_a_book_is_not_trusted() {
        let (packed, cache) = (packed(), tempfile::tempdir().unwrap());
        let book = unpacked(&packed, cache.path()).unwrap();
        let page = book.join("chapters/03-reduction.md");
        let text = fs::read(&page).unwrap();
        let damages: [&dyn Fn(); 4] = [
            &|| fs::remove_file(&page).unwrap(),
            &|| fs::write(&page, "").unwrap(),
            &|| fs::remove_dir_all(&book).unwrap(),
            // A name that is taken by no folder.
            &|| fs::remove_dir_all(&book).and_then(|()| fs::write(&book, "")).unwrap(),
        ];
        for damage in damages {
            damage();
            assert_eq!(unpacked(&packed, cache.path()).unwrap(), book);
            assert_eq!(fs::read(&page).unwrap(), text);
            assert_eq!(entries(cache.path()), 1);
        }
    }

    #[test]
    fn several_at_once_have_one_book() {
        let (packed, cache) = (packed(), tempfile::tempdir().unwrap());
        thread::scope(|scope| {
            let unpack = || scope.spawn(|| unpacked(&packed, cache.path()).unwrap());
            let books = [unpack(), unpack(), unpack(), unpack()].map(|one| one.join().unwrap());
            assert!(books.iter().all(|book| *book == books[0]));
        });
        assert_eq!(entries(cache.path()), 1);
    }

    #[test]
    fn a_cache_that_can_t_be_written_is_named_with_what_to_do() {
        let home = tempfile::tempdir().unwrap();
        let cache = home.path().join("file");
        fs::write(&cache, "").unwrap();
        let trouble = unpacked(&packed(), &cache).unwrap_err();
        assert!(trouble.message.contains("file: "), "{trouble}");
        assert!(trouble.next.contains("CUDA_GRADER_CACHE"), "{}", trouble.next);
        let damaged = unpacked(&packed()[..1000], home.path()).unwrap_err();
        assert!(damaged.next.contains("install"), "{damaged}");
        assert_eq!(entries(home.path()), 1, "nothing of it is left");
    }
}
