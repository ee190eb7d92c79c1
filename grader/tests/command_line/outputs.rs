//! Files that people name for a command to write: every command, every such option, and what is never written over.

use std::{
    any::TypeId,
    collections::{BTreeMap, BTreeSet},
    fs,
    path::PathBuf,
};

use clap::{Command, CommandFactory as _};
use launch_options::Save;

use crate::support::{Given, Place, take};

const COPY: &str =
    "extern \"C\" __global__ void copy(const int *in, int *out) { out[threadIdx.x] = in[threadIdx.x]; }\n";
/// Options and arguments that are paths to be read.
const READ: [&str; 10] = [
    "assignment",
    "from",
    "gradebook",
    "include",
    "kernel",
    "reuse",
    "results",
    "roster",
    "run FILE",
    "submissions",
];
/// What writes to a path that is named, with a call that does: `@` is the path.
const WRITES: [(&str, &str); 16] = [
    ("calibrate --out", "calibrate 03 --out @"),
    ("check --dump", "check 03 --kernel k.cu --device sim --case 5 --dump @"),
    ("check --plot", "check 05 --kernel k.cu --device sim --plot @"),
    ("class export --out", "class export results --to canvas --out @"),
    ("class export --out", "class export results --to moodle --out @"),
    ("class export --out", "class export results --to gradescope --out @"),
    ("class export --out", "class export results --to github --out @"),
    ("class init FILE", "class init @"),
    ("class merge --out", "class merge class --device sim --out @"),
    ("class score --out", "class score class --device sim --out @"),
    ("class similar --out", "class similar results --out @"),
    ("init FOLDER", "init @"),
    ("run --ptx", "run copy.cu --entry copy --grid 1 --block 1 --device sim --arg null --arg null --ptx @"),
    (
        "run --save",
        "run copy.cu --entry copy --grid 1 --block 1 --device sim --arg in:i32:1=ones --arg out:i32:1 --save 1=@",
    ),
    ("score --out", "score class --device sim --out @"),
    ("submit --out", "submit 03 --out @"),
];

/// Every option that takes a path, as in `check --plot`, but for those to be read.
fn writing(command: &Command, above: &str, all: &mut BTreeSet<String>) {
    let paths = [TypeId::of::<PathBuf>(), TypeId::of::<Save>()];
    for argument in command.get_arguments() {
        let kind = argument.get_value_parser().type_id();
        let id = argument.get_id().as_str();
        let name = match argument.get_long() {
            Some(long) => format!("{above}--{long}"),
            None => format!("{above}{}", id.to_uppercase()),
        };
        let is_read = READ.contains(&id) || READ.contains(&name.as_str());
        if paths.iter().any(|path| kind == *path) && !is_read {
            all.insert(name);
        }
    }
    for below in command.get_subcommands() {
        writing(below, &format!("{above}{} ", below.get_name()), all);
    }
}

/// A course folder with a kernel to hand in, a class that was scored, and files of somebody's.
fn place() -> (Place, Vec<PathBuf>) {
    let place = Place::new();
    assert_eq!(place.grader(&["init", "mine"]).code, 0);
    take(&place, "03-reduction/kernel.cu");
    let kernel = fs::read(place.path("k.cu")).unwrap();
    place.write("mine/03-reduction/kernel.cu", &kernel);
    place.write("class/ada/03-reduction/kernel.cu", &kernel);
    place.write("copy.cu", COPY);
    let sheet = "schema = 1\ntitle = \"Sheet\"\n[exercises.03-reduction]\ncorrect = 4\n";
    place.write("sheet.toml", sheet);
    let score = ["score", "class", "--assignment", "sheet.toml", "--device", "sim", "--out", "results"];
    let scored = place.grader(&score);
    assert_eq!(scored.code, 0, "{}", scored.all());
    place.write("theirs/similar.csv", "student,note\nada,asked\n");
    let kinds = ["cu", "csv", "json", "npy", "ptx", "svg", "toml", "txt", "zip"];
    let theirs = kinds.map(|kind| place.write(&format!("theirs.{kind}"), format!("{kind} of somebody's\n")));
    let names =
        ["k.cu", "copy.cu", "mine/03-reduction/kernel.cu", "class/ada/03-reduction/kernel.cu", "sheet.toml"];
    let judged = names.map(|name| place.path(name));
    let all = judged.into_iter().chain(theirs).collect();
    (place, all)
}

