//! `grader class similar`: pairs of kernels that are alike, and kernels that are like a published one.
//!
//! What is compared is the PTX that the optimiser leaves, so that names, comments, macros and much of the order say
//! nothing ([`ptx`]); of it fingerprints are chosen by winnowing ([`winnow`]). What the stub has too is known ground and
//! counts nothing, and what many kernels have counts little. It is a flag and never a verdict: an exercise with one short
//! way to do it has many who find it, and no grade depends on this.

mod ptx;
mod winnow;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use comfy_table::Cell;
use harness::{
    compiler::{self, CompileError},
    device::DeviceChoice,
    exercise::Exercise,
    judge::{self, CheckOptions},
    report::{Goal, Verdict},
    toolchain::Toolchain,
    worker::WorkerFailure,
};
use rayon::prelude::*;

use self::winnow::{Prints, Weights, likeness, prints};
use super::{
    audit::beside,
    export::Export,
    gradebook::inert,
    header::Header,
    marked::{MARK, marked},
    place::Place,
    row::{Outcome, Row},
    store::{self, Owner, Store},
};
use crate::{
    cli::class::Similar,
    course::Course,
    devices,
    exit::{Exit, Result, Trouble},
    files,
    outputs::{Output, beginning},
    table,
    terminal::{Terminal, remark},
    visible::{one_line, shown},
};
use harness::report::{number_of, number_which};

/// The architecture that unjudged kernels are compiled for.
const ARCHITECTURE: u32 = 90;
/// Fewer fingerprints besides the stub's say nothing: there is one way to write so little.
const LEAST_PRINTS: usize = 6;
/// More lines of the table are in the CSV.
const SHOWN: usize = 40;

/// A kernel, once for all who have its text.
struct Kernel {
    source: String,
    owners: Vec<String>,
    /// The name of the published kernel that it is.
    published: Option<String>,
    prints: Option<Prints>,
}

/// Two who are alike.
#[derive(Clone, Debug, PartialEq)]
struct Pair {
    exercise: String,
    one: String,
    other: String,
    likeness: f64,
    same_text: bool,
    /// The published kernel that both are like.
    published: Option<String>,
}

/// Who is like a published kernel.
struct Resembling {
    student: String,
    exercise: String,
    published: String,
    likeness: f64,
}

/// What comes of comparing the kernels of an exercise.
#[derive(Default)]
struct Compared {
    pairs: Vec<Pair>,
    resembling: Vec<Resembling>,
    /// Whose kernels can't be compared, and why.
    broken: Vec<(String, String)>,
}

/// A kernel's fingerprints, or why there are none.
type Found = Result<Prints, String>;

/// Kernels that can't be compared, by whose they are, and why.
type Broken = BTreeMap<Owner, String>;

/// Runs it.
///
/// # Errors
/// Wrong usage, no sandbox, or files that can't be written.
pub fn run(course: Course<'_>, similar: &Similar, terminal: Terminal) -> Result<Exit> {
    require_outputs(similar)?;
    let mut scored = match similar.kernels {
        true => None,
        false => Some(Store::open(&similar.results)?),
    };
    let by_exercise = match &scored {
        None => of_folder(course, &similar.results)?,
        Some((store, _)) => of_results(course, store),
    };
    let architecture =
        scored.as_ref().map_or(Ok(ARCHITECTURE), |(_, header)| architecture(&header.device))?;
    let simulator = [DeviceChoice::Simulator(None)];
    let place = Place::find(&simulator, &similar.compiling)?;
    let header = Header::new(String::new(), String::new(), String::new(), 0, String::new());
    let judging = place.judging(&header, similar.jobs);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(judging.jobs).build();
    let pool = pool.map_err(|error| Trouble::judge(format!("no threads: {error}"), "end other programs"))?;
    let (mut pairs, mut resembling, mut broken) = (Vec::new(), Vec::new(), Broken::new());
    let compiler = Compiler { toolchain: judging.toolchain, architecture };
    for (exercise, owned) in by_exercise {
        let compared = pool.install(|| compare(exercise, owned, compiler, similar.least))?;
        pairs.extend(compared.pairs);
        resembling.extend(compared.resembling);
        let of = |(who, why): (String, String)| ((who, exercise.id().to_owned()), why);
        broken.extend(compared.broken.into_iter().map(of));
    }
    match &scored {
        None => broken.keys().for_each(|(who, exercise)| remark(&format!("{exercise} {who} {NOT_COMPILED}"))),
        Some((store, _)) => say_broken(store, &broken),
    }
    pairs.sort_by(|one, other| other.likeness.total_cmp(&one.likeness));
    let out = similar.out.as_deref().unwrap_or(&similar.results);
    let bug = |error: std::io::Error| Trouble::judge(format!("the CSV: {error}"), "report this as a bug");
    for (name, bytes) in
        [(PAIRS, pairs_csv(&pairs).map_err(bug)?), (RESEMBLING, resembling_csv(&resembling).map_err(bug)?)]
    {
        let path = out.join(name);
        files::write_atomically(&path, &marked(bytes)).map_err(|error| {
            Trouble::judge(
                format!("could not write {}: {}", shown(&path), files::explain(&error)),
                "make it writable or make room, or name another folder by --out",
            )
        })?;
    }
    if let Some((store, header)) = &mut scored {
        beside::record(store, &similar.results, "class similar", &[out.join(PAIRS), out.join(RESEMBLING)])?;
        store.keep_resembling(in_words(store, &resembling, &broken), similar.least)?;
        let rows: Vec<Row> = store.rows().cloned().collect();
        let export = Export { course, header, rows: &rows, store };
        export.write_gradebook(&similar.results, store.head())?;
    }
    crate::print(&said(&pairs, resembling.len(), similar.least, terminal));
    crate::print(&format!(
        "{}: {PAIRS}, {RESEMBLING}. These are flags, never verdicts: look at both kernels and ask both students.\n",
        shown(out)
    ));
    Ok(Exit::Passed)
}

