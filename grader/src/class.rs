//! `grader class`: what an instructor does with what a class has handed in.
//!
//! `score` judges it (and `grader score` is its short form). Each file here is a command or a part of one: what was
//! handed in ([`intake`], [`handed_in`]), how it is judged ([`judging`]), what became of it ([`rows`], [`row`],
//! [`points`], [`store`], [`log`]), and what is handed out ([`export`]).

pub mod audit;
pub mod export;
pub mod gradebook;
pub mod handed_in;
pub mod header;
mod init;
pub mod intake;
pub mod judging;
pub mod lms;
pub mod log;
mod marked;
pub mod matrix;
pub mod overview;
mod packed;
mod page;
mod painted;
mod parts;
mod place;
pub mod points;
mod progress;
pub mod regrade;
pub mod replay;
mod report;
pub mod row;
pub mod rows;
pub mod score;
mod similar;
mod slurm;
pub mod store;
pub mod students;
pub mod submissions;
pub mod took;
pub mod turns;

use crate::{
    cli::class::{Class, Part},
    course::Course,
    exit::{Exit, Result},
    terminal::Terminal,
};

/// Runs one of its commands.
///
/// # Errors
/// As the command.
pub fn run(course: Course<'_>, class: &Class, terminal: Terminal) -> Result<Exit> {
    match class {
        Class::Init { file } => init::run(course, file),
        Class::Score(score) => score::run(course, score, score.part, terminal),
        Class::Merge(score) => score::run(course, score, Some(Part::Merge), terminal),
        Class::Report(report) => report::run(course, report, terminal),
        Class::Export(export) => lms::run(course, export),
        Class::Similar(similar) => similar::run(course, similar, terminal),
        Class::Audit(audit) => audit::run(course, audit),
        Class::Replay(replay) => replay::run(course, replay),
        Class::Regrade(regrade) => regrade::run(course, regrade, terminal),
    }
}
