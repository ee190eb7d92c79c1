//! What is handed out of a scoring: columns that only the assignment decides, and a page for each student that tells
//! nothing of the others, of the seed or of the machine.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::Read as _,
};

use crate::support::{Place, results, take};

/// No other number is likely to be the same.
const SEED: &str = "7340217734551";

const SHEET: &str = "schema = 1\ntitle = \"Sheet 3\"\n[exercises.03-reduction]\ncorrect = 4\nclean = 2\ncounters = 2\n\
    [exercises.06-transpose]\ncorrect = 4\nclean = 1\nspeedup = 1.5\n";

const ROSTER: &str = "id,name,email\nada,Ada Lovelace,ada@example.edu\nbob,Bob Babbage,bob@example.edu\n\
    cleo,Cleo Clerk,cleo@example.edu\ndan,Dan Daring,dan@example.edu\n";

/// Everything that a page of another student's may not have.
const OF_OTHERS: [(&str, [&str; 3]); 4] = [
    ("ada", ["Lovelace", "ada@example", "ada/"]),
    ("bob", ["Babbage", "bob@example", "bob/"]),
    ("cleo", ["Cleo", "cleo@example", "cleo/"]),
    ("dan", ["Daring", "dan@example", "dan/"]),
];

fn put(place: &Place, to: &str, kernel: &str) {
    take(place, kernel);
    let text = fs::read(place.path("k.cu")).unwrap();
    place.write(&format!("{to}/03-reduction/kernel.cu"), text);
}

/// Ada passes, Bob races, Cleo's does not compile, and Dan hands in nothing.
fn class() -> Place {
    let place = Place::new();
    place.write("sheet.toml", SHEET);
    place.write("roster.csv", ROSTER);
    put(&place, "class/ada", "03-reduction/kernel.cu");
    put(&place, "class/bob", "03-reduction/wrong/missing-barrier-in-tree.cu");
    place.write(
        "class/cleo/03-reduction/kernel.cu",
        "#include <cooperative_groups.h>\nextern \"C\" __global__ void reduce_max(const float *in, float *out, int n) { outt[0] = \"<b>\"; }\n",
    );
    place
}

fn score(place: &Place, class: &str, out: &str) {
    let given = place.grader(&[
        "class",
        "score",
        class,
        "--assignment",
        "sheet.toml",
        "--roster",
        "roster.csv",
        "--device",
        "sim",
        "--seed",
        SEED,
        "--out",
        out,
    ]);
    assert_eq!(given.code, 0, "{}", given.all());
}

fn pages(place: &Place, out: &str) -> BTreeMap<String, String> {
    let entries = fs::read_dir(place.path(out).join("students")).unwrap();
    let page = |entry: fs::DirEntry| {
        (
            entry.file_name().into_string().unwrap(),
            fs::read_to_string(entry.path()).unwrap().replace("&#x2f;", "/"),
        )
    };
    entries.map(|entry| page(entry.unwrap())).collect()
}

#[test]
fn a_students_page_has_all_that_the_judge_says_and_nothing_else() {
    let place = class();
    score(&place, "class", "results");
    let all = pages(&place, "results");
    assert_eq!(all.keys().collect::<Vec<_>>(), ["ada.html", "bob.html", "cleo.html", "dan.html"]);
    let machine = place.path("").to_str().unwrap().to_owned();
    for (name, page) in &all {
        assert!(!page.contains(SEED), "{name} has the seed");
        assert!(
            !page.contains(&machine) && !page.contains("/root/") && !page.contains("/tmp/"),
            "{name}: {page}"
        );
        assert!(!page.contains("<script") && !page.contains("href=\"http"), "{name} needs more than itself");
        for (other, its) in OF_OTHERS.iter().filter(|(other, _)| *name != format!("{other}.html")) {
            for of_other in its {
                assert!(!page.contains(of_other), "{name} has {of_other} of {other}");
            }
        }
    }
    let has = |name: &str, said: &[&str]| {
        for said in said {
            assert!(all[name].contains(said), "{name} lacks {said}:\n{}", all[name]);
        }
    };
    has("ada.html", &["Ada Lovelace", "8 of 14.5 points", "correct 4 of 4"]);
    has("ada.html", &["no 06-transpose/kernel.cu"]);
    let bob = [
        "no race, no divergent barrier",
        "error",
        "[race]",
        "kernel.cu",
        "Next:",
        "First case that is wrong",
        "<th scope=\"row\">clean</th>",
    ];
    has("bob.html", &bob);
    // What a learner wrote is text.
    has("cleo.html", &["compile", "Next:", "&lt;b&gt;"]);
    assert!(!all["cleo.html"].contains("<b>"));
    has("dan.html", &["not gradable", "no 03-reduction/kernel.cu"]);

    // The archive has the same.
    let file = fs::File::open(place.path("results/students.zip")).unwrap();
    let mut archive = zip::ZipArchive::new(file).unwrap();
    assert_eq!(archive.len(), all.len());
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).unwrap();
        let mut text = String::new();
        entry.read_to_string(&mut text).unwrap();
        assert_eq!(text.replace("&#x2f;", "/"), all[&entry.name().unwrap().into_owned()]);
    }

    // The same again, elsewhere, is the same to the byte; and a page goes with its student.
    let bytes = |out: &str| fs::read(place.path(out).join("students.zip")).unwrap();
    score(&place, "class", "again");
    assert_eq!((pages(&place, "again"), bytes("again")), (all, bytes("results")));
    place.write("roster.csv", ROSTER.replace("dan,Dan Daring,dan@example.edu\n", ""));
    score(&place, "class", "again");
    assert_eq!(pages(&place, "again").len(), 3);
    let audit = place.grader(&["class", "audit", "again"]);
    assert_eq!(audit.code, 0, "{}", audit.all());
}

