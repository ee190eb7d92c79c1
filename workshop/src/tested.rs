//! Generated files that tests compare: what a simulator, a command line or a compiler says, kept as text. The test
//! that compares them also writes them, when a variable asks it to.

use std::{path::Path, process::Command};

use grader::exit::{Result, Trouble};

/// Some files, and the tests that make them.
#[derive(Debug)]
pub struct Tested {
    /// What they are of.
    pub of: &'static str,
    /// How cargo compares them.
    arguments: &'static str,
    /// The variables with which it writes them instead.
    accept: &'static [(&'static str, &'static str)],
}

/// All of them.
pub const ALL: [Tested; 2] = [
    Tested {
        of: "the simulator's kernels, corpus, instructions and public API",
        arguments: "test --quiet --no-fail-fast --package warpsim --test kernels --test hardware --test api",
        accept: &[("BLESS", "1")],
    },
    Tested {
        of: "the command line, the judge's words and the mutants",
        arguments: "test --quiet --no-fail-fast --package launch-options --package harness --package grader --package workshop \
                    --lib --test compiler --test command_line",
        accept: &[("SNAPSHOTS", "overwrite"), ("INSTA_UPDATE", "always")],
    },
];

impl Tested {
    /// The command, as it is typed.
    pub fn command(&self) -> String {
        format!("cargo {}", self.arguments)
    }

    /// Runs the tests; whether all of them hold. With `write` they write what differs.
    ///
    /// # Errors
    /// A judge error where there is no cargo.
    pub fn run(&self, root: &Path, write: bool) -> Result<bool> {
        let mut cargo = Command::new("cargo");
        cargo.args(self.arguments.split_whitespace()).current_dir(root);
        if write {
            cargo.envs(self.accept.iter().copied());
        }
        let status = cargo.status().map_err(|error| {
            Trouble::judge(
                format!("could not run cargo: {error}"),
                "install Rust, or run it where cargo is found",
            )
        })?;
        Ok(status.success())
    }
}
