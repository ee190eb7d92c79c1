//! What the book's pages and the README show of other files, and the tables that are made.
//!
//! A page reads as it is, also on a code host, which follows no include of mdBook. So what a page shows stands in it,
//! between two comments, of which the first says what it is:
//!
//! ````markdown
//! <!-- made by `workshop book`: solutions/03-reduction/kernel.cu from `    for (int stride` to `    }` -->
//! ```cpp
//! ```
//! <!-- end -->
//! ````
//!
//! - A file is named from the course's root. By itself it is shown as a whole.
//! - ``from `TEXT` to `TEXT` `` shows the only line that begins with the first text and all to the first line from there on that
//!   begins with the second; with `before` for `to` without that line; without either to the end of the file.
//! - Several such parts of a file follow each other, with `and` between them.
//! - ``anchor `NAME` `` shows what stands between the lines `ANCHOR: NAME` and `ANCHOR_END: NAME`.
//! - `table NAME` shows a table that `workshop book` makes.
//!
//! A file's ending says how it is shown: `.md` as it is, all else as code.

use std::{fmt, fs, path::Path};

use crate::{regenerate::messages::is_made, texts::Text};

/// Where the pages are, below the course's root, and the one that is there by itself.
const FOLDERS: [&str; 2] = ["book/src", "book/src/chapters"];
const README: &str = "README.md";

/// What the comment before the shown text begins with.
const BEGIN: &str = "<!-- made by `workshop book`: ";
/// What ends it.
const CLOSE: &str = " -->";
/// The comment after the shown text.
const END: &str = "<!-- end -->";
/// What an include of mdBook begins with.
const INCLUDE: &str = "{{#";

/// What is wrong with a page.
#[derive(Debug, PartialEq)]
pub struct Problem {
    /// The page and the line.
    pub place: String,
    /// What was expected, and what was found.
    pub what: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}

/// Every page and the README, by path below the root, with what they show as it is now. `tables` are those that can be
/// shown, by name.
///
/// # Errors
/// Each comment that names no file, no table, or lines that the file doesn't have, and each include of mdBook.
pub fn pages(root: &Path, tables: &[Text]) -> Result<Vec<Text>, Vec<Problem>> {
    let (mut pages, mut problems) = (Vec::new(), Vec::new());
    let find = |source: Source<'_>| match source {
        Source::Table(name) => {
            let table = tables.iter().find(|(table, _)| table == name);
            table.map_or(Found::Nothing, |(_, text)| Found::Text(text.clone()))
        }
        Source::File(path) => match fs::read_to_string(root.join(path)) {
            Ok(text) => Found::Text(text),
            // It is made before the book is; until then the page keeps what it has.
            Err(_) if is_made(path) => Found::Later,
            Err(_) => Found::Nothing,
        },
    };
    for page in names(root) {
        let Ok(text) = fs::read_to_string(root.join(&page)) else { continue };
        let fresh = filled(&page, &text, &find, &mut problems);
        pages.push((page, fresh));
    }
    if problems.is_empty() { Ok(pages) } else { Err(problems) }
}

/// The pages' paths below the root.
fn names(root: &Path) -> Vec<String> {
    let mut names = vec![README.to_owned()];
    for folder in FOLDERS {
        let entries = fs::read_dir(root.join(folder)).into_iter().flatten().flatten();
        let mut pages: Vec<String> = entries
            .map(|entry| format!("{folder}/{}", entry.file_name().to_string_lossy()))
            .filter(|name| name.ends_with(".md"))
            .collect();
        pages.sort();
        names.append(&mut pages);
    }
    names
}

/// What a comment asks for.
enum Found {
    Text(String),
    Later,
    Nothing,
}

/// The page with what it shows as `find` has it.
fn filled(page: &str, text: &str, find: &dyn Fn(Source<'_>) -> Found, problems: &mut Vec<Problem>) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut fresh = String::new();
    let mut fence = Fence::default();
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        fresh.push_str(line);
        at += 1;
        let place = format!("{page}:{at}");
        let mut wrong = |what: String| problems.push(Problem { place: place.clone(), what });
        if fence.has(line) {
            continue;
        }
        if line.contains(INCLUDE) {
            wrong(format!(
                "a code host shows `{INCLUDE}…` as it is: put `{BEGIN}…{CLOSE}` and `{END}` there"
            ));
        }
        let Some(asked) = line.strip_prefix(BEGIN) else { continue };
        let until = |mark: &str| lines[at..].iter().position(|line| line.starts_with(mark));
        let Some(length) = until(END).filter(|end| until(BEGIN).is_none_or(|next| *end < next)) else {
            wrong(format!("expected `{END}` below"));
            continue;
        };
        let new = shown(asked.trim_end(), find).unwrap_or_else(|what| {
            wrong(what);
            None
        });
        fresh.push_str(&new.unwrap_or_else(|| lines[at..at + length].concat()));
        at += length;
    }
    fresh
}

