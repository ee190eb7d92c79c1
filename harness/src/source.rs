//! What a kernel's text says to the compiler beside its code, found without compiling it.
//!
//! For refusing and reporting, never for understanding: where a text is unclear, the answer errs towards finding
//! something. Knows no exercise.

/// The line (from 1) of a directive that would give lines other numbers or another file: `#line 7 "x"` or `# 7 "x"`.
/// Messages and findings must name the places that the learner sees.
pub fn line_directive(source: &str) -> Option<u32> {
    let (text, lines) = spliced(source);
    let mut from = 0;
    while let Some((at, mark)) =
        ["#", "%:"].iter().filter_map(|mark| text[from..].find(mark).map(|at| (from + at, *mark))).min()
    {
        from = at + mark.len();
        let rest = skip_blank(&text[from..]);
        let word = rest.starts_with("line")
            && !rest[4..].starts_with(|next: char| next.is_ascii_alphanumeric() || next == '_');
        // A number after a mark is a directive only at the start of a line; in a text such as "thread #1" it is none.
        let start = text[..at].rfind(['\n', '/']).map_or(0, |before| before + 1);
        let number = rest.starts_with(|next: char| next.is_ascii_digit())
            && text[start..at].chars().all(char::is_whitespace);
        if word || number {
            return Some(lines[at]);
        }
    }
    None
}

/// The line (from 1) of the first `asm` of a text, or of the first `##`, which can write any word in two halves. Not in
/// comments and strings.
pub fn inline_ptx(source: &str) -> Option<u32> {
    let (text, lines) = spliced(source);
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        let raw = ["R\"", "LR\"", "uR\"", "UR\"", "u8R\""].iter().find(|prefix| rest.starts_with(**prefix));
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if let Some(comment) = rest.strip_prefix("/*") {
            at += comment.find("*/").map_or(rest.len(), |end| end + 4);
        } else if let Some(prefix) = raw {
            let body = &rest[prefix.len()..];
            let delimiter = body.split('(').next().unwrap_or_default();
            let end = format!("){delimiter}\"");
            at += prefix.len() + body.find(&end).map_or(body.len(), |found| found + end.len());
        } else if rest.starts_with(['"', '\'']) {
            at += quoted(rest);
        } else if rest.starts_with("##") || rest.starts_with("%:%:") {
            return Some(lines[at]);
        } else if bytes[at].is_ascii_digit() {
            // A number, with the quotes that may stand between its digits.
            let more = |next: char| next.is_ascii_alphanumeric() || next == '\'' || next == '.';
            at += rest.find(|next| !more(next)).unwrap_or(rest.len());
        } else if bytes[at].is_ascii_alphabetic() || bytes[at] == b'_' {
            let end = rest.find(|next: char| !(next.is_alphanumeric() || next == '_')).unwrap_or(rest.len());
            if matches!(&rest[..end], "asm" | "__asm" | "__asm__") {
                return Some(lines[at]);
            }
            at += end;
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    None
}

/// Length of a string or character that starts here.
fn quoted(text: &str) -> usize {
    let quote = text.as_bytes()[0];
    let mut escaped = false;
    for (at, &byte) in text.as_bytes().iter().enumerate().skip(1) {
        match byte {
            // Unclosed: it ends with its line, as for the compiler.
            b'\n' => return at,
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            _ if byte == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn skip_blank(mut text: &str) -> &str {
    loop {
        text = text.trim_start_matches([' ', '\t', '\r', '\x0b', '\x0c']);
        let Some(comment) = text.strip_prefix("/*") else { return text };
        text = comment.split_once("*/").map_or("", |(_, rest)| rest);
    }
}

/// The text with its continued lines joined, and the line (from 1) of each of its bytes.
fn spliced(source: &str) -> (String, Vec<u32>) {
    let mut text = String::with_capacity(source.len());
    let mut lines = Vec::with_capacity(source.len() + 1);
    for (number, line) in (1..).zip(source.split_inclusive('\n')) {
        let whole = line.trim_end_matches(['\n', '\r']);
        // The compiler joins lines also where blanks follow the backslash.
        let kept = match whole.trim_end_matches([' ', '\t']).strip_suffix('\\') {
            Some(joined) if line.ends_with('\n') => joined,
            _ => line,
        };
        text.push_str(kept);
        lines.resize(text.len(), number);
    }
    lines.push(lines.last().copied().unwrap_or(1));
    (text, lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_directives_are_found_however_they_are_written() {
        for forged in [
            "#line 7 \"/etc/shadow\"",
            "int a;\n  #  line 7",
            "# 7 \"/etc/shadow\"",
            "%:line 9",
            "%: 9 \"x\"",
            "#li\\\nne 9",
            "#li\\  \nne 9",
            "/* a */ # /* b */ line 9",
            "/* a\n */ # 9 \"x\"",
            "#/**/9 \"x\"",
        ] {
            assert!(line_directive(forged).is_some(), "{forged}");
        }
        for honest in [
            "#include \"course.cuh\"\n#pragma unroll\n#define LINE 3\n",
            "printf(\"thread #1 of line 4\");",
            "#define linear(x) x\n#linear",
            "int line = 3;",
            "",
        ] {
            assert_eq!(line_directive(honest), None, "{honest}");
        }
        assert_eq!(line_directive("int a;\nint b; \\\n\n#line 3\n"), Some(4));
    }

    #[test]
    fn inline_ptx_is_found_in_code_and_not_in_words() {
        for own in [
            "asm(\"\");",
            "__asm__ volatile(\"\");",
            "as\\\nm(\"\");",
            "#define A(x, y) x##y\nA(as, m)(\"\");",
            "\"//\"; asm(\"\");",
            "'\"'; asm(\"\"); '\"'",
            "1'000; asm(\"\"); 1'000",
            "R\"x(/*)x\"; asm(\"\"); //*/",
            "fooR\"(\"; asm(\"\"); \")\"",
        ] {
            assert!(inline_ptx(own).is_some(), "{own}");
        }
        for none in ["// no asm here", "/* asm */ int a;", "\"asm\";", "int asmx, x_asm;", "R\"(asm)\";", "'"]
        {
            assert_eq!(inline_ptx(none), None, "{none}");
        }
        assert_eq!(inline_ptx("int a;\n\n  asm(\"\");"), Some(3));
    }
}
