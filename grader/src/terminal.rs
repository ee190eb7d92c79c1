//! What the terminal can show: colour, width, progress. Decided once; everything that prints asks here.

use std::{
    env, fmt,
    io::{self, IsTerminal as _, Write as _},
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
};

use colored::Colorize;
use harness::toolchain::InstallProgress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::{
    ascii,
    exit::Trouble,
    folder::{current_directory, is_checkout},
    paragraph,
    visible::{quoted_whole, unhidden, visible},
};

/// The width of what is written to a pipe or file.
pub const PIPE_WIDTH: usize = 100;
/// Longer lines are hard to read, however wide the window.
const GREATEST_WIDTH: usize = 120;
/// Narrower windows wrap by themselves.
const LEAST_WIDTH: usize = 40;

/// A sentence in several lines is read with pauses.
const PLAIN_WIDTH: usize = 100_000;

/// Lower windows scroll.
const LEAST_ROWS: usize = 12;

/// The terminal on standard output, or what stands in for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terminal {
    /// Columns to fill at the most.
    pub width: usize,
    /// Lines that are seen at once; no limit where it is no terminal.
    pub rows: usize,
    /// Whether to colour.
    pub colour: bool,
    /// Whether it is read aloud: then nothing is drawn, signs are words, and no line is broken.
    pub plain: bool,
}

/// What the caller asked for; progress bars ask, too, far from any renderer.
static PLAIN: AtomicBool = AtomicBool::new(false);

/// Says whether all that is printed is for a screen reader.
pub fn set_plain(plain: bool) {
    PLAIN.store(plain, Ordering::Relaxed);
}

/// Whether it is.
pub fn is_plain() -> bool {
    PLAIN.load(Ordering::Relaxed)
}

/// Shows that the program is at work, and for how long, to whoever sees it turn.
pub fn spinner(shown: bool) -> ProgressBar {
    let spinner = ProgressBar::new_spinner().with_message("begins");
    if !shown || is_plain() {
        spinner.set_draw_target(ProgressDrawTarget::hidden());
    }
    let seconds = |state: &ProgressState, to: &mut dyn fmt::Write| {
        let _ = write!(to, "{} s", state.elapsed().as_secs());
    };
    let style = ProgressStyle::default_spinner().template("{spinner} {msg}, {seconds}");
    let style = style.unwrap_or_else(|_| ProgressStyle::default_spinner()).with_key("seconds", seconds);
    spinner.set_style(if ascii::is_wanted() { style.tick_chars("|/-\\ ") } else { style });
    spinner
}

/// How the compiler's installation shows that it goes on.
pub fn install_progress() -> InstallProgress {
    match is_plain() || ascii::is_wanted() {
        true => InstallProgress::Line,
        false => InstallProgress::Terminal,
    }
}

impl Terminal {
    /// Looks at standard output and the environment: `NO_COLOR` wins, then `CLICOLOR_FORCE`, then whether it
    /// is a terminal that is not dumb. Sets the colour of this process.
    pub fn detect() -> Self {
        let set = |name| env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0");
        let dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
        let terminal = io::stdout().is_terminal();
        let plain = is_plain();
        let colour = !plain && !set("NO_COLOR") && (set("CLICOLOR_FORCE") || (terminal && !dumb));
        let width = match terminal_size::terminal_size() {
            _ if plain => PLAIN_WIDTH,
            Some((width, _)) if terminal => usize::from(width.0).clamp(LEAST_WIDTH, GREATEST_WIDTH),
            _ => PIPE_WIDTH,
        };
        let rows = match terminal_size::terminal_size() {
            _ if plain => usize::MAX,
            Some((_, rows)) if terminal => usize::from(rows.0).max(LEAST_ROWS),
            _ => usize::MAX,
        };
        colored::control::set_override(colour);
        Terminal { width, rows, colour, plain }
    }
}

