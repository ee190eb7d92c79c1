//! A TOML file that a person wrote. Every error names the file and the line, and where a key is unknown, the nearest
//! known one.

use std::ops::Range;

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use crate::{
    exit::{Result, Trouble},
    visible::one_line,
};

/// The file: its name as errors show it, and its text.
#[derive(Clone, Copy, Debug)]
pub struct Written<'a> {
    /// The name.
    pub name: &'a str,
    /// The text.
    pub text: &'a str,
}

/// Characters of the file that an error shows.
const LONGEST_FOUND: usize = 40;

/// A value of the file.
pub type Value<'a> = Spanned<DeValue<'a>>;

impl<'a> Written<'a> {
    /// The file's table.
    ///
    /// # Errors
    /// Wrong usage where it is no TOML.
    pub fn table(&self) -> Result<DeTable<'a>> {
        DeTable::parse(self.text).map(Spanned::into_inner).map_err(|error| {
            let next = "mend that line; values are written as in `key = \"text\"`, `key = 3`, `key = true`";
            let at = error.span().unwrap_or(self.text.len()..self.text.len());
            self.trouble(at.clone(), self.not_read(at, error.message()), next)
        })
    }

    /// What is wrong where the library could not read on; its own words are about how TOML is parsed.
    fn not_read(&self, at: Range<usize>, said: &str) -> String {
        let found = |range: Range<usize>| {
            let found = self.text.get(range).unwrap_or_default().trim();
            found.chars().take(LONGEST_FOUND).collect::<String>()
        };
        if said.starts_with("duplicate key") {
            return format!("`{}` is there twice", found(at));
        }
        let begin = self.text.get(..at.start).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
        let rest = self.text.get(begin..).unwrap_or_default();
        match found(begin..begin + rest.find('\n').unwrap_or(rest.len())) {
            nothing if nothing.is_empty() => {
                "something above is not closed: a quotation mark or a bracket".to_owned()
            }
            line => format!("expected `key = value` or `[name]`, found `{line}`"),
        }
    }

    /// Wrong usage in this file, at the line where the range begins.
    pub fn trouble(&self, at: Range<usize>, what: impl AsRef<str>, next: impl Into<String>) -> Trouble {
        let before = self.text.get(..at.start).unwrap_or(self.text);
        let line = 1 + before.matches('\n').count();
        Trouble::usage(format!("{}:{line}: {}", self.name, one_line(what.as_ref())), next)
    }

    /// Every key of a table, which is one of those known.
    ///
    /// # Errors
    /// Wrong usage that names the nearest known key.
    pub fn known<'t>(
        &self,
        table: &'t DeTable<'a>,
        keys: &[&str],
    ) -> Result<Vec<(&'t str, Range<usize>, &'t Value<'a>)>> {
        let mut all = Vec::new();
        for (key, value) in table {
            let name = key.get_ref().as_ref();
            if !keys.contains(&name) {
                return Err(self.unknown("key", name, keys, key.span()));
            }
            all.push((name, key.span(), value));
        }
        Ok(all)
    }

    /// An unknown name, and the nearest of those known.
    pub fn unknown(&self, what: &str, name: &str, known: &[&str], at: Range<usize>) -> Trouble {
        self.trouble(at, format!("unknown {what} `{name}`"), meant(name, known))
    }

    /// Something that has no part or value of this name, and the nearest of those that it has.
    pub fn has_no(&self, whole: &str, what: &str, name: &str, known: &[&str], at: Range<usize>) -> Trouble {
        self.trouble(at, format!("{whole} has no {what} `{name}`"), meant(name, known))
    }

    /// A text.
    ///
    /// # Errors
    /// Wrong usage where the value is something else; so do those below.
    pub fn text_of<'v>(&self, key: &str, value: &'v Value<'a>) -> Result<&'v str> {
        value.get_ref().as_str().ok_or_else(|| self.other(key, value, "a text in quotation marks"))
    }

    /// Yes or no.
    ///
    /// # Errors
    /// As above.
    pub fn truth_of(&self, key: &str, value: &Value<'a>) -> Result<bool> {
        value.get_ref().as_bool().ok_or_else(|| self.other(key, value, "true or false"))
    }

    /// A whole number, not below zero.
    ///
    /// # Errors
    /// As above.
    pub fn count_of(&self, key: &str, value: &Value<'a>) -> Result<u64> {
        let number = value.get_ref().as_integer();
        let number = number.and_then(|number| u64::from_str_radix(number.as_str(), number.radix()).ok());
        number.ok_or_else(|| self.other(key, value, "a whole number"))
    }

    /// A table.
    ///
    /// # Errors
    /// As above.
    pub fn table_of<'v>(&self, key: &str, value: &'v Value<'a>) -> Result<&'v DeTable<'a>> {
        value.get_ref().as_table().ok_or_else(|| self.other(key, value, "a table"))
    }

    /// Wrong usage: something else than what was expected.
    pub fn other(&self, key: &str, value: &Value<'a>, expected: &str) -> Trouble {
        let found = self.text.get(value.span()).unwrap_or_default();
        let found: String = found.chars().take(LONGEST_FOUND).collect();
        self.trouble(value.span(), format!("`{key}` is {found}"), format!("write {expected}"))
    }

    /// The format's version, which must be there.
    ///
    /// # Errors
    /// Wrong usage where it isn't, or is one that this program doesn't know.
    pub fn require_schema(&self, table: &DeTable<'a>, known: u64) -> Result<()> {
        let Some(value) = table.get("schema") else {
            return Err(self.trouble(0..0, "`schema` is missing", format!("begin with `schema = {known}`")));
        };
        let found = self.count_of("schema", value)?;
        if found == known {
            return Ok(());
        }
        let next = if found > known { "update the grader".to_owned() } else { format!("write {known}") };
        Err(self.trouble(value.span(), format!("has format {found}, this grader knows {known}"), next))
    }
}

