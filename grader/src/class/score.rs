//! `grader class score`: judges a class, on all cores, so that one submission costs at most its own row.

use std::{
    convert::Infallible,
    fs,
    io::Read,
    path::{Path, PathBuf, absolute},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use comfy_table::Cell;
use harness::report::Verdict;

use super::{
    export::Export,
    header::Header,
    judging::{HandedIn, locked},
    log::Event,
    place::{Place, differs},
    row::{Outcome, Row},
    store::{Owner, STORE, Store},
    submissions::{self, Student},
};
use crate::{
    cli::Score,
    course::Course,
    exit::{Exit, Result, Trouble},
    files, table,
    terminal::{Terminal, remark, say},
    visible::shown,
};

/// Runs it.
///
/// # Errors
/// Wrong usage, no sandbox, or results that can't be written. A submission never is an error.
pub fn run(course: Course<'_>, score: &Score, terminal: Terminal) -> Result<Exit> {
    let students = submissions::students(&score.submissions)?;
    say_what_is_no_exercise(course, &students);
    let out = results_folder(score)?;
    let place = Place::find(&score.device, score.compiler.as_ref(), score.allow_unsandboxed)?;
    let (mut store, header) = open(course, score, &out, &place)?;
    if let Some(old) = &score.reuse {
        reuse(old, &mut store, &header)?;
    }
    let begun = Event::Began { header: header.clone(), machine: place.machine(), assignment: None };
    store.say(begun)?;
    let handed_in: Vec<Submission> = handed_in(course, &students).collect();
    let scoring = Scoring { course, out: &out, header: &header, handed_in: &handed_in };
    scoring.tidy(&mut store)?;
    // Whoever looks while it runs finds something, and what can't be written is known before anything is judged.
    scoring.export(&store)?;
    let store = Mutex::new(store);
    let judging = place.judging(&header, score.jobs);
    let kernels: Vec<HandedIn<'_>> = handed_in.iter().filter_map(Submission::kernel).collect();
    let end = |done, rows| scoring.interrupted(&store, done, rows);
    let judged = judging.all(course.exercises, &kernels, &store, &interruption(), &end);
    let mut store = store.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let judge_errors = store.rows().filter(|row| row.outcome == Outcome::JudgeError).count();
    if judged.is_ok() {
        store.say(Event::Ended { rows: store.rows().count(), judge_errors })?;
    }
    let exported = scoring.export(&store);
    judged?;
    let rows = exported?;
    crate::print(&summary(course, &rows, terminal));
    crate::print(&format!(
        "{}: gradebook.csv, report.html, junit.xml, {STORE}\nseed {}\naudit head {}\n",
        shown(&out),
        header.seed,
        store.head()
    ));
    if judge_errors > 0 {
        remark(&format!(
            "{judge_errors} rows are judge errors and no grades; the same command again tries them again"
        ));
        return Ok(Exit::JudgeError);
    }
    Ok(Exit::Passed)
}

/// What a student handed in for an exercise.
struct Submission<'a> {
    student: &'a str,
    exercise: usize,
    id: &'a str,
    /// The kernel's text, or why there is none that could be judged.
    kernel: Result<String, String>,
}

impl Submission<'_> {
    fn kernel(&self) -> Option<HandedIn<'_>> {
        let source = self.kernel.as_ref().ok()?;
        Some(HandedIn { student: self.student, exercise: self.exercise, source })
    }
    fn owner(&self) -> Owner {
        (self.student.to_owned(), self.id.to_owned())
    }
}

fn handed_in<'a>(course: Course<'a>, students: &'a [Student]) -> impl Iterator<Item = Submission<'a>> {
    let of = move |student: &'a Student| {
        course.exercises.iter().enumerate().map(move |(exercise, about)| Submission {
            student: &student.name,
            exercise,
            id: about.id(),
            kernel: submissions::kernel(student, about.id()),
        })
    };
    students.iter().flat_map(of)
}

