//! What all rows of a scoring have in common: judge, compiler, device, seed, and what is asked of speed.
//!
//! It is set when a scoring begins and stays, so that grades compare. A key hashes everything that one judgement
//! depends on: where it is the same, the judgement is the same, and is not made again.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::thresholds::demand::SpeedDemand;

/// What all rows have in common.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The judge: version and hash of the program.
    pub judge: String,
    /// The compiler.
    pub compiler: String,
    /// The device.
    pub device: String,
    /// The seed, secret until the results are published.
    pub seed: u64,
    /// When the scoring began, in UTC.
    pub started: String,
    /// What is asked of speed, by the exercise's id. It was measured before anything was judged, if need be, and is
    /// the same for all rows.
    pub speed: BTreeMap<String, SpeedDemand>,
    /// The assignment's text, if there is one. Points are made of it and of verdicts: no judgement depends on it.
    pub assignment: Option<String>,
}

impl Header {
    /// A header that asks nothing of speed yet.
    pub fn new(judge: String, compiler: String, device: String, seed: u64, started: String) -> Self {
        Header { judge, compiler, device, seed, started, speed: BTreeMap::new(), assignment: None }
    }

    /// The key of a kernel's judgement: what it depends on, hashed.
    pub fn key(&self, exercise: &str, kernel: &str) -> String {
        let mut hasher = blake3::Hasher::new();
        let seed = self.seed.to_string();
        let speed = format!("{:?}", self.speed.get(exercise));
        for part in [&self.judge, &self.compiler, &self.device, &seed, &speed, exercise, kernel] {
            // Lengths keep two neighbours from being read as one.
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        hasher.finalize().to_hex().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn demand(note: Option<&str>) -> SpeedDemand {
        SpeedDemand { note: note.map(str::to_owned), ..SpeedDemand::default() }
    }

    #[test]
    fn keys_depend_on_everything() {
        let header = |device: &str| Header::new("j".into(), "c".into(), device.into(), 7, "now".into());
        let key = header("sim:h200").key("03", "k");
        let others: [fn(&mut Header); 6] = [
            |header| header.judge.push('2'),
            |header| header.compiler.push('2'),
            |header| header.device.push('2'),
            |header| header.seed += 1,
            |header| drop(header.speed.insert("03".to_owned(), demand(None))),
            |header| drop(header.speed.insert("03".to_owned(), demand(Some("measured")))),
        ];
        let mut keys = vec![key.clone()];
        for other in others {
            let mut header = header("sim:h200");
            other(&mut header);
            keys.push(header.key("03", "k"));
        }
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 1 + others.len(), "two of them are the same");
        assert_ne!(key, header("sim:t4").key("03", "k"));
        assert_ne!(key, header("sim:h200").key("03", "l"));
        assert_ne!(header("a").key("bc", ""), header("a").key("b", "c"));
        // Only the beginning says when.
        let later = Header { started: "later".into(), ..header("sim:h200") };
        assert_eq!(key, later.key("03", "k"));
    }
}
