//! What of a page is on the screen where it is longer than that: the learner reads on by pages.
//!
//! It knows lines and how wide a terminal is, and nothing of what they say.

use colored::Colorize as _;
use textwrap::core::display_width;

/// How far a page was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Lines before the first that is shown.
    top: usize,
}

/// Lines of the page before that are shown again, so that the eye finds where it was.
const AGAIN: usize = 2;

impl Reading {
    /// The part of a page that fits so many rows. What follows is told in the last of them.
    pub fn shown(self, page: &str, rows: usize, width: usize) -> String {
        let lines: Vec<&str> = page.lines().skip(self.top).collect();
        let fitting = fitting(&lines, rows, width);
        if fitting == lines.len() {
            return lines.join("\n");
        }
        let fitting = fitting_with_a_word(&lines, rows, width);
        let left = match lines.len() - fitting {
            1 => "… 1 more line; space shows it".to_owned(),
            left => format!("… {left} more lines; space shows them"),
        };
        format!("{}\n{}", lines[..fitting].join("\n"), left.dimmed())
    }

    /// One screen on, where there is more.
    pub fn on(&mut self, page: &str, rows: usize, width: usize) {
        let lines: Vec<&str> = page.lines().skip(self.top).collect();
        if fitting(&lines, rows, width) < lines.len() {
            let shown = fitting_with_a_word(&lines, rows, width);
            self.top += shown.saturating_sub(AGAIN).max(1);
        }
    }

    /// One screen back.
    pub fn back(&mut self, page: &str, rows: usize, width: usize) {
        let before: Vec<&str> = page.lines().take(self.top + AGAIN).collect();
        let reversed: Vec<&str> = before.iter().rev().copied().collect();
        self.top = before.len() - fitting_with_a_word(&reversed, rows, width);
    }
}

/// How many of the lines fit so many rows.
fn fitting(lines: &[&str], rows: usize, width: usize) -> usize {
    let mut room = rows;
    let fits = |line: &&&str| {
        let left = room.checked_sub(display_width(line).div_ceil(width.max(1)).max(1));
        room = left.unwrap_or(0);
        left.is_some()
    };
    lines.iter().take_while(fits).count()
}

/// The same, above a row that says how many are left; at least one, whatever the terminal.
fn fitting_with_a_word(lines: &[&str], rows: usize, width: usize) -> usize {
    fitting(lines, rows.saturating_sub(1), width).max(1).min(lines.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(count: usize) -> String {
        (1..=count).map(|number| format!("line {number}\n")).collect()
    }

    #[test]
    fn a_page_that_fits_is_shown_whole() {
        colored::control::set_override(false);
        assert_eq!(Reading::default().shown(&numbered(3), 3, 80), "line 1\nline 2\nline 3");
        let mut reading = Reading::default();
        reading.on(&numbered(3), 3, 80);
        assert_eq!(reading, Reading::default(), "there is nothing more");
    }

    #[test]
    fn a_long_page_is_read_to_its_end_and_back() {
        colored::control::set_override(false);
        let page = numbered(20);
        let mut reading = Reading::default();
        let mut seen = Vec::new();
        for _ in 0..10 {
            let shown = reading.shown(&page, 6, 80);
            assert!(shown.lines().count() <= 6, "{shown}");
            seen.extend(shown.lines().map(str::to_owned));
            reading.on(&page, 6, 80);
        }
        assert!(page.lines().all(|line| seen.iter().any(|seen| seen == line)), "{seen:?}");
        assert!(seen[5].contains("15 more lines"), "{seen:?}");
        assert!(reading.shown(&page, 6, 80).ends_with("line 20"));
        for _ in 0..10 {
            reading.back(&page, 6, 80);
        }
        assert_eq!(reading, Reading::default());
    }

    #[test]
    fn a_line_that_the_terminal_breaks_takes_its_rows() {
        colored::control::set_override(false);
        let page = format!("{}\nshort\nlast", "x".repeat(25));
        assert_eq!(Reading::default().shown(&page, 4, 10).lines().count(), 2);
        let shown = Reading::default().shown(&page, 1, 10);
        assert!(shown.ends_with("2 more lines; space shows them"), "{shown}");
    }
}
