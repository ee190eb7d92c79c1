//! Generated texts: compared with the files that are there, or written.

use std::{fs, path::Path};

use grader::{exit::Result, files};

/// A file's path below the course's root, and what belongs in it.
pub type Text = (String, String);

/// Whether to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settle {
    /// Files that differ are written.
    Write,
    /// Nothing is written.
    Compare,
}

/// Compares the texts with their files, writes those that differ if asked to, and gives their paths.
///
/// # Errors
/// A file that cannot be written.
pub fn settle(root: &Path, texts: &[Text], how: Settle) -> Result<Vec<String>> {
    let mut stale = Vec::new();
    for (name, text) in texts {
        let path = root.join(name);
        if fs::read_to_string(&path).ok().as_deref() == Some(text.as_str()) {
            continue;
        }
        if how == Settle::Write {
            files::save(&path, text.as_bytes())?;
        }
        stale.push(name.clone());
    }
    Ok(stale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparing_writes_nothing() {
        let root = tempfile::tempdir().expect("a folder");
        fs::write(root.path().join("kept"), "as it is").expect("a file");
        let text = |name: &str, text: &str| (name.to_owned(), text.to_owned());
        let texts = [text("kept", "as it is"), text("new/one", "made")];
        for (how, written) in [(Settle::Compare, false), (Settle::Write, true)] {
            assert_eq!(settle(root.path(), &texts, how).ok(), Some(vec!["new/one".to_owned()]));
            assert_eq!(root.path().join("new/one").is_file(), written);
        }
        assert_eq!(settle(root.path(), &texts, Settle::Compare).ok(), Some(Vec::new()));
    }
}
