//! Readable names from mangled ones (Itanium C++ ABI), as far as reports need: a variable's own name.

/// The name of a variable as the learner wrote it: `_ZZ4tilePfE1s` and `_ZN3foo1sE` are `s`. Names that are
/// not mangled stay as they are.
pub fn variable(name: &str) -> String {
    last_identifier(name).unwrap_or(name).to_owned()
}

/// `<length><characters>` at the start.
fn identifier(text: &str) -> Option<(&str, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let length: usize = text[..digits].parse().ok()?;
    let rest = &text[digits..];
    (length > 0 && rest.is_char_boundary(length) && rest.len() >= length).then(|| rest.split_at(length))
}

/// The local entity of `_ZZ…E<name>`, or the last part of `_ZN…E`, or the identifier of `_Z<name>`.
fn last_identifier(name: &str) -> Option<&str> {
    let rest = name.strip_prefix("_Z")?;
    if rest.starts_with('Z') {
        // The entity follows some `E`; take the last one after which an identifier fills the
        // rest but a discriminator.
        return rest
            .char_indices()
            .filter(|&(_, c)| c == 'E')
            .filter_map(|(at, _)| identifier(&rest[at + 1..]))
            .filter(|(_, after)| after.is_empty() || after.starts_with('_'))
            .map(|(found, _)| found)
            .next_back();
    }
    let mut rest = rest.trim_start_matches(['N', 'K', 'L']);
    let mut last = None;
    while let Some((found, after)) = identifier(rest) {
        last = Some(found);
        rest = after.trim_start_matches('L');
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_named_as_written() {
        for (mangled, plain) in [
            ("_ZZ1kE1s", "s"),
            ("_ZZ4tilePfiE4tile", "tile"),
            ("_ZZ4tileILi16EEvPfiE3tmp_0", "tmp"),
            ("_ZN4demo5tableE", "table"),
            ("counter", "counter"),
            ("_ZL5local", "local"),
            ("", ""),
            ("_Z9", "_Z9"),
        ] {
            assert_eq!(variable(mangled), plain);
        }
    }
}
