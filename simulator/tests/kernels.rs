//! Kernels as tests, in the manner of Miri: `pass/*.cu` must run clean, `fail/<kind>/*.cu` must show a
//! finding of that kind, and the text beside each (`.out`) is exactly what was seen. `tests/README.md` says
//! how to add and bless them.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use warpsim::{
    Argument, Environment, Finding, Kind, Launch, LaunchReport, Module, Profile, Severity, Simulator, Thread,
};

struct Case {
    profile: &'static Profile,
    budget: u64,
    kernel: String,
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    cooperative: bool,
    arguments: Vec<String>,
}

fn dimensions(text: &str) -> [u32; 3] {
    let mut of = [1; 3];
    for (axis, part) in of.iter_mut().zip(text.split(',')) {
        *axis = part.parse().expect("a dimension");
    }
    of
}

fn product(text: &str) -> usize {
    text.split('*').map(|factor| factor.parse::<usize>().expect("a count")).product()
}

impl Case {
    fn read(source: &str) -> Case {
        let mut case = Case {
            profile: &Profile::H200,
            budget: 10_000_000,
            kernel: String::new(),
            grid: [1; 3],
            block: [1; 3],
            shared: 0,
            cooperative: false,
            arguments: Vec::new(),
        };
        for line in source.lines().filter_map(|line| line.strip_prefix("//@ ")) {
            let mut words = line.split(' ');
            match words.next() {
                Some("profile") => {
                    case.profile = Profile::by_name(words.next().expect("a name")).expect("a profile");
                }
                Some("budget") => case.budget = words.next().expect("a number").parse().expect("a number"),
                Some("launch") => {
                    case.kernel = words.next().expect("a kernel").to_owned();
                    for word in words {
                        match word.split_once('=') {
                            Some(("grid", value)) => case.grid = dimensions(value),
                            Some(("block", value)) => case.block = dimensions(value),
                            Some(("shared", value)) => case.shared = value.parse().expect("bytes"),
                            None if word == "cooperative" => case.cooperative = true,
                            _ => case.arguments.push(word.to_owned()),
                        }
                    }
                }
                other => panic!("unknown directive {other:?}"),
            }
        }
        case
    }
}

fn element(kind: &str, value: usize) -> Vec<u8> {
    match kind {
        "i32" | "u32" => (value as u32).to_le_bytes().to_vec(),
        "u64" => (value as u64).to_le_bytes().to_vec(),
        "f32" => (value as f32).to_le_bytes().to_vec(),
        "f64" => (value as f64).to_le_bytes().to_vec(),
        "u8" => vec![value as u8],
        other => panic!("unknown type {other}"),
    }
}

fn shown(kind: &str, bytes: &[u8]) -> String {
    match kind {
        "u8" => bytes[0].to_string(),
        "f64" => f64::from_le_bytes(bytes.try_into().expect("eight bytes")).to_string(),
        "u64" => u64::from_le_bytes(bytes.try_into().expect("eight bytes")).to_string(),
        _ => {
            let bytes: [u8; 4] = bytes.try_into().expect("four bytes");
            match kind {
                "u32" => u32::from_le_bytes(bytes).to_string(),
                "f32" => f32::from_le_bytes(bytes).to_string(),
                _ => i32::from_le_bytes(bytes).to_string(),
            }
        }
    }
}

fn run(case: &Case, module: &Arc<Module>, threads: usize) -> (LaunchReport, String) {
    run_in(Environment::Usual, case, module, threads)
}

fn run_in(
    environment: Environment,
    case: &Case,
    module: &Arc<Module>,
    threads: usize,
) -> (LaunchReport, String) {
    let mut simulator = Simulator::new_in(environment, module.clone(), case.profile).with_threads(threads);
    let mut arguments = Vec::new();
    let mut outputs = Vec::new();
    for (index, text) in case.arguments.iter().enumerate() {
        let parts: Vec<&str> = text.split(':').collect();
        let kind = parts.get(1).copied().unwrap_or("");
        let mut buffer = |count: usize, fill: Option<&str>| {
            let size = element(kind, 0).len();
            let address = simulator.allocate((count * size) as u64, &format!("argument {index}"));
            if let Some(fill) = fill {
                let bytes: Vec<u8> =
                    (0..count).flat_map(|i| element(kind, if fill == "iota" { i } else { 0 })).collect();
                simulator.write(address, &bytes).expect("a buffer of this size");
            }
            arguments.push(Argument::Pointer { base: address, offset: 0 });
            (address, count * size, size)
        };
        match parts[0] {
            "in" => {
                buffer(product(parts[3]), Some(parts[2]));
            }
            "inout" => {
                let (address, bytes, size) = buffer(product(parts[3]), Some(parts[2]));
                outputs.push((index, kind.to_owned(), address, bytes, size));
            }
            "out" => {
                let (address, bytes, size) = buffer(product(parts[2]), None);
                outputs.push((index, kind.to_owned(), address, bytes, size));
            }
            "null" => arguments.push(Argument::Bytes(vec![0; 8])),
            scalar => arguments.push(Argument::Bytes(element(scalar, parts[1].parse().expect("a value")))),
        }
    }
    let report = simulator
        .launch(&Launch {
            kernel: case.kernel.clone(),
            grid: case.grid,
            block: case.block,
            dynamic_shared: case.shared,
            registers: None,
            arguments,
            cooperative: case.cooperative,
            budget: case.budget,
        })
        .expect("a launch that a GPU accepts");
    let mut text = String::new();
    for (index, kind, address, bytes, size) in outputs {
        let contents = simulator.read(address, bytes).expect("the buffer");
        let _ = write!(text, "argument {index}:");
        for (at, value) in contents.bytes.chunks(size).enumerate().take(256) {
            let unwritten = contents.uninitialised.iter().any(|range| range.contains(&(at * size)));
            let _ = if unwritten { write!(text, " ?") } else { write!(text, " {}", shown(&kind, value)) };
        }
        text.push('\n');
    }
    (report, text)
}

