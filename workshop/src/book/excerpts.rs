//! The parts of files that the book's pages show.
//!
//! mdBook includes a part of a file by line numbers, which shift silently when a line is added above, or by
//! anchors, which kernels don't carry: learners read them as they are, and the record of measurements names
//! their bytes. So a page says in words which lines it means, in a comment above the block for each include
//! in it, and the numbers follow from that:
//!
//! ````markdown
//! <!-- from `    for (int stride` to `    }` -->
//! ```cpp
//! {{#include ../../../solutions/03-reduction/kernel.cu:38:43}}
//! ```
//! ````
//!
//! The part begins at the only line that begins with the first text, and ends at the first line from
//! there on that begins with the second. With `before` for `to` that line isn't part of it; without
//! either it ends with the file.

use std::{collections::VecDeque, fmt, fs, path::Path};

use crate::{regenerate::messages::is_made, texts::Text};

/// Where the pages are, below the course's root.
const FOLDERS: [&str; 2] = ["book/src", "book/src/chapters"];

/// What an include begins with.
const INCLUDE: &str = "{{#include ";

/// What is wrong with a page's include.
#[derive(Debug, PartialEq)]
pub struct Problem {
    /// The page and the line of the include, or of the comment that none follows.
    pub place: String,
    /// What was expected, and what was found.
    pub what: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}

/// Every page, by its path below the root, with the line numbers of its includes as they should be.
/// `made` are the generated files that pages include.
///
/// # Errors
/// Each include that names no file, no anchor, or lines that its page doesn't describe
/// or the file doesn't have.
pub fn pages(root: &Path, made: &[Text]) -> Result<Vec<Text>, Vec<Problem>> {
    let (mut pages, mut problems) = (Vec::new(), Vec::new());
    for folder in FOLDERS {
        let mut names: Vec<_> = fs::read_dir(root.join(folder))
            .map(|entries| {
                entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
            })
            .unwrap_or_default();
        names.sort();
        for name in names.iter().filter(|name| name.ends_with(".md")) {
            let page = format!("{folder}/{name}");
            let Ok(text) = fs::read_to_string(root.join(&page)) else { continue };
            // What is generated may be missing, or be there as it was: it will be as it is made.
            let read = |path: &str| {
                let made = made.iter().find(|(made, _)| made.ends_with(path.trim_start_matches("../")));
                let fresh = made.map(|(_, text)| text.clone());
                let on_disk = || fs::read_to_string(root.join(folder).join(path)).ok();
                fresh.or_else(on_disk).or_else(|| is_made(path).then(String::new))
            };
            pages.push((page.clone(), numbered(&page, &text, &read, &mut problems)));
        }
    }
    if problems.is_empty() { Ok(pages) } else { Err(problems) }
}

/// The page with its includes' line numbers as its comments ask for them.
fn numbered(
    page: &str,
    text: &str,
    read: &dyn Fn(&str) -> Option<String>,
    problems: &mut Vec<Problem>,
) -> String {
    let mut fresh = String::new();
    let mut described: VecDeque<(usize, Excerpt<'_>)> = VecDeque::new();
    let unused = |(number, _): (usize, Excerpt<'_>)| Problem {
        place: format!("{page}:{number}"),
        what: "describes lines, and no include of lines follows".to_owned(),
    };
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        if let Some(excerpt) = Excerpt::parse(line.trim_end()) {
            described.push_back((number, excerpt));
        }
        let Some((before, path, lines, after)) = include(line) else {
            fresh.push_str(line);
            continue;
        };
        let by_number =
            lines.is_some_and(|lines| lines.starts_with(|c: char| c.is_ascii_digit() || c == ':'));
        if !by_number {
            problems.extend(described.drain(..).map(unused));
        }
        let found = match (read(path), lines) {
            (None, _) => Err(format!("there is no {path}")),
            (Some(file), Some(_)) if by_number => match described.pop_front() {
                Some((_, excerpt)) => excerpt.lines(&file),
                None => Err(format!("{path} by line numbers: put <!-- from `…` to `…` --> above the block")),
            },
            (Some(file), Some(anchor)) if !file.contains(&format!("ANCHOR: {anchor}\n")) => {
                Err(format!("{path} has no anchor {anchor}"))
            }
            (_, lines) => Ok(lines.unwrap_or_default().to_owned()),
        };
        match found {
            Ok(lines) => {
                let colon = if lines.is_empty() { "" } else { ":" };
                fresh.push_str(&format!("{before}{INCLUDE}{path}{colon}{lines}}}}}{after}"));
            }
            Err(what) => {
                problems.push(Problem { place: format!("{page}:{number}"), what });
                fresh.push_str(line);
            }
        }
    }
    problems.extend(described.into_iter().map(unused));
    fresh
}

