//! `grader explain`: what a word of a report means, with an example and the chapter. The texts are two pages of the book.

mod aliases;

use std::borrow::Cow;

use colored::Colorize as _;
use harness::report::SCHEMA;
use schemars::JsonSchema;
use serde::Serialize;
use textwrap::core::display_width;

use crate::{
    book,
    cli::{Explain, Format},
    course::Course,
    exit::{Exit, Result, Trouble},
    paragraph,
    terminal::Terminal,
};

/// Findings, goals, verdicts and counters: a section each.
const PAGE: &str = include_str!("../../book/src/words.md");
/// Terms: a section each.
const GLOSSARY: &str = include_str!("../../book/src/glossary.md");
/// Shorter beginnings of a word name none.
const LEAST_BEGINNING: usize = 3;

/// What `explain` writes.
#[derive(Serialize, JsonSchema)]
pub struct Explanations {
    /// The version of this format.
    schema: u32,
    /// The word asked for; all words where none was.
    words: Vec<Explanation>,
}

/// One word.
#[derive(Clone, Copy, Serialize, JsonSchema)]
pub struct Explanation {
    /// As reports or chapters have it.
    word: &'static str,
    /// Where it comes from.
    of: WordOf,
    /// What it means, in Markdown; links are relative to the book's pages.
    text: &'static str,
}

/// Where a word comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WordOf {
    /// A finding's kind, a goal, a verdict or a counter of reports.
    Reports,
    /// A term of the course.
    Glossary,
}

/// Runs it.
///
/// # Errors
/// A word that nobody explains; a book that can't be opened.
pub fn run(course: Course<'_>, explain: &Explain, terminal: Terminal) -> Result<Exit> {
    let asked = explain.words.join(" ");
    if explain.book {
        return book::run(course, &asked, terminal);
    }
    let found: Vec<Explanation> = match asked.is_empty() {
        true => words().collect(),
        false => vec![find(&asked).ok_or_else(|| unknown(&asked))?],
    };
    match (explain.format, found.as_slice()) {
        (Format::Json, _) => crate::print_json(&Explanations { schema: SCHEMA, words: found })?,
        (Format::Text, [one]) => crate::print(&in_text(one, terminal)),
        (Format::Text, _) => crate::print(&all(terminal)),
    }
    Ok(Exit::Passed)
}

/// What the first of these words means that is explained.
pub fn first_of(words: &[&str], terminal: Terminal) -> Option<String> {
    words.iter().find_map(|word| explained(word, terminal))
}

/// What a word means.
fn explained(word: &str, terminal: Terminal) -> Option<String> {
    find(word).map(|found| in_text(&found, terminal))
}

/// The word itself; what else people call it; its plural; or what begins only this word.
fn find(word: &str) -> Option<Explanation> {
    let wanted = plain(word);
    let one = wanted.strip_suffix('s').unwrap_or(&wanted);
    let named = |wanted: &str| words().find(|known| plain(known.word) == wanted);
    let meant = |wanted: &str| named(&plain(aliases::meant(wanted)?));
    named(&wanted).or_else(|| meant(&wanted)).or_else(|| named(one)).or_else(|| meant(one)).or_else(|| {
        match beginning(&wanted).as_slice() {
            [only] => named(&plain(only)),
            _ => None,
        }
    })
}

/// The words that begin like this.
fn beginning(wanted: &str) -> Vec<&'static str> {
    let mut all: Vec<&str> = Vec::new();
    if wanted.len() >= LEAST_BEGINNING {
        let begin = words().map(|known| known.word).filter(|known| plain(known).starts_with(wanted));
        begin.for_each(|word| {
            if !all.contains(&word) {
                all.push(word)
            }
        });
    }
    all
}

fn in_text(found: &Explanation, terminal: Terminal) -> String {
    format!("{}\n\n{}\n", found.word.bold(), laid_out(found.text, terminal))
}

/// All words, those of reports first.
fn words() -> impl Iterator<Item = Explanation> {
    let of =
        |of| move |(word, text): (&'static str, &'static str)| Explanation { word, of, text: text.trim() };
    sections().map(of(WordOf::Reports)).chain(terms().map(of(WordOf::Glossary)))
}

/// All words that are explained.
fn all(terminal: Terminal) -> String {
    let list = |title: &str, words: Vec<&str>| {
        format!("{}\n{}\n", title.bold(), paragraph::indented(&words.join(", "), terminal.width, "  ", "  "))
    };
    let words = list("Findings, goals, verdicts, counters", sections().map(|(name, _)| name).collect());
    let terms = list("Terms", terms().map(|(name, _)| name).collect());
    let ways =
        "`grader explain WORD` says what one means; `grader explain --book WORD` opens the book there.";
    format!("{words}\n{terms}\n{}\n", paragraph::fill(ways, terminal.width))
}

