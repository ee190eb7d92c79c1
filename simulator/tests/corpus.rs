//! The labelled corpus: what the detector finds in kernels whose defects are known, as a confusion table.
//!
//! `corpus/README.md` says how a kernel is labelled. Every variant must be judged as its label says, or
//! be marked `open` with the reason; `corpus/LAST.md` is the table of today and must be what this test
//! finds (`BLESS=1` writes it).

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use warpsim::{
    Argument, Finding, Launch, LaunchReport, Module, Place, Profile, Schedules, Severity, Simulator, Status,
};

/// What is said of one variant of a kernel.
struct Variant {
    number: usize,
    /// `None` is clean.
    label: Option<Label>,
    /// Kinds that may be found besides.
    consequences: Vec<String>,
    launch: Vec<String>,
    open: Option<String>,
    relabelled: bool,
    /// How many orders of warps and blocks it takes to find it; without, those that are run unasked.
    explore: Option<u32>,
}

struct Label {
    kinds: Vec<String>,
    severity: Severity,
    /// One set of lines for one of the finding's places, or two for both.
    places: Vec<Vec<u32>>,
}

impl Label {
    fn is_of_class(&self, finding: &Finding) -> bool {
        self.severity == finding.severity && self.kinds.contains(&kind(finding))
    }

    fn is_placed(&self, finding: &Finding, file: &str) -> bool {
        let line = |place: &Option<Place>| match place {
            Some(place) if place.file == file => place.line,
            _ => 0,
        };
        let (one, other) = (line(&finding.place), line(&finding.other));
        match self.places.as_slice() {
            [either] => either.contains(&one) || either.contains(&other),
            [a, b] => a.contains(&one) && b.contains(&other) || a.contains(&other) && b.contains(&one),
            _ => panic!("a label has one place or two"),
        }
    }

    fn allows(&self, finding: &Finding) -> bool {
        let kind = kind(finding);
        let follows =
            self.kinds.iter().any(|k| k == "race" || k == "invalid_mask") && kind == "uninitialized_read";
        follows || self.kinds.contains(&kind)
    }
}

fn kind(finding: &Finding) -> String {
    serde_json::to_value(finding.kind).ok().and_then(|v| v.as_str().map(str::to_owned)).expect("a name")
}

/// The variants of a kernel, from its header.
fn variants(source: &str) -> Vec<Variant> {
    let mut marks: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for (line, number) in source.lines().zip(1..) {
        if let Some((_, mark)) = line.split_once("// <- ") {
            marks.entry(mark).or_default().push(number);
        }
    }
    let mut launch = Vec::new();
    let mut variants = Vec::new();
    for line in source.lines().filter_map(|line| line.strip_prefix("//! ")) {
        if let Some(words) = line.strip_prefix("launch ") {
            launch = words.split(' ').map(str::to_owned).collect();
        } else if let Some(settings) = line.strip_prefix("clean") {
            let consequences =
                settings.strip_prefix("; also=").into_iter().flat_map(|kinds| kinds.split(','));
            variants.push(Variant {
                number: 0,
                label: None,
                consequences: consequences.map(str::to_owned).collect(),
                launch: launch.clone(),
                open: None,
                relabelled: false,
                explore: None,
            });
        } else {
            let (head, text) = line.split_once(": ").expect("a directive with a text");
            let (what, number) = head.split_once(' ').expect("a directive with a number");
            let number = number.parse().expect("a number");
            match what {
                "defect" => variants.push(defect(number, text, &launch, &marks)),
                "open" => variants[number].open = Some(text.to_owned()),
                "label" => variants[number].relabelled = true,
                "explore" => variants[number].explore = Some(text.parse().expect("a number of schedules")),
                other => panic!("unknown directive {other}"),
            }
        }
    }
    assert!(variants.iter().enumerate().all(|(at, variant)| at == variant.number), "variants are in order");
    variants
}

