//! What goes to the machine with the GPU, and what comes back from it.

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    path::Path,
};

use serde::{Deserialize, Serialize};

use crate::{
    Case,
    goldens::{Added, Golden, Goldens, Record},
    kernel::{BLOCK, ENTRY},
};

/// `forms.json`: what to launch.
#[derive(Serialize)]
struct Plan {
    entry: &'static str,
    block: usize,
    forms: Vec<Measurement>,
}

#[derive(Serialize)]
struct Measurement {
    name: String,
    /// The kernel.
    ptx: String,
    /// The operands' file.
    operands: String,
    threads: usize,
    result_bytes: usize,
    /// [`Case::key`], in text: Python and JSON have no common idea of 64 bits.
    key: String,
}

/// `results.json`: what was launched.
#[derive(Deserialize)]
struct Results {
    #[serde(flatten)]
    record: Record,
    /// By form: the number of the file `results.N.bin`, where in it the results begin,
    /// and the key that it had.
    results: BTreeMap<String, (usize, usize, String)>,
}

/// Writes kernels, operands and the plan into a folder, for `measure.py`.
pub fn prepare(folder: &Path, cases: &[&Case]) {
    let write = |name: &str, bytes: &[u8]| {
        fs::write(folder.join(name), bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
    };
    fs::create_dir_all(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: HashMap<&str, String> = HashMap::new();
    let mut forms = Vec::new();
    for case in cases {
        let count = files.len();
        let operands = files.entry(&case.signature).or_insert_with(|| {
            let name = format!("operands.{count}.bin");
            write(&name, &case.bytes);
            name
        });
        forms.push(Measurement {
            name: case.form.name.clone(),
            ptx: case.ptx.clone(),
            operands: operands.clone(),
            threads: case.threads(),
            result_bytes: case.result_bytes(),
            key: format!("{:x}", case.key()),
        });
    }
    let plan = Plan { entry: ENTRY, block: BLOCK, forms };
    write("forms.json", &serde_json::to_vec(&plan).expect("a plan is JSON"));
}

/// Everything that `measure.py` brought back, in full.
pub fn read(folder: &Path, cases: &[Case]) -> Goldens {
    let read = |name: &str| {
        fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{}: {name}: {error}", folder.display()))
    };
    let results: Results =
        serde_json::from_slice(&read("results.json")).expect("results.json is as measure.py writes it");
    let mut parts: HashMap<usize, Vec<u8>> = HashMap::new();
    let mut forms = BTreeMap::new();
    for case in cases {
        if let Some(&(part, at, ref key)) = results.results.get(&case.form.name) {
            let name = &case.form.name;
            assert_eq!(
                *key,
                format!("{:x}", case.key()),
                "{name} has changed since it was measured; measure again"
            );
            let bytes = parts.entry(part).or_insert_with(|| read(&format!("results.{part}.bin")));
            let by_thread = case.by_thread(&bytes[at..at + case.result_bytes()]);
            forms.insert(name.clone(), Golden::new(case.key(), &by_thread, true));
        }
    }
    Goldens { record: results.record, forms }
}

impl Goldens {
    /// These, and instead of some of them what was measured later. Of forms that are no longer in
    /// the table nothing stays.
    pub fn with(mut self, later: Goldens, cases: &[Case]) -> Goldens {
        let all = cases.iter().all(|case| {
            let name = &case.form.name;
            later.forms.contains_key(name) || later.record.refused.contains_key(name)
        });
        if all {
            return later;
        }
        let named = |name: &String| cases.iter().any(|case| case.form.name == *name);
        let Goldens { record, forms } = later;
        let measured: Vec<String> = forms.keys().chain(record.refused.keys()).cloned().collect();
        for added in &mut self.record.added {
            added.forms.retain(|name| named(name) && !measured.contains(name));
        }
        self.record.added.retain(|added| !added.forms.is_empty());
        self.record.refused.retain(|name, _| named(name) && !measured.contains(name));
        self.record.refused.extend(record.refused);
        self.forms.retain(|name, _| named(name) && !measured.contains(name));
        self.forms.extend(forms);
        self.record.added.push(Added { provenance: record.provenance, forms: measured });
        self
    }

    /// The same, as small as it is kept.
    pub fn packed(&self, cases: &[Case]) -> Goldens {
        let exact = |case: &&Case| self.forms.contains_key(&case.form.name);
        let pack = |case: &Case| {
            let golden = &self.forms[&case.form.name];
            (case.form.name.clone(), Golden::new(golden.key, &golden.full, case.form.bound.is_some()))
        };
        Goldens { record: self.record.clone(), forms: cases.iter().filter(exact).map(pack).collect() }
    }
}