/// Where in the book a word is explained: the word, the page and the place in it.
pub fn place(word: &str) -> Option<(&'static str, &'static str, String)> {
    let found = find(word)?;
    let page = match found.of {
        WordOf::Reports => "words.html",
        WordOf::Glossary => "glossary.html",
    };
    Some((found.word, page, anchor(found.word)))
}

/// What mdBook calls a heading's place.
fn anchor(heading: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    heading.chars().filter(kept).collect::<String>().to_lowercase().replace(' ', "-")
}

/// What to do about a word that nothing explains.
pub fn unknown(word: &str) -> Trouble {
    let wanted = plain(word);
    let names = sections().chain(terms()).map(|(name, _)| name);
    let several = beginning(&wanted);
    if !several.is_empty() {
        return Trouble::usage(
            format!("`{word}` begins several words: {}", several.join(", ")),
            "name one of them; `grader explain` lists all words",
        );
    }
    let nearest = names
        .map(|name| (strsim::damerau_levenshtein(&plain(name), &wanted), name))
        .filter(|(distance, name)| *distance <= 2.max(name.len() / 3))
        .min();
    let next = match nearest {
        Some((_, name)) => format!("did you mean `{name}`? `grader explain` lists all words"),
        None => "`grader explain` lists all words".to_owned(),
    };
    Trouble::usage(format!("nothing explains `{word}`"), next)
}

/// The page's sections: heading and text.
fn sections() -> impl Iterator<Item = (&'static str, &'static str)> {
    parts(PAGE, "\n### ")
}

/// The glossary's terms: name and text.
fn terms() -> impl Iterator<Item = (&'static str, &'static str)> {
    parts(GLOSSARY, "\n## ")
}

/// A page's parts below headings of one kind.
fn parts(page: &'static str, heading: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    page.split(heading).skip(1).filter_map(|part| {
        let (name, text) = part.split_once('\n')?;
        Some((name.trim_matches('`'), text.split("\n## ").next().unwrap_or(text)))
    })
}

