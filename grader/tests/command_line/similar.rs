//! How well copies are told from independent kernels, on a made class: the course's own kernels, each written for itself,
//! and copies of some of them, disguised in ten ways.

use std::{collections::BTreeMap, fs, path::Path};

use regex::{Captures, Regex};

use crate::support::{Place, take};

/// What is measured.
#[derive(Debug, Default)]
struct Measured {
    /// Copies, and those that are found, by disguise.
    copies: BTreeMap<&'static str, (usize, usize)>,
    /// Pairs of kernels that are no copies, and those that are taken for some.
    others: usize,
    accused: Vec<String>,
}

fn replaced(text: &str, pattern: &str, with: &str) -> String {
    Regex::new(pattern).unwrap().replace_all(text, with).into_owned()
}

/// The ways to disguise a copy, each of which keeps what the kernel does.
type Disguise = (&'static str, fn(&str) -> String);

const DISGUISES: [Disguise; 10] = [
    ("other names", names),
    ("declarations in another order", order),
    ("comments", |text| replaced(text, r";\n", "; // so it goes\n")),
    ("macros", |text| {
        let text = text.replace("threadIdx.x", "TX").replace("__syncthreads()", "SYNC");
        format!("#define TX threadIdx.x\n#define SYNC __syncthreads()\n{text}")
    }),
    ("loops rewritten", loops),
    ("constants as expressions", |text| replaced(text, r"= (\d+)([;,)])", "= ($1 + 3 - 3)$2")),
    ("helper functions", |text| {
        let text =
            replaced(text, r"\bblockIdx\.x \* (\w+) \+ ", "where($1) + ").replace("threadIdx.x", "me()");
        let helpers = "__device__ int me() { return threadIdx.x; }\n__device__ int where(int w) { return blockIdx.x * w; }\n";
        format!("{helpers}{text}")
    }),
    ("lines split", |text| {
        replaced(text, r"\n(\s*)(\w+(?:\[[^\];]*\])) = ([^;\n]+);", "\n$1{ const auto t_ = $3; $2 = t_; }")
    }),
    ("dead code", |text| {
        let dead = "${1}    int unused_ = threadIdx.x * 7; if (unused_ == -5) { unused_ = 3; }\n";
        replaced(text, r"(\n    // >>>[^\n]*\n)", dead)
    }),
    ("operands swapped", |text| {
        let text = replaced(text, r"([ (])([a-z_]\w*) < ([a-z_A-Z]\w*)([;) ])", "$1$3 > $2$4");
        replaced(&text, r"\bblockIdx\.x \* (\w+) \+ (\w+(?:\.\w)?)\b", "$2 + $1 * blockIdx.x")
    }),
];

/// Every variable has another name.
fn names(text: &str) -> String {
    let declared = r"\b(?:int|unsigned|float|bool|float4|int2|double|size_t|auto)\s*[*&]?\s*(?:const\s+)?([a-z]\w*)\b(\s*\()?";
    let all: Vec<String> = Regex::new(declared)
        .unwrap()
        .captures_iter(text)
        .filter(|found| found.get(2).is_none())
        .map(|found| found[1].to_owned())
        .filter(|name| !["const", "float", "int", "unsigned", "if", "for"].contains(&name.as_str()))
        .collect();
    all.iter().fold(text.to_owned(), |text, name| {
        let word = Regex::new(&format!(r"(^|[^\w.>]){name}\b")).unwrap();
        word.replace_all(&text, |found: &Captures<'_>| format!("{}{name}_of_mine", &found[1])).into_owned()
    })
}

/// Neighbours that don't need each other change places.
fn order(text: &str) -> String {
    let declaration =
        Regex::new(r"^\s+(?:const )?(?:int|unsigned|float|__shared__ float) (\w+)(?:\[.*\])*(?: = .*)?;$")
            .unwrap();
    let mut lines: Vec<&str> = text.split('\n').collect();
    let mut at = 0;
    while at + 1 < lines.len() {
        let name = declaration.captures(lines[at]).map(|found| found[1].to_owned());
        let needs = |name: &str| Regex::new(&format!(r"\b{name}\b")).unwrap().is_match(lines[at + 1]);
        if name.is_some_and(|name| declaration.is_match(lines[at + 1]) && !needs(&name)) {
            lines.swap(at, at + 1);
            at += 1;
        }
        at += 1;
    }
    lines.join("\n")
}

/// `for` becomes `while`.
fn loops(text: &str) -> String {
    let head = Regex::new(r"\bfor \(([^;]*);([^;]*);([^;{}]*)\) \{").unwrap();
    let (mut out, mut rest) = (String::new(), text.to_owned());
    while let Some(found) = head.captures(&rest) {
        let all = found.get(0).unwrap();
        let mut depth = 1;
        let end = rest[all.end()..]
            .char_indices()
            .find(|(_, c)| {
                depth += i32::from(*c == '{') - i32::from(*c == '}');
                depth == 0
            })
            .map(|(at, _)| all.end() + at);
        let Some(end) = end else { break };
        let body = rest[all.end()..end].to_owned();
        out.push_str(&rest[..all.start()]);
        let (first, condition, step) = (&found[1], found[2].trim(), &found[3]);
        let next = if body.contains("continue") {
            out.push_str(&rest[all.start()..all.end()]);
            rest[all.end()..].to_owned()
        } else {
            let condition = if condition.is_empty() { "true" } else { condition };
            out.push_str(&format!("{{ {first}; while ({condition}) {{"));
            format!("{body} {step}; }} }}{}", &rest[end + 1..])
        };
        rest = next;
    }
    out + &rest
}

/// The code below the comment that says what the exercise is.
fn disguised(text: &str, disguise: fn(&str) -> String) -> Option<String> {
    let begin: usize = text
        .split_inclusive('\n')
        .take_while(|line| line.starts_with("//") || line.trim().is_empty())
        .map(str::len)
        .sum();
    let copy = format!("{}{}", &text[..begin], disguise(&text[begin..]));
    (copy != text).then_some(copy)
}

/// Measures on these exercises' kernels; the names of what does not compile are left out of the count.
fn measured(exercises: &[String]) -> Measured {
    let place = Place::new();
    let solutions = Path::new(env!("CARGO_MANIFEST_DIR")).join("../solutions");
    let mut copies: BTreeMap<(String, String), &'static str> = BTreeMap::new();
    for exercise in exercises {
        let put = |name: &str, text: &str| {
            place.write(&format!("kernels/{exercise}/{name}.cu"), text);
        };
        let folder = solutions.join(exercise);
        let below = ["", "right", "steps"].map(|below| folder.join(below));
        for path in below
            .iter()
            .filter_map(|folder| fs::read_dir(folder).ok())
            .flatten()
            .map(|entry| entry.unwrap().path())
        {
            if path.extension().is_none_or(|extension| extension != "cu") {
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            let name = path.file_stem().unwrap().to_str().unwrap();
            put(name, &text);
            if name == "kernel" || name.starts_with("1-") {
                for (number, (what, disguise)) in DISGUISES.into_iter().enumerate() {
                    if let Some(copy) = disguised(&text, disguise) {
                        let copied = format!("{name}~{number}");
                        put(&copied, &copy);
                        copies.insert((exercise.clone(), copied), what);
                    }
                }
            }
        }
    }
    let given = place.grader(&["class", "similar", "kernels", "--kernels"]);
    assert_eq!(given.code, 0, "{}", given.all());
    // What a disguise has broken is no copy: it is told.
    let broken: Vec<&str> = given
        .err
        .lines()
        .filter_map(|line| line.split_once(" does not compile"))
        .map(|(who, _)| who.trim_start_matches("note: "))
        .collect();
    let is_broken = |exercise: &str, name: &str| broken.contains(&&*format!("{exercise} {name}"));
    let mut found: Vec<(String, String, String)> = Vec::new();
    let book = fs::read_to_string(place.path("kernels/similar.csv")).unwrap();
    for line in csv::Reader::from_reader(book.as_bytes()).records().map(Result::unwrap) {
        found.push((line[0].to_owned(), line[1].to_owned(), line[2].to_owned()));
    }
    let mut measured = Measured::default();
    for ((exercise, copy), what) in copies.iter().filter(|((exercise, copy), _)| !is_broken(exercise, copy)) {
        let of = copy.split('~').next().unwrap().to_owned();
        let of = measured_pair(exercise, copy, &of);
        let count = measured.copies.entry(*what).or_default();
        count.0 += 1;
        count.1 += usize::from(found.contains(&of));
    }
    for exercise in exercises {
        let all = fs::read_dir(place.path("kernels").join(exercise)).unwrap();
        let own = all
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| !name.contains('~'))
            .count();
        measured.others += own * (own - 1) / 2;
    }
    let accused = found.iter().filter(|(_, one, other)| !one.contains('~') && !other.contains('~'));
    measured.accused = accused.map(|(exercise, one, other)| format!("{exercise}: {one}, {other}")).collect();
    measured
}

fn measured_pair(exercise: &str, copy: &str, of: &str) -> (String, String, String) {
    let mut two = [copy.to_owned(), of.to_owned()];
    two.sort();
    let [one, other] = two;
    (exercise.to_owned(), one, other)
}

/// The table that the book has, in its page for instructors.
fn table(measured: &Measured) -> String {
    let mut out = String::from("| disguise | copies | found |\n|---|---:|---:|\n");
    let (mut all, mut found) = (0, 0);
    for (what, (copies, of)) in &measured.copies {
        out.push_str(&format!("| {what} | {copies} | {of} |\n"));
        (all, found) = (all + copies, found + of);
    }
    let accused = measured.accused.len();
    out.push_str(&format!(
        "\nrecall {found} of {all} ({:.1} %); {accused} of {} pairs that are no copies are shown, too; precision {:.1} %\n{}\n",
        100.0 * found as f64 / all as f64,
        measured.others,
        100.0 * found as f64 / (found + accused) as f64,
        measured.accused.join("\n")
    ));
    out
}

fn check(measured: &Measured) {
    let table = table(measured);
    let (all, found) =
        measured.copies.values().fold((0, 0), |(all, found), (copies, of)| (all + copies, found + of));
    assert!(found * 100 >= all * 90, "{table}");
    assert!(measured.accused.len() * 100 <= measured.others * 4, "{table}");
}

#[test]
fn copies_in_disguise_are_found_and_others_are_not() {
    let measured = measured(&["03-reduction".to_owned(), "12-histogram".to_owned()]);
    assert_eq!(measured.copies.len(), DISGUISES.len(), "every disguise changes something: {measured:?}");
    check(&measured);
}

#[test]
#[ignore = "all of the course takes minutes: run it with --ignored --nocapture for the book's table"]
fn the_books_table_of_copies() {
    let solutions = Path::new(env!("CARGO_MANIFEST_DIR")).join("../solutions");
    let mut all: Vec<String> = fs::read_dir(solutions)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    all.retain(|name| name.starts_with(|c: char| c.is_ascii_digit()));
    all.sort();
    let measured = measured(&all);
    println!("{}", table(&measured));
    check(&measured);
}

#[test]
fn a_class_is_compared_by_what_it_handed_in() {
    let place = Place::new();
    let put = |student: &str, kernel: &str, change: &dyn Fn(&str) -> String| {
        take(&place, kernel);
        let text = change(&fs::read_to_string(place.path("k.cu")).unwrap());
        place.write(&format!("class/{student}/03-reduction/kernel.cu"), text);
    };
    let same = |text: &str| text.to_owned();
    put("ada", "03-reduction/right/ordered-integers.cu", &same);
    put("bob", "03-reduction/right/ordered-integers.cu", &|text| disguised(text, names).unwrap());
    put("=cleo", "03-reduction/kernel.cu", &same);
    put("dan", "../exercises/03-reduction/kernel.cu", &same);
    put("eve", "../exercises/03-reduction/kernel.cu", &same);
    let score = ["score", "class", "--out", "results", "--device", "sim", "--seed", "7"];
    assert_eq!(place.grader(&score).code, 0);
    let given = place.grader(&["class", "similar", "results"]);
    assert_eq!(given.code, 0, "{}", given.all());
    let read = |name: &str| fs::read_to_string(place.path("results").join(name)).unwrap();
    // Stubs as they came are alike, and nobody's copies.
    let pairs = read("similar.csv");
    assert!(pairs.contains("\n03-reduction,ada,bob,1.00,,"), "{pairs}");
    assert_eq!(pairs.lines().count(), 2, "{pairs}");
    assert!(read("resembles.csv").contains("\n'=cleo,03-reduction,solution,1.00\n"));
    assert!(given.out.contains("flags, never verdicts"), "{}", given.out);
    // It changes nothing that was judged.
    assert_eq!(place.grader(&["class", "audit", "results"]).code, 0);
    assert_eq!(place.grader(&["class", "similar", "class"]).code, 2);
}
