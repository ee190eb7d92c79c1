//! Text in lines that fit the terminal. A line is broken at a space and nowhere else: names, paths and commands are for
//! copying. A word that is wider than the terminal has a line of its own and runs over its edge.

use std::borrow::Cow;

use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm, wrap_algorithms::Penalties};

/// What a column over the edge costs: more than any lines that are not as even as they could be. The library's own
/// penalty lets a line run over the edge for the sake of the others.
const OVER_THE_EDGE: usize = 1 << 24;

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
    let penalties = Penalties { overflow_penalty: OVER_THE_EDGE, ..Penalties::new() };
    Options::new(width)
        .wrap_algorithm(WrapAlgorithm::OptimalFit(penalties))
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
    fn no_line_runs_over_the_edge_for_even_ones() {
        // Found by the property above: in the library's own balance the first line has 60 columns.
        let text = "/,a×,…,…/a…,a…,,×/  ×……,,/×a//…///aaa  aa,,aa,a×…×…//,/,…/ a_//…a/…/a_×,………_a/ a…,//a,…×…,×aa×/aa \
                    aa,a/…aa×……/, ×,/×,a,a…/a/,/a…aaa…×a…,a ,/×,… ××//a,…a…a…/a……a,a,…×,×aa… a a … , ";
        let lines: Vec<String> = indented(text, 59, "> ", "  ").lines().map(str::to_owned).collect();
        assert!(lines.iter().all(|line| line.chars().count() <= 59), "{lines:#?}");
    }

    #[test]
    fn what_looks_like_a_hyphen_breaks_no_name() {
        assert_eq!(fill("see target/release-files/cuda-grader", 10), "see\ntarget/release-files/cuda-grader");
    }
}
