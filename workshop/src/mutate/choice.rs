//! Which of all mutants are judged: a sample, a shard, or those whose line says something.

use crate::cli::{Mutate, Shard};

/// A seed that nobody chose.
pub fn fresh_seed() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    // Small enough to be typed again.
    std::hash::RandomState::new().build_hasher().finish() % 1_000_000
}

/// The places of those to judge among all lines, in their order.
pub fn chosen(options: &Mutate, seed: u64, lines: &[String]) -> Vec<usize> {
    let wanted =
        |line: &String| options.only.is_empty() || options.only.iter().any(|text| line.contains(text));
    let mut places: Vec<usize> = (0..lines.len()).filter(|&place| wanted(&lines[place])).collect();
    if let Some(Shard { part, of }) = options.shard {
        places = places.into_iter().skip(part - 1).step_by(of).collect();
    }
    if let Some(count) = options.sample {
        // By each line's own hash, so that a new mutant elsewhere does not change the whole sample.
        places.sort_by_key(|&place| *blake3::hash(format!("{seed} {}", lines[place]).as_bytes()).as_bytes());
        places.truncate(count);
        places.sort_unstable();
    }
    places
}
