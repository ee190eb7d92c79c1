//! What was judged, batch by batch, in a file: a run that was ended goes on where it was.
//!
//! A line is one batch. Its key holds everything that its outcomes depend on: the judge itself, the compiler, the
//! exercise, the kernel, the mutants before it and its own. So the file may hold lines of other versions and other
//! choices, and they never count.

use std::{
    collections::HashMap,
    env,
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind, Write},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use grader::{
    exit::{Result, Trouble},
    files::explain,
};
use serde::{Deserialize, Serialize};

use super::{
    edit::Mutant,
    original::Code,
    pool::{Look, MutantOutcome},
};

/// Batches that were judged.
pub struct Journal {
    /// The judge: the hash of this program.
    judge: blake3::Hash,
    batches: HashMap<String, Batch>,
    /// None: nothing is kept.
    file: Option<(PathBuf, Mutex<File>)>,
}

/// What became of a batch's mutants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Batch {
    /// One for each.
    pub outcomes: Vec<MutantOutcome>,
    /// Those that were hunted; the others are the same program as one of these or do not compile.
    pub hunted: Vec<Hunted>,
}

/// A mutant on which cases were tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hunted {
    /// What it compiles to.
    pub code: Code,
    /// What became of it.
    pub outcome: MutantOutcome,
    /// How many looks it took.
    pub tried: usize,
}

/// A line of the file.
#[derive(Serialize, Deserialize)]
struct Line {
    batch: String,
    #[serde(flatten)]
    judged: Batch,
}

impl Journal {
    /// Reads the file and goes on with it; without one nothing is kept.
    ///
    /// # Errors
    /// A file that cannot be read or written, or that is something else.
    pub fn open(file: Option<&Path>) -> Result<Self> {
        let Some(file) = file else {
            return Ok(Journal { judge: blake3::hash(b""), batches: HashMap::new(), file: None });
        };
        let judge = env::current_exe().and_then(fs::read).map_err(|error| {
            Trouble::judge(format!("this program cannot read itself: {}", explain(&error)), "build it again")
        })?;
        let batches = match fs::read_to_string(file) {
            Ok(text) => batches(&text).ok_or_else(|| {
                let what = format!("{} is no record of judged mutants", file.display());
                Trouble::usage(what, "name another file or delete it")
            })?,
            Err(error) if error.kind() == ErrorKind::NotFound => HashMap::new(),
            Err(error) => return Err(unusable(file, &error)),
        };
        let appended = whole_lines(file).map_err(|error| unusable(file, &error))?;
        let file = Some((file.to_owned(), Mutex::new(appended)));
        Ok(Journal { judge: blake3::hash(&judge), batches, file })
    }

    /// A batch's key. `before`: that of the batch before it, or what the kernel's first one depends on.
    pub fn key(&self, before: &str, looks: &[Look], batch: &[&Mutant]) -> String {
        let mut all = blake3::Hasher::new();
        all.update(self.judge.as_bytes()).update(before.as_bytes()).update(format!("{looks:?}").as_bytes());
        for mutant in batch {
            all.update(blake3::hash(mutant.text.as_bytes()).as_bytes());
        }
        all.finalize().to_hex().to_string()
    }

    /// What was judged of a batch.
    pub fn of(&self, key: &str) -> Option<&Batch> {
        self.batches.get(key)
    }

    /// Keeps a batch. What could not be judged is not kept: a next run may be able to.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn keep(&self, key: &str, judged: &Batch) -> Result<()> {
        let Some((path, file)) = &self.file else { return Ok(()) };
        if judged.outcomes.iter().any(|outcome| matches!(outcome, MutantOutcome::Unjudged(_))) {
            return Ok(());
        }
        let line = Line { batch: key.to_owned(), judged: judged.clone() };
        let line = serde_json::to_string(&line).expect("texts and numbers can be written") + "\n";
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(line.as_bytes()).map_err(|error| unusable(path, &error))
    }
}

/// How every line begins.
const BEGIN: &str = "{\"batch\":";

/// The lines of a file; none where one is something else. A last line without an end was cut off.
fn batches(text: &str) -> Option<HashMap<String, Batch>> {
    let (whole, cut) = text.rsplit_once('\n').unwrap_or(("", text));
    if !cut.starts_with(BEGIN) && !BEGIN.starts_with(cut) {
        return None;
    }
    let line = |line| serde_json::from_str::<Line>(line).ok().map(|line| (line.batch, line.judged));
    whole.lines().map(line).collect()
}

/// The file, to be appended to, without a last line that was cut off.
fn whole_lines(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().create(true).append(true).open(path)?;
    let text = fs::read(path)?;
    let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    if whole < text.len() {
        file.set_len(whole as u64)?;
    }
    Ok(file)
}

fn unusable(file: &Path, error: &io::Error) -> Trouble {
    let what = format!("could not use {}: {}", file.display(), explain(error));
    Trouble::usage(what, "name a file that can be written")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(tried: usize) -> Batch {
        let code = Code { checked: blake3::hash(b"a"), optimised: blake3::hash(b"b") };
        let outcome = MutantOutcome::Missed;
        Batch {
            outcomes: vec![MutantOutcome::SameCode, outcome.clone()],
            hunted: vec![Hunted { code, outcome, tried }],
        }
    }

    #[test]
    fn what_is_kept_is_there_again_and_a_cut_line_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("kept");
        Journal::open(Some(&file)).unwrap().keep("one", &batch(1)).unwrap();
        let line = fs::read(&file).unwrap();
        // Killed in the middle of a second line, at each of its bytes.
        for cut in 0..line.len() {
            fs::write(&file, [&line[..], &line[..cut]].concat()).unwrap();
            let journal = Journal::open(Some(&file)).unwrap();
            assert_eq!(journal.of("one"), Some(&batch(1)));
            // To keep a line takes as long as the disk does.
            if cut % 16 != 1 {
                continue;
            }
            journal.keep("two", &batch(2)).unwrap();
            let journal = Journal::open(Some(&file)).unwrap();
            assert_eq!((journal.of("one"), journal.of("two")), (Some(&batch(1)), Some(&batch(2))));
        }
        fs::write(&file, "something else\n").unwrap();
        assert!(Journal::open(Some(&file)).is_err());
        assert!(Journal::open(Some(folder.path())).is_err());
        assert_eq!(fs::read_to_string(&file).unwrap(), "something else\n");
    }

    #[test]
    fn what_could_not_be_judged_is_judged_again() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("kept");
        let journal = Journal::open(Some(&file)).unwrap();
        let unjudged = vec![MutantOutcome::Unjudged("no compiler".to_owned())];
        journal.keep("one", &Batch { outcomes: unjudged, hunted: Vec::new() }).unwrap();
        assert!(Journal::open(Some(&file)).unwrap().of("one").is_none());
    }
}
