//! What can be asked for. The comments are the help texts.

use std::{num::NonZeroUsize, path::PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};

use harness::device::DeviceChoice;

use crate::{mutate::Family, regenerate::Part as Generated};

/// What a course's authors run
#[derive(Debug, Parser)]
#[command(name = "workshop", version, arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make the files of a new exercise: a small one that works, with a hole wherever you must write
    New(New),
    /// Prove that every exercise keeps its contract
    Check(Check),
    /// Break every solution and step in all small ways, and prove that the judge notices each
    Mutate(Mutate),
    /// Prove the cheat book: each cheat wins without its one defence and loses with it
    Cheats(Cheats),
    /// Measure every kernel of the course, NVIDIA's libraries and the figures in circulation on this GPU
    Measure(Measure),
    /// Grade the same kernels again and again, close to a threshold, and count the verdicts that differ
    Flips(Flips),
    /// Save every exercise's kernel again and again under `grader watch`, and measure how long its verdicts take
    Latency(Latency),
    /// Score a made-up class whose truth is known, compare every row, and measure what it takes
    Class(Class),
    /// Draw the README's pictures of the program in a terminal
    Screenshots(Screenshots),
    /// Show, and accept, what a change of the compiler or of the simulator does to counters and snapshots
    Bless(Bless),
    /// Make the book's tables from a record that `workshop measure` wrote
    Book(Book),
    /// Make every generated file again, or say which are stale
    Regenerate(Regenerate),
}

/// How to print the result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    #[default]
    Text,
    Json,
}

/// `class`.
#[derive(Debug, Args)]
pub struct Class {
    /// Only these exercises
    pub names: Vec<String>,
    /// How many students
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub students: usize,
    /// How many of them work together, and hand in the same; the book's record is of students who work alone
    #[arg(long, value_name = "N", default_value = "1", conflicts_with = "out")]
    pub together: NonZeroUsize,
    /// What chooses what they hand in
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Where to run
    #[arg(long, default_value = "sim", help = DeviceChoice::help())]
    pub device: String,
    /// The program to measure; without one, the one beside this
    #[arg(long, value_name = "GRADER")]
    pub program: Option<PathBuf>,
    /// Kill the scoring N times at random moments instead, and compare what comes of it with what comes where nobody kills
    #[arg(long, value_name = "N")]
    pub kills: Option<usize>,
    /// Score by this other program, too, and compare every report: what a faster judge must not change
    #[arg(long, value_name = "GRADER", conflicts_with = "kills")]
    pub against: Option<PathBuf>,
    /// Compare the reports of every kernel of the exercises instead of a class's: each is handed in once
    #[arg(long, requires = "against", conflicts_with_all = ["students", "together", "out"])]
    pub all: bool,
    /// Leave the class and its results in this folder, a new or an empty one
    #[arg(long, value_name = "FOLDER")]
    pub keep: Option<PathBuf>,
    /// What else is to be known of this machine, for the record
    #[arg(long, value_name = "TEXT")]
    pub remark: Option<String>,
    /// Write the record for the book to this file, as JSON
    #[arg(long, value_name = "FILE.json")]
    pub out: Option<PathBuf>,
}

/// `mutate`.
#[derive(Debug, Args)]
pub struct Mutate {
    /// Only these exercises
    pub names: Vec<String>,
    /// Judge only so many mutants, chosen by the seed
    #[arg(long, value_name = "N")]
    pub sample: Option<usize>,
    /// What chooses the sample; without one it is chosen anew each time, and printed
    #[arg(long, value_name = "S", requires = "sample")]
    pub seed: Option<u64>,
    /// Judge only the K-th of N equal parts, K from 1
    #[arg(long, value_name = "K/N", conflicts_with = "sample", value_parser = part)]
    pub shard: Option<Shard>,
    /// Mutants at once; without it as many as cores
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Only mutants whose line, as printed, contains one of these texts
    #[arg(long, value_name = "TEXT")]
    pub only: Vec<String>,
    /// Only these kinds of mistakes
    #[arg(long, value_enum, value_name = "FAMILY", value_delimiter = ',')]
    pub family: Vec<Family>,
    /// Judge each mutant whole at once, without a first look at its optimised code alone: slower, to see that this
    /// look kills nothing that passes
    #[arg(long)]
    pub whole: bool,
    /// Judge on this machine's GPU the mutants that are listed as killed only there, timed cases and all
    #[arg(long, conflicts_with_all = ["sample", "shard", "only", "family", "list", "draft", "format", "keep"])]
    pub on_gpu: bool,
    /// Name the mutants and judge none
    #[arg(long)]
    pub list: bool,
    /// Print what was missed (with --list: all) as entries for an equivalent.toml, to be given their reasons
    #[arg(long, conflicts_with = "format")]
    pub draft: bool,
    /// For people, or nothing but JSON on standard output
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Write the counts for the book to this file, as JSON; exercises that it has already are replaced, others
    /// stay
    #[arg(long, value_name = "FILE.json", conflicts_with_all = ["sample", "shard", "only", "family", "list"])]
    pub out: Option<PathBuf>,
    /// Keep what is judged in this file, batch by batch: the same command takes it from there and goes on where it
    /// was ended
    #[arg(long, value_name = "FILE", conflicts_with = "list")]
    pub keep: Option<PathBuf>,
}

/// One of several equal parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which, from 1.
    pub part: usize,
    /// Of how many.
    pub of: usize,
}

