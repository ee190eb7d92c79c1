//! The kernels of `tests/open`, which are wrong and pass: once one fails, its place is among the exercise's wrong kernels.

use std::{fs, path::Path};

use harness::{
    device::DeviceChoice,
    judge::{CheckOptions, Kernel, check},
    report::Verdict,
    toolchain::{CompilerChoice, InstallProgress, Toolchain},
};

#[test]
fn what_is_known_to_pass_still_passes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/open");
    let toolchain = Toolchain::locate_or_install(&CompilerChoice::Pinned, None, InstallProgress::Terminal)
        .unwrap_or_else(|error| panic!("{error}"));
    let explained = fs::read_to_string(folder.join("README.md")).unwrap();
    let mut names: Vec<String> = (fs::read_dir(&folder).unwrap())
        .filter_map(|file| file.unwrap().file_name().to_str().unwrap().strip_suffix(".cu").map(str::to_owned))
        .collect();
    names.sort();
    assert!(!names.is_empty(), "nothing is open: this test and its folder can go");
    for name in names {
        // Some that are alike stand in one row: `…-through-float`.
        let ending = name.split_once("index").map_or(name.as_str(), |(_, ending)| ending);
        assert!(
            explained.contains(&name) || explained.contains(&format!("…{ending}")),
            "{name} is not in README.md"
        );
        let exercise = (course::COURSE.iter()).find(|each| each.id().starts_with(&name[..3])).unwrap();
        let source = fs::read_to_string(folder.join(format!("{name}.cu"))).unwrap();
        let options = CheckOptions {
            device: DeviceChoice::Simulator(None),
            toolchain: Some(toolchain.clone()),
            ..CheckOptions::default()
        };
        let report = check(*exercise, &Kernel { path: format!("{name}.cu"), source }, &options, &|_| {});
        let failed: Vec<String> = (report.goals.iter())
            .filter(|goal| goal.verdict == Verdict::Failed)
            .map(|goal| goal.goal.to_string())
            .collect();
        assert!(
            failed.is_empty(),
            "{name} fails {} now: move it to solutions/{}/wrong, and its row in README.md goes",
            failed.join(", "),
            exercise.id()
        );
    }
}
