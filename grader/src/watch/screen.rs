//! The terminal while `watch` has it: keys come one by one, and the screen is painted whole.
//!
//! Whatever ends the program, the terminal is given back as it was: by [`Screen`]'s end, and by a hook where it
//! panics. What is painted stays in the ordinary screen, so that it can be scrolled and copied.

use std::{
    borrow::Cow,
    io::{self, IsTerminal as _, Write as _},
    panic,
};

use crossterm::{
    cursor::{Hide, MoveTo, Show},
    execute, queue,
    style::Print,
    terminal::{
        BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, disable_raw_mode, enable_raw_mode,
        size,
    },
};

use crate::{
    ascii,
    exit::{Result, Trouble},
    terminal,
    visible::unhidden,
};

/// The terminal, taken.
pub struct Screen(());

impl Screen {
    /// Takes the terminal.
    ///
    /// # Errors
    /// Wrong usage where there is none.
    pub fn take() -> Result<Self> {
        let none = |what: &str| {
            Trouble::usage(
                format!("`watch` needs a terminal, and {what}"),
                "`grader check NAME` judges once and needs none",
            )
        };
        if !io::stdin().is_terminal() {
            return Err(none("standard input is none"));
        }
        if !io::stdout().is_terminal() {
            return Err(none("standard output is none"));
        }
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            give_back();
            usual(panic);
        }));
        enable_raw_mode().map_err(|error| none(&format!("this one gives no single keys: {error}")))?;
        let _ = execute!(io::stdout(), Hide);
        Ok(Screen(()))
    }

    /// Lines that fit.
    pub fn rows(&self) -> usize {
        size().map_or(24, |(_, rows)| usize::from(rows))
    }

    /// Paints the screen anew: the body, in the last row a line of its own, and in the row above it a notice, where there
    /// is one.
    pub fn paint(&self, body: &str, notice: Option<&str>, last_line: &str) {
        let text = ascii::shown(&unhidden(body)).replace('\n', "\r\n");
        let notice = notice.map(ascii::shown);
        let last_line = ascii::shown(last_line);
        let mut all = Vec::new();
        if terminal::is_plain() {
            // Read aloud, what is new comes below what was said.
            for part in [Some(Cow::from(text)), notice, Some(last_line)].into_iter().flatten() {
                let _ = queue!(all, Print(part), Print("\r\n"));
            }
        } else {
            let rows = u16::try_from(self.rows()).unwrap_or(u16::MAX);
            // A terminal that understands the marks shows nothing half painted; others ignore them.
            let _ = queue!(all, BeginSynchronizedUpdate, Clear(ClearType::All), MoveTo(0, 0), Print(text));
            for (row, line) in [(rows.saturating_sub(2), notice), (rows.saturating_sub(1), Some(last_line))] {
                if let Some(line) = line {
                    let _ = queue!(all, MoveTo(0, row), Print(line));
                }
            }
            let _ = queue!(all, EndSynchronizedUpdate);
        }
        // Who closed the terminal sends a signal as well.
        let mut out = io::stdout().lock();
        let _ = out.write_all(&all).and_then(|()| out.flush());
    }

    /// Writes the last line anew.
    pub fn repaint_last_line(&self, last_line: &str) {
        if terminal::is_plain() {
            return;
        }
        let mut out = io::stdout().lock();
        let _ = queue!(out, Print("\r"), Clear(ClearType::CurrentLine), Print(ascii::shown(last_line)));
        let _ = out.flush();
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

fn give_back() {
    let _ = execute!(io::stdout(), Print("\r\n"), Show);
    let _ = disable_raw_mode();
}
