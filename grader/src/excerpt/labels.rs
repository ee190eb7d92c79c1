//! Labels that are longer than the line has room for: their words go on below what they label.
//!
//! What draws excerpts puts a label behind its underline and never breaks it. So where one does not fit, a stand-in is
//! drawn in its place, and here the label takes the stand-in's place, broken at spaces.

use textwrap::core::display_width;

use crate::paragraph;

use super::plain;

/// The first of the characters that stand for labels, all of which are private: no source is shown with one as it is, for
/// only lines without a number are looked at.
const FIRST: u32 = 0xE000;
/// A stand-in is as long as its label up to here, so that labels that would meet are still kept apart.
const LONGEST: usize = 24;
/// Less room than this holds hardly two words.
const LEAST_ROOM: usize = 24;

/// What stands for label number `number`.
pub(super) fn stand_in(number: usize, label: &str) -> String {
    let length = display_width(label).clamp(1, LONGEST);
    character(number).to_string().repeat(length)
}

fn character(number: usize) -> char {
    // There are at most two labels, and thousands of such characters.
    char::from_u32(FIRST + number as u32).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// The first line that is wider than the terminal, but for what no one may break: what a kernel printed, the place of an
/// excerpt, a single word.
pub fn too_wide(text: &str, width: usize) -> Option<&str> {
    text.lines().find(|line| {
        let line = plain(line);
        let words = line.trim();
        display_width(&line) > width
            && words.contains(' ')
            && !words.starts_with("-->")
            && !words.starts_with('│')
    })
}

/// A line of the source has a number before the bar.
fn is_source(line: &str) -> bool {
    line.split_once('|').is_some_and(|(gutter, _)| gutter.trim().parse::<u32>().is_ok())
}

/// Columns of the widest line of the source.
#[cfg(test)]
pub(super) fn widest_source(text: &str) -> usize {
    let lines = text.lines().map(plain).filter(|line| is_source(line));
    lines.map(|line| display_width(&line)).max().unwrap_or(0)
}

/// The text with its labels in the stand-ins' places.
pub(super) fn put(text: &str, labels: &[String], width: usize) -> String {
    let mut out = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let stand_in = |number: usize| Some((number, line.find(character(number))?));
        let found = (0..labels.len()).filter(|_| !is_source(&plain(line))).find_map(stand_in);
        match found {
            Some((number, at)) => {
                let (before, rest) = line.split_at(at);
                let behind = rest.trim_start_matches(character(number));
                let below = lines.peek().map(|line| plain(line)).unwrap_or_default();
                out.extend(broken(before, &labels[number], behind, &below, width));
            }
            None => out.push(line.to_owned()),
        }
    }
    out.join("\n")
}

/// A label behind what comes before it on its line; or below that, in as many lines as it takes.
fn broken(before: &str, label: &str, behind: &str, below: &str, width: usize) -> Vec<String> {
    let seen = plain(before);
    if display_width(&seen) + display_width(label) <= width {
        return vec![format!("{before}{label}{behind}")];
    }
    let gutter = before.find('|').map_or(0, |bar| bar + 1);
    let gutter_width = seen.find('|').map_or(0, |bar| bar + 1);
    let drawn = seen.trim_end();
    let last = drawn.rsplit(' ').next().unwrap_or_default();
    // Where its underline begins, or where it stands by itself; further to the left where nothing would have room there.
    let is_underlined = drawn.len() > gutter_width && last.chars().all(|c| matches!(c, '^' | '-'));
    let from = if is_underlined { drawn.len() - last.len() } else { seen.len() };
    let indent = match width.saturating_sub(from) {
        room if room >= LEAST_ROOM => from,
        _ => gutter_width + 1,
    };
    // What leads to a label further down goes on.
    let leads = if is_underlined { below } else { &seen };
    let bar = |column: usize| if leads.as_bytes().get(column) == Some(&b'|') { '|' } else { ' ' };
    let space: String = (gutter_width..indent).map(bar).collect();
    let style = style(before);
    let (reset, of_gutter) = if style.is_empty() { ("", "") } else { (RESET, RESET) };
    let room = width.saturating_sub(indent).max(LEAST_ROOM);
    let more = paragraph::lines(label, room)
        .into_iter()
        .map(|words| format!("{}{of_gutter}{space}{style}{words}{reset}", &before[..gutter]));
    let first = is_underlined.then(|| format!("{}{behind}", before.trim_end()));
    first.into_iter().chain(more).collect()
}

