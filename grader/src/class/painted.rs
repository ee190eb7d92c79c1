//! Text that was coloured for a terminal, as HTML: the same excerpts in both places.
//!
//! Only the judge's own colours come here, since a learner's escape sequences are spelled out before.

use crate::visible::unhidden;

/// What is set at a place of the text.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Paint {
    bold: bool,
    colour: Option<&'static str>,
}

/// The text in a page, to stand in `<pre>`.
pub fn html(text: &str) -> String {
    let text = unhidden(text);
    let mut out = String::with_capacity(text.len() * 2);
    let mut paint = Paint::default();
    let mut rest = text.as_str();
    while let Some(at) = rest.find('\x1b') {
        put(&mut out, &rest[..at], paint);
        rest = &rest[at..];
        let end = rest.find(|c: char| c.is_ascii_alphabetic()).map_or(rest.len(), |end| end + 1);
        paint.take(&rest[..end]);
        rest = &rest[end..];
    }
    put(&mut out, rest, paint);
    out
}

impl Paint {
    /// Takes a sequence such as `ESC [ 1 ; 91 m`; what sets no colour changes nothing.
    fn take(&mut self, sequence: &str) {
        let Some(codes) = sequence.strip_prefix("\x1b[").and_then(|codes| codes.strip_suffix('m')) else {
            return;
        };
        for code in codes.split(';') {
            match code {
                "" | "0" => *self = Paint::default(),
                "1" => self.bold = true,
                "31" | "91" => self.colour = Some("red"),
                "32" | "92" => self.colour = Some("green"),
                "33" | "93" => self.colour = Some("yellow"),
                "34" | "94" | "36" | "96" => self.colour = Some("blue"),
                _ => {}
            }
        }
    }
}

fn put(out: &mut String, text: &str, paint: Paint) {
    if text.is_empty() {
        return;
    }
    let bold = paint.bold.then_some("bold");
    let classes: Vec<&str> = bold.into_iter().chain(paint.colour).collect();
    if !classes.is_empty() {
        out.push_str(&format!("<span class=\"{}\">", classes.join(" ")));
    }
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Nothing else of a terminal's means anything here.
            c if c.is_control() && c != '\n' && c != '\t' => {}
            c => out.push(c),
        }
    }
    if !classes.is_empty() {
        out.push_str("</span>");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_become_classes_and_text_stays_text() {
        let painted = "\x1b[1m\x1b[91merror\x1b[0m: a<b> & \"c\"\n\x1b[94m|\x1b[39;0m x\x1b[2Jy\u{202e}";
        assert_eq!(
            html(painted),
            "<span class=\"bold red\">error</span>: a&lt;b&gt; &amp; &quot;c&quot;\n\
             <span class=\"blue\">|</span> xy\\u{202e}"
        );
    }
}
