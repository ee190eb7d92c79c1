//! `workshop mutate`: breaks every solution and step in all small ways, and proves that the judge notices each.
//!
//! What is missed is one of two: the same program, which is then listed with the reason (`equivalents`), or a
//! case, goal or finding that an exercise lacks. Parts: kernels and what of them is a learner's (`source`,
//! `scope`); how large its numbers are (`reach`, `bounds`); mistakes (`operators`, `edit`, `generate`); which to
//! judge (`choice`); judging (`original`, `pool`, `fate`, `ptx`), of which a run that is ended loses nothing
//! (`journal`), and what the simulator has no room for (`on_gpu`); what came of it (`equivalents`, `summary`,
//! `render`, `page`).

mod bounds;
mod choice;
mod edit;
mod equivalents;
mod fate;
mod generate;
mod journal;
mod on_gpu;
mod operators;
mod original;
pub mod page;
mod pool;
mod ptx;
mod reach;
mod render;
mod scope;
mod source;
mod summary;

use std::{
    fs,
    panic::resume_unwind,
    path::Path,
    thread::{self, ScopedJoinHandle},
};

use grader::{
    checkout::root,
    course::Course,
    exit::{Exit, Result, Trouble},
    files,
    terminal::{Terminal, say},
    toolchains,
};
use harness::{
    compiler,
    exercise::Exercise,
    judge::{self, CheckOptions, Kernel},
    toolchain::Toolchain,
};
use indicatif::ProgressBar;

pub use self::edit::Family;
use self::{
    edit::Mutant,
    equivalents::{Listed, Stamp},
    journal::Journal,
    original::Original,
    pool::{MutantOutcome, Pool},
    reach::Reach,
    source::Source,
    summary::{Conclusion, Printed, Record, Survey},
};
use crate::cli::{Format, Mutate};

/// The record's version.
const SCHEMA: u32 = 1;

/// An exercise's kernels, and those of their mutants that are to be judged.
struct Task<'a> {
    exercise: &'a dyn Exercise,
    digest: String,
    kernels: Vec<(Source, Vec<Mutant>)>,
    listed: Listed,
    /// Entries of the list that name no mutant.
    gone: Vec<String>,
}

/// Runs it.
///
/// # Errors
/// Wrong usage outside a checkout, no compiler, or an original that is not right.
pub fn run(course: Course<'_>, options: &Mutate, terminal: Terminal) -> Result<Exit> {
    let root = root()?;
    let exercises = course.named(&options.names)?;
    if options.on_gpu {
        return on_gpu::run(&root, &exercises, options);
    }
    let seed = options.seed.unwrap_or_else(choice::fresh_seed);
    let tasks = tasks(&root, &exercises, options, seed)?;
    if options.list {
        for (source, mutants) in tasks.iter().flat_map(|task| &task.kernels) {
            grader::print(&match options.draft {
                true => equivalents::draft(&Stamp::of(source), &mutants.iter().collect::<Vec<_>>()),
                false => mutants.iter().map(|mutant| format!("{}\n", render::line(mutant))).collect(),
            });
        }
        return Ok(Exit::Passed);
    }
    let text = options.format == Format::Text;
    let count: usize = tasks.iter().flat_map(|task| &task.kernels).map(|(_, mutants)| mutants.len()).sum();
    if let (Some(sample), true) = (options.sample, text) {
        grader::print(&format!("a sample of {sample} mutants, --seed {seed}\n"));
    }
    // What is no such record must not be found out after hours.
    options.out.as_deref().map(read).transpose()?;
    let journal = Journal::open(options.keep.as_deref())?;
    let toolchain = toolchains::resolve(None, None)?;
    let pool = Pool::new(options.jobs.unwrap_or(0), toolchain, options.whole, journal)?;
    let bar = ProgressBar::new(count as u64);
    // All exercises at once: of one alone the last mutants, which take longest, would leave most judges without work.
    let surveys: Vec<Survey> = thread::scope(|scope| {
        let judged = tasks.into_iter().map(|task| {
            let stamps: Vec<_> = task.kernels.iter().map(|(source, _)| Stamp::of(source)).collect();
            (stamps, scope.spawn(|| survey(&pool, task, &bar)))
        });
        let judged: Vec<_> = judged.collect();
        let told = judged.into_iter().map(|(stamps, survey)| {
            let survey = joined(survey)?;
            if options.draft {
                bar.suspend(|| grader::print(&drafts(&survey, &stamps)));
            } else if text {
                bar.suspend(|| grader::print(&render::survey(&survey)));
            }
            Ok(survey)
        });
        told.collect::<Result<_>>()
    })?;
    bar.finish_and_clear();
    match options.format {
        Format::Text if surveys.len() > 1 && !options.draft => {
            grader::print(&render::total(&surveys, terminal));
        }
        Format::Text => {}
        Format::Json => grader::print_json(&Printed {
            schema: SCHEMA,
            seed: options.sample.map(|_| seed),
            exercises: surveys.iter().map(Survey::printed).collect(),
        })?,
    }
    if let Some(file) = &options.out {
        write(file, &surveys)?;
    }
    let proved = surveys.iter().all(Survey::is_proved);
    if !proved && text && !options.draft {
        say(NEXT);
    }
    Ok(if proved { Exit::Passed } else { Exit::Failed })
}

