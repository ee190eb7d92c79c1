//! What an intake says: before judging, on standard error; in a dry run, on standard output; and what was not understood,
//! among the results.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs, io,
    path::Path,
    thread,
    time::Duration,
};

use comfy_table::Cell;

use super::{
    Intake, Next,
    begin::{Begun, PER_KERNEL},
    layout::Layout,
    student::Student,
};
use crate::{
    assignment::class::Attempts,
    class::export::refused,
    exit::Result,
    files,
    folder::VERSION,
    table,
    terminal::{Terminal, in_lines, remark},
    visible::{one_line, shown},
};
use harness::report::{number_of, number_which};

/// More of one kind say no more.
const SHOWN: usize = 12;
/// Where the results have what was not understood.
pub const FILE: &str = "not-understood.txt";

/// Everything that was not understood, by reason, each with what to do.
pub fn not_understood(intake: &Intake) -> String {
    let mut kinds: BTreeMap<(&str, Next), Vec<&str>> = BTreeMap::new();
    for thing in &intake.not_understood {
        kinds.entry((&thing.why, thing.next)).or_default().push(&thing.place);
    }
    let mut out = String::new();
    for ((why, next), places) in kinds {
        for place in places {
            let _ = writeln!(out, "  {}: {}", one_line(place), one_line(why));
        }
        let _ = writeln!(out, "    {next}");
    }
    out.truncate(out.trim_end().len());
    out
}

/// Writes the same among the results, so that it can be read later what was left out by `--lenient`.
///
/// # Errors
/// A judge's error, for example on a full disk.
pub fn keep_not_understood(intake: &Intake, out: &Path) -> Result<()> {
    let path = out.join(FILE);
    if intake.not_understood.is_empty() {
        return match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(refused(&path, &error)),
            _ => Ok(()),
        };
    }
    let text = format!("{}\n", not_understood(intake));
    files::write_atomically(&path, text.as_bytes()).map_err(|error| refused(&path, &error))?;
    let count = intake.not_understood.len();
    let left_out = number_which(count, "thing", "was", "were");
    remark(&format!("{left_out} not understood, and left out: {} lists all", shown(&path)));
    Ok(())
}

/// All that matters of an intake besides its kernels.
pub fn remarks(begun: &Begun<'_>) {
    // That a student is a folder needs no words.
    let layout = begun.intake.layout.filter(|layout| *layout != Layout::Folders);
    layout.map(read_as).iter().chain(&sentences(begun)).for_each(|sentence| remark(sentence));
}

fn read_as(layout: Layout) -> String {
    format!("read as {}", layout.in_words())
}

/// What is known, a sentence each.
fn sentences(begun: &Begun<'_>) -> Vec<String> {
    let intake = &begun.intake;
    let mut all = Vec::new();
    let students = |is: &dyn Fn(&Student) -> bool| -> Vec<String> {
        intake.students.iter().filter(|student| is(student)).map(called).collect()
    };
    for student in intake.students.iter().filter(|student| !student.refused.is_empty()) {
        let how = if student.submissions.is_empty() { "not gradable" } else { "not all could be read" };
        all.push(format!("{how}, {}: {}", called(student), one_line(&student.refused.join("; "))));
    }
    let absent = students(&|student| student.is_absent());
    if !absent.is_empty() {
        all.push(format!("handed in nothing ({}): {}", absent.len(), some(&absent)));
    }
    if let Some(late) = late(begun) {
        all.push(late);
    }
    let several =
        students(&|student| begun.exercises.iter().any(|exercise| student.attempts(exercise.id()) > 1));
    if !several.is_empty() {
        let which = match begun.attempts {
            Attempts::Best => "the best counts",
            Attempts::Last => "the last counts",
        };
        let count = several.len();
        all.push(format!("more than one kernel for an exercise ({count}; {which}): {}", some(&several)));
    }
    let mut courses: BTreeMap<&str, usize> = BTreeMap::new();
    for submission in intake.students.iter().flat_map(|student| &student.submissions) {
        if let Some(course) = submission.course.as_deref().filter(|course| *course != VERSION) {
            *courses.entry(course).or_default() += 1;
        }
    }
    for (course, count) in courses {
        all.push(format!(
            "{count} {} written for version {} of the course, and judged by version {VERSION}",
            if count == 1 { "kernel was" } else { "kernels were" },
            one_line(course)
        ));
    }
    if intake.not_asked > 0 {
        all.push(format!(
            "{} of exercises that the assignment doesn't have: not judged",
            kernels(intake.not_asked)
        ));
    }
    all.extend(intake.notes.iter().take(SHOWN).map(|note| one_line(note)));
    if intake.notes.len() > SHOWN {
        all.push(format!("… and {} more of that kind", intake.notes.len() - SHOWN));
    }
    let junk: Vec<String> = intake
        .junk
        .iter()
        .filter(|(_, count)| **count > 0)
        .map(|(kind, count)| format!("{count} {kind}"))
        .collect();
    if !junk.is_empty() {
        all.push(format!("left aside, as files that are no kernels: {}", junk.join(", ")));
    }
    all
}

