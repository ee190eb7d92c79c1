//! `workshop regenerate`: makes every generated file of the repository again, or says which are stale.
//!
//! [`Part`] lists them all, in the order in which they are made: a part may be made from one before it. What
//! needs a GPU is no part; [`ELSEWHERE`] lists that, so that the two together name every file that nobody
//! types. Whatever a part makes can be deleted, and comes back byte for byte.

mod benchmarks;
pub mod messages;
mod replay;

use std::{
    cell::OnceCell,
    collections::BTreeSet,
    env, fs,
    path::{Path, PathBuf},
};

use clap::ValueEnum;
use colored::Colorize;
use grader::{
    checkout::root,
    course::Course,
    exit::{Exit, Result, Trouble},
    files, schema,
    terminal::Terminal,
};
use harness::device::DeviceChoice;

use crate::{
    book,
    cli::Regenerate,
    counts,
    prover::{Prover, some},
    tested,
    texts::{Settle, Text, settle},
};

/// A kind of generated file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// What the simulator counts for every kernel
    Counts,
    /// Texts that tests compare: findings, corpus tables, the public API, the command line's output
    Tested,
    /// The messages and runs that the book quotes, and the races of its pictures to play with
    Messages,
    /// The table of the simulator's comparison with others
    Benchmarks,
    /// The JSON Schema of what the grader writes
    Schema,
    /// The book's figures, what its pages and the README show of tables and files, and the hints' figures
    Book,
}

/// A part's files, and what they are made from.
struct Made {
    files: &'static str,
    from: &'static str,
    /// Folders and the ending of the files there that are all of this part: one that is not made any more goes.
    own: &'static [(&'static str, &'static str)],
}

impl Part {
    /// Its files, none of which needs a GPU.
    fn made(self) -> Made {
        match self {
            Part::Counts => Made {
                files: "solutions/*/counts.txt",
                from: "the course's kernels, on the simulator",
                own: &[],
            },
            Part::Tested => Made {
                files: "simulator/tests/{pass,fail}/**/*.out, simulator/tests/corpus/LAST.md, \
                        simulator/tests/hardware/COVERAGE.md, simulator/tests/api.txt, \
                        grader/tests/command_line/cli/*.txt, **/snapshots/*.snap",
                from: "the tests that compare them",
                own: &[],
            },
            Part::Messages => Made {
                files: "book/src/generated/messages/**, book/src/generated/runs/*, book/theme/tile-loop-data.js",
                from: "the wrong kernels that chapters name, and 08's without its barriers, on the simulator",
                own: &[("book/src/generated/messages", "txt"), ("book/src/generated/runs", "txt")],
            },
            Part::Benchmarks => Made {
                files: "simulator/benches/compare/results.md",
                from: "results.json beside it",
                own: &[],
            },
            Part::Schema => Made {
                files: "book/src/report.schema.json, book/src/commands.schema.json",
                from: "the types that commands write",
                own: &[],
            },
            Part::Book => Made {
                files: "book/src/generated/figures/*.svg, book/theme/banks-data.js, solutions/measured/speeds.json, \
                        book/src/**/*.md and README.md: what they show between comments, and numbers in the text",
                from: "the records in solutions/measured, the kernels' headers, the counts, the simulator's own tables, \
                       the sketches in book/figures and the files that pages show",
                own: &[("book/src/generated", "md"), ("book/src/generated/figures", "svg")],
            },
        }
    }
}

