//! What the commands really write is what the schemas in `book/src` say, and nothing more.

use std::{fs, path::Path};

use crate::support::{Place, take};
use jsonschema::Validator;
use serde_json::{Value, json};

/// The schema, as it is kept; here a field that it does not name is an error, too.
fn schema() -> Validator {
    kept("report.schema.json")
}

/// One of the schemas.
fn kept(name: &str) -> Validator {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../book/src").join(name);
    let mut schema = serde_json::from_slice(&fs::read(file).expect("the schema")).expect("JSON");
    close(&mut schema);
    jsonschema::validator_for(&schema).expect("a schema")
}

fn close(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            object.values_mut().for_each(close);
            if object.contains_key("properties") && !object.contains_key("additionalProperties") {
                object.insert("additionalProperties".to_owned(), json!(false));
            }
        }
        Value::Array(all) => all.iter_mut().for_each(close),
        _ => {}
    }
}

/// Fails with what is wrong; gives the JSON.
fn valid(schema: &Validator, text: &str, what: &str) -> Value {
    let value: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{what}: {error}: {text}"));
    // The value is one of several shapes; what is wrong with the one that it should have says more than that.
    let wrong: Vec<String> =
        schema.iter_errors(&value).map(|error| format!("{}: {error:.300}", error.instance_path())).collect();
    assert!(wrong.is_empty(), "{what}: {}", wrong.join("\n"));
    value
}

const BROKEN: &str = "extern \"C\" __global__ void reduce_max(float* p) { *p = missing; }\n";
const LOOPS: &str =
    "extern \"C\" __global__ void loops(int* p) { for (int i = 0; i < 100000; ++i) atomicAdd(p, i); }\n";
const BEYOND: &str = "extern \"C\" __global__ void beyond(int* p) { p[threadIdx.x] = 1; }\n";

#[test]
fn what_check_writes_is_in_the_schema() {
    let schema = schema();
    let place = Place::new();
    for (kernel, verdict) in [
        ("03-reduction/kernel.cu", "passed"),
        ("03-reduction/wrong/missing-barrier-in-tree.cu", "failed"),
        ("03-reduction/wrong/identity-zero.cu", "failed"),
        ("05-bank-conflicts/kernel.cu", "passed"),
    ] {
        take(&place, kernel);
        let exercise = &kernel[..2];
        let given =
            place.grader(&["check", exercise, "--kernel", "k.cu", "--device", "sim", "--format", "json"]);
        let report = valid(&schema, &given.out, kernel);
        assert_eq!((&report["verdict"], &report["schema"]), (&json!(verdict), &json!(3)), "{kernel}");
    }
    place.write("k.cu", BROKEN);
    let given = place.grader(&["check", "3", "--kernel", "k.cu", "--device", "sim", "--format", "json"]);
    assert_eq!(valid(&schema, &given.out, "broken")["diagnostics"][0]["severity"], "error");
}

#[test]
fn what_run_writes_is_in_the_schema() {
    let schema = schema();
    let place = Place::new();
    let run = |text: &str, entry: &str, more: &[&str]| {
        place.write("k.cu", text);
        let common = ["run", "k.cu", "--entry", entry, "--grid", "1", "--block", "64", "--device", "sim"];
        place.grader(&[&common[..], &["--format", "json"], more].concat()).out
    };
    let buffer = ["--arg", "inout:i32:32=zeros"];
    for (status, text, entry, more) in [
        ("finished", BEYOND, "beyond", &["--arg", "out:i32:64"][..]),
        ("faulted", BEYOND, "beyond", &buffer[..]),
        ("unfinished", LOOPS, "loops", &[&buffer[..], &["--budget", "1000"]].concat()[..]),
        ("compile_error", BROKEN, "reduce_max", &buffer[..]),
    ] {
        let report = valid(&schema, &run(text, entry, more), status);
        assert_eq!((&report["status"], &report["schema"]), (&json!(status), &json!(3)));
    }
}

