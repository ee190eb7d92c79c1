//! Results for programs that collect them: JUnit's XML, held against Jenkins' schema, and GitHub's annotations. Kernels with
//! hostile text break out of neither.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    sync::Once,
};

use uppsala::{Document, XsdValidator};

use crate::support::{Given, Place, may_be_missing, take};

const SCHEMA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/junit/junit-10.xsd");

const BROKEN: &str = "extern \"C\" __global__ void reduce_max(float* p) { *p = missing; }\n";
const BEYOND: &str = "extern \"C\" __global__ void beyond(int* p) { p[threadIdx.x] = 1; }\n";

/// What ends an element, a command, a line, or a terminal's patience.
const HOSTILE: &str =
    "]]> <testcase name=\"x\"/> & %0A ::error title=forged::gotcha \u{202e}\u{200b}\u{7}\u{1b}[31m\u{fffe}";

/// Fails where it is no XML that the schema admits: by our reader's word always, by xmllint's where there is one.
fn assert_junit(text: &str, what: &str) {
    let schema = fs::read_to_string(SCHEMA).expect("the schema");
    let schema = uppsala::parse(&schema).expect("XML");
    let schema = XsdValidator::from_schema(&schema).expect("a schema");
    let parsed = uppsala::parse(text).unwrap_or_else(|error| panic!("{what}: {error}: {text}"));
    let wrong = schema.validate(&parsed);
    assert!(wrong.is_empty(), "{what}: {wrong:?}: {text}");
    assert_counted(&parsed, what);
    xmllint(text, what);
}

fn xmllint(text: &str, what: &str) {
    static ABSENT: Once = Once::new();
    let place = Place::new();
    let file = place.write("results.xml", text);
    let run = Command::new("xmllint")
        .args(["--noout", "--schema", SCHEMA])
        .arg(&file)
        .stdin(Stdio::null())
        .output();
    match run {
        Ok(output) => assert!(output.status.success(), "{what}: {}", String::from_utf8_lossy(&output.stderr)),
        // Written past the test runner, which keeps the output of tests that pass.
        Err(_) => {
            may_be_missing("xmllint (libxml2-utils)");
            ABSENT.call_once(|| {
                let note = "note: no xmllint here (Debian: libxml2-utils): only our own reader held the XML against the schema\n";
                let _ = std::io::Write::write_all(&mut std::io::stderr(), note.as_bytes());
            });
        }
    }
}

/// The numbers of each suite, and of all, are those of the tests in it, which no schema can say.
fn assert_counted(document: &Document<'_>, what: &str) {
    let number = |element, name: &str| -> usize { attribute(document, element, name).parse().expect(what) };
    let count = |within, name: &str| {
        document.descendants(within).into_iter().filter(|&node| name_of(document, node) == name).count()
    };
    for (root, tag) in [("testsuites", "testcase"), ("testsuite", "testcase")] {
        let all = document.descendants(document.root());
        for element in all.into_iter().filter(|&node| name_of(document, node) == root) {
            for (attribute, tag) in [("tests", tag), ("failures", "failure"), ("errors", "error")] {
                assert_eq!(number(element, attribute), count(element, tag), "{what}: {root} {attribute}");
            }
        }
    }
}

fn name_of<'a>(document: &'a Document<'_>, node: uppsala::NodeId) -> &'a str {
    document.element(node).map_or("", |element| &element.name.local_name)
}

fn attribute(document: &Document<'_>, node: uppsala::NodeId, name: &str) -> String {
    let element = document.element(node).expect("an element");
    element.get_attribute(name).unwrap_or_default().to_owned()
}

/// Each test by suite and name, and what became of it, with the message.
fn tests(text: &str) -> Vec<(String, String, String, String)> {
    let document = uppsala::parse(text).expect("XML");
    let mut found = Vec::new();
    for suite in document.descendants(document.root()) {
        if name_of(&document, suite) != "testsuite" {
            continue;
        }
        for test in
            document.children(suite).into_iter().filter(|&node| name_of(&document, node) == "testcase")
        {
            let end = document.children(test).into_iter().find(|&node| !name_of(&document, node).is_empty());
            let (became, message) = match end {
                Some(end) => (name_of(&document, end).to_owned(), attribute(&document, end, "message")),
                None => ("passed".to_owned(), String::new()),
            };
            found.push((
                attribute(&document, suite, "name"),
                attribute(&document, test, "name"),
                became,
                message,
            ));
        }
    }
    found
}

