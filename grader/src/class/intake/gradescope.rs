//! Gradescope's `submission_metadata.yml`: who handed in which folder, and when.
//!
//! Gradescope's own pages name the file and not its keys; these are the ones that programs which read it agree on:
//! a mapping of folders to `:submitters` (each `:name`, `:sid`, `:email`), `:created_at`, `:score`, `:history`. The
//! values that other submissions had before are not in the export. Nothing else of the file is read.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Deserialize;

/// The file's name.
pub const METADATA: &str = "submission_metadata.yml";
/// A class of three hundred has a megabyte of results in it.
pub const GREATEST: u64 = 32 << 20;

/// Who handed something in, and when.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HandedIn {
    /// One, or a group.
    pub submitters: Vec<Submitter>,
    /// When.
    pub at: Option<Timestamp>,
}

/// A student, as Gradescope knows one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Submitter {
    /// The name.
    #[serde(rename = ":name", default)]
    pub name: Option<String>,
    /// The student's id, where the roster had one.
    #[serde(rename = ":sid", default)]
    pub sid: Option<String>,
    /// The address.
    #[serde(rename = ":email", default)]
    pub email: Option<String>,
}

#[derive(Deserialize)]
struct Written {
    #[serde(rename = ":submitters", default)]
    submitters: Vec<Submitter>,
    #[serde(rename = ":created_at", default)]
    created_at: Option<String>,
}

/// Reads it: by the folder's name.
///
/// # Errors
/// What is wrong with it.
pub fn read(text: &str) -> Result<BTreeMap<String, HandedIn>, String> {
    // What a class's results may have; aliases multiply what is in the file, and Gradescope writes none.
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_events: 4_000_000,
            max_nodes: 2_000_000,
            max_depth: 64,
            max_aliases: 1_000,
            max_total_scalar_bytes: GREATEST as usize,
        },
    };
    let all: BTreeMap<String, Written> =
        serde_saphyr::from_str_with_options(text, options).map_err(|error| error.to_string())?;
    all.into_iter()
        .map(|(folder, written)| {
            let at = match written.created_at.as_deref() {
                Some(text) => Some(moment(text).ok_or_else(|| format!("`{text}` of {folder} is no time"))?),
                None => None,
            };
            Ok((folder, HandedIn { submitters: written.submitters, at }))
        })
        .collect()
}

/// As Ruby writes one, `2026-09-21 18:30:00.123456000 Z`, or as ISO 8601 has it.
fn moment(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    text.parse().ok().or_else(|| {
        let (time, zone) = text.rsplit_once(' ')?;
        format!("{time}{zone}").parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // From programs that read the file, not from a live Gradescope.
    const EXAMPLE: &str = "\
---
submission_1:
  :submitters:
  - :name: Ada Lovelace
    :sid: '0123'
    :email: ada@example.edu
  :created_at: 2026-09-21 18:30:00.123456000 Z
  :score: 3.0
  :status: processed
  :results:
    tests:
    - name: a
      max_score: 1
  :history: []
submission_2:
  :submitters:
  - :name: Bob
    :email: bob@example.edu
  - :name: Eve
    :sid: 77
  :created_at: '2026-09-21T18:30:00-07:00'
";

    #[test]
    fn submitters_and_times_are_read() {
        let all = read(EXAMPLE).unwrap();
        let ada = &all["submission_1"];
        assert_eq!(ada.submitters[0].sid.as_deref(), Some("0123"));
        assert_eq!(ada.at.unwrap().to_string(), "2026-09-21T18:30:00.123456Z");
        let group = &all["submission_2"];
        assert_eq!(group.submitters[0].email.as_deref(), Some("bob@example.edu"));
        assert_eq!(group.submitters[1].sid.as_deref(), Some("77"));
        assert_eq!(group.at.unwrap().to_string(), "2026-09-22T01:30:00Z");
    }

    #[test]
    fn a_file_that_multiplies_itself_is_refused() {
        let mut bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n".to_owned();
        for level in 'b'..='k' {
            let before = char::from(level as u8 - 1);
            bomb.push_str(&format!("{level}: &{level} [{}]\n", vec![format!("*{before}"); 9].join(",")));
        }
        assert!(read(&bomb).is_err());
        assert!(read("submission_1:\n  :created_at: yesterday\n").unwrap_err().contains("no time"));
    }
}
