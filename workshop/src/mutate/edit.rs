//! One change to a kernel's text, and the mutant that it makes.

use std::{ops::Range, path::PathBuf};

use clap::ValueEnum;
use serde::Serialize;

/// What kind of mistake a mutant is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// Barriers, fences, masks and waits.
    Synchronization,
    /// Atomics, scopes, memory orders, `volatile`, `__ldg`.
    Memory,
    /// Comparisons and guards.
    Condition,
    /// Indices, bounds and dimensions.
    Index,
    /// Terms, constants and operations.
    Value,
    /// Fewer bits than a value or index needs.
    Width,
    /// A statement left out.
    Removal,
    /// One block, warp, lane or value treated differently.
    Special,
}

/// A change to a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The bytes that go.
    pub range: Range<usize>,
    /// What comes in their place.
    pub with: String,
    /// A header that it needs, e.g. `cuda_fp16.h`.
    pub header: Option<&'static str>,
    /// The kind of mistake.
    pub family: Family,
    /// What it does, in words and code: "remove `__syncthreads();`".
    pub what: String,
}

/// A kernel with one change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mutant {
    /// The kernel's path below the course's root.
    pub file: PathBuf,
    /// Where the change is, both from 1.
    pub line: usize,
    /// Column in characters.
    pub column: usize,
    /// The kind of mistake.
    pub family: Family,
    /// What it does.
    pub what: String,
    /// The line's text before the change.
    pub code: String,
    /// Which of several with the same file, code and words, from 1.
    pub number: usize,
    /// The mutant's whole text.
    #[serde(skip)]
    pub text: String,
}

impl Edit {
    /// The text with this change.
    pub fn apply(&self, text: &str) -> String {
        let include = self.header.map(|header| format!("#include <{header}>\n")).unwrap_or_default();
        [&include, &text[..self.range.start], &self.with, &text[self.range.end..]].concat()
    }
}

/// Code on one line, cut where it is long.
pub fn short(code: &str) -> String {
    const LONGEST: usize = 72;
    let line = code.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{} …", line[..at].trim_end()),
        None => line,
    }
}
