//! Hints name kernels where figures belong (`{speedup steps/2-tiled.cu}`): every such name is of a kernel and
//! case in the committed record, and no measured figure is typed by hand.

use std::{fs, path::Path};

/// The questions in a text, e.g. `speedup kernel.cu`.
fn questions(text: &str) -> Vec<Vec<&str>> {
    let parts = text.split('{').skip(1).filter_map(|part| part.split_once('}'));
    let asked = parts.map(|(inside, _)| inside.split(' ').collect::<Vec<_>>());
    asked.filter(|words| ["speedup", "share"].contains(&words[0])).collect()
}

/// Words such as `1.41×`, and percentages such as `22 %` with their unit joined on.
fn typed(text: &str) -> Vec<String> {
    let text = text.replace(" %", "%");
    let words = text.split_whitespace().map(|word| word.trim_matches(|c: char| ".,;:()".contains(c)));
    // `(16 - address % 16) % 16` is code.
    let is_figure =
        |word: &&str| word.strip_suffix(['×', '%']).is_some_and(|number| number.parse::<f64>().is_ok());
    words.filter(is_figure).map(str::to_owned).collect()
}

#[test]
fn figures_in_hints_are_the_records() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let speeds = fs::read(root.join("solutions/measured/speeds.json")).unwrap();
    let speeds: serde_json::Value = serde_json::from_slice(&speeds).unwrap();
    let mut asked = 0;
    for exercise in course::COURSE {
        let id = exercise.id();
        assert_eq!(typed(exercise.about().hints), Vec::<String>::new(), "{id}: let the record say it");
        for words in questions(exercise.about().hints) {
            let case = words.get(2).map_or(1, |number| number.parse::<usize>().unwrap());
            let speed = &speeds[format!("solutions/{id}/{}", words[1])][case - 1];
            assert!(speed[words[0]].is_f64(), "{id}: the record has no answer to {words:?}");
            asked += 1;
        }
        // Whatever is timed is told to those who have passed.
        let timed = speeds[format!("solutions/{id}/kernel.cu")].is_array();
        let told =
            exercise.about().hints.split("# passed").nth(1).map_or(0, |passed| questions(passed).len());
        assert!(!timed || told >= 2, "{id}: {told} measured figures after passing, expected two or more");
    }
    assert!(asked > 30, "{asked} questions");
}

/// The records that the book's numbers are from, by GPU.
fn records() -> Vec<(&'static str, serde_json::Value)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../solutions/measured");
    let read = |name: &str| serde_json::from_slice(&fs::read(root.join(name)).unwrap()).unwrap();
    ["h200.json", "h100.json"].map(|name| (name, read(name))).into()
}

/// A kernel that is shown with a time was measured as it is, in one of the records and beside all others of its exercise.
#[test]
fn what_is_shown_as_measured_is_todays() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let records = records();
    for exercise in course::COURSE {
        let id = exercise.id();
        let kernels = grader::kernels::of(&root, *exercise, &mut Vec::new());
        let is_shown = |role| matches!(role, grader::kernels::Role::Solution | grader::kernels::Role::Step);
        let shown: Vec<_> = kernels.iter().filter(|kernel| is_shown(kernel.role)).collect();
        let measured = |record: &serde_json::Value| {
            let all = record["kernels"].as_array().unwrap();
            shown.iter().all(|kernel| {
                let file = kernel.file.to_str().unwrap();
                let found = all.iter().find(|measured| measured["file"] == file);
                // Older records don't say which code they measured.
                let code = found.map(|found| found["code"].as_str().unwrap_or_default());
                code.is_some_and(|code| {
                    code.is_empty() || code == grader::calibrate::code_hash(&kernel.source)
                })
            })
        };
        assert!(
            records.iter().any(|(_, record)| measured(record)),
            "{id}: no record has all its kernels as they are today: `workshop measure {id}` on a GPU"
        );
    }
}

/// Records may be older than a goal that was given up.
#[test]
fn chapters_show_the_expert_goals_that_there_are() {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../book/src/chapters");
    for exercise in course::COURSE {
        let page = fs::read_to_string(pages.join(format!("{}.md", exercise.id()))).unwrap();
        let asked = exercise.about().speed_goals.asks_experts();
        assert_eq!(page.contains("| expert (optional) |"), asked, "{}", exercise.id());
    }
}

#[test]
fn every_expert_goal_was_reached_where_it_was_measured() {
    let records = records();
    let kernels: Vec<&serde_json::Value> =
        records.iter().flat_map(|(_, record)| record["kernels"].as_array().unwrap()).collect();
    let reaches = |kernel: &serde_json::Value| {
        let goals = kernel["goals"].as_array().unwrap();
        goals.iter().any(|goal| goal["goal"] == "expert" && goal["verdict"] == "passed")
    };
    let mut asked = 0;
    for exercise in course::COURSE {
        let about = exercise.about();
        let goals = about.speed_goals;
        let Some(yardstick) = about.yardstick else { continue };
        if !goals.asks_experts() {
            continue;
        }
        let is_expert = |kernel: &&&serde_json::Value| {
            kernel["exercise"] == about.id
                && kernel["role"] == "step"
                && Path::new(kernel["file"].as_str().unwrap()).file_stem().unwrap() == yardstick
        };
        let mut experts = kernels.iter().filter(is_expert);
        assert!(
            experts.any(|kernel| reaches(kernel)),
            "{}: nothing that was measured reaches the expert goal",
            about.id
        );
        asked += 1;
    }
    assert!(asked > 10, "{asked} expert goals");
}

/// Models and exercises whose thresholds are not shipped, so that the first check there measures them. 01 times `crop` since
/// 2026-11-29, when no H100 was at hand.
const NOT_SHIPPED: &[(&str, &str)] = &[("NVIDIA H100 80GB HBM3", "01-coalescing")];

#[test]
fn shipped_thresholds_are_those_of_todays_kernels() {
    let shipped = grader::thresholds::ModelThresholds::shipped();
    assert!(shipped.models.len() >= 2, "of two models at least");
    let mut not_shipped = Vec::new();
    for model in &shipped.models {
        for exercise in course::COURSE {
            let what = (&model.name, exercise.id());
            let Some(calibrated) = model.exercises.get(exercise.id()) else {
                if grader::thresholds::demand::has_speed_goals(*exercise) {
                    not_shipped.push((&*model.name, exercise.id()));
                }
                continue;
            };
            let today = grader::calibrate::hash(*exercise);
            assert_eq!(calibrated.measured, today, "{what:?}: measure again, for nobody uses it as it is");
        }
    }
    assert_eq!(
        not_shipped, NOT_SHIPPED,
        "these ask something of speed, and have no thresholds for this model"
    );
}

/// The contract says so, too, but only when it has judged all kernels.
#[test]
fn mutants_are_on_record_as_todays_kernels_have_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let problems: Vec<String> = (course::COURSE.iter())
        .flat_map(|&exercise| {
            let of_exercise = workshop::record_problems(&root, exercise);
            of_exercise.into_iter().map(move |problem| format!("{}: {problem}", exercise.id()))
        })
        .collect();
    assert!(problems.is_empty(), "{problems:#?}");
}

#[test]
fn questions_and_typed_figures_are_found() {
    assert_eq!(questions("a {speedup k.cu 2} {x} {share s.cu}").len(), 2);
    assert_eq!(typed("it ran at 1.03× (22 % of it, with (16 - a % 16) % 16)."), ["1.03×", "22%"]);
}