/// What the comment asks for, as the page shows it; none if it is made later.
fn shown(asked: &str, find: &dyn Fn(Source<'_>) -> Found) -> Result<Option<String>, String> {
    let asked = asked.strip_suffix(CLOSE).ok_or_else(|| format!("expected `{CLOSE}` at the line's end"))?;
    let (source, parts) = parsed(asked)?;
    let text = match find(source) {
        Found::Text(text) => text,
        Found::Later => return Ok(None),
        Found::Nothing => return Err(format!("there is no {source}")),
    };
    let mut shown = String::new();
    for part in &parts {
        let lines = part.of(&text).map_err(|what| format!("{source}: {what}"))?;
        shown.extend(lines.into_iter().flat_map(|line| [line, "\n"]));
    }
    if parts.is_empty() {
        shown = text.trim_end().to_owned() + "\n";
    }
    if shown.lines().any(|line| line.starts_with(END)) {
        return Err(format!("{source} has a line `{END}` of its own"));
    }
    Ok(Some(match source.language() {
        Some(language) => format!("```{language}\n{shown}```\n"),
        None => shown,
    }))
}

/// Where something shown comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Source<'a> {
    /// By its path below the root.
    File(&'a str),
    /// By its name.
    Table(&'a str),
}

impl fmt::Display for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => f.write_str(path),
            Self::Table(name) => write!(f, "table {name}"),
        }
    }
}

impl Source<'_> {
    /// What a block of code with it is called; none if it is no code.
    fn language(&self) -> Option<&'static str> {
        let Self::File(path) = self else { return None };
        match Path::new(path).extension()?.to_str()? {
            "md" => None,
            "cu" | "cuh" => Some("cpp"),
            "rs" => Some("rust,ignore"),
            _ => Some("text"),
        }
    }
}

/// A part of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Part<'a> {
    /// From the only line that begins so.
    From(&'a str, End<'a>),
    /// Between the two lines that name it.
    Anchor(&'a str),
}

/// Where a part ends.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End<'a> {
    To(&'a str),
    Before(&'a str),
    File,
}

/// The source that a comment names, and the parts.
fn parsed(asked: &str) -> Result<(Source<'_>, Vec<Part<'_>>), String> {
    if let Some(name) = asked.strip_prefix("table ") {
        return Ok((Source::Table(name), Vec::new()));
    }
    let (path, mut rest) = asked.split_once(' ').unwrap_or((asked, ""));
    let mut parts = Vec::new();
    while !rest.is_empty() {
        let (part, after) = part(rest).ok_or_else(|| {
            format!("expected from `…` [to `…`] or [before `…`], or anchor `…`, found {rest}")
        })?;
        parts.push(part);
        rest = after.strip_prefix(" and ").unwrap_or(after);
    }
    Ok((Source::File(path), parts))
}

/// The first part, and what follows it.
fn part(text: &str) -> Option<(Part<'_>, &str)> {
    if let Some((anchor, rest)) = quoted(text, "anchor ") {
        return Some((Part::Anchor(anchor), rest));
    }
    let (from, rest) = quoted(text, "from ")?;
    if let Some((to, rest)) = quoted(rest, " to ") {
        return Some((Part::From(from, End::To(to)), rest));
    }
    if let Some((before, rest)) = quoted(rest, " before ") {
        return Some((Part::From(from, End::Before(before)), rest));
    }
    Some((Part::From(from, End::File), rest))
}

/// What stands in backticks behind a word, and what follows it.
fn quoted<'a>(text: &'a str, word: &str) -> Option<(&'a str, &'a str)> {
    text.strip_prefix(word)?.strip_prefix('`')?.split_once('`')
}

impl Part<'_> {
    /// Its lines.
    fn of<'a>(&self, file: &'a str) -> Result<Vec<&'a str>, String> {
        let lines: Vec<&str> = file.lines().collect();
        match *self {
            Self::Anchor(name) => {
                let find = |mark: String| lines.iter().position(|line| line.ends_with(&mark));
                match (find(format!("ANCHOR: {name}")), find(format!("ANCHOR_END: {name}"))) {
                    (Some(first), Some(end)) if first < end => Ok(lines[first + 1..end].to_vec()),
                    _ => Err(format!("no lines between ANCHOR: {name} and ANCHOR_END: {name}")),
                }
            }
            Self::From(from, end) => {
                let begins: Vec<usize> = (0..lines.len()).filter(|&i| lines[i].starts_with(from)).collect();
                let &[first] = begins.as_slice() else {
                    return Err(format!(
                        "expected one line that begins with `{from}`, found {}",
                        begins.len()
                    ));
                };
                let last = |after: usize, text: &str| {
                    (after..lines.len())
                        .find(|&i| lines[i].starts_with(text))
                        .ok_or_else(|| format!("no line from {} on begins with `{text}`", after + 1))
                };
                let end = match end {
                    End::To(text) => last(first, text)? + 1,
                    End::Before(text) => last(first + 1, text)?,
                    End::File => lines.len(),
                };
                Ok(lines[first..end].to_vec())
            }
        }
    }
}

