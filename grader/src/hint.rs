//! `grader hint`: one hint at a time, first for what the last check found wrong, then in general from a nudge
//! to nearly the answer; after passing, why it works and what to try next. That is for the kernel that passed, as
//! `check` recorded it: whoever changes it or begins again finds the hints again.

pub mod speeds;

use std::ops::Range;

use colored::Colorize;
use harness::{exercise::Exercise, report::SCHEMA};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    check::{not_kept, remark_not_kept},
    cli::{Format, Hint},
    course::Course,
    exit::{Exit, Result, Trouble},
    folder::{CourseFolder, current_directory},
    hints::{self, Ladder},
    list, paragraph,
    progress::{ExerciseProgress, LearnerProgress},
    terminal::{Terminal, remark},
};

/// What `hint` tells.
#[derive(Serialize, JsonSchema)]
pub struct Told {
    /// The version of this format.
    schema: u32,
    /// The exercise's id.
    exercise: String,
    /// Whether the kernel as it is has passed.
    passed: bool,
    /// Another kernel of the exercise has passed.
    #[serde(skip)]
    passed_before: bool,
    /// The hints shown now, in their order. Each call shows one more; after the last one it shows all.
    hints: Vec<ToldHint>,
    /// How many hints there are now: for what the last check found, then the general ones.
    count: usize,
    /// How many of those were not shown yet.
    left: usize,
    /// Whether the next call shows the next one; it can't without a course folder that can be written.
    remembered: bool,
    /// Why what was shown could not be remembered, with the next step.
    #[serde(skip)]
    not_kept: Option<Trouble>,
    /// After a pass: why it works and what to try next, a paragraph each.
    after_passing: Vec<String>,
}

/// One hint.
#[derive(Serialize, JsonSchema)]
pub struct ToldHint {
    /// Its number, from 1.
    number: usize,
    /// What it is for, in words, where it is for what the last check found.
    topic: Option<String>,
    /// The hint.
    text: String,
}

/// Runs it.
///
/// # Errors
/// An unknown name, or progress that can't be read.
pub fn run(course: Course<'_>, hint: &Hint, terminal: Terminal) -> Result<Exit> {
    let exercise = course.named_or_here(hint.name.as_deref(), "hint")?;
    let folder = CourseFolder::find(&current_directory()?).filter(|folder| folder.path.is_dir());
    let told = told(exercise, folder.as_ref(), hint.again)?;
    match hint.format {
        Format::Json => crate::print_json(&told)?,
        Format::Text => {
            crate::print(&in_text(&told, hint.again, None, terminal));
            match &told.not_kept {
                Some(trouble) => remark_not_kept(trouble),
                None if !told.remembered => {
                    remark("there is no course folder here, so the next hint will be this one again");
                }
                None => {}
            }
        }
    }
    Ok(Exit::Passed)
}

/// The next hint of an exercise, and how one more is asked for.
///
/// # Errors
/// Where the progress can't be read.
pub fn next(
    exercise: &dyn Exercise,
    folder: &CourseFolder,
    one_more: &str,
    terminal: Terminal,
) -> Result<String> {
    let told = told(exercise, Some(folder), false)?;
    let text = in_text(&told, false, Some(one_more), terminal);
    Ok(match &told.not_kept {
        Some(trouble) => format!("{text}\n{}\n", paragraph::fill(&not_kept(trouble), terminal.width)),
        None => text,
    })
}

/// Finds out what to tell, and remembers that it was told. Where the disk refuses, the hint is told all the same.
fn told(exercise: &dyn Exercise, folder: Option<&CourseFolder>, again: bool) -> Result<Told> {
    let mut progress = match &folder {
        Some(folder) => LearnerProgress::load(&folder.path)?,
        None => LearnerProgress::default(),
    };
    let is_passed = folder.is_some_and(|folder| list::is_passed(exercise, folder, &mut progress));
    let known = progress.of(exercise.id());
    let ladder = hints::ladder(exercise.about().hints, &known.failures, &known.wrong_cases);
    let (seen, count) = (Seen::of(known, &ladder).all(&ladder), ladder.hints.len());
    let mut told = Told {
        schema: SCHEMA,
        exercise: exercise.id().to_owned(),
        passed: is_passed,
        passed_before: !is_passed && !known.passed.is_empty(),
        hints: Vec::new(),
        count,
        left: count - seen,
        remembered: folder.is_some(),
        not_kept: None,
        after_passing: Vec::new(),
    };
    if told.passed {
        told.hints = some(&ladder, if again { 0..seen } else { 0..0 });
        told.after_passing = after_passing(exercise)?;
        return Ok(told);
    }
    if again && seen == 0 {
        let next = format!("`grader hint {}` shows the first of {count}", exercise.id());
        return Err(Trouble::usage("no hint was shown yet", next));
    }
    let shown = if again { seen } else { (seen + 1).min(count) };
    let first = if again || seen == count { 0 } else { shown.saturating_sub(1) };
    told.hints = some(&ladder, first..shown);
    told.left = count - shown;
    if let Some(folder) = folder
        && shown > seen
    {
        let kept = LearnerProgress::update(&folder.path, |progress| {
            Seen::up_to(shown, &ladder).keep(progress.of(exercise.id()), &ladder);
        });
        told.not_kept = kept.err();
        told.remembered = told.not_kept.is_none();
    }
    Ok(told)
}