fn defect(number: usize, text: &str, launch: &[String], marks: &BTreeMap<&str, Vec<u32>>) -> Variant {
    let (label, settings) = text.split_once("; ").unwrap_or((text, ""));
    let (class, places) = label.split_once(" at ").expect("a place");
    let (kinds, severity) = class.split_once(' ').unwrap_or((class, "error"));
    let label = Label {
        kinds: kinds.split('|').map(str::to_owned).collect(),
        severity: match severity {
            "error" => Severity::Error,
            "warning" => Severity::Warning,
            "note" => Severity::Note,
            other => panic!("unknown severity {other}"),
        },
        places: (places.split(" and "))
            .map(|group| group.split('|').flat_map(|mark| marks[mark].iter().copied()).collect())
            .collect(),
    };
    let mut consequences = Vec::new();
    let mut launch = launch.to_vec();
    for setting in settings.split_whitespace() {
        let (name, value) = setting.split_once('=').expect("a setting");
        if name == "also" {
            consequences = value.split(',').map(str::to_owned).collect();
        } else if let Some(index) = name.strip_prefix("arg") {
            let index: usize = index.parse().expect("an index");
            let at = (launch.iter().enumerate().skip(1))
                .filter(|(_, word)| is_argument(word))
                .nth(index)
                .expect("an argument")
                .0;
            launch[at] = value.to_owned();
        } else {
            launch.retain(|word| !word.starts_with(&format!("{name}=")));
            launch.push(setting.to_owned());
        }
    }
    Variant { number, label: Some(label), consequences, launch, open: None, relabelled: false, explore: None }
}

fn is_argument(word: &str) -> bool {
    word.contains(':') || word == "null"
}

fn element(name: &str, value: i64) -> Vec<u8> {
    match name {
        "u8" | "i8" => vec![value as u8],
        "u16" | "i16" => (value as u16).to_le_bytes().to_vec(),
        "f16" => {
            assert_eq!(value, 0, "halves start with zeros");
            vec![0; 2]
        }
        "i32" | "u32" => (value as u32).to_le_bytes().to_vec(),
        "u64" | "i64" => value.to_le_bytes().to_vec(),
        "f32" => (value as f32).to_le_bytes().to_vec(),
        "f64" => (value as f64).to_le_bytes().to_vec(),
        other => panic!("unknown type {other}"),
    }
}

fn run(variant: &Variant, ptx: &str, schedules: Schedules) -> LaunchReport {
    let module = Arc::new(Module::load(ptx).unwrap_or_else(|error| panic!("{error}")));
    let mut simulator = Simulator::new(module, &Profile::H200).with_schedules(schedules);
    // A template's instance goes by another name in the PTX.
    let entry = ptx.split(".entry ").nth(1).and_then(|rest| rest.split('(').next()).expect("a kernel");
    let mut launch = Launch {
        kernel: entry.trim().to_owned(),
        grid: [1; 3],
        block: [1; 3],
        dynamic_shared: 0,
        registers: None,
        arguments: Vec::new(),
        cooperative: false,
        budget: 20_000_000,
    };
    let mut buffers: Vec<Option<(u64, usize)>> = Vec::new();
    let extents = |text: &str| {
        let mut of = [1; 3];
        for (axis, part) in of.iter_mut().zip(text.split(',')) {
            *axis = part.parse().expect("an extent");
        }
        of
    };
    for word in &variant.launch[1..] {
        match word.split_once('=') {
            _ if is_argument(word) => {
                let (buffer, argument) = argument(word, &buffers, &mut simulator);
                buffers.push(buffer);
                launch.arguments.push(argument);
            }
            Some(("grid", value)) => launch.grid = extents(value),
            Some(("block", value)) => launch.block = extents(value),
            Some(("shared", value)) => launch.dynamic_shared = value.parse().expect("bytes"),
            Some(("budget", value)) => launch.budget = value.parse().expect("a number"),
            None if word == "cooperative" => launch.cooperative = true,
            _ => panic!("unknown word {word}"),
        }
    }
    simulator.launch(&launch).expect("a launch that a GPU accepts")
}