/// A line's include: what is before it, the path, the lines or the anchor, what is after it.
fn include(line: &str) -> Option<(&str, &str, Option<&str>, &str)> {
    let (before, rest) = line.split_once(INCLUDE)?;
    let (target, after) = rest.split_once("}}")?;
    let (path, lines) = target.split_once(':').map_or((target, None), |(path, lines)| (path, Some(lines)));
    Some((before, path, lines, after))
}

/// Which lines a page means.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Excerpt<'a> {
    from: &'a str,
    end: End<'a>,
}

/// Where the lines end.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End<'a> {
    To(&'a str),
    Before(&'a str),
    File,
}

impl<'a> Excerpt<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let texts = line.strip_prefix("<!-- from `")?.strip_suffix("` -->")?;
        let (from, end) = if let Some((from, to)) = texts.split_once("` to `") {
            (from, End::To(to))
        } else if let Some((from, before)) = texts.split_once("` before `") {
            (from, End::Before(before))
        } else {
            (texts, End::File)
        };
        Some(Self { from, end })
    }

    /// The lines as mdBook wants them, counted from 1, both ends included.
    fn lines(self, file: &str) -> Result<String, String> {
        let begins: Vec<usize> =
            (1..).zip(file.lines()).filter(|(_, line)| line.starts_with(self.from)).map(|(i, _)| i).collect();
        let &[first] = begins.as_slice() else {
            return Err(format!(
                "expected one line that begins with `{}`, found {}",
                self.from,
                begins.len()
            ));
        };
        let (text, more) = match self.end {
            End::To(text) => (text, 0),
            End::Before(text) => (text, 1),
            End::File => return Ok(format!("{first}:")),
        };
        let last = (1..).zip(file.lines()).skip(first - 1 + more).find(|(_, line)| line.starts_with(text));
        last.map(|(last, _)| format!("{first}:{}", last - more))
            .ok_or_else(|| format!("no line from {} on begins with `{text}`", first + more))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KERNEL: &str = "// header\n\nvoid f() {\n    for (;;) {\n        g();\n    }\n}\n// ANCHOR: end\n";

    fn page(text: &str) -> (String, Vec<String>) {
        let mut problems = Vec::new();
        let read = |path: &str| (path == "f.cu").then(|| KERNEL.to_owned());
        let fresh = numbered("page.md", text, &read, &mut problems);
        (fresh, problems.iter().map(Problem::to_string).collect())
    }

    #[test]
    fn numbers_follow_the_texts() {
        let text = "<!-- from `    for (` to `    }` -->\n```cpp\n{{#include f.cu:1:2}}\n```\n";
        assert_eq!(page(text), (text.replace("1:2", "4:6"), Vec::new()));
        let text = "<!-- from `    for (` before `}` -->\n```cpp\n{{#include f.cu:1:2}}\n```\n";
        assert_eq!(page(text), (text.replace("1:2", "4:6"), Vec::new()));
        let text = "<!-- from `void f` -->\n```cpp\n{{#include f.cu:1:2}}\n```\n";
        assert_eq!(page(text), (text.replace("1:2", "3:"), Vec::new()));
        let text = "<!-- from `void` to `void` -->\n<!-- from `}` -->\n{{#include f.cu:1:1}}\n{{#include f.cu:2:2}}\n";
        assert_eq!(page(text), (text.replace("1:1", "3:3").replace("2:2", "7:"), Vec::new()));
        let text = "{{#include f.cu}} {{title}}\n{{#include f.cu:end}}\n";
        assert_eq!(page(text), (text.to_owned(), Vec::new()));
    }

    #[test]
    fn an_include_that_nothing_guards_is_refused() {
        let refused = |text: &str, what: &str| {
            let (fresh, problems) = page(text);
            assert_eq!(fresh, text);
            assert_eq!(problems.len(), 1, "{problems:?}");
            assert!(problems[0].contains(what), "{problems:?}");
        };
        refused("{{#include f.cu:3:7}}\n", "page.md:1: f.cu by line numbers");
        refused("{{#include f.cu::7}}\n", "by line numbers");
        refused("{{#include g.cu}}\n", "there is no g.cu");
        refused("{{#include f.cu:start}}\n", "no anchor start");
        refused(
            "<!-- from `int` -->\n{{#include f.cu:3:}}\n",
            "expected one line that begins with `int`, found 0",
        );
        refused("<!-- from `//` -->\n{{#include f.cu:3:}}\n", "found 2");
        refused("<!-- from `    }` to `    for` -->\n{{#include f.cu:3:}}\n", "no line from 6 on");
        refused("<!-- from `void` -->\n{{#include f.cu}}\n", "page.md:1: describes lines");
        refused("<!-- from `void` -->\n", "describes lines");
    }
}