/// What to do with what was missed.
const NEXT: &str = "next: give the exercise the case, goal or bound that it lacks; or, if it is the same program, \
                    enter the mutant in solutions/NN-name/equivalent.toml with the reason";

/// What there is to judge of an exercise today, in a few letters: another kernel, mistake or case gives others.
///
/// # Errors
/// A kernel that cannot be read.
pub fn digest(root: &Path, exercise: &dyn Exercise) -> Result<String> {
    let sources = source::of_exercise(root, exercise.id())?;
    Ok(digest_of(exercise, sources.iter().map(|source| (source, mutants(exercise, source)))))
}

fn digest_of<'a>(
    exercise: &dyn Exercise,
    kernels: impl Iterator<Item = (&'a Source, Vec<Mutant>)>,
) -> String {
    let mut all = blake3::Hasher::new();
    let mut add = |line: &str| {
        all.update(line.as_bytes()).update(b"\n");
    };
    for case in exercise.cases() {
        add(&format!("{} {:?} {}", case.index, case.on, case.name));
    }
    for (source, mutants) in kernels {
        add(&Stamp::of(source).code);
        mutants.iter().for_each(|mutant| add(&equivalents::name(mutant)));
    }
    all.finalize().to_hex()[..16].to_owned()
}

/// What is wrong with what is committed of an exercise's mutants: with their counts, and with the lists of those that may pass.
/// Judging them again takes minutes; that they are the same as then takes none.
pub fn record_problems(root: &Path, exercise: &dyn Exercise) -> Vec<String> {
    let found = stale_entries(root, exercise).and_then(|stale| Ok((stale, count_problem(root, exercise)?)));
    match found {
        Ok((stale, count)) => stale.into_iter().chain(count).collect(),
        Err(trouble) => vec![trouble.message],
    }
}

/// The entries of lists that fit no kernel's code, or no mutant.
fn stale_entries(root: &Path, exercise: &dyn Exercise) -> Result<Vec<String>> {
    let sources = source::of_exercise(root, exercise.id())?;
    let listed = Listed::read(root, exercise.id(), &sources)?;
    let mutants: Vec<Mutant> = sources.iter().flat_map(|source| mutants(exercise, source)).collect();
    Ok(listed.problems.iter().cloned().chain(listed.without(&mutants)).collect())
}

