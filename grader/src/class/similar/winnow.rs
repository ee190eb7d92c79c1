//! Fingerprints by winnowing: of each run of instructions a hash, and of each window of hashes the least. Whatever two have
//! in common that is at least as long as a window and a run together is found, wherever it stands.
//!
//! S. Schleimer, D. Wilkerson, A. Aiken, "Winnowing: Local Algorithms for Document Fingerprinting", SIGMOD 2003.

use std::collections::{BTreeMap, BTreeSet};

/// Instructions in a run, and runs in a window; chosen by the measurement that the book's page for instructors has.
const RUN: usize = 5;
const WINDOW: usize = 4;

/// A kernel's fingerprints.
pub type Prints = BTreeSet<u64>;

/// The fingerprints of instructions.
pub fn prints(instructions: &[String]) -> Prints {
    let hashes: Vec<u64> = instructions.windows(RUN).map(hash).collect();
    match hashes.len() {
        0 => Prints::new(),
        few if few < WINDOW => hashes.iter().min().copied().into_iter().collect(),
        _ => hashes.windows(WINDOW).filter_map(|window| window.iter().min().copied()).collect(),
    }
}

fn hash(run: &[String]) -> u64 {
    let mut hasher = blake3::Hasher::new();
    for instruction in run {
        hasher.update(instruction.as_bytes()).update(b"\n");
    }
    let mut first = [0; 8];
    first.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    u64::from_le_bytes(first)
}

/// What a fingerprint says: the less, the more kernels have it.
pub struct Weights {
    kernels: f64,
    having: BTreeMap<u64, u32>,
}

impl Weights {
    /// Of all different kernels of an exercise.
    pub fn of<'a>(all: impl Iterator<Item = &'a Prints>) -> Self {
        let (mut kernels, mut having) = (0.0, BTreeMap::new());
        for prints in all {
            kernels += 1.0;
            prints.iter().for_each(|print| *having.entry(*print).or_insert(0) += 1);
        }
        Weights { kernels, having }
    }

    fn sum<'a>(&self, prints: impl Iterator<Item = &'a u64>) -> f64 {
        let weight = |print| (1.0 + self.kernels / f64::from(*self.having.get(print).unwrap_or(&1))).ln();
        prints.map(weight).sum()
    }
}

/// How much two have in common: 0 nothing, 1 all.
pub fn likeness(one: &Prints, other: &Prints, weights: &Weights) -> f64 {
    let all = weights.sum(one.iter()) + weights.sum(other.iter());
    if all == 0.0 { 0.0 } else { 2.0 * weights.sum(one.intersection(other)) / all }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(text: &[u8]) -> Vec<String> {
        text.iter().map(|byte| byte.to_string()).collect()
    }

    proptest! {
        /// The guarantee of winnowing.
        #[test]
        fn what_two_have_in_common_is_found(
            common in prop::collection::vec(any::<u8>(), RUN + WINDOW - 1..40),
            before in prop::collection::vec(any::<u8>(), 0..20),
            behind in prop::collection::vec(any::<u8>(), 0..20),
        ) {
            let one = prints(&words(&[&common[..], &behind].concat()));
            let other = prints(&words(&[&before[..], &common].concat()));
            prop_assert!(one.intersection(&other).next().is_some());
            let weights = Weights::of([&one, &other].into_iter());
            prop_assert!((likeness(&one, &one, &weights) - 1.0).abs() < 1e-9);
            let alike = likeness(&one, &other, &weights);
            prop_assert!(alike > 0.0 && alike < 1.0 + 1e-9);
        }
    }

    #[test]
    fn what_all_have_says_less_than_what_two_have() {
        let prints = |all: &[u64]| all.iter().copied().collect::<Prints>();
        let class = [prints(&[1, 2, 3]), prints(&[1, 2, 4]), prints(&[1, 5, 6]), prints(&[1, 7, 8])];
        let weights = Weights::of(class.iter());
        let rare = likeness(&class[0], &class[1], &weights);
        let usual = likeness(&class[0], &class[2], &weights);
        assert!(rare > usual && usual < 1.0 / 3.0, "{rare} {usual}");
        assert_eq!(likeness(&Prints::new(), &Prints::new(), &weights), 0.0);
    }
}