/// Refuses to write over what isn't an earlier comparison, before anything is compared.
fn require_outputs(similar: &Similar) -> Result<()> {
    let out = similar.out.as_deref().unwrap_or(&similar.results);
    for (name, headings) in [(PAIRS, &PAIRS_HEADINGS[..]), (RESEMBLING, &RESEMBLING_HEADINGS[..])] {
        let (path, what) = (out.join(name), format!("{name} of this command"));
        let output = Output { option: "--out", path: &path, what: &what };
        if similar.out.is_some() {
            output.require_folder()?;
        }
        let line = format!("{}\n", headings.join(","));
        output.require_free(|path| {
            let begin = beginning(path, 200);
            begin.strip_prefix(MARK).unwrap_or(&begin).starts_with(line.as_bytes())
        })?;
    }
    Ok(())
}

/// What becomes of a kernel that does not compile.
const NOT_COMPILED: &str = "does not compile";

/// With what kernels are compiled.
#[derive(Clone, Copy)]
struct Compiler<'a> {
    toolchain: &'a Toolchain,
    architecture: u32,
}

/// The architecture that a class was judged on: that of the simulator's profile, which judges along with any GPU.
fn architecture(device: &str) -> Result<u32> {
    let profile = device.rsplit(' ').next().and_then(|name| name.strip_prefix("sim:"));
    let simulator = DeviceChoice::Simulator(profile.map(str::to_owned));
    Ok(devices::resolve(&simulator)?.profile.compute_capability)
}

/// Says which kernels can't be compared. Those that the judge found not to compile are many in a class, and their students
/// know it; of any other the name is said, for a copy could hide there.
fn say_broken(store: &Store, broken: &Broken) {
    let (expected, odd): (Vec<_>, Vec<_>) = broken.iter().partition(|(owner, _)| {
        store.row(owner).is_some_and(|row| {
            row.goals.iter().any(|goal| goal.goal == Goal::Compile && goal.verdict == Verdict::Failed)
        })
    });
    if !expected.is_empty() {
        remark(&format!(
            "{} not compile, and can not be compared",
            number_which(expected.len(), "kernel", "does", "do")
        ));
    }
    for ((student, exercise), why) in odd {
        remark(&format!(
            "{}, {exercise} was graded and can not be compared: it {}. Read that kernel yourself",
            one_line(student),
            one_line(why)
        ));
    }
}

pub(super) const PAIRS: &str = "similar.csv";
pub(super) const RESEMBLING: &str = "resembles.csv";
const PAIRS_HEADINGS: [&str; 6] =
    ["exercise", "student", "other", "likeness", "same_text", "both_resemble_published"];
const RESEMBLING_HEADINGS: [&str; 4] = ["student", "exercise", "resembles_published", "likeness"];

/// Who has which text, by exercise.
type Owned<'a> = Vec<(&'a dyn Exercise, BTreeMap<String, Vec<String>>)>;

