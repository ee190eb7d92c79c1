//! A published step that is broken in any way but being slow or wasteful does not keep its exercise's
//! contract: `dev check` on a course of one exercise, whose step is spoiled in one way at a time.

#[allow(dead_code, reason = "each suite uses its own part of it")]
mod support;

use std::{fs, path::Path};

use support::Place;

const EXERCISE: &str = "03-reduction";
const STEP: &str = "solutions/03-reduction/steps/1-divergent.cu";

/// What a step's text becomes, and what the contract says then.
const SPOILED: [(&str, &str, &str); 6] = [
    // It does not compile.
    ("int thread = threadIdx.x;", "int thread = threadIdx.w;", "failed compile"),
    // The exercise cannot call it.
    ("void reduce_max(", "void reduce_maximum(", "failed compile"),
    // It gives wrong outputs.
    (": -INFINITY", ": 0.0f", "failed correct"),
    // It is right by luck.
    ("    }\n        __syncthreads();\n    }", "    }\n    }", "clean"),
    // It has PTX of its own.
    (
        "int thread = threadIdx.x;",
        "int thread; asm(\"mov.u32 %0, %%tid.x;\" : \"=r\"(thread));",
        "failed permitted",
    ),
    // It looks at the clock.
    ("    if (thread == 0) {", "    if (thread == 0 && clock64() >= 0) {", "failed permitted"),
];

/// A checkout with one exercise: what `dev check` looks at.
fn course() -> Place {
    let place = Place::new();
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for folder in ["exercises/03-reduction", "exercises/03-reduction/src", "kernels/baselines"] {
        copy(&here, &place, folder);
    }
    copy(&here, &place, "solutions/03-reduction");
    for folder in ["steps", "right", "wrong"] {
        copy(&here, &place, &format!("solutions/03-reduction/{folder}"));
    }
    let chapter = "book/src/chapters/03-reduction.md";
    place.write(chapter, fs::read(here.join(chapter)).unwrap());
    place
}

/// The files of one folder, without those below it.
fn copy(from: &Path, to: &Place, folder: &str) {
    for entry in fs::read_dir(from.join(folder)).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            let name = path.file_name().unwrap().to_str().unwrap();
            to.write(&format!("{folder}/{name}"), fs::read(&path).unwrap());
        }
    }
}

#[test]
fn a_broken_step_breaks_the_contract() {
    let place = course();
    let check = || place.grader(&["dev", "check", EXERCISE, "--device", "sim"]);
    let kept = check();
    assert_eq!(kept.code, 0, "{}", kept.all());
    let text = fs::read_to_string(place.path(STEP)).unwrap();
    for (from, to, said) in SPOILED {
        assert!(text.contains(from), "the step no longer has `{from}`");
        place.write(STEP, text.replace(from, to));
        let broken = check();
        assert_eq!(broken.code, 1, "`{to}`: {}", broken.all());
        let told = broken.out.replace("\n    ", " ");
        let problem = told.lines().find(|line| line.contains(STEP) && line.contains(said));
        assert!(problem.is_some(), "`{to}` should be told as `{said}`: {}", broken.all());
    }
}
