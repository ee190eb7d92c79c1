//! The keys: what each is for, and what the terminal sends for it.

use std::{sync::mpsc::Sender, thread};

use crossterm::event::{self, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::Event;

/// A letter that stands for what it begins, as the last line shows it; and what a screen reader says.
pub const KEYS: [(char, &str, &str); 9] = [
    ('n', "ext", "next"),
    ('h', "int", "hint"),
    ('r', "un", "run"),
    ('e', "xplain", "explain"),
    ('p', "rofile", "profile"),
    ('s', "olution", "solution"),
    ('b', "ook", "book"),
    ('v', "erbose", "verbose"),
    ('q', "uit", "quit"),
];
/// Keys that need no letter: they read on where a page is longer than the screen, and lead back to the report.
pub const READ_ON: char = ' ';
/// Reads back.
pub const READ_BACK: char = 'u';
/// Ends it.
pub const QUIT: char = 'q';
/// Leads back to the report.
pub const TO_THE_REPORT: char = '\n';

/// Reads keys on a thread of its own, which ends with the program.
pub(super) fn read(send: Sender<Event>) {
    thread::spawn(move || {
        loop {
            let happened = match event::read() {
                Ok(event::Event::Key(key)) => meant(key),
                Ok(event::Event::Resize(..)) => Some(Event::Resized),
                Ok(_) => None,
                Err(_) => Some(Event::End),
            };
            let Some(happened) = happened else { continue };
            let ended = matches!(happened, Event::End);
            if send.send(happened).is_err() || ended {
                break;
            }
        }
    });
}

/// What a key means, if anything. Ctrl and Alt make another key of a letter.
fn meant(key: KeyEvent) -> Option<Event> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return match key.code {
            // Where keys come one by one, Ctrl-C is no signal.
            KeyCode::Char('c' | 'd') => Some(Event::Key(QUIT)),
            // Some terminals send it for Backspace.
            KeyCode::Char('h') => Some(Event::Key(TO_THE_REPORT)),
            _ => None,
        };
    }
    if key.modifiers.contains(KeyModifiers::ALT) {
        return None;
    }
    match key.code {
        KeyCode::Char(letter) => Some(Event::Key(letter.to_ascii_lowercase())),
        KeyCode::PageDown | KeyCode::Down => Some(Event::Key(READ_ON)),
        KeyCode::PageUp | KeyCode::Up => Some(Event::Key(READ_BACK)),
        KeyCode::Enter | KeyCode::Esc | KeyCode::Backspace => Some(Event::Key(TO_THE_REPORT)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A key's letter.
    fn letter(code: KeyCode, modifiers: KeyModifiers) -> Option<char> {
        match meant(KeyEvent::new(code, modifiers))? {
            Event::Key(letter) => Some(letter),
            _ => panic!("no key means this"),
        }
    }

    #[test]
    fn a_letter_is_itself_in_either_case() {
        for (key, ..) in KEYS {
            assert_eq!(letter(KeyCode::Char(key), KeyModifiers::NONE), Some(key));
            let large = key.to_ascii_uppercase();
            assert_eq!(letter(KeyCode::Char(large), KeyModifiers::SHIFT), Some(key));
        }
        assert_eq!(letter(KeyCode::Down, KeyModifiers::NONE), Some(READ_ON));
        assert_eq!(letter(KeyCode::Backspace, KeyModifiers::NONE), Some(TO_THE_REPORT));
    }

    #[test]
    fn with_ctrl_or_alt_no_key_does_what_its_letter_does() {
        for (key, ..) in KEYS {
            // Backspace, on some terminals.
            let backspace = (key == 'h').then_some(TO_THE_REPORT);
            assert_eq!(letter(KeyCode::Char(key), KeyModifiers::CONTROL), backspace, "Ctrl-{key}");
            assert_eq!(letter(KeyCode::Char(key), KeyModifiers::ALT), None, "Alt-{key}");
            let both = KeyModifiers::CONTROL | KeyModifiers::SHIFT;
            assert_eq!(letter(KeyCode::Char(key.to_ascii_uppercase()), both), None, "Ctrl-Shift-{key}");
        }
        assert_eq!(letter(KeyCode::Char('c'), KeyModifiers::CONTROL), Some(QUIT));
        assert_eq!(letter(KeyCode::Char('c'), KeyModifiers::ALT), None);
    }

    #[test]
    fn a_key_counts_once() {
        let of = |kind| meant(KeyEvent::new_with_kind(KeyCode::Char('h'), KeyModifiers::NONE, kind));
        assert!(of(KeyEventKind::Press).is_some() && of(KeyEventKind::Release).is_none());
    }
}
