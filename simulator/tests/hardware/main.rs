//! Results of single instructions beside those of a GPU, bit for bit. README.md in this
//! folder says how to measure.

mod bounds;
mod goldens;
mod inputs;
mod kernel;
mod measured;
mod table;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    env,
    fmt::Write as _,
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use rayon::prelude::*;
use warpsim::{
    Argument, FindingKind, Launch, LaunchStatus, Module, Profile, Severity, Simulator, coverage, internals,
};

use goldens::{CHUNK, Golden, Goldens, chunk_hash, fnv};
use table::{Entry, Form, Operand, Table};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hardware")
}

/// A form with its kernel and operands.
pub struct Case {
    /// What is computed.
    pub form: Form,
    /// What its operands are made from; forms that have it in common have the operands in common.
    pub signature: String,
    /// The kernel.
    pub ptx: String,
    /// By thread.
    pub operands: Arc<Vec<Vec<u64>>>,
    /// As the kernel reads them.
    pub bytes: Arc<Vec<u8>>,
}

impl Case {
    /// Tells apart what has been measured from what would be measured today.
    pub fn key(&self) -> u64 {
        fnv(self.ptx.as_bytes()) ^ fnv(&self.bytes).rotate_left(1)
    }

    /// Sets of operands.
    pub fn threads(&self) -> usize {
        self.operands.len()
    }

    /// Bytes of all threads' results.
    pub fn result_bytes(&self) -> usize {
        self.threads() * self.form.results.iter().map(Operand::bytes).sum::<usize>()
    }

    /// Results as the kernel writes them, thread by thread.
    pub fn by_thread(&self, bytes: &[u8]) -> Vec<Vec<u8>> {
        assert_eq!(bytes.len(), self.result_bytes(), "{}", self.form.name);
        let mut threads = vec![Vec::new(); self.threads()];
        let mut at = 0;
        for result in &self.form.results {
            for thread in &mut threads {
                thread.extend(&bytes[at..at + result.bytes()]);
                at += result.bytes();
            }
        }
        threads
    }
}

/// Operands by thread, and as the kernel reads them.
type Operands = (Arc<Vec<Vec<u64>>>, Arc<Vec<u8>>);

/// Every form of the table.
fn cases() -> Vec<Case> {
    let mut made: HashMap<String, Operands> = HashMap::new();
    let case = |form: Form| {
        let signature = inputs::signature(&form);
        let (operands, bytes) = (made.entry(signature.clone()))
            .or_insert_with(|| {
                let operands = inputs::inputs(&form);
                let mut bytes = Vec::new();
                for (index, operand) in form.operands.iter().enumerate() {
                    for thread in &operands {
                        bytes.extend(&thread[index].to_le_bytes()[..operand.bytes()]);
                    }
                }
                (Arc::new(operands), Arc::new(bytes))
            })
            .clone();
        Case { ptx: kernel::ptx(&form, operands.len()), form, signature, operands, bytes }
    };
    Table::read().forms.into_iter().map(case).collect()
}

/// The simulator's results by thread, or why there are none.
fn simulate(case: &Case) -> Result<Vec<Vec<u8>>, String> {
    let module = Module::load(&case.ptx).map_err(|error| error.to_string())?;
    let mut simulator = Simulator::new(Arc::new(module), &Profile::H200);
    let operands = simulator.allocate(case.bytes.len() as u64, "operands");
    simulator.write(operands, &case.bytes).map_err(|error| error.to_string())?;
    let results = simulator.allocate(case.result_bytes() as u64, "results");
    let scratch = simulator.allocate(16 * case.threads() as u64, "scratch");
    let launch = Launch::new(
        kernel::ENTRY,
        [(case.threads() / kernel::BLOCK) as u32, 1, 1],
        [kernel::BLOCK as u32, 1, 1],
        [operands, results, scratch].map(|base| Argument::Pointer { base, offset: 0 }).to_vec(),
    )
    .with_budget(10_000_000);
    let report = simulator.launch(&launch).map_err(|error| error.to_string())?;
    let undefined = undefined(case);
    let wrong = report.findings.iter().find(|finding| {
        let is_of_these = finding.kind == FindingKind::UninitializedRead && !undefined.is_empty();
        finding.severity != Severity::Note && !is_of_these
    });
    if report.status != LaunchStatus::Finished || wrong.is_some() {
        return Err(format!("{:?} {wrong:?}", report.status));
    }
    let contents = simulator.read(results, case.result_bytes()).map_err(|error| error.to_string())?;
    let uninitialised: Vec<usize> = contents.uninitialised.into_iter().flatten().collect();
    if uninitialised != undefined {
        return Err(format!("undefined bytes should be {undefined:?}, but are {uninitialised:?}"));
    }
    Ok(case.by_thread(&contents.bytes))
}

