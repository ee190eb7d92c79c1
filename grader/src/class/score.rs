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
use harness::{exercise::Exercise, report::Verdict};

use super::{
    export::{self, Export},
    header::Header,
    intake::begin::{Beginning, Begun, NOT_UNDERSTOOD, begin},
    judging::locked,
    log::Event,
    parts,
    place::{Place, require_seed},
    row::{Outcome, Row},
    rows::{Broken, Rows},
    slurm,
    store::{STORE, Store},
};
use crate::{
    cli::class::{Engine, Part, Score},
    course::Course,
    exit::{Exit, Result, Trouble},
    files, table,
    terminal::{Terminal, in_lines, remark, say},
    visible::shown,
};
use harness::report::{number_of, number_which};

/// Runs it.
///
/// # Errors
/// Wrong usage, no sandbox, or results that can't be written. A submission never is an error.
pub fn run(course: Course<'_>, score: &Score, part: Option<Part>, terminal: Terminal) -> Result<Exit> {
    if !score.dry_run {
        require_at_once(score, part)?;
    }
    let begun = match begin(course, score, terminal)? {
        Beginning::Judge(begun) => begun,
        Beginning::End(exit) => return Ok(exit),
    };
    let out = results_folder(score)?;
    match part {
        _ if score.engine == Some(Engine::Slurm) => return slurm::submit(&begun, score, &out),
        Some(Part::Begin) => return parts::begin(&begun, score, &out),
        Some(Part::Share(share)) => return parts::judge(&begun, score, &out, share),
        Some(Part::Merge) => return parts::merge(course, &begun, score, &out, terminal),
        None => {}
    }
    let place = Place::find(&score.machine.device, &score.machine.compiling)?;
    let (mut store, header) = open(&begun, score, &out, &place)?;
    if let Some(old) = &score.reuse {
        reuse(old, &mut store, &header)?;
    }
    store.begin(&header, place.machine())?;
    begun.keep_not_understood(&mut store, &out)?;
    let rows = Rows::of(&begun, &header);
    let scoring = Scoring { course, out: &out, header: &header, rows: &rows };
    scoring.tidy(&mut store, &Broken::new())?;
    // Whoever looks while it runs finds something, and what can't be written is known before anything is judged.
    scoring.export(&store)?;
    let store = Mutex::new(store);
    let judging = place.judging(&header, score.machine.jobs);
    let end = |done, rows| scoring.interrupted(&store, done, rows);
    let judged = judging.all(&rows, &store, &interruption(), &end);
    let mut store = store.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let judge_errors = store.rows().filter(|row| row.outcome == Outcome::JudgeError).count();
    if let Ok(took) = &judged {
        let rows = store.rows().count();
        store.say(Event::Ended { rows, judge_errors, took: Some(took.clone()) })?;
    }
    let exported = scoring.export(&store);
    judged?;
    let rows = exported?;
    crate::print(&summary(&begun.exercises, &rows, terminal));
    crate::print(&format!(
        "{}seed {}\naudit head {}\n",
        in_lines(&format!("{}: {}", shown(&out), written(&begun, &header).join(", "))),
        header.seed,
        store.head()
    ));
    if judge_errors > 0 {
        remark(&format!(
            "{} no grade; the same command again tries again",
            number_which(judge_errors, "judge error", "is", "are")
        ));
        return Ok(Exit::JudgeError);
    }
    Ok(Exit::Passed)
}

/// Refuses what a job, or this machine after a long look at what was handed in, would refuse later.
fn require_at_once(score: &Score, part: Option<Part>) -> Result<()> {
    if score.engine == Some(Engine::Slurm) {
        slurm::require()?;
    }
    // Others judge their shares now, and look into no results but their own.
    if score.assignment.is_some() || matches!(part, Some(Part::Share(_))) {
        return Ok(());
    }
    let out = results_folder(score)?;
    // What can't be opened is told when it is needed: of a cluster's jobs, one may be at work there.
    let header =
        Store::is_begun(&out).then(|| Store::open(&out)).and_then(Result::ok).map(|(_, header)| header);
    header.map_or(Ok(()), |header| require_assignment(None, &header, &out))
}

