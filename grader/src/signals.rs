//! Ctrl-C, `kill` and a terminal that is closed end a command with a sentence and an exit code, and never amid what must
//! be whole: a file that is written, or a kernel that is set aside for the stub.

use std::{
    env,
    io::{self, IsTerminal as _, Write as _},
    process,
    sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use crate::{
    cli::Command,
    exit::Trouble,
    terminal::{trouble_text, typed},
};

/// The shell's number for a program that SIGINT ended; the other signals end with it, too.
pub const INTERRUPTED: i32 = 130;
/// Between two looks at what must be whole.
const PAUSE: Duration = Duration::from_millis(1);
/// A disk that hangs, or a pipe that is not read, holds the end up no longer.
const PATIENCE: Duration = Duration::from_secs(5);

/// Stands in [`UNDER_WAY`] for the end: nothing begins any more.
const ENDED: usize = usize::MAX;
/// How many things are done now that must be whole.
static UNDER_WAY: AtomicUsize = AtomicUsize::new(0);

/// Something that must be whole is done while this lives: a signal waits for it.
#[must_use]
pub struct Whole(());

/// Begins something that must be whole. Such things may lie within each other.
pub fn whole() -> Whole {
    let begin = |under_way: usize| (under_way != ENDED).then(|| under_way + 1);
    while UNDER_WAY.fetch_update(Ordering::AcqRel, Ordering::Acquire, begin).is_err() {
        // The program ends in a moment.
        thread::sleep(PAUSE);
    }
    Whole(())
}

impl Drop for Whole {
    fn drop(&mut self) {
        UNDER_WAY.fetch_sub(1, Ordering::AcqRel);
    }
}

/// From now on a signal ends this command in words. A signal that the caller has made this program ignore, as `nohup`
/// does, changes nothing.
pub fn hear(command: &Command) {
    let Some((left, next)) = left_by(command) else { return };
    // Without a handler a signal ends the program all the same, without a word.
    let _ = ctrlc::try_set_handler(move || end(left, next));
}

/// What an interrupted command leaves, and what the same command does next. None for commands that hear signals
/// themselves.
fn left_by(command: &Command) -> Option<(&'static str, &'static str)> {
    Some(match command {
        Command::Watch(_) | Command::Score(_) | Command::Class(_) => return None,
        Command::Check(_) => ("before the check was complete; your kernels are as they were", "checks again"),
        Command::Run(_) => ("before the run was complete; this is no verdict on the kernel", "runs it again"),
        Command::Init(_) => (
            "; every file that is there is whole, and your kernels are as they were",
            "writes what is missing",
        ),
        Command::Reset(_) => (
            "; your kernel is where it was, or beside the stub as kernel.before-reset-1.cu or the like",
            "goes on",
        ),
        Command::Submit(_) => ("; the archive is as it was before, or whole", "packs again"),
        Command::List(_)
        | Command::Hint(_)
        | Command::Explain(_)
        | Command::Solution(_)
        | Command::Doctor(_)
        | Command::Completions { .. }
        | Command::Compiler(_)
        | Command::Calibrate(_) => ("", "begins again"),
    })
}

/// Ends this program in words, as a signal does: what the command leaves, and what it does next. A command that hears
/// signals itself calls it when it has tidied up.
pub fn end(left: &'static str, next: &'static str) -> ! {
    let begun = Instant::now();
    let ended = || UNDER_WAY.compare_exchange(0, ENDED, Ordering::AcqRel, Ordering::Acquire).is_ok();
    while !ended() && begun.elapsed() < PATIENCE {
        thread::sleep(PAUSE);
    }
    // On a thread of its own: standard error may be a pipe that is full.
    let (send, told) = mpsc::channel();
    thread::spawn(move || {
        tell(left, next);
        let _ = send.send(());
    });
    let _ = told.recv_timeout(PATIENCE);
    process::exit(INTERRUPTED);
}

fn tell(left: &str, next: &str) {
    let between = if left.is_empty() || left.starts_with(';') { "" } else { " " };
    let trouble = Trouble::usage(format!("interrupted{between}{left}"), format!("{} {next}", again()));
    // What shows that the program is at work stands there, or `^C`. At once, so that it is not drawn again in between.
    let cleared = if io::stderr().is_terminal() { "\r\x1b[2K" } else { "" };
    let _ = io::stderr().write_all(format!("{cleared}{}", trouble_text(&trouble)).as_bytes());
}

/// What was typed, to be typed again; in words where a shell would take it otherwise.
fn again() -> String {
    let is_plain = |argument: &String| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+,:@=".contains(&byte);
        !argument.is_empty() && argument.bytes().all(plain)
    };
    let arguments: Option<Vec<String>> =
        env::args_os().skip(1).map(|argument| argument.into_string().ok().filter(is_plain)).collect();
    match arguments {
        Some(arguments) => format!("`{}`", [vec![typed()], arguments].concat().join(" ")),
        None => "the same command".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_whole_may_lie_within_another() {
        let outer = whole();
        let inner = whole();
        assert!(UNDER_WAY.load(Ordering::Acquire) >= 2);
        drop(outer);
        assert!(UNDER_WAY.load(Ordering::Acquire) >= 1);
        drop(inner);
    }
}
