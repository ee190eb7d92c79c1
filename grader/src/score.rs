//! Scoring a class: what was submitted, a journal that makes an interrupted run resumable, and the gradebook.

pub mod gradebook;
pub mod journal;
pub mod row;
pub mod submissions;
