//! The cheat book: hostile kernels, each with the defence that catches it.
//!
//! A cheat is a kernel of `workshop/tests/cheats` with a header that says what it does, which exercise
//! it attacks, which defence stops it and what is said then. Two checks prove a defence: with all in
//! place the cheat must lose, for the reason stated; with this one missing it must win, or it is not
//! this one that catches it. Where any of several defences would do, the cheat must win with all of
//! them missing and lose with each alone. A cheat that nothing catches is kept too, as `open`: the
//! day it loses, its header has to change.

use std::{fmt::Write as _, fs, path::Path};

use harness::{
    compiler::CompileLimits,
    device::DeviceChoice,
    exercise::Exercise,
    judge::{self, CheckOptions, Defence, Defences, Kernel, PUBLIC_SEED},
    report::{Report, Verdict},
    toolchain::Toolchain,
};
use strum::VariantArray;

use super::{range, record::Record};

/// Where they lie, below the course's root.
pub const FOLDER: &str = "workshop/tests/cheats";

/// A hostile kernel and its header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cheat {
    /// The file's name without its ending.
    pub name: String,
    /// The family, in a few words.
    pub family: String,
    /// The exercise that it attacks.
    pub exercise: String,
    /// What catches it.
    pub caught: Caught,
    /// What the report of the lost check contains; of an open cheat, nothing.
    pub says: String,
    /// How it wins.
    pub wins: Win,
    /// It attacks how speed is measured, and can do nothing without a GPU.
    pub timed: bool,
    /// The device of the check with all defences, where that is not the one asked for.
    pub profile: Option<String>,
    /// What the compiler may use in the check with all defences.
    pub limits: Option<CompileLimits>,
    /// The kernel, header and all.
    pub source: String,
}

/// What catches a cheat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Caught {
    /// Any one of these defences of the judge.
    By(Vec<Defence>),
    /// Inputs that nobody can foresee, as `score` and timing have them.
    SecretSeed,
    /// That all cases must be right; it would win if this were the only one.
    EveryCase(usize),
    /// That the simulator stands in for the very GPU that is used.
    OwnArchitecture,
    /// How things are made, so that there is nothing to switch off: why.
    Always(String),
    /// Nothing: why.
    Open(String),
}

/// How a cheat wins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Win {
    /// By a pass.
    Passed,
    /// By having this in its report.
    Says(String),
}

/// Reads all cheats, in the order of their names.
///
/// # Errors
/// What is wrong with a file, in words.
pub fn all(root: &Path) -> Result<Vec<Cheat>, String> {
    let folder = root.join(FOLDER);
    let entries = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "cu"));
    files.sort();
    files
        .iter()
        .map(|file| {
            let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let source = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
            Cheat::read(name, source).map_err(|why| format!("{}: {why}", file.display()))
        })
        .collect()
}

impl Cheat {
    pub fn read(name: String, source: String) -> Result<Self, String> {
        let fields: Vec<(&str, &str)> = source
            .lines()
            .map_while(|line| line.strip_prefix("// "))
            .map_while(|line| line.split_once(": "))
            .collect();
        let find = |key: &str| fields.iter().find(|(known, _)| *known == key).map(|(_, value)| value.trim());
        let need = |key: &str| find(key).ok_or_else(|| format!("expected a line `// {key}: …` at the top"));
        const KNOWN: [&str; 10] =
            ["family", "exercise", "defence", "always", "open", "says", "wins", "timed", "profile", "limits"];
        if let Some((unknown, _)) = fields.iter().find(|(key, _)| !KNOWN.contains(key)) {
            return Err(format!("`{unknown}` is no field of a cheat; there are {}", KNOWN.join(", ")));
        }
        let caught = match (find("defence"), find("always"), find("open")) {
            (Some(defence), None, None) => Caught::named(defence)?,
            (None, Some(why), None) => Caught::Always(why.to_owned()),
            (None, None, Some(why)) => Caught::Open(why.to_owned()),
            _ => return Err("expected one of `defence`, `always` and `open`".to_owned()),
        };
        let says = match caught {
            Caught::Open(_) => String::new(),
            _ => need("says")?.to_owned(),
        };
        Ok(Cheat {
            name,
            family: need("family")?.to_owned(),
            exercise: need("exercise")?.to_owned(),
            caught,
            says,
            wins: find("wins").map_or(Win::Passed, |text| Win::Says(text.to_owned())),
            timed: find("timed").is_some(),
            profile: find("profile").map(str::to_owned),
            limits: find("limits").map(limits).transpose()?,
            source,
        })
    }