#[test]
fn what_score_writes_is_in_the_schema() {
    let schema = schema();
    let place = Place::new();
    take(&place, "03-reduction/kernel.cu");
    place.write("class/ada/03-reduction/kernel.cu", fs::read(place.path("k.cu")).expect("the kernel"));
    place.write("class/bob/03-reduction/kernel.cu", BROKEN);
    let given = place.grader(&["score", "class", "--out", "results", "--device", "sim", "--seed", "7"]);
    assert_eq!(given.code, 0, "{}", given.all());
    for student in ["ada", "bob"] {
        let text = place.grader(&["class", "report", "results", student, "3", "--format", "json"]).out;
        assert_eq!(valid(&schema, &text, student)["exercise"], "03-reduction");
    }
}

#[test]
fn what_the_commands_around_write_is_in_the_schema() {
    let schema = kept("commands.schema.json");
    let place = Place::new();
    let json = |arguments: &[&str]| {
        let given = place.grader(&[arguments, &["--format", "json"]].concat());
        let value = valid(&schema, &given.out, &arguments.join(" "));
        assert_eq!(value["schema"], 3, "{arguments:?}");
        value
    };
    assert!(json(&["list"])["folder"].is_null());
    // Once without a course folder, where nothing is remembered.
    assert_eq!(json(&["hint", "3"])["remembered"], false);
    assert_eq!(json(&["doctor"])["works"], false);
    assert_eq!(place.grader(&["init"]).code, 0);
    assert_eq!(json(&["list"])["exercises"][3]["state"], "new");
    let hint = || json(&["hint", "3"]);
    let (first, second) = (hint(), hint());
    assert_eq!((&first["hints"][0]["number"], &second["hints"][0]["number"]), (&json!(1), &json!(2)));
    assert_eq!(json(&["hint", "3", "--again"])["hints"].as_array().map(Vec::len), Some(2));
    fs::copy(solution("03-reduction"), place.path("03-reduction/kernel.cu")).expect("a copy");
    assert_eq!(place.grader(&["check", "3", "--device", "sim"]).code, 0);
    let passed = hint();
    assert_eq!(passed["passed"], true);
    assert!(passed["after_passing"].as_array().is_some_and(|all| !all.is_empty()), "{passed}");
    let (all, race) = (json(&["explain"]), json(&["explain", "race"]));
    assert!(all["words"].as_array().is_some_and(|words| words.len() > 40), "{all}");
    assert_eq!((&race["words"][0]["word"], &race["words"][0]["of"]), (&json!("race"), &json!("reports")));
    let doctor = json(&["doctor"]);
    assert_eq!(
        (&doctor["works"], &doctor["facts"][0]["name"]),
        (&json!(true), &json!("processor")),
        "{doctor}"
    );
    // What can't be answered is no JSON.
    assert_eq!(place.grader(&["explain", "racee", "--format", "json"]).out, "");
}

fn solution(exercise: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../solutions").join(exercise).join("kernel.cu")
}

#[test]
fn a_field_that_the_schema_does_not_name_is_found() {
    let schema = schema();
    let place = Place::new();
    place.write("k.cu", BEYOND);
    let run = ["run", "k.cu", "--entry", "beyond", "--grid", "1", "--block", "64", "--device", "sim"];
    let given = place.grader(&[&run[..], &["--arg", "out:i32:64", "--format", "json"]].concat());
    let report = valid(&schema, &given.out, "a run");
    assert!(schema.is_valid(&report));
    for (at, value) in
        [("", json!(1)), ("/status", json!("done")), ("/counters", json!({})), ("/devices", json!("sim"))]
    {
        let mut spoiled = report.clone();
        match spoiled.pointer_mut(at) {
            Some(Value::Object(object)) if at.is_empty() => {
                object.insert("unheard".to_owned(), value);
            }
            Some(place) => *place = value,
            None => panic!("no {at}"),
        }
        assert!(!schema.is_valid(&spoiled), "{at}");
    }
}
