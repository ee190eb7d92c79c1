//! The real binary, as a person or a script calls it. One program for all of this, so that it is linked once and what
//! waits in one test leaves its core to another.
//!
//! Every test works in a folder of its own, so that nothing depends on what a learner did in `learn/`.

mod assignment;
mod banks;
mod book;
mod clangd;
mod class;
mod cli;
mod cluster;
mod counters;
mod day;
mod discriminators;
mod doctor;
mod faults;
mod formats;
mod handbook;
mod handed_out;
mod hints;
mod hostile;
mod intake;
mod interrupted;
mod learner;
mod lms;
mod next_step;
mod outputs;
mod plain;
mod plurals;
mod points;
mod profile;
#[path = "../python/mod.rs"]
mod python;
mod readme;
mod release;
mod run;
mod schema;
mod score;
mod screens;
mod shares;
mod side_by_side;
mod similar;
mod submit;
mod support;
mod terminal;
#[path = "../../../harness/tests/traced/mod.rs"]
mod traced;
mod unprivileged;
mod vscode;
mod watch;
mod width;
