//! Text that others wrote, as a reader may see it: what can't be seen is spelled out, what drives a terminal is
//! shown instead of obeyed, and a line of any length ends.
//!
//! A character without a picture can turn round what stands beside it, or hide (U+202E, U+200B). Whatever
//! prints goes through [`unhidden`] in the end, so that no path can be forgotten; whoever has text of a learner's
//! uses [`visible`] or [`one_line`] before that.

use std::{env, fmt::Write as _, os::unix::ffi::OsStrExt as _, path::Path};

use harness::report::number_of;

use crate::ascii;

/// Longer lines are cut: more than any message of the judge has, and less than floods a screen.
const LONGEST_LINE: usize = 2000;

/// Text from a learner or a file name. Ends of lines and tabs are kept.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let mut characters = line.chars();
        characters.by_ref().take(LONGEST_LINE).for_each(|c| push(&mut out, c));
        let left = characters.by_ref().filter(|c| *c != '\n').count();
        if left > 0 {
            let _ = write!(out, "… ({})", number_of(left, "more character"));
            out.push_str(if line.ends_with('\n') { "\n" } else { "" });
        }
    }
    out
}

/// The same for what has one line, a path for example.
pub fn one_line(text: &str) -> String {
    visible(text).chars().map(|c| picture(c).unwrap_or(c)).collect()
}

/// A path as a person would write it here: relative where it lies below the current directory. Every path that is
/// printed comes from here, since a file's name is a learner's text.
#[expect(clippy::disallowed_methods, reason = "this is the one place that shows paths")]
pub fn shown(path: impl AsRef<Path>) -> String {
    let shown = one_line(&from_here(path.as_ref()).display().to_string());
    // Else it would be an option, of this program and of the compiler.
    if shown.starts_with('-') { format!("./{shown}") } else { shown }
}

/// Relative where it lies below the current directory.
fn from_here(path: &Path) -> &Path {
    let here = env::current_dir().ok();
    match here.and_then(|here| path.strip_prefix(here).ok()) {
        Some(relative) if relative.as_os_str().is_empty() => Path::new("."),
        Some(relative) => relative,
        None => path,
    }
}

/// A path as a shell takes it, to be pasted in the current directory.
pub fn quoted(path: impl AsRef<Path>) -> String {
    in_shell(from_here(path.as_ref()), ascii::is_wanted())
}

/// The same, to be pasted in any directory.
pub fn quoted_whole(path: impl AsRef<Path>) -> String {
    in_shell(path.as_ref(), ascii::is_wanted())
}

/// A path as every POSIX shell takes it. `printf` writes what [`shown`] would spell out, and what the locale can't show.
fn in_shell(path: &Path, ascii: bool) -> String {
    let bytes = path.as_os_str().as_bytes();
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-+,:@".contains(byte);
    // Else it would be an option.
    let before = if bytes.starts_with(b"-") { "./" } else { "" };
    let is_shown = |text: &&str| one_line(text) == **text && (text.is_ascii() || !ascii);
    if let Some(text) = path.to_str().filter(is_shown) {
        return match bytes.iter().all(is_plain) {
            true => format!("{before}{text}"),
            false => format!("'{before}{}'", text.replace('\'', "'\\''")),
        };
    }
    // A shell drops the ends of lines behind what a command writes, so those stand as they are.
    let ends = bytes.iter().rev().take_while(|byte| **byte == b'\n').count();
    let written = &bytes[..bytes.len() - ends];
    let spelled = written.iter().map(|byte| match byte {
        b'%' => "%%".to_owned(),
        byte if is_plain(byte) || *byte == b' ' => char::from(*byte).to_string(),
        // Three digits: a fourth is never read as one of them.
        other => format!("\\{other:03o}"),
    });
    format!("\"$(printf '{before}{}'){}\"", spelled.collect::<String>(), "\n".repeat(ends))
}