/// What is wrong with the count.
fn count_problem(root: &Path, exercise: &dyn Exercise) -> Result<Option<String>> {
    let id = exercise.id();
    let again = format!("cargo workshop mutate {id} --out {}", page::RECORD);
    let Some(record) = page::read(root)? else { return Ok(None) };
    let Some(counts) = record.exercises.get(id) else {
        return Ok(Some(format!("its mutants were never judged: {again}")));
    };
    let left = counts.missed + counts.unjudged;
    let now = digest(root, exercise)?;
    Ok(if now != counts.digest {
        Some(format!("its kernels, mutants or cases are others than when its mutants were judged: {again}"))
    } else if left > 0 {
        Some(format!("{left} of its mutants pass: {again}"))
    } else if counts.only_on_gpu > 0 && counts.gpu.is_none() {
        Some(format!(
            "{} of its mutants are said to fail only on a GPU, and none was tried there: {again} --on-gpu",
            counts.only_on_gpu
        ))
    } else {
        None
    })
}

/// A kernel's mutants.
fn mutants(exercise: &dyn Exercise, source: &Source) -> Vec<Mutant> {
    generate::mutants(source, &Reach::of(exercise, &source.text))
}

/// The texts of a solution's mutants that must fail: those that no list says to pass, or to fail on a GPU alone.
///
/// # Errors
/// A kernel or a list that cannot be read.
pub fn of_solution(root: &Path, exercise: &dyn Exercise) -> Result<Vec<String>> {
    let sources = source::of_exercise(root, exercise.id())?;
    let listed = Listed::read(root, exercise.id(), &sources)?;
    let solution = sources.iter().filter(|source| source.role == source::Role::Solution);
    let all = solution.flat_map(|source| mutants(exercise, source));
    Ok(all.filter(|mutant| listed.why(mutant).is_none()).map(|mutant| mutant.text).collect())
}

/// What a kernel is once it is optimised; none where it does not compile. Two with the same are the same program: then nobody
/// can tell them apart, and a mutant need not fail.
pub fn program(exercise: &dyn Exercise, toolchain: &Toolchain, source: &str) -> Option<blake3::Hash> {
    let kernel = Kernel { path: "kernel.cu".to_owned(), source: source.to_owned() };
    let mut request = judge::request(exercise, &kernel, &CheckOptions::default(), 90);
    request.machine_code = false;
    compiler::compile(toolchain, &request).ok().map(|compiled| ptx::code(&compiled.optimised_ptx))
}

/// The mutants to judge. Exercises of which none is chosen are left out.
fn tasks<'a>(
    root: &Path,
    exercises: &[&'a dyn Exercise],
    options: &Mutate,
    seed: u64,
) -> Result<Vec<Task<'a>>> {
    let whole = options.sample.is_none()
        && options.shard.is_none()
        && options.only.is_empty()
        && options.family.is_empty();
    let mut tasks = Vec::new();
    let mut names = Vec::new();
    for &exercise in exercises {
        let sources = source::of_exercise(root, exercise.id())?;
        let listed = Listed::read(root, exercise.id(), &sources)?;
        let kernels: Vec<(Source, Vec<Mutant>)> = sources
            .into_iter()
            .map(|source| {
                let mutants = mutants(exercise, &source);
                (source, mutants)
            })
            .collect();
        let digest = digest_of(exercise, kernels.iter().map(|(source, mutants)| (source, mutants.clone())));
        let all: Vec<Mutant> = kernels.iter().flat_map(|(_, mutants)| mutants.clone()).collect();
        names.extend(all.iter().map(|mutant| (mutant.family, render::line(mutant))));
        tasks.push(Task { exercise, digest, kernels, gone: listed.without(&all), listed });
    }
    let chosen = choice::chosen(options, seed, &names);
    let mut place = 0;
    for (_, mutants) in tasks.iter_mut().flat_map(|task| &mut task.kernels) {
        mutants.retain(|_| {
            place += 1;
            chosen.binary_search(&(place - 1)).is_ok()
        });
    }
    if !whole {
        tasks.retain(|task| task.kernels.iter().any(|(_, mutants)| !mutants.is_empty()));
    }
    Ok(tasks)
}

