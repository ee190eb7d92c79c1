//! `workshop class`: makes a class whose truth is known, scores it with the real program, and compares row by row.
//!
//! What students hand in is the course's own: solutions, steps, kernels of other styles, wrong kernels, mutants of
//! solutions, stubs, and files that are broken or hostile. All have a comment of their own, so that no two are the same and
//! each is judged, but for those of students who work together, which are judged once. What becomes of each is known beforehand: by its role, by what its first lines declare, or because
//! `workshop mutate` proves that every such mutant fails. A single row that differs fails the command. With `--kills` it is
//! killed again and again instead, and must come out as if nobody had ([`kills`]). Beside the class, a few
//! more students hand in hostile archives ([`hostile`]).

mod hostile;
pub mod kills;
mod made;
mod outcome;
pub mod record;

use std::{
    collections::BTreeMap,
    fs,
    io::ErrorKind,
    path::Path,
    process::{Command, Stdio},
};

use grader::{
    checkout::root,
    course::Course,
    exit::{Exit, Result, Trouble},
    files,
    outputs::Output,
    terminal::say,
    took,
    visible::shown,
};

use self::{
    hostile::Rows,
    kills::Kills,
    made::{Submission, Truth},
    record::{Record, Run},
};
use crate::{
    child::{Program, is_asked_to_end},
    cli::Class,
    latency::machine,
    session::Session,
};

/// Runs it.
///
/// # Errors
/// Wrong usage outside a checkout or without the program; a judge's error where scoring ends with one.
pub fn run(course: Course<'_>, options: &Class) -> Result<Exit> {
    let root = root()?;
    let program = Session::program(options.program.as_deref())?;
    require_free(options)?;
    let exercises = course.named(&options.names)?;
    let is_timed = !options.device.starts_with("sim");
    let students = (options.students, options.together);
    let class = match options.all {
        true => made::every_kernel(&root, &exercises)?,
        false => made::class(&root, &exercises, students, options.seed, is_timed)?,
    };
    let work = tempfile::tempdir().map_err(|error| no_room(&error))?;
    let place = options.keep.clone().unwrap_or_else(|| work.path().to_owned());
    write(&place.join("submissions"), &class)?;
    let by = if options.all { String::new() } else { format!(" of {} students", options.students) };
    say(&format!("{} submissions{by} are made", class.len()));
    if let Some(kills) = options.kills {
        let record = kills::run(&program, &place, &class, options, kills)?;
        grader::print(&record.in_words());
        if let Some(file) = &options.out {
            files::save_json(file, &record)?;
        }
        return Ok(if record.differences == 0 { Exit::Passed } else { Exit::Failed });
    }
    if let Some(other) = &options.against {
        let other = Session::program(Some(other))?;
        let (compared, differing) = outcome::against((&program, &other), &place, &class, options)?;
        differing.iter().for_each(|name| grader::print(&format!("{name} differs\n")));
        grader::print(&format!("{compared} files and reports of two programs: {} differ\n", differing.len()));
        return Ok(if differing.is_empty() { Exit::Passed } else { Exit::Failed });
    }
    let archives = match class.first() {
        Some(first) if !options.all => {
            hostile::archives(&first.student, &first.exercise).map_err(|error| no_room(&error.into()))?
        }
        _ => Vec::new(),
    };
    hostile::write(&place.join("submissions"), &archives).map_err(|error| no_room(&error))?;
    let cold = score(&program, &place, options)?;
    let took = took::of_last(&place.join("results"))?;
    let warm = score(&program, &place, options)?;
    let rows = rows(&place)?;
    let mut mismatches = compare(&rows, &class);
    mismatches.extend(hostile::compare(&rows, &archives));
    mismatches.iter().for_each(|mismatch| grader::print(&format!("{mismatch}\n")));
    let record = Record {
        date: jiff::Timestamp::now().strftime("%Y-%m-%d").to_string(),
        machine: machine(options.remark.as_deref()),
        device: options.device.clone(),
        students: options.students,
        exercises: exercises.len(),
        rows: class.len(),
        mismatches: mismatches.len(),
        hostile_archives: archives.len(),
        kinds: kinds(&class),
        results_bytes: size(&place.join("results")),
        store_bytes: fs::metadata(place.join("results/results.sqlite")).ok().map(|store| store.len()),
        cold,
        warm,
        took,
    };
    grader::print(&record.in_words());
    if let Some(file) = &options.out {
        files::save_json(file, &record)?;
    }
    Ok(if mismatches.is_empty() { Exit::Passed } else { Exit::Failed })
}

/// Refuses to write over what is no record of this command, and among what somebody has, before anything is judged for its
/// sake.
fn require_free(options: &Class) -> Result<()> {
    options.keep.as_deref().map_or(Ok(()), require_empty)?;
    let Some(path) = &options.out else { return Ok(()) };
    let output = Output { option: "--out", path, what: "record of `workshop class`" };
    output.require_free(|path| {
        let bytes = fs::read(path).unwrap_or_default();
        serde_json::from_slice::<Record>(&bytes).is_ok() || serde_json::from_slice::<Kills>(&bytes).is_ok()
    })
}