/// As people type it: `Bank conflict`, `bank_conflict`, `[race]`, `__syncthreads()`.
fn plain(word: &str) -> String {
    let letters = word.trim().trim_matches(['`', '[', ']', '"', '(', ')', ';']);
    let name = letters.rsplit('/').next().unwrap_or(letters);
    let name = name.to_lowercase().replace(['_', '-', ','], " ");
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Paragraphs filled, code as it is, links as their words.
fn laid_out(text: &str, terminal: Terminal) -> String {
    let blocks = text.split("\n\n").map(|block| match block.strip_prefix("```") {
        Some(code) => {
            let (language, code) = code.split_once('\n').unwrap_or_default();
            let lines = code.trim_end_matches("```").lines();
            match language {
                // A picture, whose lines go together.
                "text" => lines.map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n"),
                _ => lines.map(|line| example(line, terminal.width)).collect::<Vec<_>>().join("\n"),
            }
        }
        None => paragraph::fill(&linkless(&block.replace('\n', " ")).replace('*', ""), terminal.width),
    });
    blocks.collect::<Vec<_>>().join("\n\n")
}

/// A line of an example, indented. Of one that is too long the comment stands above it, and the rest is broken at spaces.
fn example(line: &str, width: usize) -> String {
    let whole = format!("    {line}");
    if display_width(&whole) <= width {
        return whole;
    }
    let indent = &whole[..whole.len() - whole.trim_start().len()];
    match line.split_once("//") {
        Some((code, comment)) => {
            let slashes = format!("{indent}// ");
            let comment = paragraph::indented(comment.trim(), width, &slashes, &slashes);
            match code.trim_end() {
                "" => comment,
                code => format!("{comment}\n{}", example(code, width)),
            }
        }
        None => paragraph::indented(line.trim_start(), width, indent, &format!("{indent}    ")),
    }
}

/// `[words](address)` as `words`.
fn linkless(text: &str) -> Cow<'_, str> {
    let link = || {
        let open = text.find('[')?;
        let middle = open + text[open..].find("](")?;
        let close = middle + text[middle..].find(')')?;
        Some((open, middle, close))
    };
    match link() {
        Some((open, middle, close)) => {
            let rest = linkless(&text[close + 1..]);
            format!("{}{}{rest}", &text[..open], &text[open + 1..middle]).into()
        }
        None => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use harness::report::{Goal, Verdict};
    use strum::VariantArray as _;
    use warpsim::FindingKind;

    use super::*;
    use crate::{check::render, formats::KernelResult, sample};

    const PLAIN: Terminal = Terminal { width: 80, rows: usize::MAX, colour: false, plain: false };

    #[test]
    fn every_word_of_a_report_is_explained() {
        let kinds = FindingKind::VARIANTS.iter().map(|kind| kind.name());
        for word in kinds.chain(Goal::all().map(|goal| goal.name())) {
            let text =
                explained(word, PLAIN).unwrap_or_else(|| panic!("`{word}` has no section in words.md"));
            assert!(text.lines().count() >= 5, "{text}");
            assert!(text.contains("Chapter"), "no chapter: {text}");
        }
        for (name, text) in sections() {
            let has_example = ["cuda", "text"].iter().any(|of| text.contains(&format!("\n```{of}\n")));
            assert!(has_example, "`{name}` has no example: {text}");
        }
    }

    #[test]
    fn every_status_of_a_report_is_explained() {
        let verdicts = [Verdict::Passed, Verdict::Failed, Verdict::Inconclusive, Verdict::Unmeasured];
        let verdicts = verdicts.map(Verdict::name);
        let others = [render::NOT_STARTED, "not judged", "judge error", "speed unmeasured", "seed"];
        for word in verdicts.iter().chain(&others) {
            assert!(find(word).is_some(), "nothing explains `{word}`");
        }
        // What a report, a table and an annotation say at their ends is among these words.
        for report in [sample::passed(), sample::failed()] {
            let summary = KernelResult::of_check(&report).summary;
            assert!(summary.split(", ").all(|word| find(word).is_some()), "{summary}");
        }
    }

    #[test]
    fn no_line_of_any_text_is_wider_than_the_terminal() {
        for width in [80, 100, 120] {
            let terminal = Terminal { width, ..PLAIN };
            let texts = words().map(|word| in_text(&word, terminal)).chain([all(terminal)]);
            for text in texts {
                assert!(text.lines().all(|line| display_width(line) <= width), "{width}: {text}");
            }
        }
    }

    #[test]
    fn the_comment_of_a_long_line_stands_above_it() {
        let line = "  out[i] = tile[n - 1 - t];   // written by another thread, perhaps not yet";
        assert_eq!(
            example(line, 40),
            "      // written by another thread,\n      // perhaps not yet\n      out[i] = tile[n - 1 - t];"
        );
        assert_eq!(example("a = bcd + efg;", 12), "    a = bcd\n        +\n        efg;");
    }

    #[test]
    fn every_term_has_an_example_and_a_chapter() {
        assert!(terms().count() > 50);
        for (name, text) in terms() {
            let paragraphs: Vec<&str> = text.trim().split("\n\n").collect();
            let [meaning, .., chapter] = paragraphs.as_slice() else { panic!("{name}: {text}") };
            assert!(!meaning.starts_with(char::is_lowercase) && meaning.ends_with('.'), "{name}: {meaning}");
            assert!(text.contains("\n```cuda\n") || text.contains("\n```text\n"), "{name} has no example");
            assert!(chapter.starts_with("Chapter "), "{name} names no chapter: {chapter}");
        }
    }

    #[test]
    fn what_people_call_a_word_finds_it() {
        for (asked, word) in [
            ("data race", "race"),
            ("races", "race"),
            ("sync", "barrier"),
            ("__syncthreads()", "barrier"),
            ("bank conflicts", "bank conflict"),
            ("shared bank conflicts", "shared_bank_conflicts"),
            ("uninit", "uninitialized_read"),
            ("Grid Stride Loop", "grid-stride loop"),
            ("producer", "producer, consumer"),
            ("consumers", "producer, consumer"),
            ("out of bounds", "out_of_bounds"),
            ("segfault", "out_of_bounds"),
            ("lookback", "look-back"),
            ("SM", "multiprocessor"),
        ] {
            assert_eq!(find(asked).map(|found| found.word), Some(word), "{asked}");
        }
        for (_, word) in aliases::ALL {
            assert!(words().any(|known| known.word == *word), "an alias for `{word}`, which is no word");
        }
        for (alias, word) in aliases::ALL {
            assert_eq!(plain(alias), *alias, "nobody could type it");
            let own = words().find(|known| plain(known.word) == *alias);
            assert!(own.is_none(), "`{alias}` is a word of its own, not `{word}`");
        }
        let several = unknown("global");
        assert!(several.message.contains("global_load_requests, global_load_sectors"), "{several}");
        assert!(find("wa").is_none() && find("").is_none());
    }

    #[test]
    fn a_word_is_found_as_people_type_it() {
        for word in ["bank conflict", "Bank_Conflict", "bank-conflict"] {
            assert!(explained(word, PLAIN).is_some_and(|text| text.contains("wavefront")), "{word}");
        }
        assert_eq!(explained("clean/race", PLAIN), explained("[race]", PLAIN));
        assert!(unknown("racee").next.contains("`race`"));
        assert!(unknown("quantum").next.starts_with("`grader explain`"));
    }

    #[test]
    fn links_become_their_words() {
        assert_eq!(linkless("see [this](a.md), [that](b.md)."), "see this, that.");
    }
}
