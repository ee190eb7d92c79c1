//! `workshop book`: the book's tables and figures, made from a committed record of a GPU run.
//!
//! What pages show of other files is made, too ([`shown`]), and the numbers in their text ([`numbers`]).
//!
//! No figure in the book is typed by hand: deleting `book/src/generated`, or what stands between a page's comments, and
//! running this again gives the same bytes.

mod charts;
mod circulation;
mod discriminators;
mod drawings;
mod figure;
mod measured;
mod newer;
mod numbers;
#[cfg(test)]
mod perturbed;
mod records;
mod rooflines;
mod shown;
mod sketches;
mod speeds;

use std::{fmt::Write as _, fs, path::Path};

use grader::{
    checkout::root,
    course::Course,
    exit::{Exit, Result, Trouble},
    hint::speeds::FILE,
    kernels::{self, Role},
};
use harness::{
    exercise::{Exercise, SpeedGoals},
    measure::{geometric_mean, median},
    report::{Goal, GoalResult},
};
use warpsim::{Profile, coverage};

use self::{circulation::Questions, records::Records, rooflines::Roofline};
use crate::{
    cheats,
    class::{kills::Kills, record::Record as Class},
    cli::Book,
    flips::study::Study,
    latency::record::Record as Latencies,
    mutate::page,
    record::{KernelRecord, PeerRecord, Record},
    texts::{Settle, Text, settle},
};

/// The record that the committed tables are made from.
pub const RECORD: &str = "solutions/measured/h200.json";

/// The record of another GPU, which the book shows beside it, and whose numbers stand for exercises that are newer than the
/// first.
const OTHER_RECORD: &str = "solutions/measured/h100.json";

/// Where the figures go, below the course's root.
const FIGURES_FOLDER: &str = "book/src/generated/figures";

/// The numbers behind 05's picture to play with.
const SCRIPT: &str = "book/theme/banks-data.js";

/// What is said, with places for what is measured.
const FIGURES: &str = "book/templates/figures.md";

/// What stands for the tables of an exercise that is newer than the record.
const NOT_MEASURED: &str = "*This exercise is newer than the committed record: not measured yet.*\n";

/// Makes the tables, or compares them.
///
/// # Errors
/// Wrong usage outside a checkout, a record that is missing or no record, or a folder that can't be written.
pub fn run(course: Course<'_>, book: &Book) -> Result<Exit> {
    let root = root()?;
    let how = if book.check { Settle::Compare } else { Settle::Write };
    let stale = settle(&root, &texts(course, &root, &book.record)?, how)?;
    if stale.is_empty() || how == Settle::Write {
        return Ok(Exit::Passed);
    }
    grader::print(&format!(
        "not what {} or the files that pages include say: {}\n",
        book.record.display(),
        stale.join(", ")
    ));
    grader::print("next: cargo workshop book, and look at the difference\n");
    Ok(Exit::Failed)
}

/// All texts that are made from a record, and from what the course's own files say.
///
/// # Errors
/// Wrong usage: a record that is missing or no record, or a page that shows what is not there.
pub fn texts(course: Course<'_>, root: &Path, path: &Path) -> Result<Vec<Text>> {
    let records = Records::read(course, root, &[path, Path::new(OTHER_RECORD)])?;
    let mut all: Vec<Text> = figures(course, root, &records)?
        .into_iter()
        .flat_map(|(name, svg)| figure::files(&format!("{FIGURES_FOLDER}/{name}"), &svg))
        .collect();
    all.push((FILE.to_owned(), speeds::of(&records.joined(None))?));
    all.push((SCRIPT.to_owned(), drawings::script()));
    all.extend(pages(course, root, &records, &tables(course, root, &records)?)?);
    Ok(all)
}

/// Every figure, by file name, as it is in light.
fn figures(course: Course<'_>, root: &Path, records: &Records) -> Result<Vec<Text>> {
    let mut all: Vec<Text> = Vec::new();
    for exercise in course.exercises {
        let id = exercise.id();
        let record = &records.of(id).record;
        let kernels: Vec<&KernelRecord> = record.kernels.iter().filter(|k| k.exercise == id).collect();
        let peers: Vec<&PeerRecord> = record.peers.iter().filter(|peer| peer.exercise == id).collect();
        for (number, (case, timed)) in (1..).zip(&measured::cases(&kernels, &peers)) {
            let title = measured::title(id, &case.case);
            let (chart, _) = charts::of_case(&title, case, timed, charts::library(record, id));
            all.push((measured::chart(id, number), chart));
        }
    }
    let counts =
        |exercise: &str| fs::read_to_string(root.join("solutions").join(exercise).join("counts.txt")).ok();
    let of = |exercise: &str| &records.of(exercise).record;
    let chapters = rooflines::all(of, counts)?;
    all.extend(chapters.iter().filter_map(Roofline::figure));
    let is_elsewhere = |exercise: &str| records.is_elsewhere(exercise).then(|| of(exercise).gpu());
    let joined = records.joined(None);
    all.push(("shares.svg".to_owned(), charts::shares(&joined, is_elsewhere)));
    all.push(("roofs.svg".to_owned(), rooflines::reached(&joined, &chapters, is_elsewhere)));
    all.extend(drawings::all(&records.first().record));
    all.extend(sketches::all(root)?);
    Ok(all)
}