/// A sentence in lines as wide as the terminal, broken at spaces.
pub fn in_lines(text: &str) -> String {
    format!("{}\n", paragraph::indented(text, Terminal::detect().width, "", "  "))
}

/// The program's name, which all texts say.
const NAME: &str = "grader";

/// What to type for this program in the current directory.
pub fn typed() -> String {
    current_directory().map_or_else(|_| NAME.to_owned(), |here| typed_in(&here))
}

/// What to type for this program in a folder: its name. Where cargo runs it, that is the alias of the checkout, which
/// cargo knows in no other place: there it is the program's own path.
pub fn typed_in(folder: &Path) -> String {
    if env::var_os("CARGO").is_none() {
        return NAME.to_owned();
    }
    // Of a path with `..` in it the ancestors are other folders.
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    if folder.ancestors().any(is_checkout) {
        return "cargo grade".to_owned();
    }
    env::current_exe().map_or_else(|_| NAME.to_owned(), quoted_whole)
}

/// Says what to type for `grader` in the current directory, where that is something else.
pub fn remark_name() {
    remark_typed(&typed(), "here");
}

/// Says what to type for `grader` in a folder that is another than the current directory.
pub fn remark_name_in(folder: &Path) {
    remark_typed(&typed_in(folder), "there");
}

fn remark_typed(typed: &str, place: &str) {
    if typed != NAME {
        remark(&format!("where a text says `grader`, type `{typed}` {place}: it is the same program"));
    }
}

/// Prints an error and its next step to standard error.
pub fn print_trouble(trouble: &Trouble) {
    let _ = io::stderr().write_all(trouble_text(trouble).as_bytes());
}

/// What [`print_trouble`] writes.
pub fn trouble_text(trouble: &Trouble) -> String {
    // The override follows standard output; an error must not carry escapes into a redirected log.
    let plain = !io::stderr().is_terminal();
    let (label, next) = if plain {
        ("error:".normal(), "next:".normal())
    } else {
        ("error:".red().bold(), "next:".cyan().bold())
    };
    let mut lines = vec![broken(&format!("{label} {}", visible(&trouble.message)))];
    if !trouble.next.is_empty() {
        lines.push(broken(&format!(" {next} {}", visible(&trouble.next))));
    }
    lines.iter().map(|line| said(line)).collect()
}

/// Columns of the terminal on standard error, which standard output may not share. None where it is no terminal: there no
/// line is broken.
pub fn error_width() -> Option<usize> {
    let size = terminal_size::terminal_size_of(io::stderr());
    io::stderr().is_terminal().then(|| match size {
        _ if is_plain() => PLAIN_WIDTH,
        Some((width, _)) => usize::from(width.0).clamp(LEAST_WIDTH, GREATEST_WIDTH),
        None => PIPE_WIDTH,
    })
}

/// A line of standard error, broken at spaces where a terminal would break it anywhere.
fn broken(line: &str) -> String {
    match error_width() {
        Some(width) => paragraph::indented(line, width, "", "       "),
        None => line.to_owned(),
    }
}

/// A line of standard error, as it is written.
fn said(line: &str) -> String {
    format!("{}\n", ascii::shown(&unhidden(line)))
}

/// Writes a line to standard error, broken at spaces where a terminal would break it anywhere. Where nobody reads that any
/// more, or its disk is full, the line is lost and nothing else: `eprintln!` would end the program, and a verdict would
/// become the exit code of a panic.
pub fn say(line: &str) {
    let text = match error_width() {
        Some(width) => said(paragraph::folded(line, width).trim_end_matches('\n')),
        None => said(line),
    };
    let _ = io::stderr().write_all(text.as_bytes());
}

/// A remark on standard error that changes no verdict.
pub fn remark(text: &str) {
    let label = if io::stderr().is_terminal() { "note:".cyan().bold() } else { "note:".normal() };
    say(&broken(&format!("{label} {}", visible(text))));
}
