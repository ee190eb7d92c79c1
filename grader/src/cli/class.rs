//! The command line of `class`, which is the instructors'. The doc comments are the help text.

use std::{num::NonZeroUsize, path::PathBuf};

use clap::{Args, Subcommand, ValueEnum};

use harness::{device::DeviceChoice, toolchain::CompilerChoice};

use super::Format;
use crate::class::{intake::layout::Layout, lms::Lms};

/// `class`.
#[derive(Debug, Subcommand)]
pub enum Class {
    /// Write an assignment to start from: every exercise, what its goals may be worth, and what a class sets
    Init {
        /// The file to write
        #[arg(value_name = "FILE.toml", default_value = "assignment.toml")]
        file: PathBuf,
    },
    /// Judge a whole class
    Score(Score),
    /// Put together what the parts of a scoring have judged, as jobs of a cluster do at their end; takes what `score` was
    /// called with
    Merge(Score),
    /// Show what was found in one student's kernel
    Report(ClassReport),
    /// Write points and pages as an LMS takes them
    Export(ClassExport),
    /// Show whose kernels are alike: flags, never verdicts
    Similar(Similar),
    /// Look whether results are what was judged
    Audit(Audit),
    /// Judge one row again, and compare
    Replay(Replay),
    /// Judge again, and show what would change
    Regrade(Regrade),
}

/// What judges a class, as far as that can be chosen.
#[derive(Debug, Args)]
pub struct Machine {
    /// How many kernels at a time; all cores, otherwise
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
    /// Where to run; several GPUs by commas, and without a number all there are
    #[arg(long, default_value = "auto", value_delimiter = ',', help = DeviceChoice::help())]
    pub device: Vec<DeviceChoice>,
    /// With what they are compiled
    #[command(flatten)]
    pub compiling: ClassCompiler,
}

/// What compiles the kernels of a class.
#[derive(Debug, Args)]
pub struct ClassCompiler {
    /// Compile with another NVRTC than the pinned one: a version, or the path of its library or toolkit
    #[arg(long, value_name = "VERSION|PATH")]
    pub compiler: Option<CompilerChoice>,
    /// Go on where the kernel's files can't be confined (no Landlock): only for code that you trust
    #[arg(long)]
    pub allow_unsandboxed: bool,
}

