//! The README's two commands, typed as they are printed, in a checkout. Building takes minutes, so a stand-in for cargo
//! looks at what it is asked and calls the program that these tests have.

use std::{env, fs, os::unix::fs::PermissionsExt as _, process::Command};

use crate::support::Place;

const README: &str = include_str!("../../../README.md");
const CARGO_CONFIG: &str = include_str!("../../../.cargo/config.toml");

/// The first block of commands below a heading.
fn commands(heading: &str) -> &'static str {
    let (_, below) = README.split_once(&format!("\n## {heading}\n")).expect("the heading");
    let (_, block) = below.split_once("```sh\n").expect("a block");
    block.split_once("```").expect("its end").0
}

/// What cargo makes of a command of the workspace's own.
fn alias(name: &str) -> String {
    let line = CARGO_CONFIG.lines().find_map(|line| line.strip_prefix(&format!("{name} = \"")));
    line.and_then(|line| line.strip_suffix('"')).expect("an alias").to_owned()
}

#[test]
fn the_two_commands_of_the_readme_work_as_they_are_printed() {
    let block = commands("Begin");
    assert_eq!(block.lines().count(), 2, "{block}");
    // What the stand-in below does for cargo.
    assert_eq!(alias("grade"), "run --quiet --release --package grader --");
    assert_eq!(env!("CARGO_PKG_NAME"), "grader", "the package that the first command builds");

    let place = Place::new();
    place.write("grader/Cargo.toml", "");
    fs::create_dir(place.path("exercises")).unwrap();
    let stand_in = format!(
        "#!/bin/sh\n\
         case \"$*\" in\n\
         'build --release -p grader') touch built ;;\n\
         'grade '*) test -e built || exit 101; shift; export CARGO=cargo; exec '{}' \"$@\" ;;\n\
         *) echo \"error: no such command: $*\" >&2; exit 101 ;;\n\
         esac\n",
        env!("CARGO_BIN_EXE_grader")
    );
    let cargo = place.write("bin/cargo", stand_in);
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", place.path("bin").to_string_lossy(), env::var("PATH").unwrap_or_default());
    // As a person types them: a stub that fails its check ends nothing.
    let mut shell = Command::new("sh");
    shell.args(["-c", block]).current_dir(place.path("")).env("PATH", path);
    let given = place.given(shell);
    // The stub is judged, and fails.
    assert_eq!(given.code, 1, "{block}\n{}", given.all());
    assert!(given.out.contains("00-first-kernel") && given.out.contains("not started"), "{}", given.all());
    assert!(given.err.contains("type `cargo grade` here"), "{}", given.all());
    // The file that the README says to edit next.
    let (_, below) = README.split_once(block).expect("it is from there");
    let file = below.split('`').find(|part| part.ends_with("kernel.cu")).expect("a kernel's path");
    assert!(place.path(file).is_file(), "{file}: {}", given.all());
}