    /// BLAKE3 of its file.
    pub fn hash(&self) -> String {
        blake3::hash(self.source.as_bytes()).to_hex().to_string()
    }

    /// The exercise that it attacks, where it was made for that and is no course's.
    pub fn made_for(&self) -> Option<&'static dyn Exercise> {
        range::ALL.iter().copied().find(|exercise| exercise.id() == self.exercise)
    }

    /// What is wrong: a sentence for each expectation that did not come true.
    pub fn prove(
        &self,
        exercise: &dyn Exercise,
        device: &DeviceChoice,
        toolchain: &Toolchain,
    ) -> Vec<String> {
        let mut problems = Vec::new();
        let check = |missing: &[Defence], without: bool| {
            self.check(exercise, device, toolchain, missing.to_vec(), without)
        };
        let with_all = check(&[], false);
        let passed = with_all.verdict == Verdict::Passed && with_all.judge_error.is_none();
        if let Caught::Open(_) = self.caught {
            // What is open on the simulator alone may well be seen on a GPU.
            let lost = if self.won(&with_all) { None } else { Some(told(&with_all)) };
            match (device, lost) {
                (_, None) => {}
                (DeviceChoice::Simulator(_), Some(told)) => {
                    problems.push(format!("it is said to be open, and yet it lost: {told}"));
                }
                (_, Some(told)) => eprintln!("{}: open without a GPU; with one it lost: {told}", self.name),
            }
            return problems;
        }
        if passed {
            problems.push(format!("it passed with every defence in place: {}", told(&with_all)));
        } else if !text(&with_all).contains(&self.says) {
            problems.push(format!("expected to read `{}`, found {}", self.says, told(&with_all)));
        }
        let layers: &[Defence] = if let Caught::By(layers) = &self.caught { layers } else { &[] };
        if !matches!(self.caught, Caught::Always(_)) {
            let mut without = check(layers, true);
            for _ in 1..self.tries() {
                if self.won(&without) {
                    break;
                }
                without = check(layers, true);
            }
            if !self.won(&without) {
                problems.push(format!(
                    "it lost without its defence ({}), so something else catches it: {}",
                    self.caught.name(),
                    told(&without)
                ));
            }
            if matches!(self.wins, Win::Says(_)) && self.won(&with_all) {
                problems.push("it reached what it wanted with every defence in place".to_owned());
            }
        }
        for alone in layers.iter().filter(|_| layers.len() > 1) {
            let others: Vec<Defence> = layers.iter().copied().filter(|other| other != alone).collect();
            let with_one = check(&others, false);
            if self.won(&with_one) {
                problems.push(format!("it won although `{alone}` was in place: {}", told(&with_one)));
            }
        }
        problems
    }

    /// What can be told of a timed cheat without a GPU: it must compile, and be right where nothing is timed,
    /// or it would lose for another reason than its own.
    pub fn rehearse(
        &self,
        exercise: &dyn Exercise,
        device: &DeviceChoice,
        toolchain: &Toolchain,
    ) -> Vec<String> {
        let layers = if let Caught::By(layers) = &self.caught { layers.clone() } else { Vec::new() };
        let report = self.check(exercise, device, toolchain, layers, true);
        if report.verdict == Verdict::Passed && report.judge_error.is_none() {
            return Vec::new();
        }
        vec![format!("where nothing is timed it is to be right, and is not: {}", told(&report))]
    }

    /// How often it may try without its defence. What wins by a tenth, as a warm cache does, does not win in
    /// every run, and whoever wrote it would hand it in again.
    fn tries(&self) -> usize {
        if self.timed { 5 } else { 1 }
    }

    fn won(&self, report: &Report) -> bool {
        match &self.wins {
            Win::Passed => {
                let measured = !self.timed || !report.speed_unmeasured;
                report.verdict == Verdict::Passed && report.judge_error.is_none() && measured
            }
            Win::Says(wanted) => text(report).contains(wanted),
        }
    }

    /// Judges it as `score` does, without some defences; `without` takes away what is no
    /// defence of the judge's, too.
    fn check(
        &self,
        exercise: &dyn Exercise,
        device: &DeviceChoice,
        toolchain: &Toolchain,
        missing: Vec<Defence>,
        without: bool,
    ) -> Report {
        let mut options = CheckOptions {
            device: device.clone(),
            // As good as secret: no kernel was written for it.
            seed: Some(0x005E_C2E7),
            threads: 1,
            toolchain: Some(toolchain.clone()),
            skip_speed: !self.timed,
            compile_limits: self.limits,
            defences: Defences::without(missing),
            ..CheckOptions::default()
        };
        if let (Some(profile), false) = (&self.profile, without) {
            options.device = DeviceChoice::Simulator(Some(profile.clone()));
        }
        if without {
            match &self.caught {
                Caught::SecretSeed => options.seed = Some(PUBLIC_SEED),
                Caught::EveryCase(only) => options.case = Some(*only),
                Caught::By(_) | Caught::OwnArchitecture | Caught::Always(_) | Caught::Open(_) => {}
            }
        }
        let kernel = Kernel { path: format!("{}.cu", self.name), source: self.source.clone() };
        judge::check(exercise, &kernel, &options, &|_| {})
    }
}

