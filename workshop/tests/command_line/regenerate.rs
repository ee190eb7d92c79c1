//! Generated files that are changed or deleted are named by `workshop regenerate --check` and come back byte for
//! byte, on a copy of what is generated without running a kernel. (CI compares the others in the checkout itself.)

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
};

/// All files that are made as a whole without running a kernel, besides the figures.
const FILES: [&str; 5] = [
    "book/theme/banks-data.js",
    "solutions/measured/speeds.json",
    "simulator/benches/compare/results.md",
    "book/src/report.schema.json",
    "book/src/commands.schema.json",
];
const FIGURES: &str = "book/src/generated/figures";
/// Folders and files that may be written; all else is the checkout's own.
const COPIED: [&str; 4] = ["book", "README.md", "solutions/measured", "simulator/benches/compare"];

fn checkout() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("a workspace")
}

/// A checkout that may be written to.
fn copy() -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a folder");
    link(&checkout(), place.path(), Path::new(""));
    place
}

/// Copies what may be written, and what lies beside it is a link.
fn link(from: &Path, to: &Path, folder: &Path) {
    fs::create_dir_all(to.join(folder)).expect("a folder");
    for entry in fs::read_dir(from.join(folder)).expect("a folder") {
        let name = folder.join(entry.expect("an entry").file_name());
        if [".git", "target", "learn"].iter().any(|left| name == Path::new(left)) {
            continue;
        }
        if COPIED.iter().any(|copied| name == Path::new(copied)) {
            copy_all(&from.join(&name), &to.join(&name));
        } else if COPIED.iter().any(|copied| Path::new(copied).starts_with(&name)) {
            link(from, to, &name);
        } else {
            symlink(from.join(&name), to.join(&name)).expect("a link");
        }
    }
}

fn copy_all(from: &Path, to: &Path) {
    if from.is_file() {
        fs::copy(from, to).expect("a copy");
        return;
    }
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let name = entry.expect("an entry").file_name();
        copy_all(&from.join(&name), &to.join(&name));
    }
}

/// The exit code, and what it says.
fn regenerate(place: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let mut workshop = Command::new(env!("CARGO_BIN_EXE_workshop"));
    workshop.env("LC_ALL", "C.UTF-8");
    let output = workshop
        .arg("regenerate")
        .args(["benchmarks", "schema", "book"])
        .args(arguments)
        .current_dir(place)
        .output();
    let output = output.expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code(), said + &String::from_utf8_lossy(&output.stderr))
}

/// All files that are made as a whole without running a kernel, figures and all.
fn made() -> Vec<String> {
    let figures = fs::read_dir(checkout().join(FIGURES)).expect("a folder");
    let figures = figures.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    let mut made: Vec<String> = figures.map(|name| format!("{FIGURES}/{name}")).collect();
    made.extend(FILES.map(str::to_owned));
    made.sort();
    assert!(made.len() > 100, "{} files", made.len());
    made
}

/// A page without what it shows of other files and tables, and without the numbers that it asks for. Code stays.
fn emptied(page: &str) -> String {
    let (mut kept, mut fence, mut is_made) = (String::new(), None, false);
    for line in page.split_inclusive('\n') {
        if is_made {
            is_made = !line.starts_with("<!-- end -->");
            if !is_made {
                kept.push_str(line);
            }
            continue;
        }
        let ticks = line.trim_start().bytes().take_while(|byte| *byte == b'`').count();
        let is_code = fence.is_some() || ticks >= 3;
        match fence {
            None if ticks >= 3 => fence = Some(ticks),
            Some(open) if ticks >= open => fence = None,
            _ => {}
        }
        if is_code {
            kept.push_str(line);
            continue;
        }
        let mut rest = line;
        while let Some((before, after)) = rest.split_once("<!-- =") {
            let (question, after) = after.split_once(" -->").expect("a question's end");
            let (_, after) = after.split_once("<!-- . -->").expect("an answer's end");
            kept.push_str(&format!("{before}<!-- ={question} --><!-- . -->"));
            rest = after;
        }
        kept.push_str(rest);
        is_made = line.starts_with("<!-- made by `workshop book`: ");
    }
    kept
}

