//! What the compiler prints, made harmless before anyone reads it.
//!
//! A kernel decides much of that text: `#pragma message`, `#error` and `static_assert` print what they are
//! told, escapes that a terminal obeys and lines that look like the compiler's own messages included, and
//! some errors repeat as often as a kernel likes.

use std::fmt::Write as _;

/// Most bytes of a log that are kept: several hundred messages.
pub(super) const LOG_BYTES: usize = 256 << 10;

/// The log with every character that a terminal would obey spelled out, and of bounded size.
pub(super) fn clean(log: &str) -> String {
    let cut = cut(log, LOG_BYTES);
    let mut text = String::with_capacity(cut.len());
    text.extend(cut.chars().map(shown));
    if cut.len() < log.len() {
        let _ = write!(text, "\n(cut off: the compiler printed {} bytes)\n", log.len());
    }
    text
}

/// The longest start of at most so many bytes that is whole characters.
fn cut(text: &str, bytes: usize) -> &str {
    if text.len() <= bytes {
        return text;
    }
    let end = (0..=bytes).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    &text[..end]
}

/// A character as it may be shown.
fn shown(character: char) -> char {
    match character {
        '\n' | '\t' => character,
        // Their pictures: what was meant stays readable, and columns stay columns.
        '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(character)).unwrap_or('\u{fffd}'),
        '\x7f' => '\u{2421}',
        // Orders for the terminal in one byte, and marks that turn the direction of writing around.
        '\u{80}'..='\u{9f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}'
        | '\u{feff}' => '\u{fffd}',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_that_a_terminal_obeys() {
        let evil = "a\x1b[2J\x1b]0;title\x07b\rc\u{9b}31m\u{202e}d\x7f\te\n";
        assert_eq!(clean(evil), "a␛[2J␛]0;title␇b␍c\u{fffd}31m\u{fffd}d␡\te\n");
    }

    #[test]
    fn a_flood_is_cut_between_characters_and_says_so() {
        let flood = "ä".repeat(LOG_BYTES);
        let cleaned = clean(&flood);
        assert!(cleaned.len() < LOG_BYTES + 100 && cleaned.ends_with("bytes)\n"), "{}", cleaned.len());
        assert_eq!(clean("short\n"), "short\n");
    }
}