fn became(text: &str, name: &str) -> (String, String) {
    let test = tests(text).into_iter().find(|(_, test, ..)| test == name);
    let (.., became, message) = test.unwrap_or_else(|| panic!("no test {name}: {text}"));
    (became, message)
}

fn check(place: &Place, format: &str) -> Given {
    place.grader(&["check", "3", "--kernel", "k.cu", "--device", "sim", "--format", format])
}

fn run(place: &Place, entry: &str, format: &str, more: &[&str]) -> Given {
    let common = ["run", "k.cu", "--entry", entry, "--grid", "1", "--block", "64", "--device", "sim"];
    place.grader(&[&common[..], &["--format", format], more].concat())
}

#[test]
fn junit_has_a_test_for_each_goal_and_case_of_a_check() {
    let place = Place::new();
    take(&place, "03-reduction/kernel.cu");
    let passed = check(&place, "junit");
    assert_eq!(passed.code, 0, "{}", passed.all());
    assert_junit(&passed.out, "passed");
    let all = tests(&passed.out);
    assert!(all.iter().all(|(suite, ..)| suite == "03-reduction"), "{all:?}");
    assert!(all.iter().all(|(.., became, _)| became != "failure" && became != "error"), "{all:?}");
    assert_eq!(became(&passed.out, "correct").0, "passed");
    assert_eq!(became(&passed.out, "expert").0, "skipped", "unmeasured here: {all:?}");
    assert!(all.iter().filter(|(_, name, ..)| name.starts_with("case ")).count() > 3, "{all:?}");

    take(&place, "03-reduction/wrong/missing-barrier-in-tree.cu");
    let failed = check(&place, "junit");
    assert_eq!(failed.code, 1);
    assert_junit(&failed.out, "failed");
    let (ended, message) = became(&failed.out, "clean");
    assert!(ended == "failure" && message.starts_with("asked: no race"), "{message}");
    assert!(failed.out.contains("error, race, at k.cu:"), "{}", failed.out);

    take(&place, "03-reduction/wrong/identity-zero.cu");
    let wrong = check(&place, "junit");
    assert_junit(&wrong.out, "wrong");
    assert_eq!(became(&wrong.out, "correct").0, "failure");
    assert!(wrong.out.contains("should be"), "{}", wrong.out);

    place.write("k.cu", BROKEN);
    let broken = check(&place, "junit");
    assert_junit(&broken.out, "broken");
    assert_eq!(became(&broken.out, "compile").0, "failure");
    assert!(broken.out.contains("error, compiler, at k.cu:1:"), "{}", broken.out);
}

#[test]
fn junit_has_an_error_where_nothing_was_judged() {
    let place = Place::new();
    let missing = check(&place, "junit");
    assert_eq!(missing.code, 2);
    assert_junit(&missing.out, "no file");
    let (ended, message) = became(&missing.out, "judge");
    assert!(ended == "error" && message.contains("k.cu does not exist"), "{}", missing.out);
    // In a course, the other exercises are judged all the same.
    assert_eq!(place.grader(&["init"]).code, 0);
    let folder = fs::read_dir(place.path("")).unwrap().filter_map(Result::ok).map(|entry| entry.path());
    for exercise in folder.filter(|path| path.is_dir() && !path.ends_with("03-reduction")) {
        fs::write(exercise.join("kernel.cu"), "").unwrap();
    }
    let all = place.grader(&["check", "--all", "--device", "sim", "--format", "junit"]);
    assert_eq!(all.code, 2, "{}", all.err);
    assert_junit(&all.out, "all");
    let ends = tests(&all.out);
    assert!(
        ends.iter().any(|(suite, .., ended, _)| suite == "03-reduction" && ended == "failure"),
        "{ends:?}"
    );
    assert!(
        ends.iter().any(|(suite, .., ended, _)| suite == "04-synchronization" && ended == "error"),
        "{ends:?}"
    );
}