/// Every table that pages can show, by name.
fn tables(course: Course<'_>, root: &Path, records: &Records) -> Result<Vec<Text>> {
    let mut all: Vec<Text> = Vec::new();
    let mut wrong = String::new();
    for exercise in course.exercises {
        let id = exercise.id();
        let (record, source) = (&records.of(id).record, records.of(id).in_words());
        let kernels: Vec<&KernelRecord> = record.kernels.iter().filter(|k| k.exercise == id).collect();
        let peers: Vec<&PeerRecord> = record.peers.iter().filter(|peer| peer.exercise == id).collect();
        let solution = kernels.iter().find(|kernel| kernel.candidate.role == Role::Solution);
        let [goals, speed] = match solution {
            Some(solution) => [
                goals(&solution.goals, exercise.about().speed_goals, &kernels, &source),
                measured::text(
                    id,
                    &measured::cases(&kernels, &peers),
                    charts::library(record, id),
                    &peers,
                    &source,
                ),
            ],
            None => [NOT_MEASURED.to_owned(), NOT_MEASURED.to_owned()],
        };
        all.push((format!("{id}-goals"), goals));
        all.push((format!("{id}-speed"), speed));
        let _ = write!(wrong, "## {id}\n\n{}\n", rejected(root, *exercise));
    }
    let mut table = |name: &str, text: String| all.push((name.to_owned(), text));
    let newer = newer::list(course, root, records, records);
    table("summary", summary(course, &records.joined(None), &records.sources()) + &newer);
    table("wrong-kernels", wrong);
    table("flips", flips(root)?);
    table("latency", latencies(root)?);
    table("class", classes(root)?);
    if root.join(cheats::cheat::FOLDER).is_dir() {
        let known = cheats::cheat::all(root)
            .map_err(|why| Trouble::usage(why, "the other kernels there show how a header looks"))?;
        let proved = cheats::record::Record::read(&root.join(cheats::record::Record::FILE))?;
        table("cheats", cheats::cheat::page(&known, proved.as_ref()));
    }
    let other = Records::read(course, root, &[Path::new(OTHER_RECORD)])?;
    let newer = newer::list(course, root, &other, records);
    table("h100", summary(course, &other.first().record, &other.sources()) + &newer);
    if let Some(page) = discriminators::page(root)? {
        table("discriminators", page);
    }
    if let Some(mutants) = page::read(root)? {
        table("mutants", page::table(&mutants));
    }
    table("limits", limits(Profile::ALL));
    table("instructions", instructions());
    table("lacking", lacking());
    if let Ok(template) = fs::read_to_string(root.join(FIGURES)) {
        let page = questions(root, &records.first().record, None)
            .page(&template)
            .map_err(|error| Trouble::usage(format!("{FIGURES}: {error:#}"), "mend the template"))?;
        table("figures", format!("{page}\n\n{}", records.first().in_words()));
    }
    Ok(all)
}

/// The book's pages and the README, with what they show and the numbers of their text. `tables` are those that
/// they can show.
fn pages(course: Course<'_>, root: &Path, records: &Records, tables: &[Text]) -> Result<Vec<Text>> {
    let wrong = |problems: Vec<shown::Problem>| {
        let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        Trouble::usage(problems.join("\n"), "mend these lines of the book")
    };
    let mut problems = Vec::new();
    let mut pages = shown::pages(root, tables).map_err(wrong)?;
    for (page, text) in &mut pages {
        let is_about = |exercise: &&&dyn Exercise| page.ends_with(&format!("/{}.md", exercise.id()));
        let home = course.exercises.iter().find(is_about).map(|exercise| exercise.id());
        *text = numbers::answered(page, text, &questions(root, &records.joined(home), home), &mut problems);
    }
    if problems.is_empty() { Ok(pages) } else { Err(wrong(problems)) }
}

