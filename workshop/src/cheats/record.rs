//! What became of the cheats where somebody ran them: the record of `workshop cheats
//! --out`, for the book's table.
//!
//! What CI cannot show, since it has no GPU, is shown once on one, and the record says where and when. A
//! proof is of one text of a kernel: who changes the kernel has to prove it again.

use std::path::Path;

use grader::{
    exit::{Result, Trouble},
    files,
};
use serde::{Deserialize, Serialize};

use super::cheat::Cheat;

/// Some proofs, all made with the same devices and compiler.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The devices, e.g. `gpu:0 (NVIDIA H200) + sim:h200`.
    pub device: String,
    /// The GPU's driver, e.g. `580.65.06`; empty without a GPU, or where the driver does not say.
    pub driver: String,
    /// The compiler, e.g. `NVRTC 13.0.88`.
    pub compiler: String,
    /// The grader, e.g. `0.1.0`.
    pub grader: String,
    /// By the cheats' names.
    pub proofs: Vec<Proof>,
}

/// What became of one cheat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proof {
    /// Its name.
    pub cheat: String,
    /// BLAKE3 of its file.
    pub hash: String,
    /// The day.
    pub date: String,
    /// True where all that its header says came true, on a GPU where it needs one.
    pub proved: bool,
    /// Sentences.
    pub problems: Vec<String>,
    /// How long it took.
    pub seconds: f64,
}

impl Record {
    /// Where the committed one lies, below the course's root.
    pub const FILE: &'static str = "solutions/measured/cheats.json";

    /// Reads a record; none where there is no such file.
    ///
    /// # Errors
    /// Wrong usage where the file is something else.
    pub fn read(path: &Path) -> Result<Option<Self>> {
        let wrong = |why: String| {
            Trouble::usage(why, "make it on a GPU: cargo workshop cheats --device gpu --out FILE.json")
        };
        match std::fs::read(path) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map(Some)
                .map_err(|error| wrong(format!("{} is no record of cheats: {error}", path.display()))),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => {
                Err(wrong(format!("could not read {}: {}", path.display(), files::explain(&error))))
            }
        }
    }

    /// Adds the proofs of an older record; who has little time proves some now and some later.
    ///
    /// # Errors
    /// What differs, where the two were not made with the same devices, driver and compiler.
    pub fn join(&mut self, older: Record) -> Result<(), String> {
        let made_with =
            |record: &Record| format!("{}, driver {}, {}", record.device, record.driver, record.compiler);
        let (this, other) = (made_with(self), made_with(&older));
        if this != other {
            return Err(format!("the record there was made with {other}, and these proofs with {this}"));
        }
        older.proofs.into_iter().for_each(|proof| self.keep(proof));
        Ok(())
    }

    /// Keeps a proof in place of what was known of that cheat.
    pub fn keep(&mut self, proof: Proof) {
        self.proofs.retain(|known| known.cheat != proof.cheat);
        self.proofs.push(proof);
        self.proofs.sort_by(|a, b| a.cheat.cmp(&b.cheat));
    }

    /// When this very cheat was proved on a GPU.
    pub fn proved(&self, cheat: &Cheat) -> Option<&str> {
        if !self.device.contains("gpu:") {
            return None;
        }
        let hash = cheat.hash();
        let found =
            self.proofs.iter().find(|proof| proof.proved && proof.cheat == cheat.name && proof.hash == hash);
        found.map(|proof| proof.date.as_str())
    }

    /// Where the proofs were made, in a sentence.
    pub fn provenance(&self) -> String {
        let driver = if self.driver.is_empty() { String::new() } else { format!(", driver {}", self.driver) };
        format!(
            "*On a GPU: {}{driver}, {}: `{}`, made by `workshop cheats`.*\n",
            self.device,
            self.compiler,
            Record::FILE
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proof(cheat: &str, source: &str, proved: bool, date: &str) -> Proof {
        Proof {
            cheat: cheat.to_owned(),
            hash: blake3::hash(source.as_bytes()).to_hex().to_string(),
            date: date.to_owned(),
            proved,
            problems: Vec::new(),
            seconds: 1.0,
        }
    }

    fn record(proofs: Vec<Proof>) -> Record {
        Record {
            device: "gpu:0 (NVIDIA H200)".to_owned(),
            driver: "580".to_owned(),
            proofs,
            ..Record::default()
        }
    }

    #[test]
    fn only_a_proof_of_this_very_text_counts() {
        let source = "// family: replay\n// exercise: 03-reduction\n// always: so\n// says: no\n";
        let cheat = Cheat::read("a".to_owned(), source.to_owned()).expect("a cheat");
        let proved = |proof| record(vec![proof]).proved(&cheat).map(str::to_owned);
        assert_eq!(proved(proof("a", source, true, "2026-11-22")).as_deref(), Some("2026-11-22"));
        for other in [
            proof("a", source, false, "2026-11-22"),
            proof("a", "// another text\n", true, "2026-11-22"),
            proof("b", source, true, "2026-11-22"),
        ] {
            assert_eq!(proved(other), None);
        }
        let simulated =
            Record { device: "sim:h200".to_owned(), ..record(vec![proof("a", source, true, "2026-11-22")]) };
        assert_eq!(simulated.proved(&cheat), None);
    }

    #[test]
    fn later_proofs_replace_earlier_ones_and_others_stay() {
        let mut now = record(Vec::new());
        let before =
            record(vec![proof("b", "old", true, "2026-11-22"), proof("a", "old", true, "2026-11-22")]);
        now.join(before).expect("made with the same");
        now.keep(proof("b", "new", true, "2026-11-23"));
        let dates: Vec<_> = now.proofs.iter().map(|proof| (&*proof.cheat, &*proof.date)).collect();
        assert_eq!(dates, [("a", "2026-11-22"), ("b", "2026-11-23")]);
        let other = Record { driver: "575".to_owned(), ..record(Vec::new()) };
        assert!(now.join(other).expect_err("another driver").contains("575"));
    }
}
