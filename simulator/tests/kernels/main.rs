//! One named test for each kernel of `pass/`, `fail/` and `corpus/`; `tests/README.md` says how to add and bless
//! them. This file makes the tests and runs those that the command line asks for.

mod corpus;
mod expected;
mod launch;

use std::{process::ExitCode, sync::Arc};

use libtest_mimic::{Arguments, Trial};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let all = Arc::<corpus::Corpus>::default();
    let mut tests = expected::tests();
    tests.extend(corpus::tests(&all));
    if !tests.iter().any(|test| is_chosen(&arguments, test)) {
        // Nothing would be tested, and it would look like success.
        eprintln!(
            "no kernel's test matches `{}`; there are {}, and `--list` names them. A test of another kind is asked for \
             with its file: `cargo test -p warpsim --test FILE NAME`, or `--lib NAME`",
            arguments.filter.as_deref().unwrap_or(""),
            tests.len()
        );
        return ExitCode::from(101);
    }
    let conclusion = libtest_mimic::run(&arguments, tests);
    if let Err(why) = all.check_table() {
        eprintln!("{why}");
        return ExitCode::from(101);
    }
    conclusion.exit_code()
}

fn is_chosen(arguments: &Arguments, test: &Trial) -> bool {
    let matches = |filter: &String| match arguments.exact {
        true => test.name() == filter,
        false => test.name().contains(filter.as_str()),
    };
    arguments.filter.as_ref().is_none_or(matches) && !arguments.skip.iter().any(matches)
}