/// What a scoring writes, by the names below the results.
fn written(begun: &Begun<'_>, header: &Header) -> Vec<&'static str> {
    let mut names = export::names(header.assignment.is_some());
    names.extend([STORE, export::HEAD]);
    names.extend(begun.has_not_understood().then_some(NOT_UNDERSTOOD));
    names
}

/// The absolute results folder, refused where it would meet the submissions or other people's files.
fn results_folder(score: &Score) -> Result<PathBuf> {
    // Whoever leaves it out wants a dry run, which never comes here.
    let out = score.out.as_deref().unwrap_or(Path::new("results"));
    let out =
        absolute(out).map_err(|error| Trouble::usage(format!("{}: {error}", shown(out)), "name a folder"))?;
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
    let is_ours = out.join(STORE).is_file() || out.join(slurm::FOLDER).is_dir();
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

/// Opens the results or makes them. When it goes on, seed, device and compiler must be those of the beginning. The header is
/// what the caller is to begin with.
pub(super) fn open(begun: &Begun<'_>, score: &Score, out: &Path, place: &Place) -> Result<(Store, Header)> {
    let course = Course { exercises: &begun.exercises };
    if !Store::is_begun(out) {
        fs::create_dir_all(out).map_err(|error| {
            Trouble::judge(
                format!("could not make {}: {}", shown(out), files::explain(&error)),
                "make the folder above it writable, or name another one by --out",
            )
        })?;
        let seed = match (&score.reuse, begun.seed) {
            (_, Some(seed)) => seed,
            // Another seed's judgements would be none of these.
            (Some(old), None) => Store::open(old)?.1.seed,
            (None, None) => secret_seed()?,
        };
        let started = jiff::Timestamp::now().strftime("%Y-%m-%d %H:%M UTC").to_string();
        let mut header =
            Header::new(place.judge.clone(), place.compiler.clone(), place.device(), seed, started);
        header.assignment.clone_from(&begun.text);
        place.ask(course, &mut header)?;
        let store = Store::create(out, &header)?;
        return Ok((store, header));
    }
    let (store, mut header) = Store::open(out)?;
    // The folder is ours alone now.
    files::sweep(out);
    for what in store.damaged() {
        remark(&format!("{what} is damaged: what it was about is judged again"));
    }
    place.require(&header)?;
    require_seed(begun.seed, &header)?;
    require_assignment(begun.text.as_deref(), &header, out)?;
    if header.judge != place.judge {
        remark("the grader has changed since these results began: what it judged before is judged again");
        header.judge.clone_from(&place.judge);
    }
    // Points may change, and exercises come later.
    header.assignment.clone_from(&begun.text);
    place.ask(course, &mut header)?;
    Ok((store, header))
}

/// Refuses to go on without an assignment where the results have one: nobody asked for points to be lost. Another one, or
/// a first one, is no loss.
pub(super) fn require_assignment(text: Option<&str>, header: &Header, out: &Path) -> Result<()> {
    match (&header.assignment, text) {
        (Some(_), None) => Err(Trouble::usage(
            format!("{} was scored with an assignment, and its points would be lost without one", shown(out)),
            "add --assignment FILE.toml to the command, or name another folder by --out to score without points",
        )),
        _ => Ok(()),
    }
}

/// Takes the judgements of another folder that hold here, too.
pub(super) fn reuse(old: &Path, store: &mut Store, header: &Header) -> Result<()> {
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
    let verb = if taken == 1 { "is" } else { "are" };
    say(&format!("{} of {} {verb} taken over", number_of(taken, "judgement"), shown(old)));
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
pub(super) struct Scoring<'a> {
    pub(super) course: Course<'a>,
    pub(super) out: &'a Path,
    pub(super) header: &'a Header,
    pub(super) rows: &'a Rows<'a>,
}

impl Scoring<'_> {
    /// Takes away the rows of what is not there any more, and keeps those that are known without judging anything.
    pub(super) fn tidy(&self, store: &mut Store, broken: &Broken) -> Result<()> {
        for gone in self.rows.gone(store) {
            store.withdraw(&gone)?;
        }
        let known = self.rows.known(store, broken);
        for some in known.changed.chunks(AT_ONCE) {
            store.keep(some, None)?;
        }
        store.remember(&known.same)
    }

    /// Writes what is handed out, as far as it is known.
    pub(super) fn export(&self, store: &Store) -> Result<Vec<Row>> {
        let rows = self.rows.all(store);
        let export = Export { course: self.course, header: self.header, rows: &rows, store };
        export.write(self.out, store.head())?;
        Ok(rows)
    }

    /// Ends the program: what is done is on the disk, and what is handed out says that it is not all.
    fn interrupted(&self, store: &Mutex<Store>, done: usize, rows: usize) -> Infallible {
        let exported = self.export(&locked(store));
        say(&format!(
            "\nstopped: {done} of {} judged; the same command again goes on",
            number_of(rows, "row")
        ));
        if let Err(trouble) = exported {
            crate::terminal::print_trouble(&trouble);
        }
        std::process::exit(INTERRUPTED);
    }
}

/// Nothing was judged for these rows, so that little is lost where they can't be written.
const AT_ONCE: usize = 100;

/// Becomes true on Ctrl-C and when the system asks to end.
pub(super) fn interruption() -> Arc<AtomicBool> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let told = interrupted.clone();
    // Without a handler an interruption ends the program all the same, and what is judged is on the disk.
    let _ = ctrlc::set_handler(move || told.store(true, Ordering::Relaxed));
    interrupted
}

/// The shell's number for a program that SIGINT ended.
pub(super) const INTERRUPTED: i32 = 130;

pub(super) fn summary(exercises: &[&dyn Exercise], rows: &[Row], terminal: Terminal) -> String {
    let header = ["Exercise", "Passed", "Failed", "Inconclusive", "Not gradable", "Judge error"];
    let mut out = table::new(terminal, &header);
    for exercise in exercises {
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