/// What a class has handed in: kernels that were judged, without stubs as they came.
fn of_results<'a>(course: Course<'a>, store: &Store) -> Owned<'a> {
    let mut all: Owned<'a> = Vec::new();
    for exercise in course.exercises {
        let mut owned: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for row in store.rows().filter(|row| row.exercise == exercise.id() && is_compared(row)) {
            // Of what is damaged there is nothing to compare.
            if let Some(report) = store.report(&row.key) {
                owned.entry(report.source).or_default().push(row.student.clone());
            }
        }
        all.push((*exercise, owned));
    }
    all
}

/// Whether a row has a kernel to compare: of stubs as they came, all are alike.
fn is_compared(row: &Row) -> bool {
    row.outcome == Outcome::Graded && !row.handed_in.untouched
}

/// What the gradebook says of each kernel: the published one that it is most like, that it is like none, or that it was not
/// compared.
fn in_words(store: &Store, resembling: &[Resembling], broken: &Broken) -> store::Resembling {
    let like: BTreeMap<(&str, &str), &Resembling> =
        resembling.iter().map(|one| ((one.student.as_str(), one.exercise.as_str()), one)).collect();
    let said = |row: &Row| match like.get(&(row.student.as_str(), row.exercise.as_str())) {
        _ if broken.contains_key(&row.owner()) => "not compared".to_owned(),
        Some(one) => format!("{} {:.2}", one.published, one.likeness),
        None => "none".to_owned(),
    };
    store.rows().filter(|row| is_compared(row)).map(|row| (row.key.clone(), said(row))).collect()
}

/// Kernels in a folder, `NN-name/WHO.cu`: for measuring how well this works.
fn of_folder<'a>(course: Course<'a>, folder: &Path) -> Result<Owned<'a>> {
    let unreadable = |path: &Path, error: &dyn std::fmt::Display| {
        Trouble::usage(format!("{}: {error}", shown(path)), "name a folder with NN-name/WHO.cu")
    };
    let mut all: Owned<'a> = Vec::new();
    for exercise in course.exercises {
        let mut owned: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let of = folder.join(exercise.id());
        if !of.is_dir() {
            continue;
        }
        for entry in fs::read_dir(&of).map_err(|error| unreadable(&of, &error))? {
            let path = entry.map_err(|error| unreadable(&of, &error))?.path();
            let text =
                fs::read_to_string(&path).map_err(|error| unreadable(&path, &files::explain(&error)))?;
            let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            owned.entry(text).or_default().push(name);
        }
        owned.values_mut().for_each(|owners| owners.sort());
        all.push((*exercise, owned));
    }
    match all.is_empty() {
        true => Err(unreadable(folder, &"no folder of an exercise")),
        false => Ok(all),
    }
}

