//! The command line of a course's authors. Learners and instructors have `grader`.
//!
//! A library, so that a private course is a crate that calls [`main`] with its own exercises. A command is a
//! file or a folder here, with its parts and its renderer; what the commands share with the grader is the
//! grader's.

mod bless;
mod book;
mod cheats;
mod check;
mod child;
mod class;
mod cli;
mod contract;
mod counts;
mod flips;
mod latency;
mod measure;
mod mutate;
mod new;
mod prover;
mod record;
mod regenerate;
#[cfg(test)]
#[path = "../../grader/src/sample.rs"]
mod sample;
mod screenshots;
mod session;
mod tested;
mod texts;

use std::process::ExitCode;

use clap::Parser;
use grader::{
    course::Course,
    exit::{Exit, Result},
    terminal::{self, Terminal},
};
use harness::exercise::Exercise;

pub use crate::mutate::record_problems;

use crate::cli::{Cli, Command};

/// Runs the command line over a course's exercises.
pub fn main(course: &[&dyn Exercise]) -> ExitCode {
    // A worker of this program is this program: it serves and never comes back.
    harness::worker::intercept();
    let cli = Cli::parse();
    let terminal = Terminal::detect();
    match run(Course { exercises: course }, cli.command, terminal) {
        Ok(exit) => exit.code().into(),
        Err(trouble) => {
            terminal::print_trouble(&trouble);
            trouble.exit.code().into()
        }
    }
}

fn run(course: Course<'_>, command: Command, terminal: Terminal) -> Result<Exit> {
    match command {
        Command::New(new) => new::run(&new),
        Command::Check(check) => check::run(course, &check, terminal),
        Command::Mutate(options) => mutate::run(course, &options, terminal),
        Command::Cheats(options) => cheats::run(course, &options, terminal),
        Command::Measure(measure) => measure::run(course, &measure, terminal),
        Command::Flips(flips) => flips::run(course, &flips),
        Command::Class(class) => class::run(course, &class),
        Command::Latency(latency) => latency::run(course, &latency),
        Command::Screenshots(options) => screenshots::run(&options),
        Command::Bless(bless) => bless::run(course, &bless, terminal),
        Command::Book(book) => book::run(course, &book),
        Command::Regenerate(options) => regenerate::run(course, &options, terminal),
    }
}
