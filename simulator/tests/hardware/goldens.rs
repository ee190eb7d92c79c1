//! What the GPU gave, small enough to keep: `goldens.bin` and `goldens.json`.
//!
//! `goldens.json` says where the results come from and which forms the GPU's driver refused. `goldens.bin`
//! has the number of forms (4 bytes), then a record per form, in the order of names, numbers little-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 2, then as many | length of the name; the name |
//! | 8 | hash of the kernel's text and its operands: results of others are not comparable |
//! | 4 | threads |
//! | 4 | how many threads' results are kept in full |
//! | 1 | bytes of one thread's results |
//! | as many | those results, a thread's registers beside each other |
//! | 4 each | the hash of each further 32 threads' results |
//!
//! Approximate forms are kept in full, exact ones for the first 64 threads. Hashes are FNV-1a of 64 bits, of
//! which chunks keep the upper half folded onto the lower one.

use std::{collections::BTreeMap, fs, path::Path};

use serde::{Deserialize, Serialize};

/// Threads whose results one hash covers.
pub const CHUNK: usize = 32;
/// Threads of an exact form that are kept in full.
const IN_FULL: usize = 64;

/// FNV-1a.
pub fn fnv(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xCBF2_9CE4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

/// The hash of a chunk.
pub fn chunk_hash(bytes: &[u8]) -> u32 {
    let hash = fnv(bytes);
    (hash >> 32) as u32 ^ hash as u32
}

/// Where results come from.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Provenance {
    pub gpu: String,
    pub driver: String,
    /// What compiled the PTX: the driver's own compiler, by the CUDA version that the driver has.
    pub compiler: String,
    /// Of the Python packages that launched it.
    pub launcher: String,
    pub date: String,
}

/// `goldens.json`, and what `measure.py` writes beside its results.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Record {
    pub provenance: Provenance,
    /// Forms that the driver refused or that did not end, with its words.
    pub refused: BTreeMap<String, String>,
    /// Forms that were measured later than the rest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<Added>,
}

/// Forms that were measured together, after the others.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Added {
    pub provenance: Provenance,
    pub forms: Vec<String>,
}

/// One form's results.
#[derive(Clone, Debug, PartialEq)]
pub struct Golden {
    pub key: u64,
    pub threads: usize,
    /// Results of the first threads, one `Vec` each.
    pub full: Vec<Vec<u8>>,
    /// Of the chunks after those.
    pub hashes: Vec<u32>,
}

impl Golden {
    /// `results`: by thread.
    pub fn new(key: u64, results: &[Vec<u8>], approximate: bool) -> Golden {
        let kept = if approximate { results.len() } else { IN_FULL };
        let hashes = results[kept..].chunks(CHUNK).map(|chunk| chunk_hash(&chunk.concat())).collect();
        Golden { key, threads: results.len(), full: results[..kept].to_vec(), hashes }
    }
}

/// All forms' results.
pub struct Goldens {
    pub record: Record,
    pub forms: BTreeMap<String, Golden>,
}

impl Goldens {
    /// Reads both files of a folder.
    pub fn read(folder: &Path) -> Goldens {
        let read = |name: &str| {
            fs::read(folder.join(name)).unwrap_or_else(|error| {
                panic!("{name}: {error}; README.md in {} says how it is made", folder.display())
            })
        };
        let record = serde_json::from_slice(&read("goldens.json")).expect("goldens.json is a record");
        let bytes = read("goldens.bin");
        let mut at = 0;
        let mut take = |count: usize| {
            at += count;
            &bytes[at - count..at]
        };
        let mut forms = BTreeMap::new();
        let total = number(take(4));
        for _ in 0..total {
            let length = number(take(2));
            let name = String::from_utf8(take(length).to_vec()).expect("names are text");
            let key = u64::from_le_bytes(take(8).try_into().expect("8 bytes"));
            let (threads, kept, width) = (number(take(4)), number(take(4)), number(take(1)));
            let full = (0..kept).map(|_| take(width).to_vec()).collect();
            let hashes = (0..(threads - kept) / CHUNK).map(|_| number(take(4)) as u32).collect();
            forms.insert(name, Golden { key, threads, full, hashes });
        }
        assert_eq!(at, bytes.len(), "goldens.bin has bytes behind its last form");
        Goldens { record, forms }
    }

    /// Writes both files.
    pub fn write(&self, folder: &Path) {
        let mut bytes = (self.forms.len() as u32).to_le_bytes().to_vec();
        for (name, golden) in &self.forms {
            bytes.extend((name.len() as u16).to_le_bytes());
            bytes.extend(name.as_bytes());
            bytes.extend(golden.key.to_le_bytes());
            bytes.extend((golden.threads as u32).to_le_bytes());
            bytes.extend((golden.full.len() as u32).to_le_bytes());
            bytes.push(golden.full[0].len() as u8);
            bytes.extend(golden.full.concat());
            bytes.extend(golden.hashes.iter().flat_map(|hash| hash.to_le_bytes()));
        }
        fs::write(folder.join("goldens.bin"), bytes).expect("goldens.bin can be written");
        let record = serde_json::to_string_pretty(&self.record).expect("a record is JSON") + "\n";
        fs::write(folder.join("goldens.json"), record).expect("goldens.json can be written");
    }
}

fn number(bytes: &[u8]) -> usize {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | usize::from(byte))
}