/// One argument as `grader run` reads it, and the buffer that it is: address and bytes of an element.
fn argument(
    word: &str,
    buffers: &[Option<(u64, usize)>],
    simulator: &mut Simulator,
) -> (Option<(u64, usize)>, Argument) {
    let (head, fill) = word.split_once('=').unwrap_or((word, ""));
    match head.split(':').collect::<Vec<_>>()[..] {
        ["same", what] => {
            let (index, offset) = what.split_once('+').unwrap_or((what, "0"));
            let index: usize = index.parse().expect("an index");
            let (base, size) = buffers[index].expect("an earlier buffer");
            let offset = offset.parse::<u64>().expect("elements") * size as u64;
            (None, Argument::Pointer { base, offset })
        }
        ["in" | "inout" | "out", name, shape] => {
            let count: usize =
                shape.split('x').map(|extent| extent.parse::<usize>().expect("an extent")).product();
            let size = element(name, 0).len();
            let base = simulator.allocate((count * size) as u64, &format!("argument {}", buffers.len()));
            let whole = |text: &str| text.parse::<i64>().expect("a whole number");
            let values: Vec<i64> = match fill.split_once(':') {
                Some(("const", value)) => vec![whole(value); count],
                Some(("values", values)) => values.split(',').map(whole).collect(),
                _ if fill == "iota" => (0..count as i64).collect(),
                _ if fill == "ones" => vec![1; count],
                _ => vec![0; count],
            };
            assert_eq!(values.len(), count, "{word}: as many values as elements");
            if !fill.is_empty() {
                let bytes: Vec<u8> = values.iter().flat_map(|&value| element(name, value)).collect();
                simulator.write(base, &bytes).expect("a buffer of this size");
            }
            (Some((base, size)), Argument::Pointer { base, offset: 0 })
        }
        [name, value] => (None, Argument::Bytes(element(name, value.parse().expect("a whole number")))),
        _ => panic!("unknown argument {word}"),
    }
}

/// How one variant was judged.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// Nothing to find, nothing found.
    Acquitted,
    /// Nothing to find, yet an error or a warning, or it did not finish.
    Accused,
    /// Found as labelled.
    Found,
    /// The kind and severity of the label at other lines.
    Misplaced,
    /// Errors or warnings, but none of the labelled kind and severity.
    Misnamed,
    /// Nothing said.
    Missed,
}

fn judge(variant: &Variant, report: &LaunchReport, file: &str) -> (Verdict, bool) {
    let loud = |finding: &&Finding| {
        finding.severity != Severity::Note && !variant.consequences.contains(&kind(finding))
    };
    let Some(label) = &variant.label else {
        let right = report.findings.iter().filter(loud).count() == 0 && report.status == Status::Finished;
        return (if right { Verdict::Acquitted } else { Verdict::Accused }, false);
    };
    let stray = report.findings.iter().filter(loud).any(|finding| !label.allows(finding));
    let mut of_class = report.findings.iter().filter(|finding| label.is_of_class(finding)).peekable();
    let verdict = if of_class.peek().is_some() {
        if of_class.any(|finding| label.is_placed(finding, file)) {
            Verdict::Found
        } else {
            Verdict::Misplaced
        }
    } else if report.findings.iter().filter(loud).count() > 0 {
        Verdict::Misnamed
    } else {
        Verdict::Missed
    };
    (verdict, stray)
}

/// The other order of warps and blocks that it took to find a defect, if it took one.
fn other_schedule(variant: &Variant, report: &LaunchReport, verdict: Verdict) -> Option<u64> {
    let label = variant.label.as_ref().filter(|_| verdict == Verdict::Found)?;
    let found = report.findings.iter().filter(|finding| label.is_of_class(finding));
    found.map(|finding| finding.schedule.unwrap_or(0)).min().filter(|&schedule| schedule != 0)
}

/// A row of the table.
#[derive(Default)]
struct Row {
    clean: usize,
    accused: usize,
    defects: usize,
    found: usize,
    misplaced: usize,
    misnamed: usize,
    missed: usize,
    strays: usize,
    open: usize,
    relabelled: usize,
}

impl Row {
    fn count(&mut self, variant: &Variant, verdict: Verdict, stray: bool) {
        match verdict {
            Verdict::Acquitted => {}
            Verdict::Accused => self.accused += 1,
            Verdict::Found => self.found += 1,
            Verdict::Misplaced => self.misplaced += 1,
            Verdict::Misnamed => self.misnamed += 1,
            Verdict::Missed => self.missed += 1,
        }
        *(if variant.label.is_some() { &mut self.defects } else { &mut self.clean }) += 1;
        self.strays += usize::from(stray);
        self.open += usize::from(variant.open.is_some());
        self.relabelled += usize::from(variant.relabelled);
    }

    fn write(&self, name: &str, text: &mut String) {
        let Row { clean, accused, defects, found, misplaced, misnamed, missed, strays, open, relabelled } =
            self;
        let _ = writeln!(
            text,
            "| {name} | {clean} | {accused} | {defects} | {found} | {misplaced} | {misnamed} | {missed} | {strays} | {open} | \
             {relabelled} |"
        );
    }
}