/// Follows a page's blocks of code from line to line.
#[derive(Default)]
pub struct Fence(Option<usize>);

impl Fence {
    /// Whether the line is in a block of code, or begins or ends one.
    pub fn has(&mut self, line: &str) -> bool {
        let ticks = line.trim_start().bytes().take_while(|byte| *byte == b'`').count();
        match self.0 {
            None if ticks >= 3 => self.0 = Some(ticks),
            None => return false,
            Some(open) if ticks >= open => self.0 = None,
            Some(_) => {}
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KERNEL: &str = "// header\n\nvoid f() {\n    for (;;) {\n        g();\n    }\n}\n// ANCHOR: end\nint last;\n// ANCHOR_END: end\n";

    fn page(text: &str) -> (String, Vec<String>) {
        let mut problems = Vec::new();
        let find = |source: Source<'_>| match source {
            Source::File("f.cu") => Found::Text(KERNEL.to_owned()),
            Source::File("f.md") | Source::Table("t") => {
                Found::Text("| a |\n|---|\n| b |\n| c |\n".to_owned())
            }
            Source::File("later.txt") => Found::Later,
            _ => Found::Nothing,
        };
        let fresh = filled("page.md", text, &find, &mut problems);
        (fresh, problems.iter().map(Problem::to_string).collect())
    }

    fn block(asked: &str, inside: &str) -> String {
        format!("a\n\n<!-- made by `workshop book`: {asked} -->\n{inside}<!-- end -->\n\nb\n")
    }

    #[test]
    fn what_is_shown_follows_its_source() {
        let shows = |asked: &str, inside: &str| {
            for old in ["", "old\n", "```cpp\nold\n```\n"] {
                assert_eq!(page(&block(asked, old)), (block(asked, inside), Vec::new()));
            }
        };
        shows("f.cu from `    for (` to `    }`", "```cpp\n    for (;;) {\n        g();\n    }\n```\n");
        shows("f.cu from `    for (` before `}`", "```cpp\n    for (;;) {\n        g();\n    }\n```\n");
        shows("f.cu from `// ANCHOR_END`", "```cpp\n// ANCHOR_END: end\n```\n");
        shows(
            "f.cu from `void` to `void` and from `int`",
            "```cpp\nvoid f() {\nint last;\n// ANCHOR_END: end\n```\n",
        );
        shows("f.cu anchor `end`", "```cpp\nint last;\n```\n");
        shows("f.cu", &format!("```cpp\n{KERNEL}```\n"));
        shows("f.md from `| b`", "| b |\n| c |\n");
        shows("table t", "| a |\n|---|\n| b |\n| c |\n");
        let text = block("later.txt", "kept\n");
        assert_eq!(page(&text), (text, Vec::new()));
    }

    #[test]
    fn code_that_shows_such_comments_is_left_alone() {
        let text = format!("````markdown\n{}````\n{{{{no include}}}}\n", block("f.cu", "```cpp\n```\n"));
        assert_eq!(page(&text), (text, Vec::new()));
    }

    #[test]
    fn what_cannot_be_shown_is_refused() {
        let refused = |text: String, what: &str| {
            let (fresh, problems) = page(&text);
            assert_eq!(fresh, text);
            assert_eq!(problems.len(), 1, "{problems:?}");
            assert!(problems[0].contains(what), "{problems:?}");
        };
        refused("{{#include f.cu}}\n".to_owned(), "page.md:1: a code host shows `{{#…`");
        refused(block("g.cu", "old\n"), "page.md:3: there is no g.cu");
        refused(block("table g", "old\n"), "there is no table g");
        refused(block("f.cu anchor `start`", ""), "no lines between ANCHOR: start");
        refused(block("f.cu from `int f`", ""), "expected one line that begins with `int f`, found 0");
        refused(block("f.cu from `//`", ""), "found 3");
        refused(block("f.cu from `    }` to `    for`", ""), "no line from 6 on");
        refused(block("f.cu lines 3 to 7", ""), "found lines 3 to 7");
        refused("<!-- made by `workshop book`: f.cu -->\n".to_owned(), "expected `<!-- end -->` below");
        let twice = format!(
            "<!-- made by `workshop book`: f.cu -->\n{}",
            block("table t", "| a |\n|---|\n| b |\n| c |\n")
        );
        refused(twice, "page.md:1: expected `<!-- end -->`");
    }
}
