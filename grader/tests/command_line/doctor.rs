//! What `doctor` says of a machine, beside what the next `check` does there.

use std::{fs, os::unix::fs::PermissionsExt as _, process::Command};

use crate::support::{Given, Place, take};

const GRADER: &str = env!("CARGO_BIN_EXE_grader");

/// Runs the grader where no compiler is, as far as a variable can hide one.
fn without_compiler(place: &Place, arguments: &[&str], program: &str) -> Given {
    let mut command = Command::new(program);
    for name in ["VIRTUAL_ENV", "CONDA_PREFIX", "CUDA_HOME", "CUDA_PATH", "XDG_CACHE_HOME", "HOME"] {
        command.env_remove(name);
    }
    command.args(arguments).current_dir(place.path("")).env("PATH", place.path("path"));
    command.env("CUDA_GRADER_CACHE", place.path("cache"));
    place.given(command)
}

/// A Python that has pip, which reaches nothing.
fn python(place: &Place) {
    let script = "#!/bin/sh\n[ \"$3\" = --version ] && echo 'pip 24.0 from /nowhere (python 3.12)' && exit\n\
                  echo 'Failed to establish a new connection' >&2\nexit 1\n";
    let path = place.write("path/python3", script);
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn it_says_works_where_the_next_check_passes() {
    let place = Place::new();
    let nowhere = place.grader(&["doctor"]);
    assert_eq!(nowhere.code, 0, "{}", nowhere.all());
    // A check here would ask for a course folder.
    assert!(nowhere.out.contains("`grader init DIR` makes a course folder"), "{}", nowhere.all());
    assert!(!nowhere.out.contains("works here"), "{}", nowhere.all());
    assert_eq!(place.grader(&["init"]).code, 0);
    let ready = place.grader(&["doctor"]);
    assert!(ready.code == 0 && ready.out.contains("The course works here"), "{}", ready.all());
    take(&place, "00-first-kernel/kernel.cu");
    fs::rename(place.path("k.cu"), place.path("00-first-kernel/kernel.cu")).unwrap();
    assert_eq!(place.grader(&["check", "00"]).code, 0);
}

#[test]
fn it_never_says_works_where_the_next_check_fails() {
    // No Python; a Python without a network; with both, a cache that cannot be made.
    for (has_python, has_cache, code) in [(false, true, 3), (true, true, 4), (true, false, 3)] {
        let place = Place::new();
        assert_eq!(place.grader(&["init"]).code, 0);
        if has_python {
            python(&place);
        }
        if !has_cache {
            place.write("cache", "a file in its place");
        }
        let check = without_compiler(&place, &["check", "00"], GRADER);
        let doctor = without_compiler(&place, &["doctor"], GRADER);
        if doctor.out.contains("from a CUDA toolkit") {
            // This machine has a compiler that nothing hides.
            return;
        }
        assert_eq!((check.code, doctor.code), (3, code), "{}{}", check.all(), doctor.all());
        assert!(!doctor.out.contains("works here"), "{}", doctor.all());
        for said in [&check.err, &doctor.out] {
            assert!(
                ["grader compiler install", "CUDA_GRADER_CACHE"].iter().any(|next| said.contains(next)),
                "{said}"
            );
        }
    }
}

/// pip puts the compiler into the environment that it puts the program into; nobody need activate that.
#[test]
fn a_compiler_beside_the_program_is_found_without_any_variable() {
    let place = Place::new();
    let packages = "venv/lib/python3.12/site-packages";
    for file in [
        "nvidia_cuda_nvrtc-13.0.88.dist-info/METADATA",
        "nvidia/cu13/lib/libnvrtc.so.13",
        "nvidia/cu13/lib/libnvrtc-builtins.so.13.0",
    ] {
        place.write(&format!("{packages}/{file}"), "");
    }
    fs::create_dir(place.path("venv/bin")).unwrap();
    let program = place.path("venv/bin/grader");
    fs::hard_link(GRADER, &program).or_else(|_| fs::copy(GRADER, &program).map(drop)).unwrap();
    let given = without_compiler(&place, &["doctor"], program.to_str().unwrap());
    let words: Vec<&str> = given.out.split_whitespace().collect();
    assert!(words.join(" ").contains("from a Python environment: venv/lib/python3.12/"), "{}", given.all());
    // It is an empty file, so nothing works yet.
    assert_eq!(given.code, 3, "{}", given.all());
}

#[test]
fn every_shell_gets_its_completions() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish"] {
        let given = place.grader(&["completions", shell]);
        assert!(given.code == 0 && given.out.contains("explain"), "{}", given.all());
    }
}
