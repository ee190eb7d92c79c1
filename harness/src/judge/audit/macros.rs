//! Macros that can write into a header.
//!
//! A header's code comes out as the macros before its `#include` leave it, and what they write there has the
//! header's lines. To be PTX it must be text. Text has a quote, or is made with `#` from what has none; and headers
//! have macros that make text of what they are handed (`#define fma membar.sys; fma` is enough). So ahead of an
//! `#include` a macro may only stand for what is no PTX, whoever makes text of it: numbers, operators, its own
//! parameters, and names in capitals, which are macros themselves. This looks for others in the source itself, as
//! strictly as one can without the preprocessor: what only looks like one (in a comment, say) counts, and what is
//! one is never missed.

/// A macro's name and the line (from 1) where it is defined.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Macro {
    pub name: String,
    pub line: u32,
}

/// The first macro that can write PTX and stands before an `#include`.
pub(super) fn that_writes_text_into_headers(source: &str) -> Option<Macro> {
    let characters = spliced(source);
    let text: String = characters.iter().map(|&(c, _)| if c.is_ascii() { c } else { '_' }).collect();
    let before = &text[..text.rfind("include")?];
    before.match_indices("define").find_map(|(at, word)| {
        let rest = &before[at + word.len()..];
        let begins_a_word = !before[..at].ends_with(is_of_a_word);
        (begins_a_word && !rest.starts_with(is_of_a_word) && writes_text(rest)).then(|| Macro {
            name: without_comments(rest).trim_start().chars().take_while(|&c| is_of_a_word(c)).collect(),
            line: characters[at].1,
        })
    })
}

/// Characters and their lines, without the line ends that a backslash takes away.
fn spliced(source: &str) -> Vec<(char, u32)> {
    let mut characters = Vec::new();
    for (line, text) in (1..).zip(source.split_inclusive('\n')) {
        let continued = text.trim_end().strip_suffix('\\').filter(|_| text.ends_with('\n'));
        characters.extend(continued.unwrap_or(text).chars().map(|c| (c, line)));
    }
    characters
}

/// What follows `define`, up to the end of the directive, may become PTX. A comment can hide the line's end,
/// and what looks like a comment can be a part of a text: either way a quote is seen first.
fn writes_text(directive: &str) -> bool {
    let (parameters, mut rest) = parameters(directive);
    while let Some(c) = rest.chars().next() {
        let tail = &rest[1..];
        rest = match c {
            '\n' => return false,
            '"' | '\'' | '#' | ';' | '@' | '{' | '}' | '[' | ']' | '$' => return true,
            '%' if tail.starts_with([':', '>']) => return true,
            '<' if tail.starts_with(['%', ':']) => return true,
            '/' if tail.starts_with('/') => return false,
            '/' if tail.starts_with('*') => tail[1..].split_once("*/").map_or("", |(_, after)| after),
            '.' if !tail.starts_with(|c: char| c.is_ascii_digit() || c == '.') => return true,
            _ if is_of_a_word(c) => {
                let end = rest.find(|c| !is_of_a_word(c) && c != '.').unwrap_or(rest.len());
                let word = &rest[..end];
                let is_name = !c.is_ascii_digit();
                if is_name && word.contains(|c: char| c.is_ascii_lowercase()) && !parameters.contains(&word) {
                    return true;
                }
                &rest[end..]
            }
            _ => tail,
        };
    }
    false
}

/// The parameters of `NAME(a, b) …`, and what follows the name and them.
fn parameters(directive: &str) -> (Vec<&str>, &str) {
    let named = without_comments(directive).trim_start();
    // Where the line ends at once there is no name.
    let rest = named.trim_start_matches(is_of_a_word);
    if named.len() == rest.len() {
        return (Vec::new(), directive);
    }
    match rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        Some((list, rest)) if !list.contains(['\n', '(', '"', '/']) => {
            (list.split(',').map(str::trim).collect(), rest)
        }
        _ => (Vec::new(), rest),
    }
}

fn without_comments(text: &str) -> &str {
    let text = text.trim_start();
    match text.strip_prefix("/*").and_then(|comment| comment.split_once("*/")) {
        Some((_, after)) => without_comments(after),
        None => text,
    }
}

fn is_of_a_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(source: &str) -> Option<(String, u32)> {
        that_writes_text_into_headers(source).map(|found| (found.name, found.line))
    }

    #[test]
    fn text_ahead_of_a_header_is_seen_however_it_is_written() {
        for source in [
            "\n#define asm(...) asm(\"trap;\")\n#include <a>\n",
            "\n#define asm(...) asm(#__VA_ARGS__)\n#include <a>\n",
            "\n#define asm(x) asm(%:x)\n#include <a>\n",
            "\n#define asm(x) asm(R\"(trap;)\")\n#include <a>\n",
            "\n#define asm(x) /*\n*/ asm(\"trap;\")\n#include <a>\n",
            "\n#define asm(x) '/*' asm(\"trap;\")\n*/\n#include <a>\n",
            "\n#def\\\nine asm(x) \\\r\nasm(\"trap;\")\n#inc\\\nlude <a>\n",
            "\n#/**/define/**//* */asm(x) asm(\"trap;\")\n%: include <a>\n",
            // What a header's macro makes text of.
            "\n#define asm membar.sys; asm\n#include <a>\n",
            "\n#define asm(x) x; bar.sync\n#include <a>\n",
            "\n#define asm relaxed\n#include <a>\n",
            "\n#define asm .SYS\n#include <a>\n",
            "\n#define asm <% ret\n#include <a>\n",
        ] {
            assert_eq!(found(source), Some(("asm".to_owned(), 2)), "{source}");
        }
    }

    #[test]
    fn numbers_and_what_stands_behind_the_headers_are_fine() {
        for source in [
            "#include <a>\n#define SAY(x) printf(\"%d\\n\", x)\n",
            "#define BLOCK 256 // \"threads\"\n#define MAX(a, b) ((a) > (b) ? (a) : (b))\n#include <a>\n",
            "#define N /* a \"few\" */ 1024\n#include <a>\n",
            "#define HALF (.5f + 0x1p-3f * N % 3 << 1)\n#define ON\n#define OFF\n#include <a>\n",
            "#define CLAMP(x, ...) MAX(x, MIN(LEAST, -(x)))\n#include <a>\n",
            "#ifdefined \"x\"\n#undefine \"x\"\n#include <a>\n",
            "#define SAY \"hello\"\n",
        ] {
            assert_eq!(found(source), None, "{source}");
        }
        assert_eq!(found("// ä\n#define MÄX \"a\"\n#include <a>"), Some(("M_X".to_owned(), 2)));
    }
}
