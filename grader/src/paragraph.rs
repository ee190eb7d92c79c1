//! Text in lines that fit the terminal. A line is broken at a space and nowhere else: names, paths and commands are for
//! copying. A word that is wider than the terminal has a line of its own and runs over its edge.

use std::borrow::Cow;

use textwrap::{Options, WordSeparator, WordSplitter};

/// A text in lines of so many columns.
pub fn fill(text: &str, width: usize) -> String {
    indented(text, width, "", "")
}

/// The same; `first` stands before the first line, `rest` before each of the others.
pub fn indented(text: &str, width: usize, first: &str, rest: &str) -> String {
    broken(text, options(width).initial_indent(first).subsequent_indent(rest)).join("\n")
}

/// The lines of a text.
pub fn lines(text: &str, width: usize) -> Vec<Cow<'_, str>> {
    broken(text, options(width))
}

fn options(width: usize) -> Options<'static> {
    Options::new(width)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .break_words(false)
}

#[expect(clippy::disallowed_methods, reason = "everything else comes here")]
fn broken<'t>(text: &'t str, options: Options<'_>) -> Vec<Cow<'t, str>> {
    textwrap::wrap(text, options)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_word_is_whole_and_in_its_place(text in "([-a-z/_×…`,]{1,30} {1,2}){0,40}", width in 1usize..60) {
            let said = indented(&text, width, "> ", "  ");
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            let expected = match words(&text) {
                words if words.is_empty() => words,
                words => [vec![">".to_owned()], words].concat(),
            };
            prop_assert_eq!(words(said.trim_end_matches("> ")), expected);
            for line in said.lines().filter(|line| line.chars().count() > width.max(3)) {
                prop_assert_eq!(words(line.trim_start_matches("> ")).len(), 1, "{} could be broken", line);
            }
        }
    }

    #[test]
    fn what_looks_like_a_hyphen_breaks_no_name() {
        assert_eq!(fill("see target/release-files/cuda-grader", 10), "see\ntarget/release-files/cuda-grader");
    }
}