fn called(place: &Place, words: &str) -> Given {
    let words: Vec<&str> = words.split(' ').collect();
    let folder = if words[0] == "submit" { "mine" } else { "" };
    place.grader_in(folder, &words)
}

/// What was said, however the lines are broken.
fn said(given: &Given) -> String {
    given.err.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn no_command_writes_over_what_is_not_its_own() {
    let mut all = BTreeSet::new();
    writing(&grader::cli::Cli::command(), "", &mut all);
    let tried: BTreeSet<String> = WRITES.iter().map(|(option, _)| (*option).to_owned()).collect();
    assert_eq!(
        all, tried,
        "each option that writes a file is tried here, and each that reads one is in READ"
    );

    let (place, files) = place();
    let everything = || -> BTreeMap<PathBuf, Vec<u8>> {
        let more =
            ["theirs/similar.csv", "results/gradebook.csv", "results/points.csv", "results/students.zip"];
        let more = more.map(|name| place.path(name));
        files.iter().cloned().chain(more).map(|path| (path.clone(), fs::read(path).unwrap())).collect()
    };
    let before = everything();
    for (option, words) in WRITES {
        for path in before.keys() {
            let given = called(&place, &words.replace('@', path.to_str().unwrap()));
            let path = path.strip_prefix(place.path("")).unwrap().to_str().unwrap();
            // Without a GPU there is nothing to calibrate.
            let expected = if option == "calibrate --out" { [2, 3] } else { [2, 2] };
            assert!(expected.contains(&given.code), "{option}, {path}: {}", given.all());
            assert!(given.err.contains(" next: ") || given.err.contains("--help"), "{}", given.all());
            assert!(given.out.is_empty(), "nothing is judged first: {option}, {path}: {}", given.all());
            assert!(everything() == before, "{option}, {path}: {}", given.all());
        }
    }
    let given = place.grader(&["class", "similar", "results", "--out", "theirs"]);
    assert!(
        given.code == 2 && said(&given).contains("theirs/similar.csv is there already"),
        "{}",
        given.all()
    );
    assert!(everything() == before);
}

#[test]
fn a_folder_that_is_missing_is_wrong_usage_and_made_by_the_next_step() {
    let (place, _) = place();
    for (option, words) in WRITES {
        let ending = match option {
            "check --plot" => ".svg",
            "run --ptx" => ".ptx",
            "run --save" => ".npy",
            "submit --out" => ".zip",
            "class init FILE" => ".toml",
            "class similar --out" => "",
            "class export --out" if words.contains("canvas") || words.contains("moodle") => ".csv",
            // They make the folder, or need a GPU.
            _ => continue,
        };
        let given = called(&place, &words.replace('@', &format!("missing/new{ending}")));
        assert!(given.code == 2 && given.out.is_empty(), "{option}: {}", given.all());
        assert!(said(&given).contains("mkdir -p missing"), "{option}: {}", given.all());
        assert!(!place.path("missing").exists() && !place.path("mine/missing").exists(), "{option}");
    }
}

#[test]
fn an_earlier_one_is_written_over() {
    let (place, _) = place();
    let twice = |words: &str| {
        for time in ["the first time", "the second time"] {
            let given = called(&place, words);
            assert_eq!(given.code, 0, "{time}: {words}: {}", given.all());
        }
    };
    let copy = "run copy.cu --entry copy --grid 1 --block 4 --device sim --arg";
    twice(&format!("{copy} in:i32:4=iota --arg out:i32:4 --save 1=a.npy --save 0=b.npy --ptx copy.ptx"));
    // A step of many goes on from the file that it is saved to.
    twice(&format!("{copy} in:i32:4=iota --arg inout:i32:4=a.npy --save 1=a.npy"));
    take(&place, "05-bank-conflicts/kernel.cu");
    twice("check 05 --kernel k.cu --device sim --plot plot.svg");
    twice("class similar results --out .");
    // An empty file has nothing to lose.
    place.write("new.csv", "");
    for lms in ["canvas --out new.csv", "moodle --out new.csv", "gradescope", "github --out template"] {
        twice(&format!("class export results --to {lms}"));
    }
    twice("class export results --to gradescope --out one.json");
    twice("submit 03 --out ../mine.zip");
}

#[test]
fn two_outputs_are_two_files_and_no_input_of_another() {
    let (place, _) = place();
    let copy = "run copy.cu --entry copy --grid 1 --block 4 --device sim --arg";
    let given = called(&place, &format!("{copy} in:i32:4=iota --arg out:i32:4 --save 0=in.npy"));
    assert_eq!(given.code, 0, "{}", given.all());
    let before = fs::read(place.path("in.npy")).unwrap();
    std::os::unix::fs::symlink(place.path(""), place.path("here")).unwrap();
    for (words, expected) in [
        ("in:i32:4=iota --arg out:i32:4 --save 0=a.npy --save 1=a.npy", "--save and --save both write a.npy"),
        ("in:i32:4=iota --arg out:i32:4 --save 0=a.npy --save 1=./a.npy", "both write ./a.npy"),
        ("in:i32:4=iota --arg out:i32:4 --save 0=a.npy --save 1=here/a.npy", "both write here/a.npy"),
        ("in:i32:4=in.npy --arg out:i32:4 --save 1=in.npy", "in.npy: argument 0 is filled from this file"),
        ("in:i32:4=in.npy --arg out:i32:4 --save 1=here/in.npy", "argument 0 is filled from this file"),
        ("in:i32:4=iota --arg out:i32:4 --ptx copy.cu", "copy.cu: that is the file of the kernel"),
        ("in:i32:4=iota --arg out:i32:4 --ptx x.cu", "x.cu: expected a name that ends in .ptx"),
    ] {
        let given = called(&place, &format!("{copy} {words}"));
        assert!(given.code == 2 && said(&given).contains(expected), "{words}: {}", given.all());
        assert!(!place.path("a.npy").exists() && !place.path("x.cu").exists(), "{words}");
        assert_eq!(fs::read(place.path("in.npy")).unwrap(), before, "{words}");
    }
}

#[test]
fn an_export_keeps_off_the_results_and_off_what_was_changed_by_hand() {
    let (place, _) = place();
    let export = |out: &str| place.grader(&["class", "export", "results", "--to", "canvas", "--out", out]);
    for name in [
        "gradebook.csv",
        "points.csv",
        "report.html",
        "audit-head.txt",
        "results.sqlite",
        "students.zip",
        "students/new.csv",
        "parts/new.csv",
        "slurm/new.csv",
        "not-understood.txt",
        "similar.csv",
        "students/../points.csv",
    ] {
        let given = export(&format!("results/{name}"));
        assert!(given.code == 2 && said(&given).contains("of the results"), "{name}: {}", given.all());
    }
    let audit = place.grader(&["class", "audit", "results"]);
    assert_eq!(audit.code, 0, "{}", audit.all());
    for out in ["new.csv", "results/new.csv"] {
        assert_eq!(export(out).code, 0);
        let edited = fs::read_to_string(place.path(out)).unwrap() + "Bob,12,,,,3\n";
        place.write(out, &edited);
        let given = export(out);
        assert!(given.code == 2 && said(&given).contains("is there already"), "{}", given.all());
        assert_eq!(fs::read_to_string(place.path(out)).unwrap(), edited);
    }
    // What the LMS has exported is not written over by what is made of it.
    let exported = "Student,ID,SIS User ID,SIS Login ID,Section\nada,11,,ada,A\n";
    place.write("exported.csv", exported);
    let both = ["--to", "canvas", "--gradebook", "exported.csv", "--out", "exported.csv"];
    let given = place.grader(&[&["class", "export", "results"], &both[..]].concat());
    assert!(given.code == 2 && said(&given).contains("is there already"), "{}", given.all());
    assert_eq!(fs::read_to_string(place.path("exported.csv")).unwrap(), exported);
}

#[test]
fn a_plot_that_no_exercise_has_is_told_before_anything_is_judged() {
    let (place, _) = place();
    let given = called(&place, "check 03 --kernel k.cu --device sim --plot plot.svg");
    assert!(given.code == 2 && given.out.is_empty(), "{}", given.all());
    assert!(said(&given).contains("03-reduction has no plot"), "{}", given.all());
}

#[test]
fn a_likeness_is_a_share() {
    let place = Place::new();
    for least in ["2", "-0.5", "nan", "much"] {
        let given = place.grader(&["class", "similar", "results", &format!("--least={least}")]);
        assert!(given.code == 2 && said(&given).contains("expected a number from 0 to 1"), "{}", given.all());
    }
}
