//! `workshop class --kills N`: scores a class that is killed again and again, and compares what comes of it with what comes
//! where nobody kills.
//!
//! SIGKILL leaves nobody the time to tidy up: whatever is not on the disk is lost. When a scoring comes to its end all the
//! same, what it has handed out is compared, file by file and report by report, and another one begins in its place.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::Instant,
};

use grader::exit::{Result, Trouble};
use harness::fill;
use serde::{Deserialize, Serialize};

use super::{
    made::Submission,
    no_room,
    outcome::{LOOK, differing, not_run, outcome, to_the_end},
    scoring,
};
use crate::{
    child::{Program, is_asked_to_end},
    cli::Class,
    latency::machine,
};

/// What came of it: the record in the course's folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kills {
    /// The day.
    pub date: String,
    /// Processors, and what else is to be known.
    pub machine: String,
    /// What judged.
    pub device: String,
    /// How many students.
    pub students: usize,
    /// How many exercises.
    pub exercises: usize,
    /// How often a scoring was killed.
    pub kills: usize,
    /// Of these, how often while the results had rows, and not all.
    pub halfway: usize,
    /// How many scorings came to their end in spite of it.
    pub ended: usize,
    /// How many files and reports each of them was compared by.
    pub compared: usize,
    /// How many of those were not the same.
    pub differences: usize,
}

impl Kills {
    /// Where the course's own lies, below its root.
    pub const FILE: &str = "solutions/measured/kills.json";

    /// Reads the record; none where the file is missing.
    ///
    /// # Errors
    /// A judge's error where it is no record.
    pub fn read(path: &Path) -> Result<Option<Self>> {
        let Ok(bytes) = fs::read(path) else { return Ok(None) };
        serde_json::from_slice(&bytes).map(Some).map_err(|error| {
            Trouble::judge(
                format!("{} is no record of kills: {error}", path.display()),
                "make it with cargo workshop class --kills N --out FILE",
            )
        })
    }

    /// For readers.
    pub fn in_words(&self) -> String {
        let Kills {
            date,
            machine,
            device,
            students,
            exercises,
            kills,
            halfway,
            ended,
            compared,
            differences,
        } = self;
        format!(
            "A class of {students} × {exercises} on `{device}` was killed {kills} times at random moments, {halfway} of them with some \
             rows judged and some not. {ended} scorings came to their end all the same; of the {compared} files and reports of \
             each, {differences} differed from those of a scoring that was not killed.\n\n*{machine}; {date}: `{}`, made by \
             `workshop class --kills {kills}`.*\n",
            Kills::FILE
        )
    }
}

/// Kills it so often.
///
/// # Errors
/// A judge's error where scoring ends with one.
pub fn run(
    program: &Path,
    place: &Path,
    class: &[Submission],
    options: &Class,
    kills: usize,
) -> Result<Kills> {
    let whole = place.join("whole");
    let begun = Instant::now();
    to_the_end(program, place, options, "whole")?;
    let takes = begun.elapsed();
    let expected = outcome(program, &whole, class)?;
    // Exercises of which the class hands in nothing have rows from the beginning.
    let all = rows(program, &whole).unwrap_or_default();
    let at_once = all.saturating_sub(class.len());
    let killed = place.join("killed");
    let mut record = Kills {
        date: jiff::Timestamp::now().strftime("%Y-%m-%d").to_string(),
        machine: machine(options.remark.as_deref()),
        device: options.device.clone(),
        students: options.students,
        exercises: class.len() / options.students.max(1),
        compared: expected.len(),
        ..Kills::default()
    };
    let compare = |record: &mut Kills| -> Result<()> {
        let found = outcome(program, &killed, class)?;
        for name in differing(&expected, &found) {
            grader::print(&format!("{name} is not as it is where nobody kills\n"));
            record.differences += 1;
        }
        record.ended += 1;
        fs::remove_dir_all(&killed).map_err(|error| no_room(&error))
    };
    let mut number = 0;
    while record.kills < kills {
        number += 1;
        let random = fill::hash(options.seed, number) as f64 / u64::MAX as f64;
        let until = Instant::now() + takes.mul_f64(random);
        let mut scoring = start(program, place, options, "killed")?;
        let ended = loop {
            match scoring.ended() {
                Ok(Some(ended)) => break Some(ended),
                Ok(None) if Instant::now() >= until => break None,
                Ok(None) => thread::sleep(LOOK),
                Err(error) => return Err(not_run(program, &error)),
            }
        };
        match ended {
            None => {
                scoring.kill().map_err(|error| not_run(program, &error))?;
                record.kills += 1;
                let rows = rows(program, &killed);
                record.halfway += usize::from(rows.is_some_and(|rows| at_once < rows && rows < all));
            }
            Some(ended) if ended.success() => compare(&mut record)?,
            Some(_) if is_asked_to_end() => return Err(super::stopped()),
            Some(ended) => {
                return Err(Trouble::judge(
                    format!("after {} kills scoring ended with {ended}", record.kills),
                    "what it said is above; --keep FOLDER leaves the class for another look",
                ));
            }
        }
    }
    to_the_end(program, place, options, "killed")?;
    compare(&mut record)?;
    if kills >= ENOUGH && record.halfway == 0 {
        return Err(Trouble::judge(
            format!(
                "{kills} kills, and none while some rows were judged and some were not: that shows nothing"
            ),
            "choose more students, or more exercises",
        ));
    }
    Ok(record)
}

/// So many kills at random moments must meet a scoring at work.
const ENOUGH: usize = 10;

fn start(program: &Path, place: &Path, options: &Class, results: &str) -> Result<Program> {
    let mut command = scoring(program, place, options, results);
    command.stderr(Stdio::null());
    Program::start(&mut command).map_err(|error| not_run(program, &error))
}

/// How many rows a folder of results has; none where it has no results yet.
fn rows(program: &Path, results: &Path) -> Option<usize> {
    // What was killed holds no lock any more, and `audit` counts: `results: 5 rows, 12 entries in the log`.
    let audit = Command::new(program).args(["class", "audit"]).arg(results).output().ok()?;
    let said = String::from_utf8_lossy(&audit.stdout).into_owned();
    said.split(" row").next()?.rsplit(' ').next()?.parse().ok()
}
