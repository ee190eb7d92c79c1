//! An assignment: which exercises count, and how many points each goal is worth. An instructor writes it, learners
//! install it (`init --assignment`), and both sides count the same points with it.
//!
//! What a class keeps to itself, such as the seed, is in a table of its own, and no course folder takes a file that has
//! it. This module knows goals and verdicts; it judges nothing and reads no report.

pub mod class;
pub mod points;

use std::{collections::BTreeMap, path::Path};

use harness::{
    exercise::{Constants, Counter, Exercise},
    report::Goal,
};

use self::{
    class::Class,
    points::{Part, Points, UnmeasuredSpeed, Worth},
};
use crate::{
    course::Course,
    exit::{Result, Trouble},
    files::{self, MAKE_READABLE, Unreadable},
    folder::content_hash,
    visible::{one_line, shown},
    written::{Value, Written},
};

/// Its name in a course folder.
pub const ASSIGNMENT: &str = "assignment.toml";
const SCHEMA: u64 = 1;
/// More for one goal is a slip.
const GREATEST_POINTS: f64 = 10_000.0;

/// The keys of the file.
pub const KEYS: [&str; 6] = ["schema", "title", "deadline", "unmeasured_speed", "exercises", "class"];

/// An assignment.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// What it is called.
    pub title: String,
    /// Until when it is to be handed in, as it is written there. Shown, and enforced by nobody here.
    pub deadline: Option<String>,
    /// What becomes of points for speed where it can't be measured.
    pub unmeasured_speed: UnmeasuredSpeed,
    /// What each goal of each exercise is worth, in the course's order, by the exercise's id.
    pub exercises: Vec<(String, Worth)>,
    /// The class's own.
    pub class: Option<Class>,
    /// The hash of the file's text.
    pub hash: String,
}

impl Assignment {
    /// The one that is installed in a course folder; none where there is none.
    ///
    /// # Errors
    /// As [`Assignment::read`].
    pub fn of(folder: &Path, course: Course<'_>) -> Result<Option<Self>> {
        let path = folder.join(ASSIGNMENT);
        if std::fs::symlink_metadata(&path).is_err() {
            return Ok(None);
        }
        Assignment::read(&path, course).map(|(assignment, _)| Some(assignment))
    }

    /// Reads a file, and gives its text, too.
    ///
    /// # Errors
    /// Wrong usage where it can't be read, or names what the course doesn't have, with the line.
    pub fn read(path: &Path, course: Course<'_>) -> Result<(Self, String)> {
        let name = shown(path);
        let text = files::read_text(path, "an assignment", "name the file that your instructor gave you");
        let text = text.map_err(|error| match error {
            Unreadable::Missing => Trouble::usage(
                format!("{name} does not exist"),
                "name the file that your instructor gave you",
            ),
            Unreadable::Unusable(found, next) => Trouble::usage(format!("{name}: {found}"), next),
            Unreadable::Refused(why) => {
                Trouble::usage(format!("could not read {name}: {why}"), MAKE_READABLE)
            }
        })?;
        let assignment = parse(Written { name: &name, text: &text }, course)?;
        Ok((assignment, text))
    }

    /// Takes a file's text, as it was read before.
    ///
    /// # Errors
    /// As [`Assignment::read`].
    pub fn of_text(text: &str, course: Course<'_>) -> Result<Self> {
        parse(Written { name: ASSIGNMENT, text }, course)
    }

    /// What an exercise's goals are worth; none where it is not part of the assignment.
    pub fn worth(&self, exercise: &str) -> Option<&Worth> {
        self.exercises.iter().find(|(id, _)| id == exercise).map(|(_, worth)| worth)
    }

    /// What points are given for in any of its exercises, by name, as reports order them.
    pub fn parts(&self) -> Vec<&'static str> {
        let mut parts: Vec<Part> = Vec::new();
        for part in self.exercises.iter().flat_map(|(_, worth)| worth.parts()) {
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
        parts.sort_by_key(|part| part.rank());
        parts.into_iter().map(Part::name).collect()
    }

