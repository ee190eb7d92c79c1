//! The commands: each gathers what it needs, asks the harness, and hands data to a renderer.

pub mod bless;
pub mod book;
pub mod calibrate;
pub mod cheats;
pub mod check;
pub mod compiler;
pub mod dev;
pub mod doctor;
mod excerpts;
pub mod flips;
pub mod hint;
pub mod init;
pub mod list;
pub mod measure;
pub mod new;
pub mod run;
pub mod score;
