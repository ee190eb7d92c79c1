//! `explain --book`: the page of a topic, and what to do where there is no book. What a release carries is unpacked in
//! `release/try`; here a checkout's pages stand in.

use std::{
    fs::{self, File},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use regex::Regex;
use serde_json::Value;

use crate::{
    support::{Given, Place},
    terminal::{PATIENCE, Session},
};

/// A checkout, as far as the program knows one, with pages as mdBook names them.
fn checkout() -> Place {
    let place = bare_checkout();
    place.write("book/book/index.html", "");
    for page in ["words", "glossary", "machine-model"] {
        place.write(&format!("book/book/{page}.html"), "");
    }
    for exercise in course::COURSE {
        place.write(&format!("book/book/chapters/{}.html", exercise.id()), "");
    }
    place
}

fn bare_checkout() -> Place {
    let place = Place::new();
    place.write("grader/Cargo.toml", "");
    place.write("exercises/03-reduction/kernel.cu", "");
    place
}

fn book(place: &Place, topic: &str) -> Given {
    place.grader(&["explain", "--book", topic])
}

#[test]
fn every_exercise_and_every_word_has_a_page() {
    let place = checkout();
    assert_eq!(place.grader(&["explain", "--book"]).all(), all("book/book/index.html"));
    let list: Value = serde_json::from_str(&place.grader(&["list", "--format", "json"]).out).unwrap();
    for exercise in list["exercises"].as_array().unwrap() {
        let id = exercise["id"].as_str().unwrap();
        let (number, name) = id.split_once('-').unwrap();
        for topic in [id, number, name] {
            assert_eq!(book(&place, topic).all(), all(&format!("book/book/chapters/{id}.html")), "{topic}");
        }
    }
    let known: Value = serde_json::from_str(&place.grader(&["explain", "--format", "json"]).out).unwrap();
    let mut seen = Vec::new();
    for word in known["words"].as_array().unwrap() {
        let (text, of) = (word["word"].as_str().unwrap(), word["of"].as_str().unwrap());
        // What is a word of reports and a term, too, is explained where reports are.
        if seen.contains(&text) {
            continue;
        }
        seen.push(text);
        let page = if of == "reports" { "words" } else { "glossary" };
        let chapter = course::COURSE.iter().any(|exercise| exercise.id()[3..] == *text);
        if !chapter {
            assert_eq!(book(&place, text).all(), all(&format!("book/book/{page}.html")), "{text}");
        }
    }
    assert_eq!(book(&place, "machine model").all(), all("book/book/machine-model.html"));
}

/// What it prints off a terminal: the path and nothing else.
fn all(path: &str) -> String {
    format!("exit code 0\n--- standard output\n{path}\n--- standard error\n")
}

#[test]
fn what_no_page_is_about_is_said_with_what_comes_near() {
    let unknown = book(&checkout(), "racee");
    assert_eq!(unknown.code, 2, "{}", unknown.all());
    assert!(unknown.err.contains("no page about `racee`") && unknown.err.contains("did you mean `race`?"));
    assert!(unknown.err.contains("`grader list`") && unknown.out.is_empty(), "{}", unknown.all());
}

#[test]
fn a_program_without_a_book_says_how_to_make_it() {
    let nowhere = book(&Place::new(), "03");
    assert_eq!(nowhere.code, 3, "{}", nowhere.all());
    assert!(nowhere.err.contains("built without the book") && nowhere.err.contains("in the checkout"));
    let place = bare_checkout();
    let unbuilt = book(&place, "03");
    assert_eq!(unbuilt.code, 3, "{}", unbuilt.all());
    assert!(unbuilt.err.contains("next: `mdbook build book`"), "{}", unbuilt.err);
}

#[test]
fn of_two_built_books_the_newer_one_is_opened() {
    let place = checkout();
    let other = place.write("target/book/index.html", "");
    let shift = |seconds: i64| {
        let of = Duration::from_secs(seconds.unsigned_abs());
        let time = if seconds < 0 { SystemTime::now() - of } else { SystemTime::now() + of };
        File::options().write(true).open(&other).unwrap().set_modified(time).unwrap();
    };
    shift(-60);
    assert_eq!(place.grader(&["explain", "--book"]).out, "book/book/index.html\n");
    shift(60);
    assert_eq!(place.grader(&["explain", "--book"]).out, "target/book/index.html\n");
}

/// A browser that notes what it is asked for.
fn browser(place: &Place) -> (PathBuf, PathBuf) {
    let (program, asked) = (place.path("browser"), place.path("asked"));
    fs::write(&program, format!("#!/bin/sh\necho \"$1\" >>'{}'\n", asked.to_str().unwrap())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    (program, asked)
}

/// What the browser was asked for, once it was.
fn awaited(asked: &PathBuf) -> String {
    let begun = SystemTime::now();
    loop {
        let text = fs::read_to_string(asked).unwrap_or_default();
        if text.ends_with('\n') {
            return text;
        }
        assert!(begun.elapsed().unwrap() < PATIENCE, "no browser was asked");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_terminal_opens_a_browser_and_a_screen_reader_has_the_path() {
    let place = checkout();
    let (program, asked) = browser(&place);
    let arguments = ["explain", "--book", "bank", "conflict"];
    let session = Session::with(&place.path(""), &arguments, (120, 24), &[("BROWSER", &program)]);
    let screen = session.awaited("A browser was asked");
    assert!(screen.contains("The book, bank conflict:") || screen.contains("bank_conflict:"), "{screen}");
    assert!(awaited(&asked).ends_with("/book/book/glossary.html#bank-conflict\n"));
    session.ended();
    fs::remove_file(&asked).unwrap();
    let plain = ["explain", "--book", "03", "--plain"];
    let session = Session::with(&place.path(""), &plain, (80, 24), &[("BROWSER", &program)]);
    assert_eq!(session.awaited("reduction.html").trim_end(), "book/book/chapters/03-reduction.html");
    session.ended();
    assert!(!asked.exists());
}

#[test]
fn watch_opens_the_chapter_of_its_exercise() {
    let place = checkout();
    let (program, asked) = browser(&place);
    assert_eq!(place.grader(&["init"]).code, 0);
    let watch = ["watch", "03", "--device", "sim"];
    let mut session = Session::with(&place.path("learn"), &watch, (80, 24), &[("BROWSER", &program)]);
    let screen = session.awaited("not started");
    assert!(
        screen.contains("b opens the chapter") && screen.lines().last().unwrap().contains(" book "),
        "{screen}"
    );
    session.press("b");
    session.awaited("The book, chapter 03, Reduction:");
    assert!(awaited(&asked).ends_with("/book/book/chapters/03-reduction.html\n"));
    session.press("\r");
    session.awaited("not started");
    // Where there is no book, the screen says so, with what to do.
    fs::remove_dir_all(place.path("book")).unwrap();
    session.press("b");
    session.awaited("mdbook build book");
    session.press("q");
    session.ended();
}

/// Where the book is told to say more, it does: every chapter has the number and the title that words name.
#[test]
fn words_name_chapters_that_are_there() {
    let known: Value =
        serde_json::from_str(&Place::new().grader(&["explain", "--format", "json"]).out).unwrap();
    let chapters = Path::new(env!("CARGO_MANIFEST_DIR")).join("../book/src/chapters");
    let titles: Vec<String> = fs::read_dir(chapters)
        .unwrap()
        .map(|page| fs::read_to_string(page.unwrap().path()).unwrap().lines().next().unwrap().to_owned())
        .collect();
    let named = Regex::new(r"[Cc]hapter (\d\d), ([^;.,\n]+)").unwrap();
    let mut seen = 0;
    for word in known["words"].as_array().unwrap() {
        for chapter in named.captures_iter(word["text"].as_str().unwrap()) {
            seen += 1;
            let title = format!("# {} {}", &chapter[1], &chapter[2]);
            assert!(titles.contains(&title), "{} names `{title}`, not one of {titles:#?}", word["word"]);
        }
    }
    assert!(seen > 90, "{seen}");
}