/// Compares all kernels of an exercise, with each other and with those that are published.
fn compare(
    exercise: &dyn Exercise,
    owned: BTreeMap<String, Vec<String>>,
    compiler: Compiler<'_>,
    least: f64,
) -> Result<Compared> {
    if owned.is_empty() {
        return Ok(Compared::default());
    }
    let about = exercise.about();
    let published = [("solution".to_owned(), about.solution)];
    let steps = about.steps.iter().map(|step| (format!("step {}", step.name), step.source));
    let mut kernels: Vec<Kernel> = owned
        .into_iter()
        .map(|(source, owners)| Kernel { source, owners, published: None, prints: None })
        .collect();
    for (name, source) in published.into_iter().chain(steps) {
        match kernels.iter_mut().find(|kernel| kernel.source == source) {
            Some(known) => known.published = Some(name),
            None => kernels.push(Kernel {
                source: source.to_owned(),
                owners: Vec::new(),
                published: Some(name),
                prints: None,
            }),
        }
    }
    // What all are compared with must be there.
    let ground = required(of_source(exercise, about.stub, compiler)?)?.unwrap_or_default();
    let found: Vec<Found> = kernels
        .par_iter()
        .map(|kernel| of_source(exercise, &kernel.source, compiler))
        .collect::<Result<_>>()?;
    let mut broken = Vec::new();
    for (kernel, found) in kernels.iter_mut().zip(found) {
        if let Err(why) = &found {
            broken.extend(kernel.owners.iter().map(|who| (who.clone(), why.clone())));
        }
        let prints = if kernel.published.is_some() { required(found)? } else { found.ok() };
        kernel.prints = prints.map(|prints| prints.difference(&ground).copied().collect());
    }
    let weights = Weights::of(kernels.iter().filter_map(|kernel| kernel.prints.as_ref()));
    let alike = |one: &Kernel, other: &Kernel| -> Option<f64> {
        let (one, other) = (one.prints.as_ref()?, other.prints.as_ref()?);
        let is_enough = one.len().min(other.len()) >= LEAST_PRINTS;
        is_enough.then(|| likeness(one, other, &weights)).filter(|likeness| *likeness >= least)
    };
    // What each is most like of what is published, itself too.
    let nearest = |kernel: &Kernel| -> Option<(String, f64)> {
        if let Some(name) = &kernel.published {
            return Some((name.clone(), 1.0));
        }
        let all = kernels.iter().filter_map(|known| Some((known.published.clone()?, alike(kernel, known)?)));
        // Of equals the first: the solution.
        all.reduce(|best, next| if next.1 > best.1 { next } else { best })
    };
    let near: Vec<Option<(String, f64)>> = kernels.iter().map(nearest).collect();
    let mut resembling = Vec::new();
    let mut pairs = Vec::new();
    let of_class = || kernels.iter().enumerate().filter(|(_, kernel)| !kernel.owners.is_empty());
    // What does not compile says nothing, whoever has the same text.
    for (at, kernel) in of_class().filter(|(_, kernel)| kernel.prints.is_some()) {
        for student in &kernel.owners {
            resembling.extend(near[at].iter().map(|(published, likeness)| Resembling {
                student: student.clone(),
                exercise: exercise.id().to_owned(),
                published: published.clone(),
                likeness: *likeness,
            }));
        }
        let pair = |one: &String, other: &String, likeness, same_text, published: Option<&String>| {
            let mut two = [one.clone(), other.clone()];
            two.sort();
            let [one, other] = two;
            let (exercise, published) = (exercise.id().to_owned(), published.cloned());
            Pair { exercise, one, other, likeness, same_text, published }
        };
        let own = near[at].as_ref().map(|(name, _)| name);
        for (first, one) in kernel.owners.iter().enumerate() {
            pairs.extend(kernel.owners[first + 1..].iter().map(|other| pair(one, other, 1.0, true, own)));
        }
        for (behind, other) in of_class().filter(|(behind, _)| *behind > at) {
            let Some(likeness) = alike(kernel, other) else { continue };
            let both = own.filter(|own| near[behind].as_ref().is_some_and(|(name, _)| name == *own));
            for one in &kernel.owners {
                pairs.extend(other.owners.iter().map(|other| pair(one, other, likeness, false, both)));
            }
        }
    }
    // Whatever order texts have.
    pairs.sort_by(|one, other| (&one.one, &one.other).cmp(&(&other.one, &other.other)));
    resembling.sort_by(|one, other| one.student.cmp(&other.student));
    Ok(Compared { pairs, resembling, broken })
}

/// Fingerprints of what the course has published: none where it is not for this architecture.
///
/// # Errors
/// A judge's error where the compiler gave no answer: without them no kernel would seem to be like it.
fn required(found: Found) -> Result<Option<Prints>> {
    match found {
        Ok(prints) => Ok(Some(prints)),
        Err(why) if why == NOT_COMPILED => Ok(None),
        Err(why) => Err(Trouble::judge(
            format!("a kernel of the course {why}"),
            "end other programs, or compare fewer kernels at a time by --jobs 1",
        )),
    }
}

/// A kernel's fingerprints; what keeps them from being made costs that kernel only.
///
/// # Errors
/// A judge's error where the compiler itself does not work.
fn of_source(exercise: &dyn Exercise, source: &str, compiler: Compiler<'_>) -> Result<Found> {
    let kernel = judge::Kernel { path: format!("{}/kernel.cu", exercise.id()), source: source.to_owned() };
    let mut request = judge::request(exercise, &kernel, &CheckOptions::default(), compiler.architecture);
    request.machine_code = false;
    match compiler::compile(compiler.toolchain, &request) {
        Ok(compiled) => Ok(Ok(prints(&ptx::instructions(&compiled.optimised_ptx)))),
        Err(error) => not_compiled(error).map(Err),
    }
}

/// Why a kernel was not compiled.
///
/// # Errors
/// A judge's error where that says nothing about the kernel, and would be so for any other.
fn not_compiled(error: CompileError) -> Result<String> {
    match error {
        CompileError::Rejected { .. } => Ok(NOT_COMPILED.to_owned()),
        CompileError::Worker(failure) if failure.is_of_the_input() => Ok(NOT_COMPILED.to_owned()),
        // No worker comes up here at all.
        CompileError::Worker(failure @ (WorkerFailure::Spawn(_) | WorkerFailure::NoEntry)) => {
            Err(trouble(&failure))
        }
        CompileError::Worker(failure) => Ok(format!("was not compiled: {failure}")),
        other => Err(trouble(&other)),
    }
}

