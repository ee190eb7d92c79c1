//! A count before a noun: `1 stub`, `2 stubs`. The sources' texts are looked through for what would say `1 stubs`.

use std::{fs, path::Path};

use regex::Regex;

use crate::support::Place;

/// What the grader and the judge count.
const COUNTED: &str = "stubs|cases|exercises|rows|kernels|students|entries|pairs|judgements|parts|tasks|cores|points|findings|\
                       judge errors|hints|orders|submissions|branches|lines|characters|messages|warnings|registers|sectors|turns|conflicts";

/// The lines of a text, but for tests and comments, in which a number stands before a plural whatever the number is.
fn wrong(text: &str) -> Vec<String> {
    let counted = Regex::new(&format!(
        r#"\{{[^{{}}"]*\}} (?:(?:different|more|other|untouched|compiler|bank) )*(?:{COUNTED})\b"#
    ))
    .unwrap();
    // `1 of 3 rows`, `at most 3 cases`, `all 3 cases`; and an arm or a condition that leaves out 1.
    let of_several =
        Regex::new(r#"(?:of|than|most|all|\{room\}|none of) \{[^{}"]*\} |\b[a-z_]+ =>|== 1|> 1"#).unwrap();
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or(text);
    let lines = code.lines().map(str::trim).filter(|line| !line.starts_with("//"));
    lines.filter(|line| counted.is_match(line) && !of_several.is_match(line)).map(str::to_owned).collect()
}

fn look(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            look(&entry, found);
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&entry).unwrap();
            found.extend(wrong(&text).into_iter().map(|line| format!("{}: {line}", entry.to_str().unwrap())));
        }
    }
}

#[test]
fn no_text_has_a_number_before_a_plural() {
    assert_eq!(wrong("say(&format!(\"{} stubs written\", count));").len(), 1);
    assert_eq!(wrong("format!(\"{} more lines, {more} more compiler messages\")").len(), 1);
    assert_eq!(wrong("    // {} stubs\n    more => format!(\"{more} exercises\"),").len(), 0);
    let mut found = Vec::new();
    for sources in ["src", "../harness/src"] {
        look(&Path::new(env!("CARGO_MANIFEST_DIR")).join(sources), &mut found);
    }
    assert!(found.is_empty(), "use `number_of` or `number_which`: {found:#?}");
}

#[test]
fn one_stub_is_one() {
    let place = Place::new();
    place.grader(&["init", "."]);
    fs::remove_dir_all(place.path("03-reduction")).unwrap();
    let again = place.grader(&["init", "."]).out;
    assert!(again.contains("1 stub written"), "{again}");
}