/// The same for text that the judge has laid out and coloured: escape sequences are its own.
pub fn unhidden(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    text.chars().for_each(|c| if is_hidden(c) { spell(&mut out, c) } else { out.push(c) });
    out
}

/// The same for JSON, where such a character stands in a string: by the escapes that JSON has. So is all but ASCII, where
/// only that is wanted.
pub fn in_json(text: &str, ascii: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) || (ascii && !c.is_ascii()) {
            c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| {
                let _ = write!(out, "\\u{unit:04x}");
            });
        } else {
            out.push(c);
        }
    }
    out
}

/// A character of a learner's, as it is shown.
pub fn push(out: &mut String, c: char) {
    match picture(c) {
        Some(picture) if c != '\n' && c != '\t' => out.push(picture),
        _ if is_hidden(c) => spell(out, c),
        _ => out.push(c),
    }
}

/// It is neither seen as it is nor an ASCII control character: C1 controls, ends of lines and paragraphs, marks and
/// overrides of direction, and whatever Unicode calls default-ignorable (DerivedCoreProperties.txt), joiners,
/// fillers, selectors and tags among them; and what is no character, which XML refuses.
pub fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{80}'..='\u{9f}'
        | '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'..='\u{1160}'
        | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{fffe}'..='\u{ffff}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// What stands for an ASCII control character: the block of control pictures mirrors them.
fn picture(c: char) -> Option<char> {
    match c {
        '\0'..='\x1f' => char::from_u32(0x2400 + c as u32),
        '\x7f' => Some('\u{2421}'),
        _ => None,
    }
}

/// As its code point, which JSON and Rust read.
pub fn spell(out: &mut String, c: char) {
    let _ = write!(out, "\\u{{{:04x}}}", c as u32);
}

#[cfg(test)]
pub mod hostile {
    //! What must not reach a reader.

    /// One of each kind of hidden character.
    pub const CHARACTERS: [char; 23] = [
        '\u{80}',
        '\u{9b}',
        '\u{ad}',
        '\u{61c}',
        '\u{180e}',
        '\u{200b}',
        '\u{200d}',
        '\u{200e}',
        '\u{200f}',
        '\u{2028}',
        '\u{2029}',
        '\u{202a}',
        '\u{202b}',
        '\u{202c}',
        '\u{202d}',
        '\u{202e}',
        '\u{2060}',
        '\u{2066}',
        '\u{2069}',
        '\u{feff}',
        '\u{fe0f}',
        '\u{ffff}',
        '\u{e0041}',
    ];

    /// All of them, and what a terminal obeys.
    pub fn dirt() -> String {
        CHARACTERS.into_iter().chain(['\x1b', '\0', '\r', '\x7f']).collect()
    }

    /// The text has none of them, and nothing that a terminal obeys but colours.
    pub fn assert_harmless(text: &str, what: &str) {
        let hidden = text.chars().find(|c| super::is_hidden(*c));
        assert_eq!(hidden, None, "{what}: {text}");
        let obeyed = text.chars().find(|c| c.is_control() && *c != '\n' && *c != '\t');
        assert_eq!(obeyed, None, "{what}: {text:?}");
    }

    /// By place, the value with `dirt` in one of its texts, for every text that may be any.
    pub fn soiled<T: serde::Serialize + serde::de::DeserializeOwned>(
        clean: &T,
        dirt: &str,
    ) -> Vec<(String, T)> {
        let mut found = Vec::new();
        let value = serde_json::to_value(clean).expect("it is data");
        let mut paths = Vec::new();
        collect(&value, String::new(), &mut paths);
        for path in paths {
            let mut dirty = value.clone();
            if let Some(serde_json::Value::String(text)) = dirty.pointer_mut(&path) {
                text.insert_str(text.char_indices().nth(1).map_or(text.len(), |(at, _)| at), dirt);
            }
            // Names of enums don't become others.
            if let Ok(dirty) = serde_json::from_value(dirty) {
                found.push((path, dirty));
            }
        }
        found
    }

