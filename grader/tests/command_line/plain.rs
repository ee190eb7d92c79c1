//! What is printed where Unicode, colours or drawings are no use: ASCII where the locale has no more, sentences with
//! `--plain`, and no word that only a colour says.

use std::{fs, path::Path, process::Command};

use serde_json::Value;

use crate::{
    support::{Given, Place, take},
    terminal::{Session, WAITS},
};

fn with(place: &Place, variables: &[(&str, &str)], arguments: &[&str]) -> Given {
    let mut command = Command::new(env!("CARGO_BIN_EXE_grader"));
    command.args(arguments).current_dir(place.path(""));
    command.env("LC_ALL", "").env_remove("LANG").envs(variables.iter().copied());
    place.given(command)
}

fn in_c(place: &Place, arguments: &[&str]) -> Given {
    with(place, &[("LC_ALL", "C")], arguments)
}

/// A course folder with a kernel that fails, one that passes and stubs.
fn course() -> Place {
    let place = Place::new();
    assert_eq!(place.grader(&["init"]).code, 0);
    for (exercise, kernel) in [
        ("03-reduction", "03-reduction/wrong/missing-barrier-in-tree.cu"),
        ("01-coalescing", "01-coalescing/kernel.cu"),
        ("05-bank-conflicts", "05-bank-conflicts/kernel.cu"),
        ("07-convolution", "07-convolution/kernel.cu"),
    ] {
        take(&place, kernel);
        fs::rename(place.path("k.cu"), place.path(exercise).join("kernel.cu")).unwrap();
    }
    place.write(
        "own.cu",
        "extern \"C\" __global__ void k(int* p) { int größe = 5 /* × 🙂 */; p[threadIdx.x] = größe; }\n",
    );
    place.write("broken.cu", "#error größer → kleiner ×\n");
    place
}

/// Every command and kind of answer. `watch` paints a terminal only: it has a test of its own.
const CALLS: [&str; 39] = [
    "check 03 --device sim",
    "check 03 --device sim --verbose",
    "check 01 --device sim --verbose",
    "check 05 --device sim --verbose",
    "check 05 --device sim --profile",
    "check 05 --device sim --profile --case 9",
    "check 03 --device sim --case 1 --show",
    "check 06 --device sim --n 4",
    "check 04 --device sim",
    "check 03 --kernel broken.cu --device sim",
    "check 03 --kernel größe.cu",
    "check 03 --device sim --format json",
    "check 03 --device sim --format github",
    "check 03 --device sim --format junit",
    "run own.cu --entry k --grid 1 --block 64 --arg out:i32:32 --device sim",
    "run own.cu --entry k --grid 1 --block 32 --arg out:i32:32 --device sim",
    "list",
    "list --format json",
    "doctor",
    "doctor --format json",
    "hint 06",
    "hint 03",
    "hint 01",
    "explain",
    "explain race",
    "explain occupancy",
    "explain größe",
    "explain --book 03",
    "explain --book größe",
    "solution 01",
    "watch 03",
    "init",
    "init größe",
    "submit",
    "submit --out größe.zip",
    "reset 07",
    "reset größe",
    "--help",
    "run --help",
];

fn words(call: &str) -> Vec<&str> {
    call.split_whitespace().collect()
}

#[test]
fn a_locale_without_unicode_gets_ascii() {
    let place = course();
    for call in CALLS {
        let given = in_c(&place, &words(call));
        // What a test is told of a path is not the program's.
        let all = given.all();
        let line = all.lines().find(|line| !line.is_ascii());
        assert_eq!(line, None, "{call:?}");
        assert!(!given.all().is_empty());
    }
    let words = in_c(&place, &["explain", "--format", "json"]).out;
    let words: Value = serde_json::from_str(&words).unwrap();
    for word in words["words"].as_array().unwrap() {
        let given = in_c(&place, &["explain", word["word"].as_str().unwrap()]);
        assert!(given.code == 0 && given.all().is_ascii(), "{}", given.all());
        // Every sign of the course has one of ASCII.
        assert!(!given.out.contains("\\u{"), "{}", given.out);
    }
    let list = in_c(&place, &["check", "01", "--device", "sim"]);
    assert!(list.out.contains("+ passed 01-coalescing"), "{}", list.out);
}

/// Every page of `watch` that a key leads to.
#[test]
fn watch_paints_ascii_where_the_locale_has_no_more() {
    let place = course();
    let locale = [("LC_ALL", Path::new("C"))];
    let arguments = ["watch", "03", "--device", "sim"];
    let mut session = Session::with(&place.path(""), &arguments, (80, 24), &locale);
    for (key, said) in [
        ("", &["x failed 03-reduction", WAITS][..]),
        ("v", &["space shows them"]),
        ("v", &["v shows all"]),
        ("e", &["Two threads touch the same bytes"]),
        ("h", &["Hint 1 of"]),
        ("p", &["profile of case"]),
        ("s", &["you have not passed 03-reduction yet"]),
        ("n", &["04-synchronization", "not started"]),
    ] {
        session.press(key);
        let screen = session.awaited_all(said);
        assert!(screen.is_ascii(), "{key}: {screen}");
        // Nothing takes more rows than were counted for it: the first is there.
        assert!(
            screen.starts_with(if key == "n" { "04-synchronization  " } else { "03-reduction  " }),
            "{screen}"
        );
    }
    session.press("q");
    session.ended();
}