/// On a disk that ignores case, no student's file replaces another's.
#[test]
fn files_of_students_are_different_where_case_is_ignored() {
    let place = Place::new();
    place.write("sheet.toml", SHEET);
    for student in ["ada", "Ada", "ADA", "bob"] {
        place.write(&format!("class/{student}/03-reduction/kernel.cu"), "__global__ void k() { x }\n");
    }
    let score =
        ["class", "score", "class", "--assignment", "sheet.toml", "--device", "sim", "--out", "results"];
    for call in [&score[..], &["class", "export", "results", "--to", "gradescope"]] {
        let given = place.grader(call);
        assert!(given.code == 0 || call[1] == "export", "{}", given.all());
    }
    let names = |folder: &str| -> BTreeSet<String> {
        let entries = fs::read_dir(place.path(folder)).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    };
    for folder in ["results/students", "results/gradescope/results"] {
        let lower: BTreeSet<String> = names(folder).iter().map(|name| name.to_lowercase()).collect();
        assert_eq!((names(folder).len(), lower.len()), (4, 4), "{folder}: {lower:?}");
    }
    assert!(names("results/students").contains("bob.html"));
    let archive = fs::File::open(place.path("results/students.zip")).unwrap();
    let mut archive = zip::ZipArchive::new(archive).unwrap();
    let inside =
        (0..archive.len()).map(|index| archive.by_index(index).unwrap().name().unwrap().into_owned());
    assert_eq!(inside.collect::<BTreeSet<String>>(), names("results/students"));
    // Each link leads to a page, and each page has one.
    let report = results(&place, "results").1.replace("&#x2f;", "/");
    let links = report.split("href=\"students/").skip(1).map(|rest| rest.split(['#', '"']).next().unwrap());
    assert_eq!(links.map(str::to_owned).collect::<BTreeSet<String>>(), names("results/students"));
    let audit = place.grader(&["class", "audit", "results"]);
    assert_eq!(audit.code, 0, "{}", audit.all());
}

#[test]
fn columns_are_the_assignments_whatever_the_class_did() {
    let place = class();
    score(&place, "class", "results");
    fs::create_dir_all(place.path("nothing/ada")).unwrap();
    score(&place, "nothing", "empty");
    let head = |out: &str, file: &str| {
        let text = fs::read_to_string(place.path(out).join(file)).unwrap();
        text.lines().next().unwrap().to_owned()
    };
    for file in ["gradebook.csv", "points.csv"] {
        assert_eq!(head("results", file), head("empty", file), "{file}");
    }
    let head = head("results", "gradebook.csv");
    // What only some kernels have, what this sheet's exercises count, and nothing that they can't have.
    for column in [
        ",compile,",
        ",permitted,",
        ",global_load_sectors,",
        ",busiest_block_load_sectors,",
        ",points_counters,",
        ",points_speedup,",
    ] {
        assert!(head.contains(column), "{column}: {head}");
    }
    let points = fs::read_to_string(place.path("results/points.csv")).unwrap();
    let expected = "student,name,email,03-reduction,06-transpose,total,pending,possible,not_graded\n\
        ada,Ada Lovelace,ada@example.edu,8,,8,0,14.5,1\n";
    assert!(points.starts_with(expected), "{points}");
    assert!(points.contains("\ndan,Dan Daring,dan@example.edu,,,0,0,14.5,2\n"), "{points}");
    let (book, report) = results(&place, "results");
    let report = report.replace("&#x2f;", "/");
    assert!(book.contains("\nada,03-reduction,graded,passed,"), "{book}");
    for said in ["clean/race", "href=\"students/bob.html#03-reduction\"", "compile", "Sheet 3: class report"]
    {
        assert!(report.contains(said), "{said}: {report}");
    }
}
