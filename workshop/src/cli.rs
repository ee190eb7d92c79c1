//! What can be asked for. The comments are the help texts.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::mutate::Family;

/// What a course's authors run
#[derive(Debug, Parser)]
#[command(name = "workshop", version, arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Break every solution and step in all small ways, and prove that the judge notices each
    Mutate(Mutate),
}

/// How to print the result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    #[default]
    Text,
    Json,
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
