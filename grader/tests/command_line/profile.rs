//! The columns of `--profile` add up to the counters of the report.

use serde_json::Value;

use crate::support::{Place, take};

/// Two shared requests of two wavefronts each, one to a line, and four sectors each way.
const SCATTER: &str = "extern \"C\" __global__ void scatter(const float *in, float *out) {
    __shared__ float tile[64];
    tile[2 * threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[2 * (31 - threadIdx.x)];
}
";

/// A line of the profile, read aloud: each number with its title, and the line's own number.
struct Row {
    work: f64,
    numbers: Vec<(String, String)>,
}

impl Row {
    fn number(&self, title: &str) -> f64 {
        let found = self.numbers.iter().find(|(known, _)| known == title);
        found.map_or(0.0, |(_, number)| number.parse().expect("a number"))
    }
}

fn rows(profile: &str) -> Vec<Row> {
    let row = |line: &str| {
        // The source behind it may have anything in it.
        let (before, _) = line.split_once("Line: ")?;
        let mut cells = before.split("; ").filter(|cell| !cell.is_empty()).peekable();
        let work = cells.next_if(|cell| cell.ends_with(" %"));
        let work = work.map_or(0.0, |cell| cell.trim_end_matches(" %").parse().expect("a share"));
        let numbers = cells.filter_map(|cell| cell.split_once(": "));
        let numbers = numbers.map(|(title, number)| (title.to_owned(), number.to_owned())).collect();
        Some(Row { work, numbers })
    };
    profile.lines().filter_map(row).collect()
}

/// Holds the rows against the counters of the same kernel.
fn assert_adds_up(profile: &str, counters: &Value) {
    let rows = rows(profile);
    assert!(rows.len() > 3, "{profile}");
    let sum = |title: &str| rows.iter().map(|row| row.number(title)).sum::<f64>();
    let counted =
        |names: &[&str]| names.iter().map(|name| counters[*name].as_f64().expect("a counter")).sum::<f64>();
    let columns: [(&str, &[&str]); 3] = [
        ("Sectors", &["global_load_sectors", "global_store_sectors"]),
        ("Wavefronts", &["shared_load_wavefronts", "shared_store_wavefronts", "shared_atomic_wavefronts"]),
        ("Conflicts", &["shared_bank_conflicts", "shared_atomic_conflicts"]),
    ];
    for (title, names) in columns {
        assert_eq!(sum(title), counted(names), "{title}: {profile}");
    }
    // Each share of the instructions is rounded to a tenth of a percent, each number of lanes to a tenth.
    let rounding = 0.05 * rows.len() as f64 + 0.001;
    let work: f64 = rows.iter().map(|row| row.work).sum();
    assert!((work - 100.0).abs() <= rounding, "{work} %: {profile}");
    let lanes: f64 = rows.iter().map(|row| row.work / 100.0 * row.number("Lanes")).sum();
    let expected = counted(&["active_lanes"]) / counted(&["ptx_instructions"]);
    assert!(
        (lanes - expected).abs() <= 32.0 * rounding / 100.0 + 0.05,
        "{lanes} lanes, not {expected}: {profile}"
    );
}

#[test]
fn the_profile_of_a_run_adds_up_to_its_counters() {
    let place = Place::new();
    place.write("k.cu", SCATTER);
    let launch = ["run", "k.cu", "--entry", "scatter", "--grid", "1", "--block", "32", "--device", "sim"];
    let arguments = ["--arg", "in:f32:32=iota", "--arg", "out:f32:32"];
    let run = |more: &[&str]| place.grader(&[&launch[..], &arguments, more].concat());
    let profile = run(&["--profile", "--plain"]).out;
    let report: Value = serde_json::from_str(&run(&["--format", "json"]).out).unwrap();
    assert_adds_up(&profile, &report["counters"]);
    // As counted by hand.
    let known = rows(&profile);
    for (line, sectors, wavefronts, conflicts) in [(1, 0, 0, 0), (3, 4, 2, 1), (4, 0, 0, 0), (5, 4, 2, 1)] {
        let row = &known[line - 1];
        let numbers = ["Sectors", "Wavefronts", "Conflicts"].map(|title| row.number(title));
        assert_eq!(numbers, [sectors, wavefronts, conflicts].map(f64::from), "line {line}: {profile}");
    }
    // Of the two lines with a conflict neither has the only one.
    assert!(profile.contains("line 3 is one of 2 lines with most bank conflicts, 1 each"), "{profile}");
}

#[test]
fn the_profile_of_a_check_adds_up_to_the_counters_of_its_case() {
    let place = Place::new();
    for (kernel, case) in [("12-histogram/kernel.cu", "1"), ("06-transpose/wrong/no-padding.cu", "1")] {
        take(&place, kernel);
        let exercise = kernel.split('/').next().unwrap();
        let call = ["check", exercise, "--kernel", "k.cu", "--device", "sim", "--case", case];
        let check = |more: &[&str]| place.grader(&[&call[..], more].concat()).out;
        let report: Value = serde_json::from_str(&check(&["--format", "json"])).unwrap();
        let counters = &report["cases"][0]["counters"];
        assert!(counters.is_object(), "{report:#}");
        let text = check(&["--profile", "--plain"]);
        let (_, profile) = text.split_once(&format!("profile of case {case}")).expect("a profile");
        assert_adds_up(profile, counters);
    }
}