/// `class report`.
#[derive(Debug, Args)]
pub struct ClassReport {
    /// The folder of the results
    #[arg(value_name = "RESULTS")]
    pub results: PathBuf,
    /// The student, as gradebook.csv has the name
    pub student: String,
    /// The exercise
    pub exercise: String,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// `class export`.
#[derive(Debug, Args)]
pub struct ClassExport {
    /// The folder of the results
    #[arg(value_name = "RESULTS")]
    pub results: PathBuf,
    /// For whom: a CSV to import, or the files of an autograder
    #[arg(long, value_enum)]
    pub to: Lms,
    /// The gradebook or grading worksheet that the LMS has exported: all its columns are kept, and one is filled in
    #[arg(long, value_name = "EXISTING.csv")]
    pub gradebook: Option<PathBuf>,
    /// The heading of the column to fill in [default: the assignment's title; in Moodle's grading worksheet `Grade`]
    #[arg(long, value_name = "NAME")]
    pub column: Option<String>,
    /// A column for each exercise, called by its id, and none for their sum
    #[arg(long, conflicts_with = "column")]
    pub by_exercise: bool,
    /// The file or folder to write [default: in RESULTS, named after the LMS]
    #[arg(long, value_name = "FILE|DIR")]
    pub out: Option<PathBuf>,
}

/// `class similar`.
#[derive(Debug, Args)]
pub struct Similar {
    /// The folder of the results
    #[arg(value_name = "RESULTS")]
    pub results: PathBuf,
    /// From which likeness on two are shown: 0 is nothing in common, 1 all
    #[arg(long, value_name = "LIKENESS", default_value_t = 0.75, value_parser = likeness)]
    pub least: f64,
    /// The folder for similar.csv and resembles.csv [default: RESULTS]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// RESULTS is a folder of kernels, NN-name/WHO.cu, that nobody has judged: for measuring how well this works
    #[arg(long, hide = true)]
    pub kernels: bool,
    /// How many kernels at a time; all cores, otherwise
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
    /// With what they are compiled
    #[command(flatten)]
    pub compiling: ClassCompiler,
}

/// `class audit`.
#[derive(Debug, Args)]
pub struct Audit {
    /// The folder of the results
    #[arg(value_name = "RESULTS")]
    pub results: PathBuf,
    /// The audit head that `score` printed: with it every change shows, without it only accidents
    #[arg(long, value_name = "HASH")]
    pub head: Option<String>,
}

/// `class replay`.
#[derive(Debug, Args)]
pub struct Replay {
    /// The folder of the results
    #[arg(value_name = "RESULTS")]
    pub results: PathBuf,
    /// The student, as gradebook.csv has the name
    pub student: String,
    /// The exercise
    pub exercise: String,
    /// Where to run
    #[arg(long, default_value = "auto", help = DeviceChoice::help())]
    pub device: DeviceChoice,
    /// With what they are compiled
    #[command(flatten)]
    pub compiling: ClassCompiler,
}

/// `class regrade`.
#[derive(Debug, Args)]
pub struct Regrade {
    /// The folder of the results
    #[arg(value_name = "RESULTS")]
    pub results: PathBuf,
    /// Only this student, as gradebook.csv has the name
    pub student: Option<String>,
    /// Change what is different; without this, it is only shown
    #[arg(long)]
    pub apply: bool,
    /// How many at a time, where, and with what
    #[command(flatten)]
    pub machine: Machine,
}

/// `class score`.
#[derive(Debug, Args)]
pub struct Score {
    /// What the class handed in: a folder or archive per student with NN-name/kernel.cu, as `grader submit` packs it, or
    /// the folder or archive that Canvas, Moodle, Gradescope or GitHub Classroom makes
    #[arg(value_name = "SUBMISSIONS")]
    pub submissions: PathBuf,
    /// The folder for the results; where an earlier scoring made it, that one goes on, and only what changed is judged
    #[arg(long, value_name = "RESULTS", required_unless_present = "dry_run")]
    pub out: Option<PathBuf>,
    /// Say who handed in what, what is not understood and how long it would take, and judge nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Which exercises count, what their goals are worth, and what the class sets; `grader class init` writes one
    #[arg(long, value_name = "FILE.toml")]
    pub assignment: Option<PathBuf>,
    /// Who is in the class: a CSV with id, name, email and handed_in, or an LMS's export [default: the assignment's]
    #[arg(long, value_name = "FILE.csv")]
    pub roster: Option<PathBuf>,
    /// Go on without what was not understood, and with students that the roster doesn't have
    #[arg(long)]
    pub lenient: bool,
    /// How SUBMISSIONS is laid out, where that is not recognised
    #[arg(long, value_enum)]
    pub layout: Option<Layout>,
    /// The exercise of kernels whose folder, name and first lines don't say it
    #[arg(long, value_name = "NAME")]
    pub exercise: Option<String>,
    /// List who handed in after this moment, as in 2026-12-01T23:59:00+01:00; costs no points [default: the
    /// assignment's]
    #[arg(long, value_name = "MOMENT", value_parser = moment)]
    pub cutoff: Option<jiff::Timestamp>,
    /// Take over what another scoring has judged and what is still the same
    #[arg(long, value_name = "RESULTS")]
    pub reuse: Option<PathBuf>,
    /// The seed of the inputs; otherwise a secret one, printed afterwards
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// How many at a time, where, and with what
    #[command(flatten)]
    pub machine: Machine,
    /// Submit jobs to a cluster that shares this folder, instead of judging on this machine
    #[arg(long, value_enum, conflicts_with = "part")]
    pub engine: Option<Engine>,
    /// In how many tasks the jobs judge [default: one for every 50 kernels]
    #[arg(long, value_name = "N", requires = "engine")]
    pub tasks: Option<NonZeroUsize>,
    /// What else sbatch is told of each job, as in --sbatch=--partition=NAME; once for each option
    #[arg(long, value_name = "OPTION", requires = "engine", allow_hyphen_values = true)]
    pub sbatch: Vec<String>,
    /// Do only this part of it: begin, K/N or merge, as jobs are called
    #[arg(long, value_parser = part, hide = true)]
    pub part: Option<Part>,
}

/// What judges besides this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)] // A documented variant would make the help page long.
pub enum Engine {
    Slurm,
}

/// One of several shares of a class's kernels, about equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Which, from 1.
    pub number: usize,
    /// Of how many.
    pub of: usize,
}

/// A part of a scoring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// What all shares have in common.
    Begin,
    /// Judging some.
    Share(Share),
    /// Putting together what is judged.
    Merge,
}

/// A moment that is the same for everyone.
fn moment(text: &str) -> Result<jiff::Timestamp, String> {
    text.parse()
        .map_err(|_| "expected a moment with its time zone, as in 2026-12-01T23:59:00+01:00".to_owned())
}

/// A share of what two kernels have in common.
fn likeness(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "expected a number from 0 to 1, such as 0.75".to_owned())
}

/// A part by its name.
fn part(text: &str) -> Result<Part, String> {
    let share = text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
    match (text, share) {
        ("begin", _) => Ok(Part::Begin),
        ("merge", _) => Ok(Part::Merge),
        (_, Some((number, of))) if 1 <= number && number <= of => Ok(Part::Share(Share { number, of })),
        _ => Err(format!("expected begin, merge, or K/N such as 1/4, found `{text}`")),
    }
}