    fn collect(value: &serde_json::Value, path: String, paths: &mut Vec<String>) {
        match value {
            serde_json::Value::String(_) => paths.push(path),
            serde_json::Value::Array(all) => {
                all.iter().enumerate().for_each(|(at, value)| collect(value, format!("{path}/{at}"), paths));
            }
            serde_json::Value::Object(all) => {
                all.iter().for_each(|(key, value)| {
                    let key = key.replace('~', "~0").replace('/', "~1");
                    collect(value, format!("{path}/{key}"), paths);
                });
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{hostile::CHARACTERS, *};

    #[test]
    fn a_shell_takes_a_quoted_path_for_the_path() {
        use std::{ffi::OsStr, process::Command};
        let hard: [&[u8]; 12] = [
            b"plain/path.cu",
            b"with space",
            b"it's",
            b"-begins",
            b"- begins",
            b"caf\xe9 7",
            b"line\nbell\x07'\\",
            "\u{202e}dlrow $HOME `ls`".as_bytes(),
            "übung 7".as_bytes(),
            "-ü 50%s\\n".as_bytes(),
            b"two\nends\n\n",
            b"\n",
        ];
        for (path, ascii) in hard.into_iter().flat_map(|path| [(path, false), (path, true)]) {
            let quoted = in_shell(Path::new(OsStr::from_bytes(path)), ascii);
            assert!(!quoted.contains(is_hidden), "{quoted}");
            assert!(quoted.is_ascii() || !ascii, "{quoted}");
            for shell in ["sh", "bash"] {
                let line = format!("printf %s {quoted}");
                let said = Command::new(shell).args(["-c", &line]).output().unwrap().stdout;
                let said = said.strip_prefix(b"./").unwrap_or(&said);
                assert_eq!(said, path, "{shell}: {quoted}");
            }
        }
        assert_eq!(in_shell(Path::new("übung"), true), "\"$(printf '\\303\\274bung')\"");
        assert_eq!(in_shell(Path::new("übung"), false), "'übung'");
    }

    #[test]
    fn escape_sequences_are_shown_instead_of_obeyed() {
        assert_eq!(visible("a\x1b[2Jb\r\n\u{9b}"), "a␛[2Jb␍\n\\u{009b}");
    }

    #[test]
    fn what_cannot_be_seen_is_spelled_out() {
        for c in CHARACTERS {
            let spelled = format!("a\\u{{{:04x}}}b", c as u32);
            assert_eq!(
                [visible(&format!("a{c}b")), one_line(&format!("a{c}b")), unhidden(&format!("a{c}b"))],
                [&*spelled; 3]
            );
        }
        assert_eq!(unhidden("\x1b[31mä × ✗ 🙂 ␤\x1b[0m\n"), "\x1b[31mä × ✗ 🙂 ␤\x1b[0m\n");
        assert_eq!((visible("a\n\tb"), one_line("a\n\tb")), ("a\n\tb".to_owned(), "a␊␉b".to_owned()));
    }

    #[test]
    fn json_keeps_its_strings() {
        let text: String = CHARACTERS.iter().collect();
        let json = in_json(&serde_json::to_string(&text).unwrap(), false);
        assert!(json.is_ascii(), "{json}");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
        let ascii = in_json("\"ä × 🙂\"", true);
        assert!(ascii.is_ascii(), "{ascii}");
        assert_eq!(serde_json::from_str::<String>(&ascii).unwrap(), "ä × 🙂");
    }

    #[test]
    fn a_line_ends() {
        let long = format!("{}\nshort\n{}", "x".repeat(400_000), "ä".repeat(2001));
        let shown = visible(&long);
        let lines: Vec<&str> = shown.lines().collect();
        assert!(lines[0].ends_with("x… (398000 more characters)"), "{}", &lines[0][1990..]);
        assert_eq!((lines.len(), lines[1]), (3, "short"));
        assert!(lines[2].ends_with("ä… (1 more character)"));
        assert_eq!(visible(&"x".repeat(2000)), "x".repeat(2000));
    }
}
