//! What the terminal can show: colour, width, progress. Decided once; everything that prints asks here.

use std::{
    env,
    io::{self, IsTerminal, Write as _},
};

use colored::Colorize;

use crate::exit::Trouble;

/// The width of what is written to a pipe or file.
const PIPE_WIDTH: usize = 100;
/// Longer lines are hard to read, however wide the window.
const GREATEST_WIDTH: usize = 120;
/// Narrower windows wrap by themselves.
const LEAST_WIDTH: usize = 40;

/// The terminal on standard output, or what stands in for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terminal {
    /// Columns to fill at the most.
    pub width: usize,
    /// Whether to colour.
    pub colour: bool,
}

impl Terminal {
    /// Looks at standard output and the environment: `NO_COLOR` wins, then `CLICOLOR_FORCE`, then whether it
    /// is a terminal that is not dumb. Sets the colour of this process.
    pub fn detect() -> Self {
        let set = |name| env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0");
        let dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
        let terminal = io::stdout().is_terminal();
        let colour = !set("NO_COLOR") && (set("CLICOLOR_FORCE") || (terminal && !dumb));
        let width = match terminal_size::terminal_size() {
            Some((width, _)) if terminal => usize::from(width.0).clamp(LEAST_WIDTH, GREATEST_WIDTH),
            _ => PIPE_WIDTH,
        };
        colored::control::set_override(colour);
        Terminal { width, colour }
    }
}

/// Prints an error and its next step to standard error.
pub fn print_trouble(trouble: &Trouble) {
    // The override follows standard output; an error must not carry escapes into a redirected log.
    let plain = !io::stderr().is_terminal();
    let (label, next) = if plain {
        ("error:".normal(), "next:".normal())
    } else {
        ("error:".red().bold(), "next:".cyan().bold())
    };
    say(&format!("{label} {}", visible(&trouble.message)));
    if !trouble.next.is_empty() {
        say(&format!(" {next} {}", visible(&trouble.next)));
    }
}

/// Writes a line to standard error. Where nobody reads that any more, or its disk is full, the line is lost
/// and nothing else: `eprintln!` would end the program, and a verdict would become the exit code of a panic.
pub fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// A remark on standard error that changes no verdict.
pub fn remark(text: &str) {
    let label = if io::stderr().is_terminal() { "note:".cyan().bold() } else { "note:".normal() };
    say(&format!("{label} {}", visible(text)));
}

/// Text from a learner or a file name, with control characters made visible, so that it
/// can't drive the terminal.
pub fn visible(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\n' | '\t' => c,
            // The control pictures block mirrors ASCII's control characters.
            '\0'..='\x1f' => char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}'),
            '\x7f' => '\u{2421}',
            '\u{80}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
            _ => c,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_are_shown_instead_of_obeyed() {
        assert_eq!(visible("a\x1b[2Jb\r\n\u{9b}"), "a␛[2Jb␍\n\u{fffd}");
    }
}