/// The nearest name as a question, or all that are known.
fn meant(name: &str, known: &[&str]) -> String {
    match nearest(name, known) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => format!("known here: {}", known.join(", ")),
    }
}

/// The name that was meant, where one is near enough.
fn nearest<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    let distance = |known: &&str| strsim::damerau_levenshtein(&name.to_lowercase(), known);
    let nearest = known.iter().copied().min_by_key(distance)?;
    (distance(&nearest) <= 2.max(nearest.len() / 3)).then_some(nearest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Option<String> {
        let trouble = Written { name: "x.toml", text }.table().err()?;
        Some(trouble.message)
    }

    #[test]
    fn what_is_no_toml_is_told_by_what_stands_there() {
        for (text, expected) in [
            ("a = 1\nb = c\n", "x.toml:2: expected `key = value` or `[name]`, found `b = c`"),
            ("a = 1\na = 2\n", "x.toml:2: `a` is there twice"),
            ("[a]\n[a]\n", "x.toml:2: `a` is there twice"),
            ("a = 1\nschema 1", "x.toml:2: expected `key = value` or `[name]`, found `schema 1`"),
        ] {
            assert_eq!(said(text).as_deref(), Some(expected));
        }
    }

    #[test]
    fn whatever_is_damaged_no_word_of_the_library_is_said() {
        const WHOLE: &str = "a = 1\n[b]\nc = \"text\"\nd = [1, 2]\n[[e.f]]\ng = 2026-12-01T23:59:00Z\n";
        assert_eq!(said(WHOLE), None);
        for (at, _) in WHOLE.char_indices() {
            for (with, until) in [("", at + 1), ("\"", at), ("[", at), ("x", at + 1), ("", WHOLE.len())] {
                let text = [&WHOLE[..at], with, &WHOLE[until..]].concat();
                let Some(said) = said(&text) else { continue };
                let told = said.split_once(": ").map_or("", |(_, told)| told);
                let is_ours = told.starts_with("expected `key = value` or `[name]`, found `")
                    || told.starts_with("something above is not closed")
                    || told.ends_with("` is there twice");
                assert!(is_ours, "{said}\n{text}");
            }
        }
    }
}