/// The bytes of the results of which CUDA does not say what they are: those of an integer divided by zero. Their
/// values are the hardware's all the same.
fn undefined(case: &Case) -> Vec<usize> {
    let name = &case.form.name;
    let kind = name.strip_prefix("div.").or_else(|| name.strip_prefix("rem."));
    if !kind.is_some_and(|kind| kind.starts_with(['u', 's'])) {
        return Vec::new();
    }
    let bytes = case.form.results[0].bytes();
    let divisor = |thread: usize| case.operands[thread][1] << (64 - 8 * bytes);
    let by_zero = (0..case.threads()).filter(|&thread| divisor(thread) == 0);
    by_zero.flat_map(|thread| thread * bytes..(thread + 1) * bytes).collect()
}

fn is_supported(case: &Case) -> bool {
    Module::load(&case.ptx).is_ok_and(|module| module.unsupported().is_empty())
}

/// The table says of every form whether the simulator has it. With `PREPARE=FOLDER`, writes what `measure.py`
/// needs; with `PREPARE_NEW=FOLDER`, of what has not been measured yet.
#[test]
fn the_table_says_what_is_supported() {
    let cases = cases();
    let wrong: Vec<String> = (cases.par_iter())
        .filter(|case| is_supported(case) == case.form.lacking)
        .map(|case| {
            let what = if case.form.lacking { "is supported: remove its `!`" } else { "is not supported" };
            format!("{} {what}", case.form.name)
        })
        .collect();
    assert!(wrong.is_empty(), "{} forms:\n{}", wrong.len(), wrong.join("\n"));
    if let Some(folder) = env::var_os("PREPARE") {
        measured::prepare(Path::new(&folder), &cases.iter().collect::<Vec<_>>());
    }
    if let Some(folder) = env::var_os("PREPARE_NEW") {
        let goldens = Goldens::read(&self::folder());
        let is_new =
            |case: &&Case| goldens.forms.get(&case.form.name).is_none_or(|kept| kept.key != case.key());
        measured::prepare(Path::new(&folder), &cases.iter().filter(is_new).collect::<Vec<_>>());
    }
}

fn mnemonic(text: &str) -> &str {
    text.split(['.', '#']).next().unwrap_or(text)
}

#[test]
fn every_mnemonic_is_in_the_table() {
    let table = Table::read();
    let mut known: BTreeSet<&str> =
        table.forms.iter().filter(|form| !form.lacking).map(|form| mnemonic(&form.name)).collect();
    for entry in &table.entries {
        if let Entry::Elsewhere { mnemonics, .. } = entry {
            known.extend(mnemonics.iter().map(String::as_str));
        }
    }
    for opcode in coverage::mnemonics() {
        assert!(known.contains(opcode), "the decoder knows {opcode}, forms.txt has no form of it");
    }
    for name in known {
        assert!(coverage::mnemonics().contains(&name), "forms.txt has {name}, the decoder does not know it");
    }
}