    /// The deadline as people write it, such as `2026-12-01 23:59 (UTC+01:00)`.
    pub fn due(&self) -> Option<String> {
        let text = self.deadline.as_deref()?;
        let (date, rest) = text.split_at_checked(10)?;
        let (time, rest) = rest.get(1..)?.split_at_checked(5)?;
        // Behind the seconds.
        let zone = rest.find(['+', '-']).map_or("", |at| &rest[at..]);
        Some(format!("{date} {time} (UTC{zone})"))
    }

    /// The file as learners may have it: without what the class keeps to itself.
    pub fn without_class(&self) -> String {
        // A new field must be written here, too, or be the class's.
        let Assignment { title, deadline, unmeasured_speed, exercises, class: _, hash: _ } = self;
        let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
        let mut out = format!("schema = {SCHEMA}\ntitle = {}\n", quoted(title));
        if let Some(deadline) = deadline {
            out.push_str(&format!("deadline = {deadline}\n"));
        }
        out.push_str(&format!("unmeasured_speed = \"{}\"\n", unmeasured_speed.name()));
        for (id, worth) in exercises {
            out.push_str(&format!("\n[exercises.{id}]\n"));
            for (part, points, _) in worth.nothing().parts {
                out.push_str(&format!("{} = {points}\n", part.name()));
            }
        }
        out
    }

    /// The file as an LMS's autograder may have it: as learners may, and with what decides which kernel counts.
    pub fn for_autograder(&self) -> String {
        let kept = self.class.as_ref().map(Class::for_autograder).unwrap_or_default();
        self.without_class() + &kept
    }

    /// All points.
    pub fn total(&self) -> Points {
        self.exercises.iter().map(|(_, worth)| worth.total()).sum()
    }
}

fn parse(written: Written<'_>, course: Course<'_>) -> Result<Assignment> {
    let table = written.table()?;
    written.require_schema(&table, SCHEMA)?;
    let (mut title, mut deadline, mut class) = (None, None, None);
    let mut unmeasured_speed = UnmeasuredSpeed::default();
    let mut exercises = BTreeMap::new();
    for (key, _, value) in written.known(&table, &KEYS)? {
        match key {
            "title" => title = Some(one_line(written.text_of(key, value)?)),
            "deadline" => deadline = Some(moment(written, key, value)?),
            "unmeasured_speed" => {
                let said = written.text_of(key, value)?;
                unmeasured_speed = UnmeasuredSpeed::of(said).ok_or_else(|| {
                    written.has_no("`unmeasured_speed`", "value", said, UnmeasuredSpeed::NAMES, value.span())
                })?;
            }
            "exercises" => exercises = all_worth(written, written.table_of(key, value)?, course)?,
            "class" => class = Some(class::read(written, value, course)?),
            _ => {}
        }
    }
    let title = title.filter(|title| !title.trim().is_empty()).ok_or_else(|| {
        written.trouble(0..0, "`title` is missing", "name the assignment, as in `title = \"Sheet 3\"`")
    })?;
    if exercises.is_empty() {
        let next = "write what goals are worth, as in `[exercises.03-reduction]` and below it `correct = 4`";
        return Err(written.trouble(0..0, "no exercise is named", next));
    }
    let in_order = course.exercises.iter().filter_map(|exercise| exercises.remove_entry(exercise.id()));
    Ok(Assignment {
        title,
        deadline,
        unmeasured_speed,
        exercises: in_order.collect(),
        class,
        hash: content_hash(written.text),
    })
}

/// A moment that is the same for everyone, wherever they are.
fn moment(written: Written<'_>, key: &str, value: &Value<'_>) -> Result<String> {
    let example = "a moment with its time zone, as in `2026-12-01T23:59:00+01:00`";
    let moment = value.get_ref().as_datetime().filter(|moment| moment.offset.is_some());
    let moment = moment.ok_or_else(|| written.other(key, value, example))?.to_string();
    // What TOML takes for a date need not be one.
    moment.parse::<jiff::Timestamp>().map_err(|_| written.other(key, value, example))?;
    Ok(moment)
}

