//! What a kernel's text says to the compiler beside its code, found without compiling it.
//!
//! For refusing and reporting, never for understanding: where a text is unclear, the answer errs towards
//! finding something. Knows no exercise.

/// The line (from 1) of a directive that would give lines other numbers or another file: `#line 7 "x"` or `#
/// 7 "x"`. Messages and findings must name the places that the learner sees.
pub fn line_directive(source: &str) -> Option<u32> {
    // The compiler joins lines where blanks follow the backslash, and in a comment it doesn't.
    [true, false].into_iter().filter_map(|over_blanks| line_directive_in(&spliced(source, over_blanks))).min()
}

/// Whether the text calls a function of that name outside of comments.
pub fn calls(source: &str, function: &str) -> bool {
    let code = without_comments(source);
    code.match_indices(function).any(|(at, _)| {
        let is_of_a_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        !code[..at].ends_with(is_of_a_word) && code[at + function.len()..].trim_start().starts_with('(')
    })
}

/// The text with a blank for each comment; quotes are taken for code.
fn without_comments(source: &str) -> String {
    let (mut code, mut rest) = (String::with_capacity(source.len()), source);
    while let Some(at) = rest.find("//").into_iter().chain(rest.find("/*")).min() {
        code.push_str(&rest[..at]);
        code.push(' ');
        let end = if rest[at..].starts_with("//") { "\n" } else { "*/" };
        rest = rest[at + 2..].split_once(end).map_or("", |(_, behind)| behind);
    }
    code + rest
}

fn line_directive_in((text, lines): &(String, Vec<u32>)) -> Option<u32> {
    let mut from = 0;
    while let Some((at, mark)) =
        ["#", "%:"].iter().filter_map(|mark| text[from..].find(mark).map(|at| (from + at, *mark))).min()
    {
        from = at + mark.len();
        let rest = skip_blank(&text[from..]);
        let word = rest.starts_with("line")
            && !rest[4..].starts_with(|next: char| next.is_ascii_alphanumeric() || next == '_');
        // A number after a mark is a directive only at the start of a line; in a text such
        // as "thread #1" it is none.
        let start = text[..at].rfind(['\n', '/']).map_or(0, |before| before + 1);
        let number = rest.starts_with(|next: char| next.is_ascii_digit())
            && text[start..at].chars().all(char::is_whitespace);
        if word || number {
            return Some(lines[at]);
        }
    }
    None
}

fn skip_blank(mut text: &str) -> &str {
    loop {
        text = text.trim_start_matches([' ', '\t', '\r', '\x0b', '\x0c']);
        let Some(comment) = text.strip_prefix("/*") else { return text };
        text = comment.split_once("*/").map_or("", |(_, rest)| rest);
    }
}

/// The text with its continued lines joined, also those with blanks behind the backslash or not, and the line
/// (from 1) of each of its bytes.
fn spliced(source: &str, over_blanks: bool) -> (String, Vec<u32>) {
    let mut text = String::with_capacity(source.len());
    let mut lines = Vec::with_capacity(source.len() + 1);
    for (number, line) in (1..).zip(source.split_inclusive('\n')) {
        let whole = line.trim_end_matches(['\n', '\r']);
        let blanks: &[char] = if over_blanks { &[' ', '\t'] } else { &[] };
        let kept = match whole.trim_end_matches(blanks).strip_suffix('\\') {
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
    fn a_call_is_a_name_before_a_parenthesis_and_in_no_comment() {
        for calling in
            ["wait_for(value);", "a; // no\nwait_for (value);", "/* a */wait_for\n(v)", "/*/ */ wait_for(v)"]
        {
            assert!(calls(calling, "wait_for"), "{calling}");
        }
        for other in [
            "",
            "// wait_for(value)",
            "/* wait_for(value) */ x",
            "wait_for_it(value)",
            "my_wait_for(value)",
            "&wait_for",
            "/* wait_for()",
        ] {
            assert!(!calls(other, "wait_for"), "{other}");
        }
    }

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
            "// a comment \\ \n# 9 \"x\"",
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
}