const RESET: &str = "\u{1b}[0m";

/// The escape sequences that colour what comes next.
fn style(before: &str) -> &str {
    let since = before.rfind(RESET).map_or(0, |at| at + RESET.len());
    let begins = before[since..].find('\u{1b}').map(|at| since + at);
    let Some(begins) = begins else { return "" };
    let length = before[begins..].find(|c: char| !is_of_an_escape(c)).unwrap_or(before.len() - begins);
    &before[begins..begins + length]
}

/// Whether a row has the gutter's bar and nothing else, coloured or not.
pub(super) fn is_empty_row(line: &str) -> bool {
    plain(line).trim() == "|"
}

fn is_of_an_escape(c: char) -> bool {
    c == '\u{1b}' || c == '[' || c == ';' || c == 'm' || c.is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_that_fits_stays_where_it_was() {
        let text = format!("   |\n30 | out[i] = 1;\n   | ^^^^^^ {}", stand_in(0, "thread 0 here"));
        let put = put(&text, &["thread 0 here".to_owned()], 80);
        assert_eq!(put, "   |\n30 | out[i] = 1;\n   | ^^^^^^ thread 0 here");
    }

    #[test]
    fn a_row_with_the_bar_alone_is_empty() {
        for row in ["   |", "\u{1b}[1m\u{1b}[94m   |\u{1b}[0m", "   |   "] {
            assert!(is_empty_row(row), "{row:?}");
        }
        for row in ["   | x", "63 |", "   |   |", "", "..."] {
            assert!(!is_empty_row(row), "{row:?}");
        }
    }

    #[test]
    fn a_longer_one_goes_on_below_its_underline() {
        let label = "thread 20 of block 1 here; thread (1, 1) of block 0 here, unordered".to_owned();
        let text = format!("30 |     out[i] = 1;\n   |     ^^^^^^ {}", stand_in(0, &label));
        assert_eq!(
            put(&text, std::slice::from_ref(&label), 60),
            "30 |     out[i] = 1;\n   |     ^^^^^^\n   |     thread 20 of block 1 here; thread (1, 1) of block 0\n   |     here, \
             unordered"
        );
        // What leads to another label goes on, and what stands by itself leaves nothing above.
        let two = format!("   | ^^^^  ---- {}\n   | |\n   | {}", stand_in(1, &label), stand_in(0, &label));
        assert_eq!(
            put(&two, &[label.clone(), label.clone()], 60),
            "   | ^^^^  ----\n   | |     thread 20 of block 1 here; thread (1, 1) of block\n   | |     0 here, unordered\n   | \
             |\n   | thread 20 of block 1 here; thread (1, 1) of block 0\n   | here, unordered"
        );
        // In colour the same, and each line ends its own.
        let blue = |text: &str| format!("\u{1b}[1m\u{1b}[94m{text}{RESET}");
        let red = format!("\u{1b}[1m\u{1b}[91m^^^^^^ {}{RESET}", stand_in(0, &label));
        let coloured = put(&format!("{}     {red}", blue("   |")), &[label], 60);
        let lines: Vec<String> = coloured.lines().map(plain).collect();
        assert_eq!(lines[1], "   |     thread 20 of block 1 here; thread (1, 1) of block 0");
        assert!(coloured.lines().all(|line| line.ends_with(RESET)), "{coloured:?}");
        assert_eq!(coloured.matches("\u{1b}[91m").count(), 3);
    }
}
