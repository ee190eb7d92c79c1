//! A scoring in parts, for clusters: one job begins it, others judge a share each, and one puts together what they did.
//!
//! Whatever ends a job costs what it had not finished, and the same job again goes on: a share's judgements are a store of its
//! own, which nobody else writes to. What all have in common (seed, device, compiler, what is asked of speed) is set once, by
//! the job that begins, so that no share is judged by other thresholds; a share on another model of GPU is refused.

use std::{
    collections::{BTreeMap, BTreeSet},
    convert::Infallible,
    fs,
    path::{Path, PathBuf},
    sync::Mutex,
};

use serde::{Deserialize, Serialize};

use super::{
    export::refused,
    header::Header,
    intake::begin::Begun,
    log::{Entry, Event},
    place::{Place, differs, require_seed},
    row::{Outcome, Row},
    rows::{Broken, Rows},
    score::{INTERRUPTED, Scoring, interruption, open, require_assignment, reuse, summary},
    store::Store,
};
use crate::{
    cli::class::{Score, Share},
    course::Course,
    exit::{Exit, Result, Trouble},
    files, json,
    terminal::{Terminal, remark, say},
    visible::shown,
};
use harness::report::{number_of, number_which};

/// The folder of the parts below the results.
pub const FOLDER: &str = "parts";
/// What all parts have in common.
const COMMON: &str = "begin.json";

/// What all parts have in common, as the job that begins says it.
#[derive(Debug, Serialize, Deserialize)]
struct Common {
    header: Header,
    /// Keys of the judgements that are there already.
    judged: BTreeSet<String>,
}

/// Begins or goes on: what earlier parts have judged is taken over, and what the next have in common is written down.
///
/// # Errors
/// As `score`.
pub fn begin(begun: &Begun<'_>, score: &Score, out: &Path) -> Result<Exit> {
    let place = Place::find(&score.machine.device, &score.machine.compiling)?;
    let (mut store, header) = open(begun, score, out, &place)?;
    if let Some(old) = &score.reuse {
        reuse(old, &mut store, &header)?;
    }
    for folder in parts(out) {
        match Store::open(&folder) {
            Ok((part, _)) => drop(store.take_from(&part)?),
            Err(trouble) => remark(&format!("{} is left out: {}", shown(&folder), trouble.message)),
        }
    }
    store.begin(&header, place.machine())?;
    begun.keep_not_understood(&mut store, out)?;
    let rows = Rows::of(begun, &header);
    let judged: BTreeSet<String> = rows.keys().filter(|key| store.has(key)).map(str::to_owned).collect();
    say(&format!(
        "{} of {} judged already",
        judged.len(),
        number_which(rows.keys().count(), "different kernel", "is", "are")
    ));
    let common = Common { header, judged };
    let folder = out.join(FOLDER);
    fs::create_dir_all(&folder).map_err(|error| refused(&folder, &error))?;
    files::save_json(&folder.join(COMMON), &common)?;
    Ok(Exit::Passed)
}

/// Judges a share of what is not judged yet, into a store of its own.
///
/// # Errors
/// As `score`; and wrong usage where nobody has begun, or another grader has.
pub fn judge(begun: &Begun<'_>, score: &Score, out: &Path, share: Share) -> Result<Exit> {
    let Common { header, judged } = common(out)?;
    let place = Place::find(&score.machine.device, &score.machine.compiling)?;
    place.require(&header)?;
    require_seed(begun.seed, &header)?;
    if header.judge != place.judge {
        let same = "the program that began, on every machine";
        return Err(differs("grader", &header.judge, &place.judge, same));
    }
    let folder = out.join(FOLDER).join(format!("{}-of-{}", share.number, share.of));
    let mut store = match Store::is_begun(&folder) {
        true => Store::open(&folder)?.0,
        false => {
            fs::create_dir_all(&folder).map_err(|error| refused(&folder, &error))?;
            Store::create(&folder, &header)?
        }
    };
    store.begin(&header, place.machine())?;
    let rows = Rows::of(begun, &header).only(share, &judged);
    let store = Mutex::new(store);
    let mut judging = place.judging(&header, score.machine.jobs);
    // A job has the cores that it asked for, and not those of its whole machine.
    judging.threads = 1;
    let end = |done, rows| -> Infallible {
        say(&format!(
            "stopped: {done} of {} of this share judged; the same job again goes on",
            number_of(rows, "row")
        ));
        std::process::exit(INTERRUPTED)
    };
    let took = judging.all(&rows, &store, &interruption(), &end)?;
    let mut store = store.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let broken = store.rows().filter(|row| row.outcome == Outcome::JudgeError).count();
    let rows = store.rows().count();
    store.say(Event::Ended { rows, judge_errors: broken, took: Some(took) })?;
    Ok(if broken > 0 { Exit::JudgeError } else { Exit::Passed })
}

