//! What `check`, `run` and `score` really write is what `book/src/report.schema.json` says, and nothing more.

use std::{fs, path::Path};

use crate::support::{Place, take};
use jsonschema::Validator;
use serde_json::{Value, json};

/// The schema, as it is kept; here a field that it does not name is an error, too.
fn schema() -> Validator {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../book/src/report.schema.json");
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
        let report = place.path(&format!("results/reports/{student}/03-reduction.json"));
        let text = fs::read_to_string(&report).expect("a report");
        assert_eq!(valid(&schema, &text, student)["exercise"], "03-reduction");
    }
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
