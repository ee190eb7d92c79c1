//! Names in folders and archives, as paths that can do no harm.

use super::{Item, Kind};

/// Deeper than any course folder.
const MOST_FOLDERS: usize = 32;
/// What Linux allows a path.
const LONGEST: usize = 4096;

/// A name as text: what isn't UTF-8 or would drive a terminal is written as `\xNN`.
pub fn printable(name: &[u8]) -> String {
    let mut out = String::new();
    for chunk in name.utf8_chunks() {
        for c in chunk.valid().chars() {
            if c.is_control() || c == '\\' {
                out.extend(c.to_string().bytes().map(escaped));
            } else {
                out.push(c);
            }
        }
        out.extend(chunk.invalid().iter().copied().map(escaped));
    }
    out
}

fn escaped(byte: u8) -> String {
    format!("\\x{byte:02x}")
}

/// An archive's entry by its name there. `separators` are what the archive's format puts between folders; Windows'
/// packers put backslashes into zips.
pub fn entry(name: &[u8], separators: &[u8], kind: Kind) -> Item {
    let mut path: Vec<String> = Vec::new();
    let hostile = |path: Vec<String>, what: &str| {
        let shown: String = printable(name).chars().take(80).collect();
        Item { path, kind: Kind::Hostile(format!("`{shown}` in it {what}")) }
    };
    if name.first().is_some_and(|first| separators.contains(first)) {
        return hostile(path, "is an absolute path");
    }
    if let [letter, b':', ..] = name
        && letter.is_ascii_alphabetic()
        && separators.contains(&b'\\')
    {
        return hostile(path, "is an absolute path");
    }
    // Whatever is wrong, the folders before it say whose it is.
    for part in name[..name.len().min(LONGEST)].split(|byte| separators.contains(byte)) {
        match part {
            b"" | b"." => {}
            b".." => return hostile(path, "climbs out of its folder"),
            _ if part.contains(&0) => return hostile(path, "has a NUL byte"),
            _ => path.push(printable(part)),
        }
        if path.len() > MOST_FOLDERS {
            path.truncate(MOST_FOLDERS);
            return hostile(path, "lies deeper than any course folder");
        }
    }
    if name.len() > LONGEST {
        path.pop();
        return hostile(path, "is longer than any path may be");
    }
    Item { path, kind }
}