/// Judges an exercise's mutants.
fn survey(pool: &Pool, task: Task<'_>, bar: &ProgressBar) -> Result<Survey> {
    let Task { exercise, digest, kernels, listed, gone } = task;
    let mut survey = Survey { exercise: exercise.id().to_owned(), digest, ..Survey::default() };
    survey.problems.extend(listed.problems.iter().cloned());
    survey.problems.extend(gone);
    let kernels: Vec<_> = kernels.into_iter().filter(|(_, mutants)| !mutants.is_empty()).collect();
    survey.kernels = kernels.len();
    let judged: Vec<_> = thread::scope(|scope| {
        let judge = |(source, mutants): (Source, Vec<Mutant>)| {
            let original = pool.when_free(|| Original::prove(exercise, &source, pool.options()))?;
            let to_judge: Vec<&Mutant> = mutants.iter().collect();
            let outcomes = pool.judge(exercise, &original, &to_judge, &|count| bar.inc(count as u64))?;
            Ok((mutants, outcomes))
        };
        let kernels: Vec<_> = kernels.into_iter().map(|kernel| scope.spawn(move || judge(kernel))).collect();
        kernels.into_iter().map(joined).collect()
    });
    for judged in judged {
        let (mutants, outcomes) = judged?;
        for (mutant, outcome) in mutants.into_iter().zip(outcomes) {
            let conclusion = match (listed.why(&mutant).cloned(), outcome) {
                (Some(why), MutantOutcome::Missed) => Conclusion::Listed(why),
                (Some(_), outcome) => {
                    survey.problems.push(format!(
                        "listed as one that passes, but {}: {}",
                        outcome.words(),
                        render::line(&mutant)
                    ));
                    Conclusion::Judged(outcome)
                }
                (None, outcome) => Conclusion::Judged(outcome),
            };
            survey.mutants.push((mutant, conclusion));
        }
    }
    Ok(survey)
}

/// What a thread has found out. Its panic goes on here.
fn joined<T>(thread: ScopedJoinHandle<'_, Result<T>>) -> Result<T> {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}

/// What was missed, as entries of the lists of equivalent mutants.
fn drafts(survey: &Survey, stamps: &[Stamp]) -> String {
    let of = |stamp: &Stamp| {
        let missed: Vec<&Mutant> = survey.missed().filter(|mutant| mutant.file == stamp.file).collect();
        (!missed.is_empty()).then(|| equivalents::draft(stamp, &missed))
    };
    stamps.iter().filter_map(of).collect()
}

fn record(surveys: &[Survey]) -> Record {
    let counts = surveys.iter().map(|survey| (survey.exercise.clone(), survey.counts()));
    Record { schema: SCHEMA, exercises: counts.collect() }
}

/// The counts in a file; none where there is no such file.
fn read(file: &Path) -> Result<Record> {
    let Ok(text) = fs::read(file) else { return Ok(Record::default()) };
    serde_json::from_slice(&text).map_err(|error| {
        Trouble::usage(
            format!("{} holds something else: {error}", file.display()),
            "name another file or delete it",
        )
    })
}

/// Writes the counts; exercises that were not judged now keep theirs.
fn write(file: &Path, surveys: &[Survey]) -> Result<()> {
    let mut all = read(file)?;
    let new = record(surveys);
    all.schema = new.schema;
    for (exercise, mut counts) in new.exercises {
        // What a GPU killed, it killed, as long as nothing is another.
        if let Some(then) = all.exercises.get(&exercise)
            && then.digest == counts.digest
        {
            counts.gpu.clone_from(&then.gpu);
        }
        all.exercises.insert(exercise, counts);
    }
    files::save_json(file, &all)
}
