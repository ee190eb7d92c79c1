//! A program in a terminal of its own: what stands on its screen, and when it was painted.
//!
//! The terminal is a pseudo-terminal and a screen in memory. A screen is painted whole between two marks of a
//! synchronized update, so that its end is known to the byte; what is written outside of them is seen, too, but is no
//! painting.

use std::{
    env,
    io::Read as _,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        mpsc::{self, Receiver, RecvTimeoutError, Sender},
    },
    thread,
    time::{Duration, Instant},
};

use grader::{
    exit::{Result, Trouble},
    files,
};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// What ends a screen (DEC private mode 2026, "synchronized output").
const PAINTED: &[u8] = b"\x1b[?2026l";

/// A program in a terminal.
pub struct Session {
    /// Open for as long as the program runs.
    _master: Box<dyn MasterPty + Send>,
    child: Box<dyn Child + Send + Sync>,
    screen: Arc<Mutex<vt100::Parser>>,
    painted: Receiver<Painted>,
}

/// A screen that was painted.
pub struct Painted {
    /// When its last byte was there.
    pub at: Instant,
    /// Its text.
    pub text: String,
}

impl Session {
    /// The learner's program: the one that is named, or the one that the same build made beside this.
    ///
    /// # Errors
    /// Wrong usage where it is not there.
    pub fn program(named: Option<&Path>) -> Result<PathBuf> {
        let beside = || env::current_exe().unwrap_or_default().with_file_name("grader");
        let program = named.map_or_else(beside, Path::to_owned);
        // It is started in another folder.
        program.canonicalize().map_err(|error| {
            Trouble::usage(
                format!("{}: {}", program.display(), files::explain(&error)),
                "cargo build --release -p grader -p workshop makes it beside this program, or name one with --program",
            )
        })
    }

    /// Starts a program in a folder, in a terminal of so many columns and rows.
    ///
    /// # Errors
    /// A judge error where there are no terminals, or the program can't be started.
    pub fn start(
        program: &Path,
        arguments: &[&str],
        folder: &Path,
        (columns, rows): (u16, u16),
    ) -> Result<Self> {
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).map_err(failed)?;
        let mut command = CommandBuilder::new(program);
        command.args(arguments);
        command.cwd(folder);
        command.env("TERM", "xterm-256color");
        command.env("LC_ALL", "C.UTF-8");
        command.env_remove("NO_COLOR");
        // Whoever types its name calls it by that.
        command.env_remove("CARGO");
        let child = pair.slave.spawn_command(command).map_err(failed)?;
        let screen = Arc::new(Mutex::new(vt100::Parser::new(rows, columns, 0)));
        let mut reader = pair.master.try_clone_reader().map_err(failed)?;
        let shown = screen.clone();
        let (send, painted) = mpsc::channel();
        thread::spawn(move || {
            let mut rest = Vec::new();
            let mut bytes = [0; 1 << 16];
            while let Ok(count @ 1..) = reader.read(&mut bytes) {
                rest.extend_from_slice(&bytes[..count]);
                show(&mut rest, &shown, &send);
            }
        });
        Ok(Session { _master: pair.master, child, screen, painted })
    }

    /// The screen as it is now.
    pub fn screen(&self) -> vt100::Screen {
        lock(&self.screen).screen().clone()
    }

    /// The next screen that is painted; none if nothing is for so long.
    ///
    /// # Errors
    /// A judge error where the program has ended.
    pub fn next(&mut self, patience: Duration) -> Result<Option<Painted>> {
        match self.painted.recv_timeout(patience) {
            Ok(painted) => Ok(Some(painted)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(Trouble::judge(
                format!("the program in the terminal ended, and its screen was:\n{}", self.text()),
                "run it by hand in an empty folder",
            )),
        }
    }

    /// Waits until this stands on the screen.
    ///
    /// # Errors
    /// A judge error where it does not appear.
    pub fn awaited(&mut self, text: &str, patience: Duration) -> Result<()> {
        let begun = Instant::now();
        while !self.text().contains(text) {
            if begun.elapsed() > patience {
                return Err(Trouble::judge(
                    format!("expected `{text}` on the screen, found:\n{}", self.text()),
                    "run the program by hand in an empty folder",
                ));
            }
            thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    /// The screen's text.
    pub fn text(&self) -> String {
        lock(&self.screen).screen().contents()
    }

    /// Waits until the program has ended and all that it wrote is on the screen.
    ///
    /// # Errors
    /// A judge error where it does not end.
    pub fn finished(&mut self, patience: Duration) -> Result<()> {
        let begun = Instant::now();
        loop {
            match self.painted.recv_timeout(patience.saturating_sub(begun.elapsed())) {
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
                Err(RecvTimeoutError::Timeout) => {
                    return Err(Trouble::judge(
                        format!("a program does not end, and its screen is:\n{}", self.text()),
                        "run it by hand in an empty folder",
                    ));
                }
            }
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // It is told to end, and its workers end with it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn lock(screen: &Mutex<vt100::Parser>) -> MutexGuard<'_, vt100::Parser> {
    screen.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Shows what has come, and tells of every screen that is complete with it. A mark that has come in part stays.
fn show(rest: &mut Vec<u8>, screen: &Mutex<vt100::Parser>, tell: &Sender<Painted>) {
    let at = Instant::now();
    while let Some(end) = rest.windows(PAINTED.len()).position(|bytes| bytes == PAINTED) {
        let painted: Vec<u8> = rest.drain(..end + PAINTED.len()).collect();
        let mut screen = lock(screen);
        screen.process(&painted);
        // Nobody may be waiting any more.
        let _ = tell.send(Painted { at, text: screen.screen().contents() });
    }
    let begun = (1..PAINTED.len()).rev().find(|&length| rest.ends_with(&PAINTED[..length])).unwrap_or(0);
    let complete: Vec<u8> = rest.drain(..rest.len() - begun).collect();
    lock(screen).process(&complete);
}

fn failed(error: impl std::fmt::Display) -> Trouble {
    Trouble::judge(
        format!("a program in a pseudo-terminal could not be run: {error}"),
        "see that /dev/pts is there, and build the program",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_screen_is_told_of_once_however_its_bytes_come() {
        let written = b"one\x1b[?2026l\x1b[2J\x1b[Htwo\x1b[?2026lrest";
        for size in 1..written.len() {
            let screen = Mutex::new(vt100::Parser::new(4, 20, 0));
            let (send, painted) = mpsc::channel();
            let mut rest = Vec::new();
            for bytes in written.chunks(size) {
                rest.extend_from_slice(bytes);
                show(&mut rest, &screen, &send);
            }
            let texts: Vec<String> = painted.try_iter().map(|painted| painted.text).collect();
            assert_eq!(texts, ["one", "two"], "{size} bytes at a time");
            assert_eq!(lock(&screen).screen().contents(), "tworest");
        }
    }
}
