//! The cheat book on the simulator: each cheat wins without its one defence and loses with it; and the
//! directory it can be read in is the one that the book is made from.

use std::{path::Path, process::Command};

#[test]
fn every_cheat_wins_without_its_defence_and_loses_with_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace");
    let output = Command::new(env!("CARGO_BIN_EXE_workshop"))
        .env("LC_ALL", "C.UTF-8")
        .args(["cheats", "--device", "sim"])
        // Nothing that a learner can set switches a defence off; were there such a thing,
        // these would be its names.
        .envs([("CUDA_GRADER_DEFENCES", "none"), ("CUDA_GRADER_SWITCHED_OFF", "audit")])
        .current_dir(root)
        .output()
        .expect("the workshop runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    let lines = |mark: char| said.lines().filter(|line| line.starts_with(mark)).count();
    assert!(lines('✓') >= 40, "some are missing:\n{said}");
    // Those that attack the measuring are right where nothing is measured; their proof needs a GPU.
    assert!(lines('·') >= 12, "some are missing:\n{said}");
}