/// The absolute results folder, refused where it would meet the submissions or other people's files.
fn results_folder(score: &Score) -> Result<PathBuf> {
    let out = absolute(&score.out)
        .map_err(|error| Trouble::usage(format!("{}: {error}", shown(&score.out)), "name a folder"))?;
    let inside = |submissions: PathBuf| {
        out.ancestors()
            .find_map(|ancestor| ancestor.canonicalize().ok())
            .is_some_and(|out| out.starts_with(submissions))
    };
    if score.submissions.canonicalize().is_ok_and(inside) {
        return Err(Trouble::usage(
            format!("{} lies inside the submissions", shown(&out)),
            "choose a folder outside, or the results would be taken for a student",
        ));
    }
    let is_ours = out.join(STORE).is_file();
    let used = match fs::read_dir(&out) {
        Ok(mut entries) => entries.next().is_some(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => false,
        Err(error) => {
            let next = "name a folder that doesn't exist yet, where you can write";
            return Err(Trouble::usage(format!("{}: {}", shown(&out), files::explain(&error)), next));
        }
    };
    match used && !is_ours {
        true => Err(Trouble::usage(
            format!("{} has something in it already, and no results", shown(&out)),
            "name a folder that doesn't exist yet, or one that an earlier scoring has made, to go on with it",
        )),
        false => Ok(out),
    }
}

/// Says which folders of students are named like no exercise: `3-reduction` is not looked into, and without a
/// word its student would seem to have submitted nothing.
fn say_what_is_no_exercise(course: Course<'_>, students: &[Student]) {
    const SHOWN: usize = 3;
    let ids: Vec<&str> = course.exercises.iter().map(|exercise| exercise.id()).collect();
    let strange = submissions::other_folders(students, &ids);
    if let Some(student) = students.iter().find(|student| ids.contains(&student.name.as_str())) {
        remark(&format!(
            "{} has an exercise's name and is taken for a student: is the folder above it one student's? Name the folder that \
             has one folder per student",
            shown(&student.folder)
        ));
    }
    let example = ids.first().copied().unwrap_or("NN-name");
    let more = match strange.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    if !strange.is_empty() {
        remark(&format!(
            "no exercise has the name of {}{more}: not looked into. A kernel's place is STUDENT/{example}/kernel.cu",
            strange[..strange.len().min(SHOWN)].join(", "),
        ));
    }
}

/// Begins or goes on. When it goes on, seed, device and compiler must be those of the beginning.
fn open(course: Course<'_>, score: &Score, out: &Path, place: &Place) -> Result<(Store, Header)> {
    if !Store::is_begun(out) {
        fs::create_dir_all(out).map_err(|error| {
            Trouble::judge(
                format!("could not make {}: {}", shown(out), files::explain(&error)),
                "make the folder above it writable, or name another one by --out",
            )
        })?;
        let seed = match (&score.reuse, score.seed) {
            (_, Some(seed)) => seed,
            // Another seed's judgements would be none of these.
            (Some(old), None) => Store::open(old)?.1.seed,
            (None, None) => secret_seed()?,
        };
        let started = jiff::Timestamp::now().strftime("%Y-%m-%d %H:%M UTC").to_string();
        let mut header =
            Header::new(place.judge.clone(), place.compiler.clone(), place.device(), seed, started);
        place.ask(course, &mut header)?;
        let store = Store::create(out, &header)?;
        return Ok((store, header));
    }
    let (mut store, mut header) = Store::open(out)?;
    // The folder is ours alone now.
    files::sweep(out);
    for what in store.damaged() {
        remark(&format!("{what} is damaged: what it was about is judged again"));
    }
    place.require(&header)?;
    if let Some(seed) = score.seed.filter(|seed| *seed != header.seed) {
        return Err(differs(
            "seed",
            &header.seed.to_string(),
            &seed.to_string(),
            &format!("--seed {}", header.seed),
        ));
    }
    if header.judge != place.judge {
        remark("the grader has changed since these results began: what it judged before is judged again");
        header.judge.clone_from(&place.judge);
    }
    // Exercises that came later.
    place.ask(course, &mut header)?;
    store.set_header(&header)?;
    Ok((store, header))
}

/// Takes the judgements of another folder that hold here, too.
fn reuse(old: &Path, store: &mut Store, header: &Header) -> Result<()> {
    if old.canonicalize().ok() == store.folder().and_then(|folder| folder.canonicalize().ok()) {
        return Err(Trouble::usage(
            format!("{} is the folder of these results itself", shown(old)),
            "leave --reuse out: what is there is not judged again anyway",
        ));
    }
    let (before, of) = Store::open(old)?;
    if (&of.judge, &of.compiler, &of.device, of.seed)
        != (&header.judge, &header.compiler, &header.device, header.seed)
    {
        remark(&format!(
            "nothing of {} holds here: it was judged by another grader, compiler, device or seed",
            shown(old)
        ));
    }
    let taken = store.take_from(&before)?;
    say(&format!("{taken} judgements of {} are taken over", shown(old)));
    Ok(())
}

/// A seed that nobody can prepare for. 53 bits: JSON readers that use floating point keep them.
fn secret_seed() -> Result<u64> {
    let mut bytes = [0; 8];
    let read = fs::File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes));
    read.map_err(|error| Trouble::judge(format!("no random seed: {error}"), "give one with --seed"))?;
    Ok(u64::from_le_bytes(bytes) >> 11)
}

