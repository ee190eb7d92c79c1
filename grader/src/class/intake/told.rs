//! What an intake says: before judging, on standard error; in a dry run, on standard output.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    thread,
    time::Duration,
};

use comfy_table::Cell;

use super::{
    Intake, Next, Student,
    begin::{Begun, PER_KERNEL},
    layout::Layout,
};
use crate::{
    assignment::class::Attempts,
    folder::VERSION,
    table,
    terminal::{Terminal, in_lines, remark},
    visible::one_line,
};

/// More of one kind say no more.
const SHOWN: usize = 12;

/// What was not understood, by reason, each with what to do.
pub fn not_understood(intake: &Intake) -> String {
    let mut kinds: BTreeMap<(&str, Next), Vec<&str>> = BTreeMap::new();
    for thing in &intake.not_understood {
        kinds.entry((&thing.why, thing.next)).or_default().push(&thing.place);
    }
    let mut out = String::new();
    for ((why, next), places) in kinds {
        for place in places.iter().take(SHOWN) {
            let _ = writeln!(out, "  {}: {}", one_line(place), one_line(why));
        }
        if let Some(more) = places.len().checked_sub(SHOWN).filter(|more| *more > 0) {
            let _ = writeln!(out, "  … and {more} more: {}", one_line(why));
        }
        let _ = writeln!(out, "    {next}");
    }
    out.truncate(out.trim_end().len());
    out
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
        all.push(format!("not gradable, {}: {}", called(student), one_line(&student.refused.join("; "))));
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
        "{} of {} students: about {} on the simulator, by {} s a kernel on each of {cores_in_words}, as measured over a \
         made-up class; timing on a GPU comes on top",
        kernels(count),
        begun.intake.students.len(),
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
