//! Text where the locale has no Unicode: ASCII stands for each character, at the boundary where everything is printed.
//!
//! The course's own characters have words or signs here, and a test holds all its texts against that; what else comes, a
//! learner's letters, is spelled out like what can't be seen.

use std::{borrow::Cow, env};

use crate::visible::spell;

/// Whether the locale can show no more, by the variable that decides: `LC_ALL`, `LC_CTYPE` or `LANG`, the first that is set.
/// Where none is, the locale is C (POSIX, Base Definitions, 8.2).
pub fn is_wanted() -> bool {
    let set = |name| env::var(name).ok().filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set);
    !is_unicode(&locale.unwrap_or_default())
}

/// `C.UTF-8`, `de_DE.utf8`.
fn is_unicode(locale: &str) -> bool {
    let letters: String = locale.chars().filter(char::is_ascii_alphanumeric).collect();
    letters.to_ascii_lowercase().contains("utf8")
}

/// The text, in ASCII where only that is wanted.
pub fn shown(text: &str) -> Cow<'_, str> {
    if is_wanted() { of(text) } else { text.into() }
}

/// The text in ASCII.
pub fn of(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut raised = false;
    for c in text.chars() {
        let digit = superscript(c);
        // 10⁻⁶ is 10^-6.
        if digit.is_some() && !raised {
            out.push('^');
        }
        raised = digit.is_some();
        match (digit, sign(c)) {
            _ if c.is_ascii() => out.push(c),
            (Some(digit), _) => out.push(digit),
            (None, Some(sign)) => out.push_str(sign),
            // ␛ is ^[, as terminals write it.
            (None, None) if ('\u{2400}'..='\u{2421}').contains(&c) => {
                let control = (c as u32 - 0x2400) as u8;
                out.push('^');
                out.push(char::from(if control == 0x21 { b'?' } else { control + b'@' }));
            }
            (None, None) => spell(&mut out, c),
        }
    }
    out.into()
}

fn superscript(c: char) -> Option<char> {
    const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    match c {
        '⁻' => Some('-'),
        'ⁿ' => Some('n'),
        _ => (b'0'..).map(char::from).zip(RAISED).find(|(_, raised)| *raised == c).map(|(digit, _)| digit),
    }
}

/// What stands for a character of the course's texts.
fn sign(c: char) -> Option<&'static str> {
    Some(match c {
        '✓' => "+",
        '✗' | '×' => "x",
        '○' | '●' => "o",
        '→' => "->",
        '…' => "...",
        '–' | '−' | '─' => "-",
        '—' => "--",
        '←' => "<-",
        '·' => "*",
        '“' | '”' => "\"",
        '‘' | '’' => "'",
        '│' | '┤' => "|",
        '└' => "+",
        '◇' => "<",
        '△' => "^",
        '□' => "#",
        '≤' => "<=",
        '≥' => ">=",
        '≠' => "!=",
        '±' => "+/-",
        '÷' => "/",
        '∞' => "infinity",
        '√' => "root of ",
        '½' => "1/2",
        'µ' | 'μ' => "u",
        '°' => "deg ",
        'γ' => "gamma",
        'Σ' => "sum",
        '§' => "section ",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;

    #[test]
    fn what_the_course_says_has_signs() {
        assert_eq!(of("✓ 1.5× – “10⁻⁶” → 2²⁷ … ␛[2J ä"), "+ 1.5x - \"10^-6\" -> 2^27 ... ^[[2J \\u{00e4}");
        assert!(matches!(of("\x1b[31mplain\x1b[0m"), Cow::Borrowed(_)));
    }

    /// A sign that has none would be spelled out in the middle of a sentence.
    #[test]
    fn every_text_of_the_course_can_be_read() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut texts = vec![root.join("book/src/words.md"), root.join("book/src/glossary.md")];
        texts.push(root.join("grader/src/hints.md"));
        for exercise in fs::read_dir(root.join("exercises")).expect("a checkout").filter_map(Result::ok) {
            texts.extend(["hints.md", "kernel.cu", "src/lib.rs"].map(|name| exercise.path().join(name)));
        }
        for folder in
            ["solutions", "grader/src/check", "grader/src/doctor", "grader/src/run", "harness/src/report"]
        {
            let files = fs::read_dir(root.join(folder)).expect("a checkout").filter_map(Result::ok);
            texts.extend(files.map(|entry| entry.path()).map(|path| match path.is_dir() {
                true => path.join("kernel.cu"),
                false => path,
            }));
        }
        let mut read = 0;
        for text in texts.iter().filter_map(|path| Some((path, fs::read_to_string(path).ok()?))) {
            let (path, text) = text;
            read += 1;
            let shown = of(&text);
            assert!(shown.is_ascii());
            let spelled = |text: &str| text.matches("\\u{").count();
            assert_eq!(spelled(&shown), spelled(&text), "{path:?}: a character has no sign in ascii.rs");
        }
        assert!(read > 60, "{read}");
    }

    #[test]
    fn a_locale_says_what_it_can() {
        for locale in ["C.UTF-8", "de_DE.utf8", "en_US.UTF-8@euro", "UTF-8"] {
            assert!(is_unicode(locale), "{locale}");
        }
        for locale in ["", "C", "POSIX", "de_DE", "de_DE.ISO-8859-1", "en_US.iso885915"] {
            assert!(!is_unicode(locale), "{locale}");
        }
    }
}