impl Caught {
    fn named(text: &str) -> Result<Self, String> {
        if let Some(only) = text.strip_prefix("every-case ") {
            return only.parse().map(Caught::EveryCase).map_err(|_| format!("no case number: {only}"));
        }
        match text {
            "secret-seed" => Ok(Caught::SecretSeed),
            "own-architecture" => Ok(Caught::OwnArchitecture),
            names => {
                let named = |name: &str| {
                    let found =
                        Defence::VARIANTS.iter().copied().find(|defence| defence.name() == name.trim());
                    found.ok_or_else(|| format!("no defence is called `{}`", name.trim()))
                };
                names.split(',').map(named).collect::<Result<_, _>>().map(Caught::By)
            }
        }
    }

    fn name(&self) -> String {
        match self {
            Caught::By(layers) => {
                let names: Vec<&str> = layers.iter().map(|defence| defence.name()).collect();
                names.join(" or ")
            }
            Caught::SecretSeed => "secret-seed".to_owned(),
            Caught::EveryCase(_) => "every-case".to_owned(),
            Caught::OwnArchitecture => "own-architecture".to_owned(),
            Caught::Always(_) => "always".to_owned(),
            Caught::Open(_) => "open".to_owned(),
        }
    }
}

/// `300 MB, 5 s`
fn limits(text: &str) -> Result<CompileLimits, String> {
    let parsed = || {
        let (memory, seconds) = text.split_once(',')?;
        let megabytes: u64 = memory.trim().strip_suffix("MB")?.trim().parse().ok()?;
        let seconds = seconds.trim().strip_suffix('s')?.trim().parse().ok()?;
        Some(CompileLimits {
            memory_bytes: megabytes.checked_mul(1_000_000)?,
            cpu_seconds: seconds,
            wall_seconds: 60,
        })
    };
    parsed().ok_or_else(|| format!("expected limits such as `300 MB, 5 s`, found `{text}`"))
}

/// Everything that a report says, but the kernel itself.
fn text(report: &Report) -> String {
    let report = Report { source: String::new(), ..report.clone() };
    serde_json::to_string(&report).unwrap_or_default()
}