/// Refuses a folder that has something in it: the class would lie among it, and an earlier class's results would go on.
fn require_empty(folder: &Path) -> Result<()> {
    let refused = |why: &str| {
        let next = "name a folder that doesn't exist yet, or an empty one";
        Err(Trouble::usage(format!("--keep {}: {why}", shown(folder)), next))
    };
    match fs::read_dir(folder).map(|mut entries| entries.next().is_some()) {
        Ok(true) => refused("has something in it already"),
        Ok(false) => Ok(()),
        // A link to nothing is something.
        Err(error) if error.kind() == ErrorKind::NotFound && fs::symlink_metadata(folder).is_err() => Ok(()),
        Err(error) => refused(&files::explain(&error)),
    }
}

fn no_room(error: &std::io::Error) -> Trouble {
    Trouble::judge(
        format!("could not write the class: {}", files::explain(error)),
        "make room, or name a folder by --keep",
    )
}

fn write(folder: &Path, class: &[Submission]) -> Result<()> {
    let one = |submission: &Submission| -> std::io::Result<()> {
        let exercise = folder.join(&submission.student).join(&submission.exercise);
        fs::create_dir_all(&exercise)?;
        match &submission.content {
            Some(content) => fs::write(exercise.join("kernel.cu"), content),
            None => fs::create_dir_all(exercise.join("kernel.cu")),
        }
    };
    class.iter().try_for_each(one).map_err(|error| no_room(&error))
}

/// What scores the class into a folder of this name.
fn scoring(program: &Path, place: &Path, options: &Class, results: &str) -> Command {
    let mut command = Command::new(program);
    command
        .args(["class", "score", "submissions", "--out", results, "--lenient", "--device", &options.device])
        .args(["--seed", &made::SEED.to_string()])
        .current_dir(place)
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    command
}

fn stopped() -> Trouble {
    Trouble::judge(
        "stopped, because this program was asked to end",
        "call it again; where it had a folder by --keep, with another one",
    )
}

fn score(program: &Path, place: &Path, options: &Class) -> Result<Run> {
    let mut command = scoring(program, place, options, "results");
    let ran = Program::start(&mut command).and_then(Run::of);
    let (run, ended) = ran.map_err(|error| {
        Trouble::judge(
            format!("could not run {}: {error}", shown(program)),
            "build it, or name it by --program",
        )
    })?;
    match ended.success() {
        true => Ok(run),
        false if is_asked_to_end() => Err(stopped()),
        false => Err(Trouble::judge(
            format!("scoring ended with {ended}"),
            "what it said is above; --keep FOLDER leaves the class for another look",
        )),
    }
}

/// The gradebook.
fn rows(place: &Path) -> Result<Rows> {
    let broken = |why: String| Trouble::judge(format!("the gradebook: {why}"), "report this as a bug");
    let path = place.join("results/gradebook.csv");
    let mut gradebook = csv::Reader::from_path(&path).map_err(|error| broken(error.to_string()))?;
    let mut rows = Rows::new();
    for row in gradebook.records() {
        let row = row.map_err(|error| broken(error.to_string()))?;
        let field = |at: usize| row.get(at).unwrap_or_default().to_owned();
        let truth = Truth::of(&field(2), &field(3));
        let truth = truth.ok_or_else(|| broken(format!("{row:?}")))?;
        rows.insert((field(0), field(1)), (truth, field(4)));
    }
    Ok(rows)
}

/// The rows that say something else than the truth.
fn compare(rows: &Rows, class: &[Submission]) -> Vec<String> {
    let wrong = |submission: &Submission| {
        let found = rows.get(&(submission.student.clone(), submission.exercise.clone()));
        let found = found.map(|(truth, _)| truth);
        (found != Some(&submission.truth)).then(|| {
            format!(
                "{}, {} ({}): should be {:?}, is {found:?}",
                submission.student, submission.exercise, submission.what, submission.truth
            )
        })
    };
    class.iter().filter_map(wrong).collect()
}

/// How many submissions there are of each kind.
fn kinds(class: &[Submission]) -> BTreeMap<String, usize> {
    let mut kinds = BTreeMap::new();
    for submission in class {
        *kinds.entry(submission.kind.to_owned()).or_insert(0) += 1;
    }
    kinds
}

/// Bytes of all files in a folder and below.
fn size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let one = |entry: fs::DirEntry| match entry.metadata() {
        Ok(data) if data.is_dir() => size(&entry.path()),
        Ok(data) => data.len(),
        Err(_) => 0,
    };
    entries.map(one).sum()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_class_is_kept_in_an_empty_folder_or_a_new_one() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        ["empty", "full", "earlier/submissions"]
            .iter()
            .for_each(|name| fs::create_dir_all(at(name)).unwrap());
        fs::write(at("full/theirs.txt"), "theirs").unwrap();
        fs::write(at("file"), "theirs").unwrap();
        symlink("nowhere", at("link")).unwrap();
        for (name, expected) in [
            ("new", None),
            ("new/below", None),
            ("empty", None),
            ("full", Some("has something in it already")),
            ("earlier", Some("has something in it already")),
            ("file", Some("a file stands where a folder should be")),
            ("file/below", Some("a file stands where a folder should be")),
            ("link", Some("not found")),
        ] {
            let found = require_empty(&at(name)).map_err(|trouble| trouble.message);
            match (&found, expected) {
                (Ok(()), None) => {}
                (Err(found), Some(expected)) if found.contains(expected) => {}
                _ => panic!("{name}: {found:?}"),
            }
        }
    }
}
