//! What the book shows changes with every constant that it depends on: a GPU's limits, the machine's numbers, each count.

use std::{collections::BTreeSet, fs, path::Path};

use harness::traffic::{BANKS, LANES, WORDS_PER_SECTOR};
use warpsim::{Counters, Profile};

use super::{
    RECORD,
    circulation::{Questions, counted},
    limits,
};
use crate::record::Record;

/// Fields of a profile that no text of the book shows. They decide residency and the estimate of speed.
const NOT_SHOWN: [&str; 5] = [
    "memory_bytes",
    "shared_reserved_per_block",
    "shared_unit",
    "memory_gigabytes_per_second",
    "fp32_gigaflops",
];

fn read(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A change of one limit.
type Change = fn(&mut Profile);

const CHANGES: [(&str, Change); 9] = [
    ("name", |profile| profile.name = "another"),
    ("compute_capability", |profile| profile.compute_capability += 1),
    ("multiprocessors", |profile| profile.multiprocessors += 1),
    ("threads_per_multiprocessor", |profile| profile.threads_per_multiprocessor += 32),
    ("blocks_per_multiprocessor", |profile| profile.blocks_per_multiprocessor += 1),
    ("registers_per_multiprocessor", |profile| profile.registers_per_multiprocessor += 256),
    ("shared_per_multiprocessor", |profile| profile.shared_per_multiprocessor += 1024),
    ("shared_per_block", |profile| profile.shared_per_block += 1024),
    ("shared_per_block_optin", |profile| profile.shared_per_block_optin += 1024),
];

#[test]
fn another_limit_of_a_gpu_is_another_page() {
    let page = read("book/src/machine-model.md");
    assert!(page.contains(limits(Profile::ALL).trim_end()), "workshop regenerate book");
    for place in 0..Profile::ALL.len() {
        for (field, change) in CHANGES {
            let mut changed: Vec<Profile> = Profile::ALL.iter().map(|profile| **profile).collect();
            change(&mut changed[place]);
            let name = Profile::ALL[place].name;
            let table = limits(&changed.iter().collect::<Vec<_>>());
            assert!(!page.contains(table.trim_end()), "{field} of {name} changes nothing");
        }
    }
}

#[test]
fn every_field_of_a_profile_is_shown_or_listed() {
    let fields = serde_json::to_value(Profile::H200).expect("JSON");
    let fields: BTreeSet<&str> = fields.as_object().expect("fields").keys().map(String::as_str).collect();
    let known = CHANGES.iter().map(|(field, _)| *field).chain(NOT_SHOWN).collect();
    assert_eq!(fields, known);
}

/// The constants of the machine that decide how much a kernel's accesses count.
#[derive(Clone, Copy)]
struct Machine {
    lanes: usize,
    sector: usize,
    banks: usize,
}

impl Machine {
    /// The most words in one bank, where each lane reads a word `pitch` after its neighbour's.
    fn wavefronts(self, pitch: usize) -> usize {
        let mut in_bank = vec![0; self.banks];
        (0..self.lanes).for_each(|lane| in_bank[lane * pitch % self.banks] += 1);
        in_bank.into_iter().max().unwrap_or_default()
    }

    /// What it counts for 00's loads of two arrays, and for 06's reads of a plain and of a padded tile.
    fn counts(self) -> Vec<f64> {
        let warps = |words: usize| {
            (0..words).step_by(self.lanes).map(move |first| first..words.min(first + self.lanes))
        };
        let sectors =
            |words: std::ops::Range<usize>| words.end.div_ceil(self.sector) - words.start / self.sector;
        let tiles = warps(128 * 64).count();
        let all = [
            2 * warps(1000).count(),
            2 * warps(1000).map(sectors).sum::<usize>(),
            tiles,
            tiles * self.wavefronts(32),
            tiles * self.wavefronts(33),
        ];
        all.map(|count| count as f64).into()
    }
}

#[test]
fn another_constant_of_the_machine_is_another_count() {
    let committed: Vec<f64> = [
        ("00-first-kernel", "kernel.cu", "n = 1000, not a multiple of the block", "global_load_requests"),
        ("00-first-kernel", "kernel.cu", "n = 1000, not a multiple of the block", "global_load_sectors"),
        ("06-transpose", "kernel.cu", "128 × 64, full tiles", "shared_load_requests"),
        ("06-transpose", "steps/2-tiled.cu", "128 × 64, full tiles", "shared_load_wavefronts"),
        ("06-transpose", "kernel.cu", "128 × 64, full tiles", "shared_load_wavefronts"),
    ]
    .map(|(exercise, file, case, counter)| {
        let folder = format!("solutions/{exercise}");
        let found =
            counted(&read(&format!("{folder}/counts.txt")), &format!("{folder}/{file}"), case, counter);
        found.unwrap_or_else(|| panic!("{folder}/{file} has no {counter} in {case}"))
    })
    .into();
    let machine = Machine { lanes: LANES, sector: WORDS_PER_SECTOR, banks: BANKS };
    assert_eq!(machine.counts(), committed);
    for (constant, other) in [
        ("lanes", Machine { lanes: LANES / 2, ..machine }),
        ("lanes", Machine { lanes: LANES * 2, ..machine }),
        ("words of a sector", Machine { sector: WORDS_PER_SECTOR / 2, ..machine }),
        ("words of a sector", Machine { sector: WORDS_PER_SECTOR * 2, ..machine }),
        ("banks", Machine { banks: BANKS / 2, ..machine }),
        ("banks", Machine { banks: BANKS * 2, ..machine }),
    ] {
        assert_ne!(other.counts(), committed, "another number of {constant} changes no count");
    }
}

/// A file of counts in which each line has another multiple of one counter.
fn perturbed(text: &str, counter: &str) -> String {
    let line = |(number, line): (usize, &str)| {
        let part = |part: &str| {
            let count = part.strip_prefix(counter).and_then(|rest| rest.strip_prefix(' '));
            let count = count.and_then(|count| count.trim().parse::<usize>().ok());
            count.map_or(part.to_owned(), |count| format!("{counter} {}", (number + 1) * count))
        };
        line.split(" | ").map(part).collect::<Vec<_>>().join(" | ")
    };
    (1..).zip(text.lines()).map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn another_count_is_another_page() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let Ok(record) = Record::read(&root.join(RECORD)) else { panic!("{RECORD} is no record") };
    let counters = serde_json::to_value(Counters::default()).expect("JSON");
    let counters = counters.as_object().expect("counters");
    let mut compared = 0;
    for folder in ["book/src", "book/src/chapters"] {
        for entry in fs::read_dir(root.join(folder)).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.extension().is_none_or(|ending| ending != "md") {
                continue;
            }
            let page = fs::read_to_string(&path).expect("a page");
            let home = path.file_stem().and_then(|stem| stem.to_str());
            let home = home.filter(|home| root.join("solutions").join(home).is_dir());
            let asked = page.split("<!-- =").skip(1).filter_map(|rest| Some(rest.split_once(" -->")?.0));
            for question in asked.filter(|asked| asked.contains("count(") || asked.contains("fewer(")) {
                let named =
                    question.split('"').skip(1).step_by(2).filter(|name| counters.contains_key(*name));
                for counter in named.map(str::to_owned).collect::<BTreeSet<_>>() {
                    let answer = |is_perturbed: bool| {
                        let (root, counter) = (root.clone(), counter.clone());
                        let read = move |file: &str| {
                            let text = fs::read_to_string(root.join(file)).ok()?;
                            let is_changed = is_perturbed && file.ends_with("counts.txt");
                            Some(if is_changed { perturbed(&text, &counter) } else { text })
                        };
                        Questions::new(&record, read, home).page(&format!("{{{{ {question} }}}}")).ok()
                    };
                    // A time that this record lacks is another record's.
                    let Some(today) = answer(false) else { continue };
                    assert_ne!(answer(true), Some(today), "{}: {question}", path.display());
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 10, "{compared} questions");
}
