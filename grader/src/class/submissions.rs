//! The names that a student's files and links have in the results.

/// A name for a file or a link: letters, digits, `-`, `_` and inner dots stay, the rest is `%NN`. Different
/// names give different results.
pub fn file_name(name: &str) -> String {
    let mut out = String::new();
    for (index, c) in name.char_indices() {
        if c.is_ascii_alphanumeric() || c == '-' || c == '_' || (c == '.' && index > 0) {
            out.push(c);
        } else {
            let mut buffer = [0; 4];
            out.extend(c.encode_utf8(&mut buffer).bytes().map(|byte| format!("%{byte:02X}")));
        }
    }
    // File systems stop at 255 bytes; `%` can't occur before `~` otherwise, so this stays unambiguous.
    if out.len() > 200 {
        let hash = blake3::hash(name.as_bytes()).to_hex();
        out.truncate(160);
        out.push('~');
        out.push_str(&hash[..32]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_safe_and_different() {
        assert_eq!(file_name("ada.l-1"), "ada.l-1");
        assert_eq!(file_name("../é %"), "%2E.%2F%C3%A9%20%25");
        assert!(file_name(&"ü".repeat(120)).len() <= 200);
        assert_ne!(file_name(&"ü".repeat(120)), file_name(&"ü".repeat(121)));
    }
}