fn late(begun: &Begun<'_>) -> Option<String> {
    let cutoff = begun.cutoff;
    let is_late = |student: &&Student| student.submissions.iter().any(|one| one.is_late(cutoff));
    let late: Vec<String> = begun.intake.students.iter().filter(is_late).map(called).collect();
    let timeless: BTreeSet<&str> = match cutoff {
        Some(_) => {
            let without = |student: &&Student| student.submissions.iter().any(|one| one.handed_in.is_none());
            begun.intake.students.iter().filter(without).map(|student| student.id.as_str()).collect()
        }
        None => BTreeSet::new(),
    };
    let after = cutoff.map_or("late".to_owned(), |cutoff| format!("after {cutoff}"));
    let unknown = match timeless.len() {
        0 => String::new(),
        count => format!("; of {count} nobody knows when"),
    };
    match (late.is_empty(), timeless.is_empty()) {
        (true, true) => None,
        (true, false) => Some(format!("nobody is known to have handed in {after}{unknown}")),
        _ => Some(format!("handed in {after} ({}; costs no points): {}{unknown}", late.len(), some(&late))),
    }
}

fn called(student: &Student) -> String {
    match student.name == student.id {
        true => one_line(&student.id),
        false => format!("{} ({})", one_line(&student.name), one_line(&student.id)),
    }
}

fn some(names: &[String]) -> String {
    let more = names.len().saturating_sub(SHOWN);
    let shown = names[..names.len() - more].join(", ");
    if more > 0 { format!("{shown} … and {more} more") } else { shown }
}

fn kernels(count: usize) -> String {
    if count == 1 { "1 kernel".to_owned() } else { format!("{count} kernels") }
}

/// Who, what, what was not understood, and how long it would take.
pub fn dry_run(begun: &Begun<'_>, terminal: Terminal) -> String {
    let intake = &begun.intake;
    let mut rows = table::new(terminal, &["Student", "Name", "Kernels", "Exercises"]);
    for student in &intake.students {
        let of = |exercise: &str| {
            student.submissions.iter().filter(|one| one.exercise == exercise).collect::<Vec<_>>()
        };
        let mut count = 0;
        let exercises: Vec<String> = begun
            .exercises
            .iter()
            .filter_map(|exercise| {
                let all = of(exercise.id());
                count += all.len();
                let number = exercise.id().split('-').next().unwrap_or_default();
                match &all[..] {
                    [] => None,
                    [one] => {
                        Some(format!("{number}{}", if one.kernel.is_ok() { "" } else { " (not gradable)" }))
                    }
                    some => Some(format!("{number} ({} attempts)", some.len())),
                }
            })
            .collect();
        let exercises = match () {
            () if student.is_absent() => "nothing handed in".to_owned(),
            () if exercises.is_empty() && student.refused.is_empty() => "nothing understood".to_owned(),
            () if exercises.is_empty() => "not gradable".to_owned(),
            () => exercises.join(", "),
        };
        let name = if student.name == student.id { "" } else { &student.name };
        rows.add_row([
            Cell::new(one_line(&student.id)),
            Cell::new(one_line(name)),
            table::right(count),
            Cell::new(exercises),
        ]);
    }
    let mut out = format!("{}\n\n", table::text(&rows, terminal));
    for sentence in intake.layout.map(read_as).iter().chain(&sentences(begun)) {
        out.push_str(&in_lines(sentence));
    }
    if !intake.not_understood.is_empty() {
        let _ =
            write!(out, "\nnot understood ({}):\n{}\n", intake.not_understood.len(), not_understood(intake));
    }
    out.push('\n');
    out.push_str(&in_lines(&estimate(begun)));
    out
}

fn estimate(begun: &Begun<'_>) -> String {
    let count = begun.kernels();
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let cores_in_words = if cores == 1 { "1 core".to_owned() } else { format!("{cores} cores") };
    format!(
        "{} of {}: about {} on the simulator, by {} s a kernel on each of {cores_in_words}, as measured over a \
         made-up class; timing on a GPU comes on top",
        kernels(count),
        number_of(begun.intake.students.len(), "student"),
        in_words(begun.estimate(cores)),
        PER_KERNEL.as_secs_f64(),
    )
}

fn in_words(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..=90 => format!("{} s", seconds.max(1)),
        seconds @ 91..=5400 => format!("{} minutes", seconds.div_ceil(60)),
        seconds => format!("{:.1} hours", seconds as f64 / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class::intake::NotUnderstood;

    fn strangers(count: usize) -> Intake {
        let stranger = |number| NotUnderstood {
            place: format!("stranger-{number}"),
            why: "the roster has no such id, address or name".to_owned(),
            next: Next::MendTheRoster,
        };
        Intake { not_understood: (0..count).map(stranger).collect(), ..Intake::default() }
    }

    #[test]
    fn everything_that_was_not_understood_is_named() {
        let said = not_understood(&strangers(30));
        assert_eq!(said.lines().count(), 31, "{said}");
        for number in 0..30 {
            assert!(
                said.contains(&format!("  stranger-{number}: the roster has no such")),
                "{number}\n{said}"
            );
        }
    }

    /// What was left out is found among the results, as long as it is.
    #[test]
    fn results_have_what_was_left_out() {
        let out = tempfile::tempdir().unwrap();
        let keep =
            |count| keep_not_understood(&strangers(count), out.path()).map_err(|trouble| trouble.message);
        let there = || fs::read_to_string(out.path().join(FILE)).ok();
        keep(0).unwrap();
        assert_eq!(there(), None);
        keep(30).unwrap();
        assert_eq!(there(), Some(not_understood(&strangers(30)) + "\n"));
        keep(0).unwrap();
        assert_eq!(there(), None);
    }
}
