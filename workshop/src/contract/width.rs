//! What a report of a kernel looks like in a terminal of the usual width: no line runs over it where words can break.

use grader::{
    check::render::{self, COMMANDS},
    excerpt::too_wide,
    terminal::Terminal,
};
use harness::report::Report;

/// Columns of the narrowest terminal that reports are made for.
const WIDTH: usize = 80;
/// And its lines.
const ROWS: usize = 24;

/// The first line that is too wide, in words.
pub fn problem(report: &Report) -> Option<String> {
    let terminal = Terminal { width: WIDTH, rows: ROWS, colour: false, plain: false };
    let texts = [render::report(report, terminal), render::brief(report, terminal, ROWS, COMMANDS)];
    let line = texts.iter().find_map(|text| too_wide(text, WIDTH))?;
    Some(format!("a line of its report is wider than {WIDTH} columns: {}", line.trim()))
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
}