/// The same for people. How one more is asked for: by the command, unless said otherwise.
fn in_text(told: &Told, again: bool, one_more: Option<&str>, terminal: Terminal) -> String {
    let mut text = String::new();
    for hint in &told.hints {
        let topic = hint.topic.as_ref().map_or(String::new(), |topic| format!(", for {topic}"));
        let number = format!("Hint {} of {}{topic}", hint.number, told.count).bold();
        text.push_str(&format!("{number}\n{}\n\n", paragraph::fill(&hint.text, terminal.width)));
    }
    if told.passed {
        let paragraphs = told.after_passing.iter().map(|text| paragraph::fill(text, terminal.width));
        let passed = format!("You passed {}", told.exercise).bold();
        text.push_str(&format!("{passed}\n{}\n", paragraphs.collect::<Vec<_>>().join("\n\n")));
        return text;
    }
    // All were shown before this one, too.
    let all = told.left == 0 && (again || told.hints.len() == told.count);
    if all {
        let chapter = format!("`grader explain --book {}`", told.exercise);
        let said = format!(
            "These are all the hints. The chapter of the book has the solution, folded away at its end: \
             {chapter} opens it."
        );
        text.push_str(&format!("{}\n", paragraph::fill(&said, terminal.width)));
    } else if told.left > 0 && !again {
        let one_more = one_more.map_or_else(|| format!("`grader hint {}`", told.exercise), str::to_owned);
        text.push_str(&format!("One more? {one_more}\n"));
    }
    if told.passed_before {
        let said = format!(
            "You passed {} with another kernel: put it back, or let this one pass, to read why it works.",
            told.exercise
        );
        text.push_str(&format!("{}\n", paragraph::fill(&said, terminal.width)));
    }
    text
}

/// How many hints of a ladder's two parts were shown. The general part is the same for every failure: what
/// was shown of it for one is not shown again for the next.
struct Seen {
    special: usize,
    general: usize,
}

impl Seen {
    fn of(known: &ExerciseProgress, ladder: &Ladder) -> Self {
        let special = ladder.topic.as_ref().and_then(|topic| known.hints_for.get(&topic.to_string()));
        Seen {
            special: special.copied().unwrap_or(0).min(ladder.special),
            general: known.hints.min(ladder.hints.len() - ladder.special),
        }
    }

    fn up_to(shown: usize, ladder: &Ladder) -> Self {
        Seen { special: shown.min(ladder.special), general: shown.saturating_sub(ladder.special) }
    }

    /// The ladder's first hints that are known: general ones seen before count once those for
    /// the failure are seen, too.
    fn all(&self, ladder: &Ladder) -> usize {
        if self.special < ladder.special { self.special } else { self.special + self.general }
    }

    fn keep(&self, known: &mut ExerciseProgress, ladder: &Ladder) {
        if let Some(topic) = &ladder.topic {
            known.hints_for.insert(topic.to_string(), self.special);
        }
        known.hints = known.hints.max(self.general);
    }
}

/// Some of a ladder's hints.
fn some(ladder: &Ladder, range: Range<usize>) -> Vec<ToldHint> {
    let topic = |index: usize| match &ladder.topic {
        Some(topic) if index < ladder.special => Some(topic.in_words()),
        _ => None,
    };
    let hint =
        |index: usize| ToldHint { number: index + 1, topic: topic(index), text: ladder.hints[index].clone() };
    range.map(hint).collect()
}

/// What only those see who no longer need a hint.
fn after_passing(exercise: &dyn Exercise) -> Result<Vec<String>> {
    let texts = hints::passed(exercise.about().hints);
    texts.into_iter().map(|text| speeds::filled_in(&text, exercise.id())).collect()
}