/// A form that the simulator lacks belongs to a part of PTX that the decoder names as
/// lacking: none is forgotten.
#[test]
fn what_is_lacking_is_lacking_on_purpose() {
    let part_of = |name: &str| {
        let begins = |with: &&str| {
            name.strip_prefix(with).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        coverage::lacking().iter().find(|part| part.instructions.iter().any(begins))
    };
    for form in Table::read().forms {
        assert_eq!(part_of(&form.name).is_some(), form.lacking, "{}", form.name);
    }
}

/// The variants of an enum in a source text.
fn variants<'a>(source: &'a str, name: &str) -> Vec<&'a str> {
    let start = source.find(&format!("pub enum {name} {{")).unwrap_or_else(|| panic!("no enum {name}"));
    let body = &source[start..start + source[start..].find("\n}").expect("the enum's end")];
    let is_variant = |line: &&str| line.starts_with(char::is_uppercase);
    body.lines()
        .filter_map(|line| line.strip_prefix("    "))
        .filter(is_variant)
        .map(|line| line.split([' ', ',', '{']).next().unwrap_or(line))
        .collect()
}

/// Every operation that the decoder can make is made by some form.
#[test]
fn every_operation_is_in_the_table() {
    let cases = cases();
    let mut made = BTreeSet::new();
    for case in &cases {
        if let Ok(module) = Module::load(&case.ptx) {
            made.extend(internals::operations(&module));
        }
    }
    let (alu, ir) = (include_str!("../../src/ir/alu.rs"), include_str!("../../src/ir/operation.rs"));
    let in_shape = |shape: &'static str| vec![format!("{shape} {{ op: @,")];
    let fields = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let mut missing = Vec::new();
    for (source, name, patterns) in [
        (alu, "Alu", fields(&["Alu(@ "])),
        (alu, "Word1", in_shape("Word1")),
        (alu, "Word2", in_shape("Word2")),
        (alu, "Word3", in_shape("Word3")),
        (alu, "Pair1", in_shape("Pair1")),
        (alu, "PairToWord", in_shape("PairToWord")),
        (alu, "Pair2", in_shape("Pair2")),
        (alu, "Pair3", in_shape("Pair3")),
        (alu, "PairShift", in_shape("PairShift")),
        (alu, "Float1", fields(&["Float1 { op: @,", "Double1 { op: @,"])),
        (alu, "Float2", in_shape("Float2")),
        (alu, "Rounding", fields(&["rounding: @,"])),
        (alu, "HalfKind", fields(&["HalfFma { kind: @,"])),
        (alu, "Compare", fields(&["compare: @,"])),
        (alu, "CompareKind", fields(&["SetPredicate { kind: @,"])),
        (alu, "Combine", fields(&["combine: @,"])),
        (alu, "Class", fields(&["class: @,"])),
        (alu, "ByteFormat", fields(&["format: @,"])),
        (alu, "ConvertKind", fields(&["Convert { to: @,"])),
        (alu, "ConvertKind", fields(&["from: @,"])),
        (ir, "AtomicOp", fields(&["Atomic { op: @,"])),
        (ir, "AtomicType", fields(&["kind: @, space:"])),
        (ir, "ShuffleMode", fields(&["Shuffle { mode: @,"])),
        (ir, "VoteMode", fields(&["Vote { mode: @,"])),
        (ir, "ReduxOp", fields(&["Redux { op: @,"])),
    ] {
        for variant in variants(source, name) {
            let texts: Vec<String> = patterns.iter().map(|pattern| pattern.replace('@', variant)).collect();
            if !made.iter().any(|op| texts.iter().any(|text| op.contains(text))) {
                missing.push(format!("{name}::{variant}"));
            }
        }
    }
    assert!(missing.is_empty(), "no form makes {}", missing.join(", "));
}