/// Puts together what the parts have judged, and writes what is handed out. It judges nothing, and may be called while
/// others are at work.
///
/// # Errors
/// Wrong usage where nobody has begun, or results that can't be written.
pub fn merge(
    course: Course<'_>,
    begun: &Begun<'_>,
    score: &Score,
    out: &Path,
    terminal: Terminal,
) -> Result<Exit> {
    let (mut store, mut header) = Store::open(out)?;
    require_seed(begun.seed, &header)?;
    require_assignment(begun.text.as_deref(), &header, out)?;
    header.assignment.clone_from(&begun.text);
    if let Some(old) = &score.reuse {
        reuse(old, &mut store, &header)?;
    }
    let mut done = Done::default();
    for folder in parts(out) {
        match Store::open(&folder) {
            Ok((part, of)) => done.add(part, &of, &header, &mut store)?,
            Err(trouble) => remark(&format!("{} is left out: {}", shown(&folder), trouble.message)),
        }
    }
    let machine: Vec<String> = done.machines.into_iter().collect();
    store.begin(&header, machine)?;
    begun.keep_not_understood(&mut store, out)?;
    let rows = Rows::of(begun, &header);
    // What another part could do is no error of the judge's.
    let broken: Broken = done.broken.into_iter().filter(|(key, _)| !store.has(key)).collect();
    let scoring = Scoring { course, out, header: &header, rows: &rows };
    scoring.tidy(&mut store, &broken)?;
    let all = rows.all(&store);
    let open = all.iter().filter(|row| row.outcome == Outcome::NotJudged).count();
    let judge_errors = all.iter().filter(|row| row.outcome == Outcome::JudgeError).count();
    if open == 0 {
        store.say(Event::Ended { rows: all.len(), judge_errors, took: None })?;
    }
    scoring.export(&store)?;
    crate::print(&summary(&begun.exercises, &all, terminal));
    crate::print(&format!(
        "{}: {} of {} {} put together\nseed {}\naudit head {}\n",
        shown(out),
        number_of(done.taken, "judgement"),
        number_of(done.parts, "part"),
        if done.taken == 1 { "is" } else { "are" },
        header.seed,
        store.head()
    ));
    if open + judge_errors > 0 {
        remark(&format!(
            "{} not judged yet, and {} no grade: score again, which judges only those",
            number_which(open, "row", "is", "are"),
            number_which(judge_errors, "judge error", "is", "are"),
        ));
        return Ok(Exit::JudgeError);
    }
    Ok(Exit::Passed)
}

/// What the parts have done.
#[derive(Default)]
struct Done {
    parts: usize,
    taken: usize,
    broken: BTreeMap<String, String>,
    /// The GPUs that timed kernels.
    machines: BTreeSet<String>,
}

impl Done {
    /// Takes over what a part has judged, and what it could not judge.
    fn add(&mut self, mut part: Store, of: &Header, header: &Header, store: &mut Store) -> Result<()> {
        let same = |header: &Header| {
            (header.judge.clone(), header.compiler.clone(), header.device.clone(), header.seed)
        };
        if same(of) != same(header) {
            let folder = part.folder().map(shown).unwrap_or_default();
            remark(&format!(
                "{folder} is of another grader, compiler, device or seed: nothing of it holds here"
            ));
            return Ok(());
        }
        self.parts += 1;
        self.taken += store.take_from(&part)?;
        let broken = part.rows().filter(|row| row.outcome == Outcome::JudgeError);
        self.broken.extend(broken.map(|row: &Row| (row.key.clone(), row.reason.clone())));
        let log = part.log();
        let entries = log.iter().filter_map(|logged| serde_json::from_str::<Entry>(&logged.text).ok());
        self.machines.extend(entries.flat_map(|entry| match entry.event {
            Event::Began { machine, .. } => machine,
            _ => Vec::new(),
        }));
        Ok(())
    }
}

/// The parts' folders, in the order of their names.
fn parts(out: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(out.join(FOLDER)).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| Store::is_begun(path)).collect();
    folders.sort();
    folders
}

fn common(out: &Path) -> Result<Common> {
    let path = out.join(FOLDER).join(COMMON);
    let text = fs::read(&path).map_err(|error| {
        Trouble::usage(
            format!("{}: {}", shown(&path), files::explain(&error)),
            "the job that begins writes it: see what that one said",
        )
    })?;
    serde_json::from_slice(&text).map_err(|error| {
        Trouble::usage(
            format!("{}: {}", shown(&path), json::in_words(&text, &error)),
            "submit again: the job that begins writes it anew",
        )
    })
}