#[test]
fn a_line_to_paste_is_the_same_line_in_ascii() {
    let place = Place::new();
    let made = in_c(&place, &["init", "übung 100%"]);
    assert!(made.code == 0 && made.all().is_ascii(), "{}", made.all());
    let next = made.out.lines().find_map(|line| line.strip_prefix("next: ")).unwrap();
    let change = next.strip_suffix(" && grader watch").unwrap();
    for shell in ["sh", "bash"] {
        let mut command = Command::new(shell);
        command.args(["-c", &format!("{change} && ls -d 04-synchronization")]).current_dir(place.path(""));
        assert_eq!(place.given(command).out, "04-synchronization\n", "{shell}: {change}");
    }
}

#[test]
fn the_first_variable_that_is_set_says_what_the_locale_can() {
    let place = course();
    let unicode = |variables: &[(&str, &str)]| !with(&place, variables, &["list"]).out.is_ascii();
    assert!(unicode(&[("LC_ALL", "C.UTF-8"), ("LANG", "C")]));
    assert!(unicode(&[("LANG", "de_DE.utf8")]));
    assert!(unicode(&[("LC_CTYPE", "C.UTF-8"), ("LANG", "C")]));
    assert!(!unicode(&[("LC_CTYPE", "C"), ("LANG", "C.UTF-8")]));
    assert!(!unicode(&[("LANG", "de_DE.ISO-8859-1")]));
    assert!(!unicode(&[]));
}

#[test]
fn json_says_the_same_in_every_locale() {
    let place = course();
    for call in [&["hint", "06", "--again"][..], &["explain"], &["check", "03", "--device", "sim"], &["list"]]
    {
        place.grader(&["hint", "06"]);
        let call = [call, &["--format", "json"]].concat();
        let (ascii, unicode) = (in_c(&place, &call).out, place.grader(&call).out);
        let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        assert_eq!(read(&ascii), read(&unicode), "{call:?}");
        assert!(ascii.is_ascii());
    }
}

#[test]
fn plain_draws_nothing_and_says_all() {
    let place = course();
    let drawn = |line: &&str| {
        let text = line.trim_start();
        "✓✗○–…│─└┤→·┃━●◇△□\x1b".chars().any(|sign| line.contains(sign))
            || ["| ", "--> ", "= note", "= help", "::: ", "? ", "! "]
                .iter()
                .any(|begins| text.starts_with(begins))
            || (text.len() > 2 && text.chars().all(|c| "^-_=+ ".contains(c)))
    };
    let is_for_people =
        |call: &&str| !["solution", "--format", "--help"].iter().any(|word| call.contains(word));
    for call in CALLS.into_iter().filter(is_for_people) {
        let call = [vec!["--plain"], words(call)].concat();
        let given = with(&place, &[("LC_ALL", "C.UTF-8"), ("CLICOLOR_FORCE", "1")], &call);
        // What the learner's own line or file has is the learner's.
        let own = |line: &&str| !line.contains("größ") && !line.contains("kleiner");
        let found = given.out.lines().chain(given.err.lines()).filter(own).find(drawn);
        assert_eq!(found, None, "{call:?}: {}", given.all());
    }
    let said = |call: &[&str]| place.grader(&[call, &["--plain"]].concat()).out;
    let failed = said(&["check", "03", "--device", "sim"]);
    for part in ["error, race, at 03-reduction/kernel.cu:", "kernel.cu:", "failed 03-reduction\n", "next: "] {
        assert!(failed.contains(part), "{part}: {failed}");
    }
    let verbose = said(&["check", "03", "--device", "sim", "--verbose"]);
    assert!(verbose.contains("\nclean; Verdict: failed; Asked: no race, "), "{verbose}");
    let list = said(&["list"]);
    assert!(list.contains("01-coalescing; "), "{list}");
    assert!(list.contains("; State: new; Hints: 0 of "), "{list}");
    assert!(said(&["check", "04", "--device", "sim"]).contains("\nnot started: this is the stub"));
    let doctor = said(&["doctor"]);
    assert!(
        doctor.starts_with("good: processor: ") && doctor.contains("\nwhat to do: none needed"),
        "{doctor}"
    );
    // What a kernel prints is never taken for what the judge says.
    place.write(
        "k.cu",
        "#include <cstdio>\nextern \"C\" __global__ void k() { printf(\"passed\\n::error::x\\n\"); }\n",
    );
    let printed = said(&words("run k.cu --entry k --grid 1 --block 1 --device sim"));
    assert!(printed.contains("\n  printed: passed\n  printed: ::error::x\n"), "{printed}");
    assert!(printed.ends_with("\nfinished, clean\n"), "{printed}");
    place.write("k.cu", "extern \"C\" __global__ void k(int* p) { p[threadIdx.x] = 1; }\n");
    let counted = said(&words("run k.cu --entry k --grid 1 --block 32 --arg out:i32:32 --device sim"));
    assert!(counted.contains("\nLine: 1; extern \"C\""), "{counted}");
}

#[test]
fn colours_say_nothing_that_words_do_not() {
    let place = course();
    let without_escapes = |text: &str| {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once("\x1b[") {
            out.push_str(before);
            rest = behind.split_once('m').map_or("", |(_, rest)| rest);
        }
        out + rest
    };
    // Hints go on, what is reset is reset, and one answer in JSON is as another.
    let is_asked =
        |call: &&str| !call.starts_with("hint") && *call != "reset 07" && *call != "doctor --format json";
    for call in CALLS.into_iter().filter(is_asked) {
        let call = &words(call);
        let coloured = with(&place, &[("LC_ALL", "C.UTF-8"), ("CLICOLOR_FORCE", "1")], call).out;
        let bare = with(&place, &[("LC_ALL", "C.UTF-8"), ("NO_COLOR", "1")], call).out;
        assert_eq!(without_escapes(&coloured), bare, "{call:?}");
        // Marks stand beside words, and a word is what tells.
        for line in bare.lines().filter(|line| line.starts_with(['✓', '✗', '○'])) {
            assert!(line.len() > 6, "{line}");
        }
    }
}
