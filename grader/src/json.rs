//! What is wrong with a JSON file, in words of whoever mends it: the line, the key, and what should stand there. The library's
//! own words are about the program's types.

use serde_json::{Error, error::Category};

/// What is wrong with this text, which could not be read.
pub fn in_words(text: &[u8], error: &Error) -> String {
    let text = String::from_utf8_lossy(text);
    let said = error.to_string();
    let line = error.line();
    let key = key_before(&text, line, error.column());
    let at = |what: String| if line == 0 { what } else { format!("line {line}: {what}") };
    match error.classify() {
        Category::Eof => "the file ends too early".to_owned(),
        Category::Syntax | Category::Io => at("this is no JSON".to_owned()),
        Category::Data => at(wrong_data(&said, key)),
    }
}

fn wrong_data(said: &str, key: Option<&str>) -> String {
    let name = key.map_or("what stands here".to_owned(), |key| format!("`{key}`"));
    let named = || said.split('`').nth(1).unwrap_or_default();
    if said.starts_with("missing field") {
        return format!("`{}` is missing", named());
    }
    if said.starts_with("duplicate field") {
        return format!("`{}` is there twice", named());
    }
    if said.starts_with("unknown field") {
        return format!("this program knows no `{}`", named());
    }
    if said.starts_with("unknown variant") {
        // Behind the one that was found.
        let known: Vec<&str> = said.split('`').skip(3).step_by(2).collect();
        return format!("{name} should be one of {}", known.join(", "));
    }
    match said.split_once(", expected ").and_then(|(_, expected)| wanted(expected)) {
        Some(wanted) => format!("{name} should be {wanted}"),
        None => format!("{name} is not what this program writes there"),
    }
}

/// What the library expects, in words; none where only the program knows it.
fn wanted(expected: &str) -> Option<&'static str> {
    let expected = expected.split(" at line ").next().unwrap_or_default();
    Some(match expected {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number, not below zero",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "a string" | "string or map" => "a text in quotation marks",
        "a boolean" => "true or false",
        "a map" => "a list of keys and values in braces",
        "a sequence" => "a list in brackets",
        _ if expected.starts_with("struct ") => "a list of keys and values in braces",
        _ => return None,
    })
}

/// The last key in this line before this column.
fn key_before(text: &str, line: usize, column: usize) -> Option<&str> {
    let line = text.lines().nth(line.checked_sub(1)?)?;
    // The column counts bytes, and may lie amid a character.
    let end = (0..=column.min(line.len())).rev().find(|&end| line.is_char_boundary(end))?;
    let (before, _) = line[..end].rsplit_once("\":")?;
    before.rsplit_once('"').map(|(_, key)| key)
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "it is only read")]
    struct Record {
        schema: u32,
        list: Vec<String>,
        kind: Kind,
        is_so: bool,
        share: f64,
        below: Below,
    }

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "it is only read")]
    struct Below {
        name: String,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Kind {
        Passed,
        Failed,
    }

    const WHOLE: &str = "{\n  \"schema\": 1,\n  \"list\": [],\n  \"kind\": \"passed\",\n  \"is_so\": true,\n  \"share\": 0.5,\n  \
                         \"below\": { \"name\": \"ä\" }\n}\n";
    /// Words of the library, and of the program's types.
    const FOREIGN: [&str; 9] =
        ["field", "variant", "invalid", "struct", "u32", "f64", "EOF", "column", "sequence"];

    fn said(text: &str) -> String {
        in_words(text.as_bytes(), &serde_json::from_str::<Record>(text).expect_err(text))
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line_and_key() {
        serde_json::from_str::<Record>(WHOLE).expect("it is whole");
        for (from, to, expected) in [
            (
                "\"schema\": 1",
                "\"schema\": \"1\"",
                "line 2: `schema` should be a whole number, not below zero",
            ),
            ("\"schema\": 1", "\"schema\": -1", "line 2: `schema` should be a whole number, not below zero"),
            ("\"schema\": 1", "\"schema\": 1.5", "line 2: `schema` should be a whole number, not below zero"),
            ("[]", "{}", "line 3: `list` should be a list in brackets"),
            ("[]", "[7]", "line 3: `list` should be a text in quotation marks"),
            ("\"passed\"", "\"pased\"", "line 4: `kind` should be one of passed, failed"),
            ("true", "1", "line 5: `is_so` should be true or false"),
            ("0.5", "\"half\"", "line 6: `share` should be a number"),
            ("\"ä\"", "null", "line 7: `name` should be a text in quotation marks"),
            ("{ \"name\": \"ä\" }", "3", "line 7: `below` should be a list of keys and values in braces"),
            ("  \"share\": 0.5,\n", "", "line 7: `share` is missing"),
            ("\"is_so\"", "\"schema\"", "line 5: `schema` is there twice"),
            ("true,", "true", "line 6: this is no JSON"),
            ("\n}\n", "\n", "the file ends too early"),
        ] {
            let text = WHOLE.replacen(from, to, 1);
            assert_ne!(text, WHOLE, "{from}");
            assert_eq!(said(&text), expected, "{text}");
        }
    }

    #[test]
    fn whatever_is_damaged_no_word_of_the_library_is_said() {
        for at in 0..WHOLE.len() {
            for (with, until) in [("", at + 1), ("7", at + 1), ("\"", at), ("", WHOLE.len())] {
                let text = [&WHOLE.as_bytes()[..at], with.as_bytes(), &WHOLE.as_bytes()[until..]].concat();
                let Err(error) = serde_json::from_slice::<Record>(&text) else { continue };
                let said = in_words(&text, &error);
                let foreign = FOREIGN.iter().find(|word| said.contains(**word));
                assert_eq!(foreign, None, "{said}\n{}", String::from_utf8_lossy(&text));
            }
        }
    }
}