/// The list of what is supported, for people.
#[test]
fn coverage_is_up_to_date() {
    let table = Table::read();
    let mut text = String::from(
        "# Supported instructions\n\nMade from `forms.txt` and the decoder's own tables by `BLESS=1 cargo test -p warpsim --test hardware`. \
         Braces hold alternatives; `$` names are defined in `forms.txt`.\n",
    );
    for entry in &table.entries {
        let _ = match entry {
            Entry::Heading(title) => writeln!(text, "\n## {title}\n"),
            Entry::Forms { text: form, lacking: false } => writeln!(text, "- `{form}`"),
            Entry::Forms { text: form, lacking: true } => writeln!(text, "- not executed: `{form}`"),
            Entry::Elsewhere { mnemonics, why } => writeln!(text, "- `{}`: {why}", mnemonics.join("`, `")),
        };
    }
    text += "\n## Not executed\n\nA kernel that gets there ends with the finding `unsupported`, which names the part, the instruction \
             and its source line.\n\n| part | instructions and functions | instead |\n|---|---|---|\n";
    for part in coverage::lacking() {
        let named: Vec<String> =
            part.instructions.iter().chain(part.functions).map(|name| format!("`{name}`")).collect();
        let _ = writeln!(text, "| {} | {} | {} |", part.name, named.join(", "), part.instead);
    }
    let path = folder().join("COVERAGE.md");
    if env::var_os("BLESS").is_some() {
        fs::write(&path, &text).expect("COVERAGE.md can be written");
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == text, "COVERAGE.md is not what forms.txt says; BLESS=1 writes it");
}

/// Forms that are known to differ, and in how many places (`differs.txt`).
fn known() -> BTreeMap<String, usize> {
    let mut known = BTreeMap::new();
    let mut reason = None;
    for line in include_str!("differs.txt").lines() {
        if let Some(why) = line.strip_prefix("because ") {
            reason = Some(why);
        } else if !line.is_empty() && !line.starts_with('#') {
            assert!(reason.is_some(), "differs.txt: no reason is given for `{line}`");
            let (form, count) = line.split_once(' ').expect("differs.txt: FORM COUNT");
            known.insert(form.to_owned(), count.parse().expect("differs.txt: FORM COUNT"));
        }
    }
    known
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().rev().map(|byte| format!("{byte:02x}")).collect()
}

/// A thread's operands and results, for people.
fn shown(case: &Case, thread: usize, hardware: Option<&[u8]>, simulated: &[u8]) -> String {
    let mut text = format!("thread {thread}:");
    for (operand, value) in case.form.operands.iter().zip(&case.operands[thread]) {
        let _ = write!(text, " {}={value:0width$x}", operand.name, width = 2 * operand.bytes());
    }
    let mut at = 0;
    for result in &case.form.results {
        let range = at..at + result.bytes();
        at = range.end;
        let _ = match hardware {
            Some(hardware) if hardware[range.clone()] == simulated[range.clone()] => Ok(()),
            Some(hardware) => write!(
                text,
                "; {}: the GPU has {}, the simulator {}",
                result.name,
                hex(&hardware[range.clone()]),
                hex(&simulated[range])
            ),
            None => write!(text, "; {}={}", result.name, hex(&simulated[range])),
        };
    }
    text
}

fn agrees(case: &Case, thread: usize, hardware: &[u8], simulated: &[u8]) -> bool {
    let Some(bound) = case.form.bound else { return hardware == simulated };
    let operands: Vec<(&Operand, u64)> =
        case.form.operands.iter().zip(case.operands[thread].iter().copied()).collect();
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
    bound.allows(&case.form.results[0], &operands, number(hardware), number(simulated))
}

/// In how many places (threads, or chunks of them) results differ, and what is to be seen there.
type Difference = (usize, Vec<String>);

