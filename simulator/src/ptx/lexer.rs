//! PTX text as tokens.

use logos::Logos;

/// A token; its text is the slice it stands on.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n\f]+")]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
#[logos(skip r"/\*([^*]|\*+[^*/])*\*+/")]
pub enum Token {
    /// A name; names of registers and labels may start with `%`, `$` or `_`.
    #[regex(r"([a-zA-Z_$]|%[a-zA-Z0-9_$])[a-zA-Z0-9_$]*", priority = 3)]
    Word,
    /// A directive or modifier, dot included: `.reg`, `.shared::cta`, `.2d`.
    #[regex(r"\.[a-zA-Z0-9_][a-zA-Z0-9_]*(::[a-zA-Z0-9_]+)*")]
    Dotted,
    /// An integer.
    #[regex(r"(0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9]+)U?")]
    Integer,
    /// Bits of a single.
    #[regex(r"0[fF][0-9a-fA-F]{8}")]
    Float,
    /// Bits of a double.
    #[regex(r"0[dD][0-9a-fA-F]{16}")]
    Double,
    /// A decimal float.
    #[regex(r"[0-9]+\.[0-9]*([eE][+-]?[0-9]+)?")]
    #[regex(r"[0-9]*\.?[0-9]+[eE][+-]?[0-9]+")]
    Decimal,
    /// A string, quotes included.
    #[regex(r#""([^"\\\n]|\\[^\n])*""#)]
    Text,
    /// Any other character.
    #[regex(r"[(){}\[\],;:@!|+\-=<>&~*/%^?]")]
    Mark,
    /// The end of the text.
    End,
}

/// A token, where it starts, where it ends, and its line.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    /// What it is.
    pub token: Token,
    /// First byte.
    pub start: usize,
    /// Byte after the last.
    pub end: usize,
    /// Line, from 1.
    pub line: u32,
}

/// All tokens, the last one [`Token::End`]; or the line, first byte and text of what is none.
pub fn tokens(text: &str) -> Result<Vec<Placed>, (u32, usize, String)> {
    let mut found = Vec::with_capacity(text.len() / 4);
    let (mut line, mut counted) = (1, 0);
    let newlines =
        |from: usize, to: usize| text.as_bytes()[from..to].iter().filter(|&&b| b == b'\n').count() as u32;
    for (token, span) in Token::lexer(text).spanned() {
        line += newlines(counted, span.start);
        counted = span.start;
        match token {
            Ok(token) => found.push(Placed { token, start: span.start, end: span.end, line }),
            Err(()) => return Err((line, span.start, text[span].to_owned())),
        }
    }
    line += newlines(counted, text.len());
    found.push(Placed { token: Token::End, start: text.len(), end: text.len(), line });
    Ok(found)
}