/// Generated files that this command cannot make, and what makes them.
const ELSEWHERE: [(&str, &str); 15] = [
    ("solutions/measured/h200.json and h100.json", "on a GPU: cargo workshop measure"),
    ("solutions/measured/cheats.json", "on a GPU: cargo workshop cheats"),
    (
        "solutions/measured/discriminators.json",
        "on a GPU: grader/tests/discriminators/run.py --all --only machine/ --device gpu --out FILE; the rest anywhere",
    ),
    ("solutions/measured/flips.json", "on a GPU: cargo workshop flips"),
    ("solutions/measured/thresholds.json", "on a GPU: cargo grade calibrate"),
    (
        "book/figures/05-bank-conflicts-measured.svg",
        "on a GPU: cargo grade check 05 --kernel solutions/05-bank-conflicts/kernel.cu --plot FILE",
    ),
    (
        "solutions/measured/latency.json",
        "in most of an hour, by a release build: cargo workshop latency --out FILE; on a GPU: latency-gpu.json",
    ),
    (
        "solutions/measured/class.json",
        "in minutes, by a release build: cargo workshop class --out FILE; on GPUs: class-one-gpu.json and class-two-gpus.json",
    ),
    (
        "solutions/measured/kills.json",
        "in minutes: cargo workshop class 00 03 05 --students 3 --kills 200 --out FILE",
    ),
    ("book/src/images/*.svg with screens", "by hand, and looked at: cargo workshop screenshots"),
    ("solutions/measured/mutants.json", "in most of an hour: cargo workshop mutate --out FILE"),
    ("grader/tests/counters/hardware.json", "on a GPU: grader/tests/counters/counters.py --measure"),
    ("simulator/tests/hardware/goldens.bin and .json", "on a GPU: simulator/tests/hardware/README.md"),
    (
        "simulator/benches/compare/results.json",
        "beside other simulators: simulator/benches/compare/compare.py",
    ),
    (
        "compiled/*.ptx beside kernels",
        "the compiler, whose paths assertions keep: simulator/tests/corpus/compile.py",
    ),
];

/// What the parts are made with, found once it is needed.
pub struct Workplace<'a> {
    course: Course<'a>,
    root: PathBuf,
    prover: OnceCell<Prover>,
}

impl Workplace<'_> {
    /// What runs kernels on the simulator.
    fn prover(&self) -> Result<&Prover> {
        if let Some(prover) = self.prover.get() {
            return Ok(prover);
        }
        let prover = Prover::new(&DeviceChoice::Simulator(None))?;
        Ok(self.prover.get_or_init(|| prover))
    }
}

/// Runs it.
///
/// # Errors
/// Wrong usage outside a checkout, no compiler, or a file that can't be written.
pub fn run(course: Course<'_>, options: &Regenerate, terminal: Terminal) -> Result<Exit> {
    if options.list {
        grader::print(&list());
        return Ok(Exit::Passed);
    }
    let root = root()?;
    // Messages name kernels by their paths below the root.
    env::set_current_dir(&root).map_err(|error| {
        Trouble::usage(format!("could not go to {}: {error}", root.display()), "make it readable")
    })?;
    let place = Workplace { course, root, prover: OnceCell::new() };
    let how = if options.check { Settle::Compare } else { Settle::Write };
    let mut all_stale = 0;
    for &part in Part::value_variants() {
        let wanted = options.parts.is_empty() || options.parts.contains(&part);
        if !wanted || options.except.contains(&part) {
            continue;
        }
        let stale = place.make(part, how, terminal)?;
        grader::print(&shown(part, &stale, how));
        all_stale += stale.len();
    }
    if all_stale == 0 {
        return Ok(Exit::Passed);
    }
    if how == Settle::Write {
        grader::print("next: look at git diff, and say in the commit what changed them\n");
        return Ok(Exit::Passed);
    }
    grader::print("next: cargo workshop regenerate, and look at the difference\n");
    Ok(Exit::Failed)
}

