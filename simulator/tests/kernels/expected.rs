//! Kernels as tests, in the manner of Miri: `pass/*.cu` must run clean, `fail/<kind>/*.cu` must show a
//! finding of that kind, and the text beside each (`.out`) is exactly what was seen.

use std::{env, fmt::Write as _, fs, path::Path, sync::Arc};

use launch_options::Header;
use libtest_mimic::{Failed, Trial};
use warpsim::{
    Environment, Finding, FindingKind, LaunchReport, LaunchStatus, Module, Severity, Simulator, Thread,
};

use crate::launch::{self, Done};

/// Warp instructions of a kernel whose header gives no budget.
const BUDGET: u64 = 10_000_000;

/// A test for each kernel of `pass/` and `fail/`.
pub fn tests() -> Vec<Trial> {
    let mut tests = Vec::new();
    for (folder, check) in [("pass", is_clean as Check), ("fail", is_found_out)] {
        let paths = launch::kernels(&launch::root().join(folder));
        assert!(!paths.is_empty(), "no kernels in tests/{folder}");
        for path in paths {
            let below = path.strip_prefix(launch::root()).expect("a path below");
            let name = below.with_extension("").display().to_string();
            tests.push(Trial::test(name, move || judge(&path, check)));
        }
    }
    tests
}

/// Why a kernel in the folder of this name is not as it should be.
type Check = fn(&str, &LaunchReport) -> Result<(), String>;

fn is_clean(_: &str, report: &LaunchReport) -> Result<(), String> {
    let clean = report.findings.iter().all(|finding| finding.severity == Severity::Note);
    let finished = report.status == LaunchStatus::Finished;
    if clean && finished { Ok(()) } else { Err("is right, but was not found so".into()) }
}

fn is_found_out(class: &str, report: &LaunchReport) -> Result<(), String> {
    let found = report.findings.iter().any(|finding| kind_name(finding.kind) == class);
    // A race and a shuffle from a missing lane may also leave a thread with a value that nothing wrote.
    let follows = |kind: FindingKind| {
        kind == FindingKind::UninitializedRead && matches!(class, "race" | "invalid_mask")
    };
    let strays = (report.findings.iter())
        .any(|f| kind_name(f.kind) != class && f.severity == Severity::Error && !follows(f.kind));
    match (found, strays) {
        (true, false) => Ok(()),
        (false, _) => Err(format!("has no finding of kind {class}")),
        (true, true) => Err(format!("has errors of other kinds than {class}")),
    }
}

/// A right or wrong kernel.
struct Case {
    header: Header,
    ptx: String,
    module: Arc<Module>,
    /// `pass`, or the kind of the defect.
    class: String,
}

impl Case {
    fn read(path: &Path) -> Result<Case, String> {
        let source = fs::read_to_string(path).expect("the kernel");
        let ptx = launch::compiled(path, "ptx");
        let module = Arc::new(Module::load(&ptx).map_err(|error| error.to_string())?);
        let folder = path.parent().and_then(Path::file_name).and_then(|name| name.to_str()).unwrap_or("");
        Ok(Case {
            header: Header::read(&source).map_err(|error| error.to_string())?,
            ptx,
            module,
            class: folder.to_owned(),
        })
    }

    fn run(&self, environment: Environment, threads: usize) -> Done {
        let profile = launch::profile(&self.header);
        launch::launch(&self.header, self.module.clone(), BUDGET, |module| {
            Simulator::new_in(environment, module, profile).with_threads(threads)
        })
    }
}

/// Runs a kernel, checks it, and compares with (or, with `BLESS=1`, writes) the text beside it.
fn judge(path: &Path, check: Check) -> Result<(), Failed> {
    let case = Case::read(path)?;
    let done = case.run(Environment::Usual, 1);
    let text = describe(&done);
    let mut failures = Vec::new();
    let again = case.run(Environment::Usual, 3);
    if (&done.report, &done.outputs) != (&again.report, &again.outputs) {
        failures.push(format!("three threads give\n{}", describe(&again)));
    }
    if case.class == "pass" {
        failures.extend(elsewhere(&case, &done));
    }
    if let Err(why) = check(&case.class, &done.report) {
        failures.push(format!("{why}\n{text}"));
    }
    let expected = path.with_extension("out");
    if env::var_os("BLESS").is_some() {
        fs::write(&expected, &text).expect("the expectation");
    } else if fs::read_to_string(&expected).unwrap_or_default() != text {
        failures.push(format!("differs from {}, found\n{text}", expected.display()));
    }
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n----\n").into()) }
}

/// What a right kernel must not do where other environments are: be accused, count otherwise, or give anything else
/// unless it asks for what differs.
fn elsewhere(case: &Case, usual: &Done) -> Vec<String> {
    let asks = ["%clock", "%globaltimer", "%smid", "%warpid", "%gridid", ".approx"];
    let asks = asks.iter().any(|what| case.ptx.contains(what));
    let mut failures = Vec::new();
    for environment in [2, 3, 4, 5].map(Environment::Other) {
        let other = case.run(environment, 1);
        let there = &other.report;
        let accused = there.findings.iter().any(|finding| finding.severity != Severity::Note);
        let counts = asks || there.counters == usual.report.counters;
        let outputs = asks || other.outputs == usual.outputs;
        if accused || there.status != usual.report.status || !counts || !outputs {
            failures.push(format!("in {environment:?}:\n{}", describe(&other)));
        }
    }
    failures
}

fn describe(Done { report, outputs }: &Done) -> String {
    let mut text = format!("{:?}\n", report.status);
    for finding in &report.findings {
        describe_finding(&mut text, finding);
    }
    if !report.printf.is_empty() {
        let _ = write!(text, "\nprintf:\n{}", report.printf);
    }
    if report.status == LaunchStatus::Finished {
        text.push('\n');
        for (index, values) in outputs {
            let _ = writeln!(text, "argument {index}: {}", values.join(" "));
        }
    }
    text.push('\n');
    let counters = serde_json::to_value(report.counters).expect("counters are plain numbers");
    for (name, value) in counters.as_object().expect("a struct") {
        if value.as_u64() != Some(0) {
            let _ = writeln!(text, "{name} {value}");
        }
    }
    text
}

fn describe_finding(text: &mut String, finding: &Finding) {
    let severity = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let kind = kind_name(finding.kind);
    let place = |place: &Option<warpsim::Place>| match place {
        Some(place) => format!("{}:{}:{}", place.file, place.line, place.column),
        None => "nowhere".into(),
    };
    let _ = write!(text, "\n{severity}[{kind}] {}", place(&finding.place));
    if finding.other.is_some() {
        let _ = write!(text, ", {}", place(&finding.other));
    }
    let _ = writeln!(text, " ({} times)\n  {}", finding.count, finding.message);
    let thread = |t: &Thread| {
        let [x, y, z] = t.thread;
        let [bx, by, bz] = t.block;
        format!("thread {x},{y},{z} of block {bx},{by},{bz}")
    };
    if !finding.threads.is_empty() {
        let _ = writeln!(text, "  {}", finding.threads.iter().map(thread).collect::<Vec<_>>().join("; "));
    }
    if let Some(a) = &finding.allocation {
        let _ =
            writeln!(text, "  {} of {} bytes, offset {}, {} outside", a.name, a.bytes, a.offset, a.distance);
    }
}

fn kind_name(kind: FindingKind) -> String {
    serde_json::to_value(kind).ok().and_then(|v| v.as_str().map(str::to_owned)).expect("kinds are names")
}