fn all_worth<'a>(
    written: Written<'a>,
    table: &toml::de::DeTable<'a>,
    course: Course<'_>,
) -> Result<BTreeMap<String, Worth>> {
    let mut all = BTreeMap::new();
    for (key, value) in table {
        let name = key.get_ref().as_ref();
        let Some(exercise) = meant(course, name) else {
            let ids: Vec<&str> = course.exercises.iter().map(|exercise| exercise.id()).collect();
            return Err(written.unknown("exercise", name, &ids, key.span()));
        };
        let worth = worth(written, exercise, written.table_of(name, value)?)?;
        if worth.total() == Points::default() {
            let next = "say what its goals are worth, as in `correct = 4`, or leave it out";
            return Err(written.trouble(key.span(), format!("{name} is worth nothing"), next));
        }
        if all.insert(exercise.id().to_owned(), worth).is_some() {
            let next = format!("leave one of the two names of {} out", exercise.id());
            return Err(written.trouble(key.span(), format!("{} is there twice", exercise.id()), next));
        }
    }
    Ok(all)
}

/// The exercise that has this id, or had it in an earlier version of the course.
fn meant<'a>(course: Course<'a>, name: &str) -> Option<&'a dyn Exercise> {
    let all = || course.exercises.iter().copied();
    let now = all().find(|exercise| exercise.id() == name);
    now.or_else(|| all().find(|exercise| exercise.about().formerly.contains(&name)))
}

fn worth<'a>(written: Written<'a>, exercise: &dyn Exercise, table: &toml::de::DeTable<'a>) -> Result<Worth> {
    let parts = parts(exercise);
    let names: Vec<&str> = parts.iter().map(|part| part.name()).collect();
    let mut worth = Worth::default();
    let (mut together, mut single) = (None, None);
    for (key, value) in table {
        let name = key.get_ref().as_ref();
        let Some(part) = parts.iter().find(|part| part.name() == name) else {
            return Err(written.has_no(exercise.id(), "goal", name, &names, key.span()));
        };
        worth.set(*part, points(written, name, value)?);
        if *part == Part::Counters {
            together = Some(key.span());
        } else if matches!(part, Part::Goal(Goal::Counter(_))) {
            single = Some(name);
        }
    }
    if let (Some(at), Some(single)) = (together, single) {
        let what = format!("{} counts `{single}` twice: `counters` has it, too", exercise.id());
        let next = "write `counters` for all of them together, or each by its own name, and not both";
        return Err(written.trouble(at, what, next));
    }
    Ok(worth)
}

fn points(written: Written<'_>, key: &str, value: &Value<'_>) -> Result<Points> {
    let number = match value.get_ref() {
        toml::de::DeValue::Integer(number) => number.as_str().parse::<f64>().ok(),
        toml::de::DeValue::Float(number) => number.as_str().parse::<f64>().ok(),
        _ => None,
    };
    let number = number.filter(|number| (0.0..=GREATEST_POINTS).contains(number));
    number.and_then(Points::of).ok_or_else(|| {
        written.other(key, value, "points: from 0 to 10000, with two decimals at most, as in 2 or 0.5")
    })
}

/// What can be worth something in an exercise, counters together, and what that may be worth where nobody knows better.
pub fn parts_of(exercise: &dyn Exercise) -> Vec<(&'static str, f64)> {
    let usual = |part: &Part| match part {
        Part::Goal(Goal::Correct) => Some(4.0),
        Part::Goal(Goal::Clean) | Part::Counters => Some(2.0),
        Part::Goal(Goal::Speedup) => Some(1.5),
        Part::Goal(Goal::Expert) => Some(0.5),
        // They are counted together.
        Part::Goal(_) => None,
    };
    parts(exercise).iter().filter_map(|part| Some((part.name(), usual(part)?))).collect()
}

/// The goals that an exercise can have, in the order of reports: whatever a kernel does, there is no other.
pub fn goals_of(exercise: &dyn Exercise) -> Vec<Goal> {
    let known = parts(exercise).into_iter().filter_map(|part| match part {
        Part::Goal(goal) => Some(goal),
        // They are counted together, and each is a goal.
        Part::Counters => None,
    });
    // Every exercise may have these: two that only who misses them has, and one of grids with many blocks.
    let shares = Goal::Counter(Counter::BusiestBlockLoadSectors);
    let mut goals: Vec<Goal> = [Goal::Compile, Goal::Permitted, shares].into_iter().chain(known).collect();
    goals.sort_unstable();
    goals.dedup();
    goals
}