/// The pages that show something made, by path.
fn pages() -> Vec<String> {
    let mut pages = vec!["README.md".to_owned()];
    for folder in ["book/src", "book/src/chapters"] {
        let entries = fs::read_dir(checkout().join(folder)).expect("a folder");
        let names = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
        pages.extend(names.filter(|name| name.ends_with(".md")).map(|name| format!("{folder}/{name}")));
    }
    pages.retain(|page| {
        let text = fs::read_to_string(checkout().join(page)).expect("a page");
        emptied(&text) != text
    });
    pages
}

/// Every figure, every table, all shown code and every number goes, and one command brings all of it back.
#[test]
fn whatever_is_made_comes_back_byte_for_byte() {
    let place = copy();
    let path = |name: &str| place.path().join(name);
    let (made, pages) = (made(), pages());
    assert!(pages.len() > 25, "{} pages", pages.len());
    for page in &pages {
        let text = fs::read_to_string(path(page)).expect("a page");
        fs::write(path(page), emptied(&text)).expect("a page");
    }
    made.iter().for_each(|file| fs::remove_file(path(file)).expect("a file"));
    let (code, said) = regenerate(place.path(), &[]);
    assert_eq!(code, Some(0), "{said}");
    for file in made.iter().chain(&pages) {
        let [made, kept] = [path(file), checkout().join(file)].map(|file| fs::read(file).ok());
        assert!(made.is_some() && made == kept, "{file} came back otherwise");
    }
}

#[test]
fn what_is_changed_or_deleted_is_named_and_comes_back() {
    let place = copy();
    let made = made();
    let path = |name: &str| place.path().join(name);
    let (code, said) = regenerate(place.path(), &["--check"]);
    assert_eq!(code, Some(0), "{said}");
    let spoil: [fn(&Path); 2] = [
        |file| fs::write(file, "typed by hand\n").expect("a file"),
        |file| fs::remove_file(file).expect("a file"),
    ];
    for spoil in spoil {
        made.iter().for_each(|file| spoil(&path(file)));
        let (code, said) = regenerate(place.path(), &["--check"]);
        assert_eq!(code, Some(1), "{said}");
        let unnamed: Vec<_> = made.iter().filter(|file| !said.contains(*file)).collect();
        assert!(unnamed.is_empty(), "{unnamed:?} are not named: {said}");
        let (code, said) = regenerate(place.path(), &[]);
        assert_eq!(code, Some(0), "{said}");
        for file in &made {
            let [made, kept] =
                [path(file), checkout().join(file)].map(|file| fs::read(file).expect("a file"));
            assert!(made == kept, "{file} came back otherwise");
        }
    }
}

#[test]
fn a_part_of_a_page_is_made_and_the_rest_is_left_alone() {
    let place = copy();
    let path = |name: &str| place.path().join(name);
    let chapter = "book/src/chapters/03-reduction.md";
    for (file, from, to) in [
        ("README.md", "| 03-reduction |", "| 03-production |"),
        // Code of a kernel, a table of the record, what the grader says, a number in a sentence.
        (chapter, "            data[thread] = fmaxf(", "            data[thread] = fminf("),
        (chapter, "| `steps/1-divergent.cu` |", "| `steps/1-convergent.cu` |"),
        (chapter, "error[race]: Thread", "error[race]: Lane"),
        ("book/src/chapters/08-matmul.md", "-->1.40<!--", "-->1.60<!--"),
        ("book/src/evidence.md", "| atomics | 21 |", "| atomics | 22 |"),
    ] {
        let text = fs::read_to_string(path(file)).expect("a page");
        assert!(text.contains(from), "{file} has no `{from}`");
        fs::write(path(file), text.replacen(from, to, 1) + "\nTyped by hand.\n").expect("a page");
        let (code, said) = regenerate(place.path(), &["--check"]);
        assert!(code == Some(1) && said.contains(file), "{said}");
        assert_eq!(regenerate(place.path(), &[]).0, Some(0));
        assert_eq!(fs::read_to_string(path(file)).expect("a page"), text + "\nTyped by hand.\n");
    }
}

#[test]
fn a_file_that_nothing_makes_any_more_is_named_and_goes() {
    let place = copy();
    let old = place.path().join("book/src/generated/figures/99-old.svg");
    fs::write(&old, "old\n").expect("a file");
    let (code, said) = regenerate(place.path(), &["--check"]);
    assert!(code == Some(1) && said.contains("99-old.svg (nothing makes it any more)"), "{said}");
    assert!(old.is_file());
    assert_eq!(regenerate(place.path(), &[]).0, Some(0));
    assert!(!old.exists());
}