/// Where the simulator's results are not the GPU's.
fn differences(case: &Case, golden: &Golden) -> Result<(), Difference> {
    if golden.key != case.key() {
        return Err((1, vec!["its kernel or its operands have changed since; measure again".into()]));
    }
    let simulated = match simulate(case) {
        Ok(simulated) => simulated,
        Err(why) => return Err((case.threads(), vec![format!("the simulator gives no result: {why}")])),
    };
    let mut found = Vec::new();
    for (thread, hardware) in golden.full.iter().enumerate() {
        if !agrees(case, thread, hardware, &simulated[thread]) {
            found.push(shown(case, thread, Some(hardware), &simulated[thread]));
        }
    }
    for (index, hash) in golden.hashes.iter().enumerate() {
        let first = golden.full.len() + index * CHUNK;
        if chunk_hash(&simulated[first..first + CHUNK].concat()) != *hash {
            found.push(format!("some of threads {first} to {}; the simulator's results:", first + CHUNK - 1));
            found.extend(
                (first..first + CHUNK)
                    .map(|thread| "  ".to_owned() + &shown(case, thread, None, &simulated[thread])),
            );
        }
    }
    let count = found.iter().filter(|line| !line.starts_with(' ')).count();
    if found.is_empty() { Ok(()) } else { Err((count, found)) }
}

/// The simulator's results are the GPU's. With `MEASURED=FOLDER`, first makes the goldens from what
/// `measure.py` wrote there (those of forms that it did not measure stay), and says of every
/// difference which thread it is.
#[test]
fn results_are_the_hardwares() {
    let cases = cases();
    let in_full = env::var_os("MEASURED").map(|folder| measured::read(Path::new(&folder), &cases));
    if let Some(in_full) = &in_full {
        Goldens::read(&folder()).with(in_full.packed(&cases), &cases).write(&folder());
    }
    let goldens = Goldens::read(&folder());
    let mut pending: Vec<&str> = Vec::new();
    for case in &cases {
        let name = &case.form.name;
        if !goldens.forms.contains_key(name) && !goldens.record.refused.contains_key(name) {
            pending.push(name);
        }
    }
    let compared: Vec<(&Case, Result<(), Difference>)> = (cases.par_iter())
        .filter(|case| !case.form.lacking && !goldens.record.refused.contains_key(&case.form.name))
        .filter_map(|case| Some((case, goldens.forms.get(&case.form.name)?)))
        .map(|(case, golden)| {
            let name = &case.form.name;
            let mut result = differences(case, golden);
            if let (Err((_, lines)), Some(in_full)) = (&mut result, &in_full)
                && let Some(golden) = in_full.forms.get(name)
                && let Err((_, all)) = differences(case, golden)
            {
                *lines = all;
            }
            (case, result)
        })
        .collect();
    let known = known();
    let (mut short, mut long, mut wrong) = (String::new(), String::new(), 0);
    for (case, result) in &compared {
        let name = &case.form.name;
        match (result, known.get(name)) {
            (Ok(()), None) => {}
            (Err((count, _)), Some(known)) if count == known => {}
            (Ok(()), Some(_)) => {
                wrong += 1;
                let _ = writeln!(short, "{name} 0: it agrees; remove it from differs.txt");
            }
            (Err((count, lines)), _) => {
                wrong += 1;
                let _ = writeln!(short, "{name} {count}: {}", lines[0]);
                let _ = writeln!(long, "{name} {count}\n  {}", lines.join("\n  "));
            }
        }
    }
    let names: BTreeSet<&String> = cases.iter().map(|case| &case.form.name).collect();
    for name in known.keys().chain(goldens.forms.keys()).chain(goldens.record.refused.keys()) {
        if !names.contains(name) {
            wrong += 1;
            let _ = writeln!(short, "{name}: forms.txt has no such form");
        }
    }
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hardware-differences.txt");
    fs::write(&path, &long).expect("the target folder can be written to");
    let from = &goldens.record.provenance;
    println!(
        "{} forms compared with {} ({}), {} known to differ",
        compared.len(),
        from.gpu,
        from.driver,
        known.len()
    );
    if !pending.is_empty() {
        // Whoever adds a form need not have a GPU; whoever reads this may. Written past the test's own output, which
        // nobody sees of a test that passes.
        let _ = writeln!(
            io::stderr(),
            "{} forms are pending, no GPU has run them (tests/hardware/README.md, PREPARE_NEW): {}",
            pending.len(),
            pending.join(", ")
        );
    }
    assert!(
        wrong == 0,
        "{wrong} of {} forms differ; all of it in {}\n{short}",
        compared.len(),
        path.display()
    );
}