/// What a scoring is about.
struct Scoring<'a> {
    course: Course<'a>,
    out: &'a Path,
    header: &'a Header,
    handed_in: &'a [Submission<'a>],
}

impl Scoring<'_> {
    /// Keeps the rows of what can't be graded, and takes away those of what is not there any more.
    fn tidy(&self, store: &mut Store) -> Result<()> {
        let there: std::collections::BTreeSet<Owner> = self.handed_in.iter().map(Submission::owner).collect();
        let rows: Vec<Owner> = store.rows().map(|row| (row.student.clone(), row.exercise.clone())).collect();
        for gone in rows.iter().filter(|owner| !there.contains(*owner)) {
            store.withdraw(gone)?;
        }
        let mut new = Vec::new();
        for submission in self.handed_in {
            let Err(reason) = &submission.kernel else { continue };
            let key = self.header.key(submission.id, reason);
            if store.row(&submission.owner()).is_some_and(|row| row.key == key) {
                continue;
            }
            let (student, id) = (submission.student, submission.id);
            new.push(Row::without_report(student, id, key, Outcome::NotGradable, reason.clone()));
        }
        // Nothing was judged for them, so that little is lost where they can't be written.
        for some in new.chunks(100) {
            store.keep(some, None, None)?;
        }
        Ok(())
    }

    /// All rows in the order of what was handed in; those that are not judged yet say so.
    fn rows(&self, store: &Store) -> Vec<Row> {
        let row = |submission: &Submission<'_>| {
            store.row(&submission.owner()).cloned().unwrap_or_else(|| {
                let reason = "the scoring was interrupted before".to_owned();
                let (student, id) = (submission.student, submission.id);
                Row::without_report(student, id, String::new(), Outcome::NotJudged, reason)
            })
        };
        self.handed_in.iter().map(row).collect()
    }

    /// Writes what is handed out, as far as it is known.
    fn export(&self, store: &Store) -> Result<Vec<Row>> {
        let rows = self.rows(store);
        let export = Export { course: self.course, header: self.header, rows: &rows };
        export.write(self.out, store.head())?;
        Ok(rows)
    }

    /// Ends the program: what is done is on the disk, and what is handed out says that it is not all.
    fn interrupted(&self, store: &Mutex<Store>, done: usize, rows: usize) -> Infallible {
        let exported = self.export(&locked(store));
        say(&format!("\nstopped: {done} of {rows} rows are judged; the same command again goes on"));
        if let Err(trouble) = exported {
            crate::terminal::print_trouble(&trouble);
        }
        std::process::exit(INTERRUPTED);
    }
}

/// Becomes true on Ctrl-C and when the system asks to end.
fn interruption() -> Arc<AtomicBool> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let told = interrupted.clone();
    // Without a handler an interruption ends the program all the same, and what is judged is on the disk.
    let _ = ctrlc::set_handler(move || told.store(true, Ordering::Relaxed));
    interrupted
}

/// The shell's number for a program that SIGINT ended.
const INTERRUPTED: i32 = 130;

fn summary(course: Course<'_>, rows: &[Row], terminal: Terminal) -> String {
    let header = ["Exercise", "Passed", "Failed", "Inconclusive", "Not gradable", "Judge error"];
    let mut out = table::new(terminal, &header);
    for exercise in course.exercises {
        let of: Vec<&Row> = rows.iter().filter(|row| row.exercise == exercise.id()).collect();
        let verdicts =
            |verdict: Verdict| table::right(of.iter().filter(|row| row.verdict == Some(verdict)).count());
        let outcomes =
            |outcome: Outcome| table::right(of.iter().filter(|row| row.outcome == outcome).count());
        out.add_row([
            Cell::new(exercise.id()),
            verdicts(Verdict::Passed),
            verdicts(Verdict::Failed),
            verdicts(Verdict::Inconclusive),
            outcomes(Outcome::NotGradable),
            outcomes(Outcome::JudgeError),
        ]);
    }
    table::keep_whole(&mut out, 1);
    format!("{}\n", table::text(&out, terminal))
}