impl Workplace<'_> {
    /// Makes a part, or compares it; what was stale.
    fn make(&self, part: Part, how: Settle, terminal: Terminal) -> Result<Vec<String>> {
        let texts = match part {
            Part::Tested => return self.tested(how),
            Part::Counts => self.counts()?,
            Part::Messages => messages::texts(self.course, &self.root, self.prover()?, terminal)?,
            Part::Benchmarks => benchmarks::texts(&self.root)?,
            Part::Schema => schema::FILES.map(str::to_owned).into_iter().zip(schema::texts()).collect(),
            Part::Book => book::texts(self.course, &self.root, Path::new(book::RECORD))?,
        };
        let mut stale = settle(&self.root, &texts, how)?;
        for left in left_over(&self.root, part.made().own, &texts) {
            if how == Settle::Write {
                fs::remove_file(self.root.join(&left)).map_err(|error| {
                    Trouble::judge(
                        format!("could not delete {left}: {}", files::explain(&error)),
                        "delete it by hand: nothing makes it any more",
                    )
                })?;
            }
            stale.push(format!("{left} (nothing makes it any more)"));
        }
        Ok(stale)
    }

    /// Every exercise's counts.
    fn counts(&self) -> Result<Vec<Text>> {
        let mut texts = Vec::new();
        let mut unjudged = Vec::new();
        self.prover()?.prove(some(self.course.exercises)?, |exercise, proved| {
            unjudged.extend(proved.unjudged());
            texts.push((counts::path(exercise).display().to_string(), proved.counts()));
            Ok(())
        })?;
        if unjudged.is_empty() {
            return Ok(texts);
        }
        Err(Trouble::judge(
            format!("not all kernels could be judged, so no count was kept:\n{}", unjudged.join("\n")),
            "end what keeps the machine busy, and run it again",
        ))
    }

    /// Runs the tests that compare files; the commands of those that found something.
    fn tested(&self, how: Settle) -> Result<Vec<String>> {
        let mut stale = Vec::new();
        // A private course has the crates as dependencies, and their tests elsewhere.
        if !self.root.join("simulator/tests").is_dir() {
            return Ok(stale);
        }
        for tested in &tested::ALL {
            if !tested.run(&self.root, how == Settle::Write)? {
                stale.push(format!("{}, as printed above by {}", tested.of, tested.command()));
            }
        }
        Ok(stale)
    }
}

/// Files of a part's own folders that the part does not make.
fn left_over(root: &Path, own: &[(&str, &str)], texts: &[Text]) -> Vec<String> {
    let made: BTreeSet<&str> = texts.iter().map(|(name, _)| name.as_str()).collect();
    let mut left = Vec::new();
    for (folder, ending) in own {
        let mut folders = vec![PathBuf::from(folder)];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(root.join(&folder)).into_iter().flatten().flatten() {
                let path = folder.join(entry.file_name());
                let name = path.display().to_string();
                if root.join(&path).is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|is| is == *ending) && !made.contains(name.as_str()) {
                    left.push(name);
                }
            }
        }
    }
    left.sort();
    left
}

/// What an author calls a part.
fn name(part: Part) -> String {
    part.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

/// What became of a part, for people.
fn shown(part: Part, stale: &[String], how: Settle) -> String {
    let name = name(part);
    if stale.is_empty() {
        return format!("{} {name}\n", "✓".green());
    }
    let (mark, what) = match how {
        Settle::Write => ("≠".yellow(), "made again"),
        Settle::Compare => ("✗".red(), "stale"),
    };
    let mut text = format!("{mark} {name}: {what}\n");
    for file in stale {
        text.push_str(&format!("  {file}\n"));
    }
    text
}

/// The two tables.
fn list() -> String {
    let mut text = String::new();
    for &part in Part::value_variants() {
        let (name, made) = (name(part), part.made());
        text.push_str(&format!("{name}\n  {}\n  from {}\n", made.files, made.from));
    }
    text.push_str("made elsewhere\n");
    for (files, how) in ELSEWHERE {
        text.push_str(&format!("  {files}\n    {how}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_in_the_table() {
        let text = list();
        for made in Part::value_variants().iter().map(|part| part.made()) {
            assert!(text.contains(made.files) && text.contains(made.from));
        }
    }

    #[test]
    fn what_is_made_elsewhere_is_there() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for (file, _) in ELSEWHERE.iter().filter(|(file, _)| !file.contains(' ')) {
            assert!(root.join(file).is_file(), "{file}");
        }
    }

    #[test]
    fn a_file_that_nothing_makes_is_left_over() {
        let root = tempfile::tempdir().expect("a folder");
        let folder = root.path().join("made/below");
        fs::create_dir_all(&folder).expect("a folder");
        for name in ["made.txt", "old.txt", "picture.svg"] {
            fs::write(folder.join(name), "").expect("a file");
        }
        let texts = [("made/below/made.txt".to_owned(), String::new())];
        assert_eq!(left_over(root.path(), &[("made", "txt")], &texts), ["made/below/old.txt"]);
    }
}