fn part(text: &str) -> Result<Shard, String> {
    let numbers = text.split_once('/').and_then(|(part, of)| Some((part.parse().ok()?, of.parse().ok()?)));
    match numbers {
        Some((part, of)) if 1 <= part && part <= of => Ok(Shard { part, of }),
        _ => Err(format!("expected K/N such as 1/4, found `{text}`")),
    }
}

/// `measure`.
#[derive(Debug, Args)]
pub struct Measure {
    /// Only these exercises
    pub names: Vec<String>,
    /// Where to run
    #[arg(long, default_value = "auto", help = DeviceChoice::help())]
    pub device: DeviceChoice,
    /// Write what was measured to this file; what it holds of the same GPU and was not measured now stays
    #[arg(long, value_name = "FILE.json")]
    pub out: PathBuf,
    /// Only a part of it
    #[arg(long, value_enum)]
    pub only: Option<Part>,
}

/// What `measure` measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// Stubs, solutions, steps and wrong kernels
    Exercises,
    /// NVIDIA's libraries and PyTorch on the same cases
    Peers,
    /// Latencies, bandwidths and what else people say
    Figures,
}

/// `flips`.
#[derive(Debug, Args)]
pub struct Flips {
    /// Only these exercises
    pub names: Vec<String>,
    /// Where to run
    #[arg(long, default_value = "auto", help = DeviceChoice::help())]
    pub device: DeviceChoice,
    /// How often each kernel is graded
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub regrades: usize,
    /// Only kernels whose label ends in one of these, such as 06-transpose/kernel.cu+5%
    #[arg(long, value_name = "TEXT")]
    pub only: Vec<String>,
    /// Say which kernels there are and grade none
    #[arg(long)]
    pub list: bool,
    /// Start no kernel after this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 480.0)]
    pub seconds: f64,
    /// Measure nothing: take the kernels of these records, of one GPU and compiler, over into the file
    #[arg(long, value_name = "FILE.json", num_args = 1.., conflicts_with_all = ["names", "only", "list"])]
    pub join: Vec<PathBuf>,
    /// Write what was found to this file; kernels that it has already are replaced, others stay
    #[arg(long, value_name = "FILE.json", required_unless_present = "list")]
    pub out: Option<PathBuf>,
}

/// `latency`.
#[derive(Debug, Args)]
pub struct Latency {
    /// Only these exercises
    pub names: Vec<String>,
    /// Where to run
    #[arg(long, default_value = "sim", help = DeviceChoice::help())]
    pub device: DeviceChoice,
    /// How often each kernel is saved
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub edits: usize,
    /// The program to measure; without one, the `grader` beside this program
    #[arg(long, value_name = "FILE")]
    pub program: Option<PathBuf>,
    /// What else is to be known of the machine, such as who shared it
    #[arg(long, value_name = "TEXT")]
    pub remark: Option<String>,
    /// Start no exercise after this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 3600.0)]
    pub seconds: f64,
    /// Write what was measured to this file; exercises that it has already are replaced, others stay
    #[arg(long, value_name = "FILE.json")]
    pub out: Option<PathBuf>,
}

/// `screenshots`.
#[derive(Debug, Args)]
pub struct Screenshots {
    /// The program to run; without one, the `grader` beside this program
    #[arg(long, value_name = "FILE")]
    pub program: Option<PathBuf>,
}

/// `new`.
#[derive(Debug, Args)]
pub struct New {
    /// Its id: two digits and a name, such as 50-my-topic
    pub name: String,
}

/// `check`.
#[derive(Debug, Args)]
pub struct Check {
    /// Only this exercise
    pub name: Option<String>,
    /// Begin no kernel after so many minutes, and say how many were left out; each day begins with another exercise
    #[arg(long, value_name = "MINUTES")]
    pub within: Option<u64>,
    /// Where to run
    #[arg(long, default_value = "sim", help = DeviceChoice::help())]
    pub device: DeviceChoice,
}

/// `bless`.
#[derive(Debug, Args)]
pub struct Bless {
    /// Only these exercises, and no snapshots
    pub names: Vec<String>,
    /// Accept the differences: write the counts and the snapshots
    #[arg(long)]
    pub accept: bool,
}

/// `cheats`.
#[derive(Debug, Args)]
pub struct Cheats {
    /// Only the one of this name, or those with this in their name
    #[arg(long, value_name = "NAME")]
    pub only: Option<String>,
    /// Where to run
    #[arg(long, default_value = "sim", help = DeviceChoice::help())]
    pub device: DeviceChoice,
    /// Also write what became of each to this file, with device, driver and date; what is
    /// known there of others stays
    #[arg(long, value_name = "FILE.json")]
    pub out: Option<PathBuf>,
}

/// `book`.
#[derive(Debug, Args)]
pub struct Book {
    /// The record
    #[arg(value_name = "RECORD.json", default_value = "solutions/measured/h200.json")]
    pub record: PathBuf,
    /// Write nothing; fail where a table differs from what the record says
    #[arg(long)]
    pub check: bool,
}

/// `regenerate`.
#[derive(Debug, Args)]
pub struct Regenerate {
    /// Only these parts; without any, all of them
    #[arg(value_enum, value_name = "PART")]
    pub parts: Vec<Generated>,
    /// All parts but these
    #[arg(long, value_enum, value_name = "PART", value_delimiter = ',')]
    pub except: Vec<Generated>,
    /// Write nothing; say what is stale, and fail where something is
    #[arg(long)]
    pub check: bool,
    /// List the parts with their files and what they are made from, and what is made elsewhere
    #[arg(long, conflicts_with_all = ["parts", "except", "check"])]
    pub list: bool,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }
}
