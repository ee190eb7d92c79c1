//! `grader class`: what an instructor does with what a class has handed in.
//!
//! `score` judges it (and `grader score` is its short form). Each file here is a command or a part of one: what was
//! handed in ([`intake`], [`handed_in`]), what became of it ([`row`], [`journal`], [`points`]), and what is handed out
//! ([`gradebook`], [`overview`]).

pub mod gradebook;
pub mod handed_in;
mod init;
pub mod intake;
pub mod journal;
pub mod overview;
pub mod points;
pub mod row;
pub mod score;
pub mod submissions;

use crate::{
    cli::Class,
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
        Class::Score(score) => score::run(course, score, terminal),
    }
}
