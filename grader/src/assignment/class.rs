//! What a class keeps to itself in its assignment: the seed, which attempt counts, who is in the class, and what an
//! instructor decided by hand.

use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::points::Points;
use crate::{
    course::Course,
    exit::Result,
    visible::one_line,
    written::{Value, Written},
};

/// The table `[class]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Class {
    /// The seed of the inputs.
    pub seed: Option<u64>,
    /// Which of several attempts counts.
    pub attempts: Attempts,
    /// After which moment a kernel is listed as late. It costs no points.
    pub cutoff: Option<Timestamp>,
    /// Who is in the class: a CSV, relative to the assignment's folder.
    pub roster: Option<PathBuf>,
    /// What counts instead of what was judged.
    pub overrides: Vec<Override>,
}

/// Which of a student's attempts at an exercise counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Attempts {
    /// The one that earns most; of equals the last.
    #[default]
    Best,
    /// The one that was handed in last.
    Last,
}

impl Class {
    /// The table as an autograder may have it: only what is no secret, and counts there. Nothing, where that is the
    /// default.
    pub fn for_autograder(&self) -> String {
        // The others are the class's own secrets, or say something about single students.
        let Class { seed: _, attempts, cutoff: _, roster: _, overrides: _ } = self;
        match *attempts == Attempts::default() {
            true => String::new(),
            false => format!("\n[class]\nattempts = \"{}\"\n", attempts.name()),
        }
    }
}

impl Attempts {
    const NAMES: &'static [&'static str] = &["best", "last"];

    fn of(name: &str) -> Option<Self> {
        match name {
            "best" => Some(Attempts::Best),
            "last" => Some(Attempts::Last),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Attempts::Best => "best",
            Attempts::Last => "last",
        }
    }
}

/// Points that an instructor gives by hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// The student's id, as the gradebook has it.
    pub student: String,
    /// The exercise's id.
    pub exercise: String,
    /// What it is worth, whatever the judge found.
    pub points: Points,
    /// Why; never empty.
    pub reason: String,
}

/// The keys of `[class]`, and those of `[[class.override]]`.
pub const KEYS: [&str; 5] = ["seed", "attempts", "cutoff", "roster", "override"];
/// All of them must be there.
pub const OVERRIDE_KEYS: [&str; 4] = ["student", "exercise", "points", "reason"];

pub(super) fn read(written: Written<'_>, value: &Value<'_>, course: Course<'_>) -> Result<Class> {
    let mut class = Class::default();
    for (key, _, value) in written.known(written.table_of("class", value)?, &KEYS)? {
        match key {
            "seed" => class.seed = Some(written.count_of(key, value)?),
            "attempts" => {
                let said = written.text_of(key, value)?;
                class.attempts = Attempts::of(said).ok_or_else(|| {
                    written.has_no("`attempts`", "value", said, Attempts::NAMES, value.span())
                })?;
            }
            "cutoff" => {
                let moment = super::moment(written, key, value)?;
                // It was parsed there.
                class.cutoff = moment.parse().ok();
            }
            "roster" => class.roster = Some(Path::new(written.text_of(key, value)?).to_owned()),
            "override" => class.overrides = overrides(written, value, course)?,
            _ => {}
        }
    }
    Ok(class)
}

fn overrides(written: Written<'_>, value: &Value<'_>, course: Course<'_>) -> Result<Vec<Override>> {
    let example = "tables, as in `[[class.override]]` and below it student, exercise, points, reason";
    let tables = value.get_ref().as_array().ok_or_else(|| written.other("override", value, example))?;
    let mut all: Vec<Override> = Vec::new();
    for table in tables.iter() {
        let keys = written.known(written.table_of("override", table)?, &OVERRIDE_KEYS)?;
        let of = |wanted: &str| {
            let found = keys.iter().find(|(key, _, _)| *key == wanted).map(|(_, _, value)| *value);
            found.ok_or_else(|| {
                let next = "say student, exercise, points and reason: a change by hand is nobody's secret";
                written.trouble(table.span(), format!("an override without `{wanted}`"), next)
            })
        };
        let text = |wanted: &str| -> Result<String> {
            let value = of(wanted)?;
            let text = one_line(written.text_of(wanted, value)?.trim());
            match text.is_empty() {
                true => Err(written.other(wanted, value, "it out: a change by hand is nobody's secret")),
                false => Ok(text),
            }
        };
        let name = text("exercise")?;
        let Some(exercise) = super::meant(course, &name) else {
            let ids: Vec<&str> = course.exercises.iter().map(|exercise| exercise.id()).collect();
            return Err(written.unknown("exercise", &name, &ids, of("exercise")?.span()));
        };
        let given = Override {
            student: text("student")?,
            exercise: exercise.id().to_owned(),
            points: super::points(written, "points", of("points")?)?,
            reason: text("reason")?,
        };
        if all.iter().any(|known| known.student == given.student && known.exercise == given.exercise) {
            let what = format!("{} of {} is overridden twice", given.exercise, given.student);
            return Err(written.trouble(table.span(), what, "leave one of the two out"));
        }
        all.push(given);
    }
    Ok(all)
}