/// What became of a check, in a few words.
fn told(report: &Report) -> String {
    let goals: Vec<String> = report
        .goals
        .iter()
        .filter(|goal| goal.required && goal.verdict != Verdict::Passed)
        .map(|goal| format!("{}: {}", goal.goal, goal.found_in_words()))
        .collect();
    let error = report.judge_error.as_deref().map(|why| format!(" ({why})")).unwrap_or_default();
    let messages: Vec<&str> = report.diagnostics.iter().map(|each| each.message.as_str()).collect();
    format!(
        "{:?}{error}; {}; {}; {}",
        report.verdict,
        goals.join("; "),
        report.next_step,
        messages.join("; ")
    )
}

/// The tables of the book. Each cheat is proved on the simulator whenever the tests run, but for those that
/// need a GPU; `record` says what was proved on one.
pub fn page(cheats: &[Cheat], record: Option<&Record>) -> String {
    let cell = |text: &str| text.replace('|', "\\|");
    let row = |page: &mut String, cheat: &Cheat, middle: &str| {
        let proved = record.and_then(|record| record.proved(cheat)).unwrap_or("not yet");
        let _ = writeln!(
            page,
            "| {} | `{}` | {} | {} | {proved} |",
            cell(&cheat.family),
            cheat.name,
            cheat.exercise,
            cell(middle)
        );
    };
    let mut page = String::new();
    let head = |page: &mut String, title: &str, last: &str| {
        let _ = writeln!(
            page,
            "\n## {title}\n\n| family | kernel | attacks | {last} | proved on a GPU |\n|---|---|---|---|---|"
        );
    };
    let switched = |cheat: &&Cheat| !matches!(cheat.caught, Caught::Always(_) | Caught::Open(_));
    let defended = |page: &mut String, timed: bool| {
        for cheat in cheats.iter().filter(switched).filter(|cheat| cheat.timed == timed) {
            row(
                page,
                cheat,
                &format!("`{}`: “{}”", cheat.caught.name().replace(" or ", "` or `"), cheat.says),
            );
        }
    };
    head(&mut page, "Wins without one defence, loses with it", "defence, and what is said");
    defended(&mut page, false);
    head(&mut page, "The same on a GPU, where speed is measured", "defences, and what is said");
    defended(&mut page, true);
    head(&mut page, "Loses by the way things are made", "why");
    for cheat in cheats {
        if let Caught::Always(why) = &cheat.caught {
            row(&mut page, cheat, &format!("{why}: “{}”", cheat.says));
        }
    }
    let open: Vec<(&Cheat, &String)> = cheats
        .iter()
        .filter_map(|cheat| if let Caught::Open(why) = &cheat.caught { Some((cheat, why)) } else { None })
        .collect();
    if open.is_empty() {
        page.push_str("\n## Open\n\nNone that we know of.\n");
    } else {
        head(&mut page, "Open", "what it still gets away with");
    }
    for (cheat, why) in open {
        row(&mut page, cheat, why);
    }
    if let Some(record) = record {
        let _ = write!(page, "\n{}", record.provenance());
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_says_all_and_nothing_else() {
        let text = "// family: replay\n// exercise: 03-reduction\n// defence: audit\n// says: variable\n//\n// More: words.\n";
        let cheat = Cheat::read("a".to_owned(), text.to_owned()).expect("a cheat");
        assert_eq!((&cheat.caught, &cheat.wins), (&Caught::By(vec![Defence::Audit]), &Win::Passed));
        for (wrong, why) in [
            (text.replace("audit", "nothing"), "no defence"),
            (text.replace("// says: variable\n", ""), "says"),
            (text.replace("family", "fmily"), "no field"),
            (text.replace("// defence: audit\n", ""), "one of"),
        ] {
            let error = Cheat::read("a".to_owned(), wrong).expect_err(why);
            assert!(error.contains(why), "{error}");
        }
        let layers = Caught::named("prefill, fresh-values").expect("two defences");
        assert_eq!(layers, Caught::By(vec![Defence::Prefill, Defence::FreshValues]));
        assert_eq!(layers.name(), "prefill or fresh-values");
        assert_eq!(limits("300 MB, 5 s").expect("limits").memory_bytes, 300_000_000);
    }
}