/// What texts may ask of the record and of the committed counts.
fn questions(root: &Path, record: &Record, home: Option<&str>) -> Questions {
    let root = root.to_owned();
    Questions::new(record, move |file| fs::read_to_string(root.join(file)).ok(), home)
}

/// The tables of verdicts that differ on a rerun, one for each GPU.
fn flips(root: &Path) -> Result<String> {
    let mut tables = Vec::new();
    for file in Study::FILES {
        tables.extend(Study::read(&root.join(file))?.map(|study| study.table(file)));
    }
    Ok(if tables.is_empty() { "*Not measured yet.*\n".to_owned() } else { tables.join("\n") })
}

/// The tables of how long a verdict takes after a save, without a GPU and with one.
fn latencies(root: &Path) -> Result<String> {
    let mut tables = Vec::new();
    for file in Latencies::FILES {
        let shown = format!("`{file}`");
        tables.extend(Latencies::read(&root.join(file))?.map(|record| record.table(&shown)));
    }
    Ok(if tables.is_empty() { "*Not measured yet.*\n".to_owned() } else { tables.join("\n") })
}

fn classes(root: &Path) -> Result<String> {
    let mut records = Vec::new();
    for file in Class::FILES {
        records.extend(Class::read(&root.join(file))?.map(|record| (record, file)));
    }
    let table = if records.is_empty() { "*Not measured yet.*\n".to_owned() } else { Class::table(&records) };
    let kills = Kills::read(&root.join(Kills::FILE))?;
    Ok(table + &kills.map_or_else(String::new, |kills| format!("\n{}", kills.in_words())))
}

/// The goals as they were measured. An expert goal that the exercise has given up since is none.
fn goals(goals: &[GoalResult], today: SpeedGoals, kernels: &[&KernelRecord], source: &str) -> String {
    let mut text = "| goal | asked | the solution |\n|---|---|---|\n".to_owned();
    for goal in goals.iter().filter(|goal| goal.goal != Goal::Expert || today.asks_experts()) {
        let name = goal.goal.name();
        let name = if goal.required { name.to_owned() } else { format!("{name} (optional)") };
        let (asked, found) = (goal.asked_in_words(), goal.found_in_words());
        let _ = writeln!(text, "| {} | {} | {} |", cell(&name), cell(&asked), cell(&found));
    }
    let wrong = kernels.iter().filter(|kernel| kernel.candidate.role == Role::Wrong).count();
    let _ = write!(
        text,
        "\n{wrong} wrong kernels lie beside the solution; each was rejected for the reason it states, and for no \
         other.\n\n{source}"
    );
    text
}

/// What the simulator's profiles say of their GPUs.
fn limits(profiles: &[&Profile]) -> String {
    let names: Vec<String> = profiles.iter().map(|profile| format!("`{}`", profile.name)).collect();
    let mut text = format!("| limit | {} |\n|---|{}\n", names.join(" | "), "---:|".repeat(names.len()));
    let mut row = |what: &str, value: &dyn Fn(&Profile) -> String| {
        let values: Vec<String> = profiles.iter().map(|profile| value(profile)).collect();
        let _ = writeln!(text, "| {what} | {} |", values.join(" | "));
    };
    let kib = |bytes: u32| format!("{} KiB", bytes / 1024);
    row("compute capability", &|p| format!("{}.{}", p.compute_capability / 10, p.compute_capability % 10));
    row("multiprocessors", &|p| p.multiprocessors.to_string());
    row("resident threads on each", &|p| p.threads_per_multiprocessor.to_string());
    row("resident blocks on each", &|p| p.blocks_per_multiprocessor.to_string());
    row("registers on each, 4 bytes", &|p| p.registers_per_multiprocessor.to_string());
    row("shared memory on each", &|p| kib(p.shared_per_multiprocessor));
    row("shared memory of a block", &|p| kib(p.shared_per_block));
    row("the same with the opt-in", &|p| kib(p.shared_per_block_optin));
    text + "\nFrom the CUDA C++ Programming Guide, \"Compute Capabilities\", and the GPUs' data sheets.\n"
}

/// What the simulator executes and what it lacks, from its decoder's own tables.
fn instructions() -> String {
    let listed = |names: &[&str]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let mut text = "| executed | instructions |\n|---|---|\n".to_owned();
    for (family, mnemonics) in coverage::families() {
        let _ = writeln!(text, "| {family} | {} |", listed(mnemonics));
    }
    let _ = writeln!(
        text,
        "| Functions of the runtime | {} |",
        listed(&coverage::functions().collect::<Vec<_>>())
    );
    text.push_str("\n| not executed | instructions and functions | instead |\n|---|---|---|\n");
    for part in coverage::lacking() {
        let names: Vec<&str> = part.instructions.iter().chain(part.functions).copied().collect();
        let _ = writeln!(text, "| {} | {} | {} |", part.name, listed(&names), cell(part.instead));
    }
    text + "\nA kernel that gets to one of these ends there, with a finding that names the part, the instruction and its line.\n"
}

