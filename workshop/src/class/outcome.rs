//! What comes of a scoring, and whether two came out the same: by every file that is handed out and every report.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::Duration,
};

use grader::exit::{Result, Trouble};

use super::{made::Submission, no_room, scoring, stopped};
use crate::{
    child::{Program, is_asked_to_end},
    cli::Class,
};

/// What came of a scoring, by name.
pub type Outcome = BTreeMap<String, Vec<u8>>;

/// How often a program at work is looked at.
pub const LOOK: Duration = Duration::from_millis(5);

pub fn not_run(program: &Path, error: &std::io::Error) -> Trouble {
    Trouble::judge(
        format!("could not run {}: {error}", program.display()),
        "build it, or name it by --program",
    )
}

/// Scores to the end.
pub fn to_the_end(program: &Path, place: &Path, options: &Class, results: &str) -> Result<()> {
    let mut command = scoring(program, place, options, results);
    let mut scoring = Program::start(&mut command).map_err(|error| not_run(program, &error))?;
    loop {
        match scoring.ended().map_err(|error| not_run(program, &error))? {
            Some(ended) if ended.success() => return Ok(()),
            Some(_) if is_asked_to_end() => return Err(stopped()),
            Some(ended) => {
                return Err(Trouble::judge(format!("scoring ended with {ended}"), "what it said is above"));
            }
            None => thread::sleep(LOOK),
        }
    }
}

/// Scores the class by another program, too, and gives what of it is not the same: what a faster judge must not change.
///
/// # Errors
/// A judge's error where scoring ends with one.
pub fn against(
    (program, other): (&Path, &Path),
    place: &Path,
    class: &[Submission],
    options: &Class,
) -> Result<(usize, Vec<String>)> {
    to_the_end(program, place, options, "results")?;
    to_the_end(other, place, options, "against")?;
    let mut all = [(program, "results"), (other, "against")]
        .map(|(program, results)| outcome(program, &place.join(results), class));
    // It has the program's name.
    for of in all.iter_mut().flatten() {
        of.remove("report.html");
    }
    let [one, other] = all;
    let (one, other) = (one?, other?);
    Ok((one.len(), differing(&one, &other)))
}

/// What is handed out, and every report; without what says when, or in which order.
pub fn outcome(program: &Path, results: &Path, class: &[Submission]) -> Result<Outcome> {
    let mut all = BTreeMap::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(results.join(&folder)).map_err(|error| no_room(&error))?;
        for entry in entries.flatten() {
            let name = folder.join(entry.file_name());
            if entry.path().is_dir() {
                folders.push(name);
                continue;
            }
            let text = name.display().to_string();
            if !text.starts_with("results.sqlite") && text != "audit-head.txt" {
                let bytes = fs::read(entry.path()).map_err(|error| no_room(&error))?;
                let bytes = if text == "report.html" { without_times(&bytes) } else { bytes };
                all.insert(text, bytes);
            }
        }
    }
    for submission in class {
        let report = Command::new(program)
            .args(["class", "report"])
            .arg(results)
            .args([&submission.student, &submission.exercise, "--format", "json"])
            .output()
            .map_err(|error| not_run(program, &error))?;
        all.insert(format!("the report of {}, {}", submission.student, submission.exercise), report.stdout);
    }
    let audit = Command::new(program).args(["class", "audit"]).arg(results).output();
    let agrees = audit.map_err(|error| not_run(program, &error))?.status.success();
    all.insert("what the audit says".to_owned(), agrees.to_string().into_bytes());
    Ok(all)
}

/// A page without the minute in which the scoring began, which it has twice.
fn without_times(page: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(page).into_owned();
    let Some(end) = text.find(" UTC") else { return page.to_vec() };
    let minute = text.get(end.saturating_sub("2026-11-25 22:07".len())..end).unwrap_or_default().to_owned();
    text.replace(&minute, "").into_bytes()
}

/// The names of what differs, or is there on one side alone.
pub fn differing(one: &Outcome, other: &Outcome) -> Vec<String> {
    let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    names.into_iter().filter(|name| one.get(*name) != other.get(*name)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_or_is_missing_is_named_and_when_it_was_made_is_not_looked_at() {
        let of = |files: &[(&str, &str)]| -> Outcome {
            files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect()
        };
        let one = of(&[("a", "1"), ("b", "2"), ("c", "3")]);
        assert_eq!(differing(&one, &of(&[("a", "1"), ("b", "x"), ("d", "4")])), ["b", "c", "d"]);
        let page = |time: &str| without_times(format!("<p>{time} UTC<p>{time} UTC 5").as_bytes());
        assert_eq!(page("2026-11-25 22:07"), page("2026-11-25 22:08"));
        assert_ne!(
            page("2026-11-25 22:07"),
            without_times(b"<p>2026-11-25 22:07 UTC<p>2026-11-25 22:07 UTC 6")
        );
    }
}
