//! What a report of a kernel looks like in a terminal of the usual width: no line runs over it where words can break, and
//! no word is broken.

use std::collections::BTreeSet;

use grader::{
    check::render::{self, COMMANDS},
    excerpt::too_wide,
    terminal::Terminal,
};
use harness::report::Report;

/// Columns of the narrowest terminal that reports are made for.
const WIDTH: usize = 80;
/// That terminal.
pub(super) const SMALL: Terminal = Terminal { width: WIDTH, rows: 24, colour: false, plain: false };
/// No line is broken here.
const ENDLESS: usize = 10_000;

/// The first line that is too wide, or the first part of a word, in words.
pub fn problem(report: &Report) -> Option<String> {
    let texts = [render::report(report, SMALL), render::brief(report, SMALL, SMALL.rows, COMMANDS)];
    if let Some(line) = texts.iter().find_map(|text| too_wide(text, WIDTH)) {
        return Some(format!("a line of its report is wider than {WIDTH} columns: {}", line.trim()));
    }
    let whole = render::report(report, Terminal { width: ENDLESS, ..SMALL });
    let part = first_part(&texts[0], &whole)?;
    Some(format!("its report in {WIDTH} columns has `{part}`, which is no word of it: {}", report.exercise))
}

/// A word of a text that the same text in one line a paragraph has not.
fn first_part<'t>(text: &'t str, whole: &str) -> Option<&'t str> {
    let words: BTreeSet<&str> = whole.split_whitespace().collect();
    // A line of the source is cut, and says so.
    let is_cut = |word: &str| ["…", "..."].iter().any(|dots| word.starts_with(dots) || word.ends_with(dots));
    text.split_whitespace()
        .find(|word| word.contains(char::is_alphanumeric) && !words.contains(word) && !is_cut(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn a_line_that_could_be_broken_is_a_problem() {
        assert_eq!(problem(&sample::failed()), None);
        let mut report = sample::failed();
        report.title = "word ".repeat(30);
        assert!(problem(&report).is_some_and(|problem| problem.contains("wider than 80 columns: ")));
        report.title = "w".repeat(100);
        assert!(problem(&report).is_some(), "the id stands before it");
    }

    #[test]
    fn a_part_of_a_word_is_a_problem() {
        let whole = "error: block_max waits for shared_load_requests";
        assert_eq!(first_part("error: block_max waits\nfor shared_load_requests", whole), None);
        assert_eq!(first_part("error: block_max waits for shared_lo…", whole), None, "a line of the source");
        assert_eq!(
            first_part("error: block_max waits for shared_load\n_requests", whole),
            Some("shared_load")
        );
    }
}