#[test]
fn junit_of_a_run_follows_the_kernel_to_its_end() {
    let place = Place::new();
    place.write("k.cu", BEYOND);
    let clean = run(&place, "beyond", "junit", &["--arg", "out:i32:64"]);
    assert_eq!(clean.code, 0, "{}", clean.all());
    assert_junit(&clean.out, "clean");
    let beyond = run(&place, "beyond", "junit", &["--arg", "out:i32:32"]);
    assert_junit(&beyond.out, "beyond");
    assert_eq!(became(&beyond.out, "compile").0, "passed");
    assert_eq!(became(&beyond.out, "clean").0, "failure", "{}", beyond.out);
    place.write("k.cu", BROKEN);
    let broken = run(&place, "reduce_max", "junit", &["--arg", "out:f32:1"]);
    assert_junit(&broken.out, "broken");
    assert_eq!(
        (became(&broken.out, "compile").0.as_str(), became(&broken.out, "clean").0.as_str()),
        ("failure", "skipped")
    );
    let usage = run(&place, "reduce_max", "junit", &["--arg", "same:3"]);
    assert_eq!(usage.code, 1, "a kernel that does not compile is not planned");
}

#[test]
fn score_writes_junit_of_the_class() {
    let place = Place::new();
    take(&place, "03-reduction/kernel.cu");
    place.write("class/ada/03-reduction/kernel.cu", fs::read(place.path("k.cu")).unwrap());
    place.write("class/b]]>b\u{202e}/03-reduction/kernel.cu", BROKEN);
    let given = place.grader(&["score", "class", "--out", "results", "--device", "sim", "--seed", "7"]);
    assert_eq!(given.code, 0, "{}", given.all());
    assert!(given.out.contains("junit.xml"), "{}", given.out);
    let text = fs::read_to_string(place.path("results/junit.xml")).unwrap();
    assert_junit(&text, "score");
    let all = tests(&text);
    let of = |suite: &str, test: &str| {
        let found =
            all.iter().find(|(s, t, ..)| s == suite && t == test).unwrap_or_else(|| panic!("{all:?}"));
        found.2.clone()
    };
    assert_eq!(of("ada/03-reduction", "correct"), "passed");
    assert_eq!(of("b]]>b\\u{202e}/03-reduction", "compile"), "failure");
    assert_eq!(of("ada/04-synchronization", "judge"), "skipped");
}

#[test]
fn github_annotates_what_is_wrong_where_it_is() {
    let place = Place::new();
    take(&place, "03-reduction/wrong/missing-barrier-in-tree.cu");
    let racy = check(&place, "github");
    assert_eq!(racy.code, 1);
    let lines: Vec<&str> = racy.out.lines().collect();
    assert!(lines.iter().all(|line| line.starts_with("::")), "{}", racy.out);
    let race = lines.iter().find(|line| line.contains("title=03-reduction%3A race::")).expect(&racy.out);
    assert!(race.starts_with("::error file=k.cu,line=") && race.contains(",col="), "{race}");
    // The goal `clean` has its findings; a goal without one has an annotation of its own.
    assert!(!racy.out.contains("title=03-reduction%3A clean"), "{}", racy.out);
    take(&place, "03-reduction/wrong/identity-zero.cu");
    let wrong = check(&place, "github");
    assert!(
        wrong.out.starts_with("::error file=k.cu,title=03-reduction%3A correct::asked: "),
        "{}",
        wrong.out
    );
    take(&place, "03-reduction/kernel.cu");
    let passed = check(&place, "github");
    let notice = "::notice file=k.cu,title=03-reduction::03-reduction passed\n";
    assert_eq!((passed.code, passed.out.as_str()), (0, notice));
    place.write("k.cu", BROKEN);
    let broken = check(&place, "github");
    assert!(broken.out.starts_with("::error file=k.cu,line=1,"), "{}", broken.out);
    place.write("k.cu", BEYOND);
    let beyond = run(&place, "beyond", "github", &["--arg", "out:i32:32"]);
    assert!(beyond.out.starts_with("::error file=k.cu,line=1,"), "{}", beyond.out);
    let missing = place.grader(&["check", "3", "--kernel", "nowhere.cu", "--format", "github"]);
    assert!(
        missing.code == 2 && missing.out.starts_with("::error title=3%3A judge::nowhere.cu does not exist")
    );
}