fn seen(report: &LaunchReport) -> String {
    let mut text = format!("{:?}", report.status);
    for finding in &report.findings {
        let at = |place: &Option<Place>| {
            place.as_ref().map_or("nowhere".to_owned(), |p| match p.file.strip_prefix("corpus/") {
                Some(_) => p.line.to_string(),
                None => format!("{}:{}", p.file, p.line),
            })
        };
        let severity = format!("{:?}", finding.severity).to_lowercase();
        let _ = write!(text, "; {severity} {} at {}", kind(finding), at(&finding.place));
        if finding.other.is_some() {
            let _ = write!(text, " and {}", at(&finding.other));
        }
        if let Some(schedule) = finding.schedule {
            let _ = write!(text, " (schedule {schedule})");
        }
    }
    text
}

fn kernels(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            kernels(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "cu") {
            found.push(path);
        }
    }
    found.sort();
}

const HEAD: &str = "\
Clean kernels that are accused (an error or a warning, or no end); defects found at the labelled lines, found at other lines, called
by another kind or severity only, missed; defective kernels with an error or a warning that their defect does not explain; variants marked
open; labels that were corrected after the first run.

| family | clean | accused | defects | found | elsewhere | otherwise | missed | strays | open | relabelled |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
";

#[test]
fn the_corpus_is_judged_as_labelled() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let only = std::env::var("KERNEL").ok();
    let explored = std::env::var("EXPLORE").ok().map(|count| count.parse().expect("a number of schedules"));
    let mut paths = Vec::new();
    kernels(&root, &mut paths);
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    let mut all = Row::default();
    let (mut remarks, mut others, mut failures) = (String::new(), String::new(), Vec::new());
    for path in paths {
        let name = path.strip_prefix(&root).expect("below").with_extension("").display().to_string();
        if only.as_ref().is_some_and(|only| !name.contains(only.as_str())) {
            continue;
        }
        let source = fs::read_to_string(&path).expect("the kernel");
        let family = name.split('/').next().unwrap_or_default();
        for variant in variants(&source) {
            let which = match variant.number {
                0 => "clean".to_owned(),
                number => format!("defect{number}"),
            };
            let ptx = fs::read_to_string(path.with_extension(format!("{which}.ptx"))).expect("the PTX");
            let asked = explored.or(variant.explore);
            let report = run(&variant, &ptx, asked.map_or(Schedules::Affordable, Schedules::First));
            let (verdict, stray) = judge(&variant, &report, &format!("corpus/{name}.cu"));
            rows.entry(family.to_owned()).or_default().count(&variant, verdict, stray);
            all.count(&variant, verdict, stray);
            let right = matches!(verdict, Verdict::Acquitted | Verdict::Found) && !stray;
            if let Some(schedule) = other_schedule(&variant, &report, verdict) {
                let again = run(&variant, &ptx, Schedules::Only(schedule));
                if judge(&variant, &again, &format!("corpus/{name}.cu")).0 != Verdict::Found {
                    failures.push(format!("{name} {which}: schedule {schedule} alone says {}", seen(&again)));
                }
                let _ = writeln!(others, "- `{name}` {which}: schedule {schedule} of {}", report.schedules);
            }
            let seen = seen(&report);
            if !right {
                let _ = writeln!(remarks, "- `{name}` {which}: {seen}");
            }
            match &variant.open {
                Some(why) => {
                    let _ = writeln!(remarks, "  Open: {why}");
                    if right {
                        failures.push(format!("{name} {which} is open, but judged right: remove the mark"));
                    }
                }
                None if right => {}
                None => failures.push(format!("{name} {which}: {seen}")),
            }
        }
    }
    if only.is_some() || explored.is_some() {
        print!("{remarks}");
    } else {
        let mut table = format!("# The detector on the labelled corpus\n\n{HEAD}");
        for (family, row) in &rows {
            row.write(family, &mut table);
        }
        all.write("all", &mut table);
        if !remarks.is_empty() {
            let _ = write!(table, "\nNot as labelled, with the lines of what was said:\n\n{remarks}");
        }
        if !others.is_empty() {
            let _ = write!(
                table,
                "\nFound as labelled only in another order of warps and blocks than the usual one; the first that shows it, of how many \
                 were run without being asked for:\n\n{others}"
            );
        }
        let last = root.join("LAST.md");
        if std::env::var_os("BLESS").is_some() {
            fs::write(&last, &table).expect("the table");
        } else if fs::read_to_string(&last).unwrap_or_default() != table {
            failures.push(format!("the table differs from LAST.md:\n{table}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