/// What the simulator lacks, in a sentence.
fn lacking() -> String {
    let parts: Vec<&str> = coverage::lacking().iter().map(|part| part.name).collect();
    format!("Not simulated: {}.\n", parts.join("; "))
}

/// The kill table: every wrong kernel, what it gets wrong, and the goals that refuse it, as its file says and
/// `workshop check` proves.
fn rejected(root: &Path, exercise: &dyn Exercise) -> String {
    let mut text = "| wrong kernel | what is wrong | refused by |\n|---|---|---|\n".to_owned();
    for kernel in kernels::of(root, exercise, &mut Vec::new()) {
        if kernel.role == Role::Wrong {
            let stem = kernel.file.file_stem().unwrap_or_default().to_string_lossy();
            let refused: Vec<String> = kernel.fails.iter().map(|goal| format!("`{goal}`")).collect();
            let _ = writeln!(
                text,
                "| `{stem}` | {} | {} |",
                cell(&kernels::why(&kernel.source)),
                refused.join(", ")
            );
        }
    }
    text
}

/// The README's table: one row for each exercise.
fn summary(course: Course<'_>, record: &Record, sources: &str) -> String {
    let mut text =
        "| exercise | the solution | against the baseline | fastest step | wrong kernels rejected |\n\
                    |---|---|---:|---:|---:|\n"
            .to_owned();
    for exercise in course.exercises {
        let kernels = || record.kernels.iter().filter(|kernel| kernel.exercise == exercise.id());
        let of = |role: Role| kernels().filter(move |kernel| kernel.candidate.role == role);
        let speedup = |role: Role| {
            let speeds = of(role).filter_map(over_all_cases);
            speeds.reduce(f64::max).map_or("–".to_owned(), |speedup| format!("{speedup:.2}×"))
        };
        let verdict = of(Role::Solution).next().map_or("not measured yet", |kernel| match kernel.verdict {
            harness::report::Verdict::Passed => "passes every required goal",
            _ => "does not pass",
        });
        let rejected = of(Role::Wrong).filter(|kernel| kernel.problems.is_empty()).count();
        let _ = writeln!(
            text,
            "| {} | {verdict} | {} | {} | {rejected} of {} |",
            exercise.id(),
            speedup(Role::Solution),
            speedup(Role::Step),
            of(Role::Wrong).count(),
        );
    }
    let _ = write!(text, "\n{sources}");
    text
}

/// A kernel's speedup over all its timed cases, as its goal has it: of each round the geometric mean of the cases' ratios, and
/// of these the median. The mean of the cases' medians would be another number.
fn over_all_cases(kernel: &KernelRecord) -> Option<f64> {
    let rounds = kernel.speed.iter().map(|speed| speed.samples.kernel.len()).min()?;
    let of_round = |round: usize| {
        let ratios = kernel
            .speed
            .iter()
            .map(|speed| Some(speed.samples.baseline.get(round)? / speed.samples.kernel.get(round)?));
        geometric_mean(ratios.collect::<Option<Vec<f64>>>()?)
    };
    let of_rounds: Vec<f64> = (0..rounds).filter_map(of_round).collect();
    (!of_rounds.is_empty()).then(|| median(&of_rounds))
}

/// Text for a cell of a Markdown table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use harness::report::Found;

    use super::*;

    #[test]
    fn the_summary_has_the_speedups_that_the_goals_have() {
        let mut compared = 0;
        for file in [RECORD, OTHER_RECORD] {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
            for kernel in Record::read(&path).unwrap_or_else(|_| panic!("{file} is no record")).kernels {
                let goal = kernel.goals.iter().find(|goal| goal.goal == Goal::Speedup);
                let Some(Found::Speed(found)) = goal.map(|goal| &goal.found) else { continue };
                let summary = over_all_cases(&kernel).expect("samples");
                let name = kernel.candidate.file.display();
                let shown = [summary, found.speedup.median].map(|speedup| format!("{speedup:.2}"));
                assert_eq!(shown[0], shown[1], "{file}: {name}");
                compared += 1;
            }
        }
        assert!(compared > 100, "{compared} kernels");
    }

    #[test]
    fn a_cell_keeps_the_table_whole() {
        assert_eq!(cell("a|b\nc"), "a\\|b c");
    }
}
