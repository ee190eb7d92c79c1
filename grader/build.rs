//! Puts the packed book into the program where the build names one, as a release's does: `GRADER_BOOK` is its file.

use std::{env, fs, path::Path};

/// The variable with the packed book's path.
const PACKED: &str = "GRADER_BOOK";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={PACKED}");
    let out = env::var_os("OUT_DIR").expect("cargo names a folder for what this makes");
    let book = match env::var_os(PACKED).filter(|path| !path.is_empty()) {
        Some(path) => {
            let path = Path::new(&path);
            println!("cargo::rerun-if-changed={}", path.to_str().expect("a path in UTF-8"));
            fs::read(path).unwrap_or_else(|error| panic!("{PACKED} names a file that can't be read: {error}"))
        }
        None => Vec::new(),
    };
    fs::write(Path::new(&out).join("book.tar.gz"), book).expect("a folder to write to");
}