fn trouble(error: &dyn std::fmt::Display) -> Trouble {
    Trouble::judge(error.to_string(), "`grader doctor` looks at the compiler and the sandbox")
}

fn pairs_csv(pairs: &[Pair]) -> std::io::Result<Vec<u8>> {
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record(PAIRS_HEADINGS)?;
    for pair in pairs {
        out.write_record([
            pair.exercise.clone(),
            inert(&pair.one),
            inert(&pair.other),
            format!("{:.2}", pair.likeness),
            if pair.same_text { "same".to_owned() } else { String::new() },
            pair.published.clone().unwrap_or_default(),
        ])?;
    }
    out.into_inner().map_err(|error| error.into_error())
}

fn resembling_csv(all: &[Resembling]) -> std::io::Result<Vec<u8>> {
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record(RESEMBLING_HEADINGS)?;
    for one in all {
        let likeness = format!("{:.2}", one.likeness);
        out.write_record([inert(&one.student), one.exercise.clone(), one.published.clone(), likeness])?;
    }
    out.into_inner().map_err(|error| error.into_error())
}

fn said(pairs: &[Pair], resembling: usize, least: f64, terminal: Terminal) -> String {
    let students: BTreeSet<&str> =
        pairs.iter().flat_map(|pair| [pair.one.as_str(), pair.other.as_str()]).collect();
    let summary = format!(
        "{} of {} {} alike from {least} on; {} like a published one\n",
        number_of(pairs.len(), "pair"),
        number_of(students.len(), "student"),
        if pairs.len() == 1 { "is" } else { "are" },
        number_which(resembling, "kernel", "is", "are"),
    );
    if pairs.is_empty() {
        return summary;
    }
    let mut out = table::new(terminal, &["Student", "Student", "Exercise", "Likeness", "Both are like"]);
    for pair in pairs.iter().take(SHOWN) {
        let likeness = if pair.same_text { "same text".to_owned() } else { format!("{:.2}", pair.likeness) };
        out.add_row([
            Cell::new(one_line(&pair.one)),
            Cell::new(one_line(&pair.other)),
            Cell::new(&pair.exercise),
            table::right(likeness),
            Cell::new(pair.published.clone().unwrap_or_default()),
        ]);
    }
    if pairs.len() > SHOWN {
        remark(&format!("the table has {SHOWN} of {}; {PAIRS} has all", number_of(pairs.len(), "pair")));
    }
    format!("{}\n{summary}", table::text(&out, terminal))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_alike_and_one_pair_is() {
        let terminal = Terminal { width: 100, rows: usize::MAX, colour: false, plain: true };
        let pair = |one: &str, other: &str| Pair {
            exercise: "03-reduction".to_owned(),
            one: one.to_owned(),
            other: other.to_owned(),
            likeness: 0.9,
            same_text: false,
            published: None,
        };
        let last = |pairs: &[Pair]| said(pairs, 1, 0.75, terminal).lines().last().map(str::to_owned);
        let like = "from 0.75 on; 1 kernel is like a published one";
        let one = last(&[pair("ada", "bob")]);
        assert_eq!(one, Some(format!("1 pair of 2 students is alike {like}")));
        let two = last(&[pair("ada", "bob"), pair("ada", "eve")]);
        assert_eq!(two, Some(format!("2 pairs of 3 students are alike {like}")));
    }

    #[test]
    fn kernels_are_compiled_for_what_judged_them() {
        for (device, wanted) in [
            ("sim:t4", 75),
            ("sim:h200", 90),
            ("gpu (NVIDIA H200) + sim:h200", 90),
            ("gpu (Tesla T4) + sim:t4", 75),
        ] {
            assert_eq!(architecture(device).unwrap(), wanted, "{device}");
        }
        assert!(architecture("sim:nothing").is_err());
    }

    /// A compiler that takes too long on one kernel costs that kernel; one that does not work at all costs the command.
    #[test]
    fn what_is_not_compiled_costs_its_own_kernel() {
        let rejected = CompileError::Rejected { diagnostics: Vec::new(), log: String::new() };
        assert_eq!(not_compiled(rejected).unwrap(), NOT_COMPILED);
        let slow = WorkerFailure::WallLimit { limit_seconds: 60, cpu_seconds: 3 };
        let why = not_compiled(slow.into()).unwrap();
        assert!(why.starts_with("was not compiled: "), "{why}");
        assert!(not_compiled(WorkerFailure::NoEntry.into()).is_err());
        // Of what is published, only what is not for this architecture may be missing.
        assert!(required(Err(NOT_COMPILED.to_owned())).unwrap().is_none());
        assert!(required(Err(why)).is_err());
    }
}