/// What can be worth something in an exercise.
fn parts(exercise: &dyn Exercise) -> Vec<Part> {
    let about = exercise.about();
    let constants = Constants::of_source(about.stub);
    let mut counters: Vec<Goal> = Vec::new();
    for bound in exercise.cases().iter().flat_map(|case| exercise.counter_bounds(case, &constants)) {
        let goal = Goal::Counter(bound.counter);
        if !counters.contains(&goal) {
            counters.push(goal);
        }
    }
    let mut parts = vec![Part::Goal(Goal::Correct), Part::Goal(Goal::Clean)];
    parts.extend((!counters.is_empty()).then_some(Part::Counters));
    parts.extend(counters.into_iter().map(Part::Goal));
    let speed = about.speed_goals;
    parts.extend(speed.pass_speedup.map(|_| Part::Goal(Goal::Speedup)));
    parts.extend(speed.expert_speedup.or(speed.expert_roof_share).map(|_| Part::Goal(Goal::Expert)));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> String {
        let course = Course { exercises: course::COURSE };
        match parse(Written { name: "assignment.toml", text }, course) {
            Ok(assignment) => format!("{:?}", assignment.exercises),
            Err(trouble) => format!("{}\n next: {}", trouble.message, trouble.next),
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let begin = "schema = 1\ntitle = \"Sheet 3\"\n";
        let by_hand = "[[class.override]]\nstudent = \"ada\"\nexercise = \"03-reduction\"\npoints = 4\nreason = \"ill\"\n";
        let wrong = [
            String::new(),
            "schema = 1\n".to_owned(),
            begin.to_owned(),
            format!("{begin}[exercise.03-reduction]\ncorrect = 4\n"),
            format!("{begin}[exercises.03-redcution]\ncorrect = 4\n"),
            format!("{begin}[exercises.03-reduction]\n"),
            format!("{begin}[exercises.03-reduction]\ncorect = 4\n"),
            format!("{begin}[exercises.04-synchronization]\nspeedup = 4\n"),
            format!("{begin}[exercises.04-synchronization]\ncounters = 1\nbarriers = 1\n"),
            format!("{begin}[exercises.03-reduction]\ncorrect = -4\n"),
            format!("{begin}[exercises.03-reduction]\ncorrect = 0.125\n"),
            format!("{begin}[exercises.03-reduction]\ncorrect = \"all\"\n"),
            format!("{begin}deadline = 2026-12-01\n"),
            format!("{begin}deadline = 2026-12-01T23:59:00\n"),
            format!("{begin}unmeasured_speed = \"redistribute\"\n"),
            format!("{begin}[class]\nsead = 3\n"),
            format!("{begin}[class]\nattempts = \"first\"\n"),
            format!("{begin}[class]\ncutoff = 2026-12-01T23:59:00\n"),
            format!("{begin}[class]\ncutoff = \"2026-12-01\"\n"),
            format!("{begin}[class]\nroster = 3\n"),
            format!("{begin}[class.override]\nstudent = \"ada\"\n"),
            format!(
                "{begin}[[class.override]]\nstudent = \"ada\"\nexercise = \"03-reduction\"\npoints = 3\n"
            ),
            format!("{begin}{}", by_hand.replace("\"ill\"", "\" \"")),
            format!("{begin}{}", by_hand.replace("03-reduction", "3-reduction")),
            format!("{begin}{}", by_hand.replace('4', "-4")),
            format!("{begin}{by_hand}{by_hand}"),
            "schema = 1\ntitle = Sheet\n".to_owned(),
        ];
        insta::assert_snapshot!(wrong.map(|text| said(&text)).join("\n"));
    }

    #[test]
    fn the_books_example_holds() {
        let page = include_str!("../../book/src/folder.md");
        let example = page.split("```").find(|block| block.contains("[exercises.")).unwrap();
        let course = Course { exercises: course::COURSE };
        let text = example.strip_prefix("toml\n").unwrap();
        let assignment = parse(Written { name: "", text }, course).unwrap();
        let worth: Vec<String> =
            assignment.exercises.iter().map(|(id, worth)| format!("{id}: {}", worth.total())).collect();
        // In the course's order, whatever the file's is.
        assert_eq!(worth, ["03-reduction: 4", "06-transpose: 10"]);
        assert_eq!(assignment.due().as_deref(), Some("2026-12-01 23:59 (UTC+01:00)"));
        let again = parse(Written { name: "", text: &assignment.without_class() }, course).unwrap();
        assert_eq!(
            Assignment { hash: assignment.hash.clone(), ..again },
            Assignment { class: None, ..assignment.clone() }
        );
        let utc = Assignment { deadline: Some("2026-12-01T23:59:30.5Z".to_owned()), ..assignment };
        assert_eq!(utc.due().as_deref(), Some("2026-12-01 23:59 (UTC)"));
    }

    /// Every field has a value that is not the default's, so that none can be left out without a word.
    #[test]
    fn an_autograder_gets_all_but_the_classs_secrets() {
        let all = "schema = 1\ntitle = \"Sheet \\\"3\\\"\"\ndeadline = 2026-12-01T23:59:00+01:00\n\
            unmeasured_speed = \"redistributed\"\n[class]\nseed = 7340217734551\nattempts = \"last\"\n\
            cutoff = 2026-12-01T12:00:00+01:00\nroster = \"roster.csv\"\n[[class.override]]\nstudent = \"ada\"\n\
            exercise = \"03-reduction\"\npoints = 4\nreason = \"ill\"\n[exercises.03-reduction]\ncorrect = 4\n\
            clean = 2.5\n[exercises.06-transpose]\ncounters = 1\n";
        let course = Course { exercises: course::COURSE };
        let of = |text: &str| parse(Written { name: "", text }, course).unwrap();
        let whole = of(all);
        let Assignment { title, deadline, unmeasured_speed, exercises, class, hash: _ } =
            of(&whole.for_autograder());
        assert_eq!((&title, &deadline), (&whole.title, &whole.deadline));
        assert_eq!(title, "Sheet \"3\"");
        assert_eq!(unmeasured_speed, UnmeasuredSpeed::Redistributed);
        assert_eq!(exercises, whole.exercises);
        let Class { seed, attempts, cutoff, roster, overrides } = class.unwrap();
        assert_eq!(attempts, class::Attempts::Last);
        assert_eq!((seed, cutoff, roster, overrides), (None, None, None, Vec::new()));
        // What is the default needs no table, and learners' files never have one.
        let best = of(&all.replace("\"last\"", "\"best\""));
        assert!(!best.for_autograder().contains("[class]") && !whole.without_class().contains("[class]"));
    }

    #[test]
    fn a_file_that_names_an_exercise_by_an_earlier_id_means_it() {
        use crate::sample::Named;
        struct Renamed;
        impl Exercise for Renamed {
            fn about(&self) -> harness::exercise::About {
                harness::exercise::About { formerly: &["03-old"], ..Named("04-new").about() }
            }
            fn cases(&self) -> Vec<harness::exercise::Case> {
                Vec::new()
            }
            fn plan(&self, _: &harness::exercise::Case, _: u64, _: &Constants) -> harness::plan::Plan {
                harness::plan::Plan::new()
            }
        }
        let course = Course { exercises: &[&Renamed] };
        let of = |ids: &[&str]| {
            let exercises = ids.iter().map(|id| format!("[exercises.{id}]\ncorrect = 4\n"));
            let text = format!("schema = 1\ntitle = \"x\"\n{}", exercises.collect::<String>());
            parse(Written { name: "f", text: &text }, course)
        };
        assert!(of(&["03-old"]).unwrap().worth("04-new").is_some());
        assert!(of(&["03-old", "04-new"]).unwrap_err().message.contains("04-new is there twice"));
    }

    #[test]
    fn every_exercise_has_goals_that_can_be_worth_something() {
        for exercise in course::COURSE {
            let names: Vec<&str> = parts(*exercise).iter().map(|part| part.name()).collect();
            assert!(names.starts_with(&["correct", "clean", "counters"]), "{}: {names:?}", exercise.id());
        }
    }
}