fn describe(report: &LaunchReport, outputs: &str) -> String {
    let mut text = format!("{:?}\n", report.status);
    for finding in &report.findings {
        describe_finding(&mut text, finding);
    }
    if !report.printf.is_empty() {
        let _ = write!(text, "\nprintf:\n{}", report.printf);
    }
    if report.status == warpsim::Status::Finished {
        let _ = write!(text, "\n{outputs}");
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

fn kind_name(kind: Kind) -> String {
    serde_json::to_value(kind).ok().and_then(|v| v.as_str().map(str::to_owned)).expect("kinds are names")
}

fn kernels(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            kernels(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "cu") {
            found.push(path);
        }
    }
}

/// Runs every kernel below `folder`, compares with (or, with `BLESS=1`, writes) the text beside it, and gives
/// each to `check` with the folder that it lies in.
fn all(folder: &str, check: impl Fn(&str, &LaunchReport) -> Result<(), String>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut paths = Vec::new();
    kernels(&root.join(folder), &mut paths);
    assert!(!paths.is_empty(), "no kernels in tests/{folder}");
    let only = std::env::var("KERNEL").ok();
    let bless = std::env::var_os("BLESS").is_some();
    let mut failures = Vec::new();
    for path in paths {
        let name = path.strip_prefix(&root).expect("a path below").display().to_string();
        if only.as_ref().is_some_and(|only| !name.contains(only.as_str())) {
            continue;
        }
        let source = fs::read_to_string(&path).expect("the kernel");
        let case = Case::read(&source);
        let ptx = fs::read_to_string(path.with_extension("ptx")).expect("the PTX beside the kernel");
        let module = match Module::load(&ptx) {
            Ok(module) => Arc::new(module),
            Err(error) => {
                failures.push(format!("{name}: {error}"));
                continue;
            }
        };
        let (report, outputs) = run(&case, &module, 1);
        let text = describe(&report, &outputs);
        let again = run(&case, &module, 3);
        if (&report, &outputs) != (&again.0, &again.1) {
            failures.push(format!("{name}: three threads give\n{}", describe(&again.0, &again.1)));
        }
        if folder == "pass" {
            failures.extend(elsewhere(&name, &case, &module, &ptx, &report, &outputs));
        }
        let class = path.parent().and_then(Path::file_name).and_then(|name| name.to_str()).unwrap_or("");
        if let Err(why) = check(class, &report) {
            failures.push(format!("{name}: {why}\n{text}"));
        }
        let expected = path.with_extension("out");
        if bless {
            fs::write(&expected, &text).expect("the expectation");
        } else if fs::read_to_string(&expected).unwrap_or_default() != text {
            failures.push(format!("{name}: differs from {}, found\n{text}", expected.display()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n----\n"));
}

/// What a right kernel must not do where other environments are: be accused, count otherwise, or give anything else
/// unless it asks for what differs.
fn elsewhere(
    name: &str,
    case: &Case,
    module: &Arc<Module>,
    ptx: &str,
    report: &LaunchReport,
    outputs: &str,
) -> Vec<String> {
    let asks = ["%clock", "%globaltimer", "%smid", "%warpid", "%gridid", ".approx"];
    let asks = asks.iter().any(|what| ptx.contains(what));
    let mut failures = Vec::new();
    for environment in [2, 3, 4, 5].map(Environment::Other) {
        let (there, other_outputs) = run_in(environment, case, module, 1);
        let accused = there.findings.iter().any(|finding| finding.severity != Severity::Note);
        let counts = asks || there.counters == report.counters;
        if accused || there.status != report.status || !counts || !asks && other_outputs != *outputs {
            failures.push(format!("{name} in {environment:?}:\n{}", describe(&there, &other_outputs)));
        }
    }
    failures
}

#[test]
fn right_kernels_run_clean() {
    all("pass", |_, report| {
        let clean = report.findings.iter().all(|finding| finding.severity == Severity::Note);
        let finished = report.status == warpsim::Status::Finished;
        if clean && finished { Ok(()) } else { Err("is right, but was not found so".into()) }
    });
}

#[test]
fn wrong_kernels_are_found_out() {
    all("fail", |class, report| {
        let found = report.findings.iter().any(|finding| kind_name(finding.kind) == class);
        // A race and a shuffle from a missing lane may also leave a thread with a value that nothing wrote.
        let follows =
            |kind: Kind| kind == Kind::UninitializedRead && matches!(class, "race" | "invalid_mask");
        let strays = (report.findings.iter())
            .any(|f| kind_name(f.kind) != class && f.severity == Severity::Error && !follows(f.kind));
        match (found, strays) {
            (true, false) => Ok(()),
            (false, _) => Err(format!("has no finding of kind {class}")),
            (true, true) => Err(format!("has errors of other kinds than {class}")),
        }
    });
}
