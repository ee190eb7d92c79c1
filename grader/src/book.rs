//! `grader explain --book`: the book, where its reader can open it. A release has it inside and unpacks it; a program that
//! was built in a checkout takes the pages that mdBook made there.

mod browser;
mod packed;
mod topic;

use std::path::PathBuf;

use harness::toolchain::cache_folder;

use self::topic::Page;
use crate::{
    course::Course,
    exit::{Exit, Result, Trouble},
    folder::{current_directory, is_checkout},
    terminal::Terminal,
    visible::{one_line, shown},
};

/// The book as a release carries it; empty in any other program.
const PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/book.tar.gz"));

/// Where a checkout has the pages: where a release's build puts them, and where `mdbook build book` does.
const BUILT: [&str; 2] = ["target/book", "book/book"];

/// The first page.
const INDEX: &str = "index.html";

/// A page of the book that is there to be opened.
pub struct Opened {
    /// What it is, for people.
    what: String,
    /// Its file.
    path: PathBuf,
    /// The same with the place in it, as browsers take it.
    address: String,
    /// A browser was asked to show it.
    asked: bool,
}

/// Runs `explain --book`: says where the page of a topic is, and opens it in a browser where there is one.
///
/// # Errors
/// A topic that no page is about; a book that is not there, or can't be unpacked.
pub fn run(course: Course<'_>, topic: &str, terminal: Terminal) -> Result<Exit> {
    let opened = open(course, topic, terminal)?;
    match browser::sees(terminal) {
        true => crate::print(&in_words(&opened)),
        // Nothing but the path, for whoever gives it to another program or has it read aloud.
        false => crate::print(&format!("{}\n", shown(&opened.path))),
    }
    Ok(Exit::Passed)
}

/// Opens the page of a topic, the first page without one.
///
/// # Errors
/// As [`run`].
pub fn open(course: Course<'_>, topic: &str, terminal: Terminal) -> Result<Opened> {
    let book = folder()?;
    let Page { what, file, anchor } = topic::page(course, topic, &book)?;
    let path = book.join(file);
    let address = browser::address(&path, anchor.as_deref());
    let asked = browser::sees(terminal) && browser::open(&address);
    Ok(Opened { what, path, address, asked })
}

/// What became of it, in lines for a terminal. The address has its own line and is never broken: terminals make it a link.
pub fn in_words(opened: &Opened) -> String {
    let Opened { what, address, asked, .. } = opened;
    let done = match asked {
        true => "A browser was asked to show it.",
        false => "Open this address in a browser.",
    };
    format!("{what}:\n  {}\n{done}\n", one_line(address))
}

/// The folder with the book's pages.
fn folder() -> Result<PathBuf> {
    if !PACKED.is_empty() {
        let cache = cache_folder().map_err(|error| {
            Trouble::judge(format!("the book can't be unpacked: {error}"), packed::KEEP_IT_ELSEWHERE)
        })?;
        return packed::unpacked(PACKED, &cache);
    }
    let here = current_directory()?;
    let Some(checkout) = here.ancestors().find(|folder| is_checkout(folder)) else {
        return Err(Trouble::judge(
            "this program was built without the book, and the current folder is in no checkout of the course",
            "type this in the checkout, where `mdbook build book` makes the book; a release has the book inside",
        ));
    };
    let built = BUILT.iter().map(|folder| checkout.join(folder));
    let made =
        built.filter_map(|folder| Some((folder.join(INDEX).metadata().ok()?.modified().ok()?, folder)));
    // Of two the newer one: it has what was written last.
    made.max().map(|(_, folder)| folder).ok_or_else(|| {
        Trouble::judge(
            format!("this program was built without the book, and {} has no pages of it yet", shown(checkout)),
            "`mdbook build book` makes them there; if there is no mdbook, `cargo install mdbook` comes before",
        )
    })
}