/// A kernel whose name, lines, messages and output all have the hostile text.
fn hostile(place: &Place) -> Vec<(&'static str, Given)> {
    let text = HOSTILE.replace('\u{7}', "");
    place.write("k.cu", format!("#error {text}\n::error file=k.cu::{text}\n{BEYOND}"));
    let mut all = Vec::new();
    for format in ["junit", "github"] {
        all.push((format, check(place, format)));
        all.push((format, run(place, "beyond", format, &["--arg", "out:i32:64"])));
    }
    let print = HOSTILE.replace('%', "%%").replace('"', "\\\"");
    let source = format!(
        "#include <cstdio>\n// {HOSTILE}\n/* {HOSTILE} */ extern \"C\" __global__ void beyond(int* p) {{ \
         printf(\"\\n::error::printed {print}\\n::stop-commands::x\\n\"); p[threadIdx.x] = 1; /* {HOSTILE} */ }}\n"
    );
    let name = "]]>,x=1::%0A\n::error title=name::\u{202e}k.cu";
    place.write(name, source);
    for format in ["junit", "github"] {
        let name = name.to_owned();
        let common = ["run", &name, "--entry", "beyond", "--grid", "1", "--block", "64", "--device", "sim"];
        let more = ["--arg", "out:i32:32", "--format", format];
        all.push((format, place.grader(&[&common[..], &more].concat())));
        let more = ["check", "3", "--device", "sim", "--kernel", &name, "--format", format];
        all.push((format, place.grader(&more)));
        // A name that is none.
        let entry =
            ["run", "k.cu", "--entry", "x\n::error::entry\n]]>\u{1b}[0m", "--grid", "1", "--block", "1"];
        all.push((format, place.grader(&[&entry[..], &["--format", format]].concat())));
    }
    all
}

#[test]
fn hostile_text_breaks_out_of_nothing() {
    let place = Place::new();
    for (format, given) in hostile(&place) {
        assert!(given.code == 1 || given.code == 2, "{}", given.all());
        let hidden = |c: &char| (c.is_control() && *c != '\n') || "\u{202e}\u{200b}\u{fffe}".contains(*c);
        assert_eq!(given.all().chars().find(hidden), None, "{}", given.all());
        // Nothing of a learner's begins a line, where a runner would obey it.
        let forged = |line: &&str| {
            let line = line.trim_start();
            [
                "::error title=forged",
                "::error file=k.cu::",
                "::error::",
                "::error title=name",
                "::stop-commands",
            ]
            .iter()
            .any(|command| line.starts_with(command))
        };
        assert_eq!(given.err.lines().find(forged), None, "{}", given.all());
        match format {
            "junit" => {
                assert_junit(&given.out, &given.all());
                assert!(tests(&given.out).iter().all(|(_, name, ..)| name != "x"), "{}", given.out);
            }
            _ => {
                assert!(!given.out.is_empty(), "{}", given.all());
                for line in given.out.lines() {
                    assert!(!forged(&line), "{line}");
                    // The only `::` before the message are the command's own.
                    let (command, _) =
                        line.strip_prefix("::").and_then(|rest| rest.split_once("::")).expect(line);
                    let properties = command.split_once(' ').expect(line).1;
                    for property in properties.split(',') {
                        let (name, value) = property.split_once('=').expect(line);
                        assert!(
                            ["file", "line", "col", "title"].contains(&name) && !value.contains(':'),
                            "{line}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn the_schema_refuses_what_is_no_junit() {
    let place = Place::new();
    take(&place, "03-reduction/kernel.cu");
    let given = check(&place, "junit").out;
    for (from, to) in
        [("<testcase name=", "<testcase nom="), ("<skipped", "<skept"), ("tests=\"", "tests=\"1")]
    {
        let spoiled = given.replace(from, to).replace("</skipped", "</skept");
        assert!(std::panic::catch_unwind(|| assert_junit(&spoiled, from)).is_err(), "{from}");
    }
    assert!(Path::new(SCHEMA).is_file());
}
