//! The labelled corpus: what the detector finds in kernels whose defects are known, as a confusion table.
//!
//! `corpus/README.md` says how a kernel is labelled. Every variant must be judged as its label says, or
//! be marked `open` with the reason; `corpus/LAST.md` is the table of today and must be what this test
//! finds (`BLESS=1` writes it).

use std::{
    collections::BTreeMap,
    env,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use launch_options::Header;
use libtest_mimic::Trial;
use warpsim::{Finding, LaunchReport, LaunchStatus, Module, Place, Schedules, Severity, Simulator};

use crate::launch;

/// What is said of one variant of a kernel.
struct Variant {
    number: usize,
    /// `None` is clean.
    label: Option<Label>,
    /// Kinds that may be found besides.
    consequences: Vec<String>,
    launch: Header,
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
    let launch = Header::read(source).expect("a launch");
    let mut variants = Vec::new();
    for line in source.lines().filter_map(|line| line.strip_prefix("//! ")) {
        if let Some(settings) = line.strip_prefix("clean") {
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

fn defect(number: usize, text: &str, launch: &Header, marks: &BTreeMap<&str, Vec<u32>>) -> Variant {
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
    let mut launch = launch.clone();
    let mut options = Vec::new();
    for setting in settings.split_whitespace() {
        match setting.split_once('=') {
            Some(("also", kinds)) => consequences = kinds.split(',').map(str::to_owned).collect(),
            Some((name, value)) if name.starts_with("arg") => {
                let index: usize = name["arg".len()..].parse().expect("an index");
                launch.arguments[index] = value.parse().expect("an argument");
            }
            _ => options.push(setting),
        }
    }
    launch.add(options).expect("options of `grader run`");
    Variant { number, label: Some(label), consequences, launch, open: None, relabelled: false, explore: None }
}

/// Warp instructions of a kernel whose header gives no budget.
const BUDGET: u64 = 20_000_000;

fn run(variant: &Variant, ptx: &str, schedules: Schedules) -> LaunchReport {
    let module = Arc::new(Module::load(ptx).unwrap_or_else(|error| panic!("{error}")));
    let profile = launch::profile(&variant.launch);
    let simulator = |module| Simulator::new(module, profile).with_schedules(schedules);
    launch::launch(&variant.launch, module, BUDGET, simulator).report
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
        let right =
            report.findings.iter().filter(loud).count() == 0 && report.status == LaunchStatus::Finished;
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

    fn add(&mut self, other: &Row) {
        self.clean += other.clean;
        self.accused += other.accused;
        self.defects += other.defects;
        self.found += other.found;
        self.misplaced += other.misplaced;
        self.misnamed += other.misnamed;
        self.missed += other.missed;
        self.strays += other.strays;
        self.open += other.open;
        self.relabelled += other.relabelled;
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

const HEAD: &str = "\
*Accused* counts the clean kernels that got an error or a warning, or did not end. *Found* counts the defects that were reported at the
labelled lines, *elsewhere* those reported at other lines, *otherwise* those reported only as another kind or severity, and *missed* those
not reported. *Strays* counts the defective kernels with an error or a warning that their defect does not explain. *Open* counts the
variants on which the simulator is known to fail, and *relabelled* those whose label was corrected after the first run.

| family | clean | accused | defects | found | elsewhere | otherwise | missed | strays | open | relabelled |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
";

/// One kernel in all its variants.
struct Judged {
    row: Row,
    /// What is not as labelled.
    remarks: String,
    /// What it took another order of warps and blocks to find.
    others: String,
    failures: Vec<String>,
}

fn judge_all(path: &Path, name: &str, explored: Option<u32>) -> Judged {
    let source = fs::read_to_string(path).expect("the kernel");
    let mut judged =
        Judged { row: Row::default(), remarks: String::new(), others: String::new(), failures: Vec::new() };
    for variant in variants(&source) {
        let which = match variant.number {
            0 => "clean".to_owned(),
            number => format!("defect{number}"),
        };
        let ptx = launch::compiled(path, &format!("{which}.ptx"));
        let asked = explored.or(variant.explore);
        let report = run(&variant, &ptx, asked.map_or(Schedules::Affordable, Schedules::First));
        let (verdict, stray) = judge(&variant, &report, &format!("corpus/{name}.cu"));
        judged.row.count(&variant, verdict, stray);
        let right = matches!(verdict, Verdict::Acquitted | Verdict::Found) && !stray;
        if let Some(schedule) = other_schedule(&variant, &report, verdict) {
            let again = run(&variant, &ptx, Schedules::Only(schedule));
            if judge(&variant, &again, &format!("corpus/{name}.cu")).0 != Verdict::Found {
                judged.failures.push(format!("{which}: schedule {schedule} alone says {}", seen(&again)));
            }
            let _ =
                writeln!(judged.others, "- `{name}` {which}: schedule {schedule} of {}", report.schedules);
        }
        let seen = seen(&report);
        if !right {
            let _ = writeln!(judged.remarks, "- `{name}` {which}: {seen}");
        }
        match &variant.open {
            Some(why) => {
                let _ = writeln!(judged.remarks, "  Open: {why}");
                if right {
                    judged.failures.push(format!("{which} is open, but judged right: remove the mark"));
                }
            }
            None if right => {}
            None => judged.failures.push(format!("{which}: {seen}")),
        }
    }
    judged
}

/// The table of all kernels, by their names, is what `LAST.md` says.
fn table(all: &BTreeMap<String, Judged>) -> Result<(), String> {
    let mut rows: BTreeMap<&str, Row> = BTreeMap::new();
    let mut whole = Row::default();
    let (mut remarks, mut others) = (String::new(), String::new());
    for (name, judged) in all {
        let family = name.split('/').next().unwrap_or_default();
        rows.entry(family).or_default().add(&judged.row);
        whole.add(&judged.row);
        remarks += &judged.remarks;
        others += &judged.others;
    }
    let mut table = format!("# The detector on the labelled corpus\n\n{HEAD}");
    for (family, row) in &rows {
        row.write(family, &mut table);
    }
    whole.write("all", &mut table);
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
    let last = launch::root().join("corpus/LAST.md");
    if env::var_os("BLESS").is_some() {
        fs::write(&last, &table).expect("the table");
    } else if fs::read_to_string(&last).unwrap_or_default() != table {
        return Err(format!("the table differs from LAST.md; BLESS=1 writes it:\n{table}"));
    }
    Ok(())
}

/// What the tests have found, for the table of all of it.
#[derive(Default)]
pub struct Corpus {
    /// By name.
    judged: Mutex<BTreeMap<String, Judged>>,
}

impl Corpus {
    /// The table is what `LAST.md` says, where all kernels were run, and as they are run unasked: what a part of
    /// them says, or another number of orders, is not in it.
    ///
    /// # Errors
    /// The table of today.
    pub fn check_table(&self) -> Result<(), String> {
        let judged = self.judged.lock().expect("no test panics while it holds the lock");
        let is_whole = judged.len() == launch::kernels(&folder()).len();
        if is_whole && explored().is_none() { table(&judged) } else { Ok(()) }
    }
}

fn folder() -> PathBuf {
    launch::root().join("corpus")
}

/// In how many orders of warps and blocks to run all, where that is asked for.
fn explored() -> Option<u32> {
    env::var("EXPLORE").ok().map(|count| count.parse().expect("a number of schedules"))
}

/// A test for each kernel of `corpus/`; what it finds goes into `all`.
pub fn tests(all: &Arc<Corpus>) -> Vec<Trial> {
    let test = |path: PathBuf| {
        let name =
            path.strip_prefix(folder()).expect("a path below").with_extension("").display().to_string();
        let all = all.clone();
        Trial::test(format!("corpus/{name}"), move || {
            let judged = judge_all(&path, &name, explored());
            print!("{}", judged.remarks);
            let failures = judged.failures.join("\n");
            all.judged.lock().expect("no test panics while it holds the lock").insert(name, judged);
            if failures.is_empty() { Ok(()) } else { Err(failures.into()) }
        })
    };
    launch::kernels(&folder()).into_iter().map(test).collect()
}
