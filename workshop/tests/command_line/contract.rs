//! A published step that is broken in any way but being slow or wasteful does not keep its exercise's
//! contract: `workshop check` on a course of one exercise, whose step is spoiled in one way at a time.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

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

/// A folder with a checkout of its own.
struct Place(tempfile::TempDir);

impl Place {
    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// The contract's exit code, and what it says.
    fn check(&self) -> (Option<i32>, String) {
        let mut workshop = Command::new(env!("CARGO_BIN_EXE_workshop"));
        workshop.env("LC_ALL", "C.UTF-8");
        workshop.args(["check", EXERCISE, "--device", "sim"]).current_dir(self.0.path());
        let output = workshop.output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        (output.status.code(), said + &String::from_utf8_lossy(&output.stderr))
    }
}

/// A checkout with one exercise: what `workshop check` looks at.
fn course() -> Place {
    let place = Place(tempfile::tempdir().unwrap());
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
    let (code, said) = place.check();
    assert_eq!(code, Some(0), "{said}");
    // That these are gone is told, too. They need not be judged again for each way.
    for folder in ["right", "wrong"] {
        fs::remove_dir_all(place.path("solutions/03-reduction").join(folder)).unwrap();
    }
    for entry in fs::read_dir(place.path(STEP).parent().unwrap()).unwrap() {
        let path = entry.unwrap().path();
        if path != place.path(STEP) {
            fs::remove_file(path).unwrap();
        }
    }
    let text = fs::read_to_string(place.path(STEP)).unwrap();
    let (code, told) = place.check();
    assert!(code == Some(1) && !told.contains(STEP), "{told}");
    for (from, to, said) in SPOILED {
        assert!(text.contains(from), "the step no longer has `{from}`");
        place.write(STEP, text.replace(from, to));
        let (code, told) = place.check();
        assert_eq!(code, Some(1), "`{to}`: {told}");
        let told = told.replace("\n    ", " ");
        let problem = told.lines().find(|line| line.contains(STEP) && line.contains(said));
        assert!(problem.is_some(), "`{to}` should be told as `{said}`: {told}");
    }
}
