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

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::{Cli, Command};

    fn places(arguments: &[&str], seed: u64, lines: &[String]) -> Vec<usize> {
        let Command::Mutate(options) = Cli::parse_from([&["workshop", "mutate"], arguments].concat()).command;
        chosen(&options, seed, lines)
    }

    #[test]
    fn shards_are_all_and_samples_stay_what_they_are() {
        let lines: Vec<String> = (0..100).map(|number| format!("kernel.cu:{number}: remove")).collect();
        let mut all: Vec<usize> =
            ["1/3", "2/3", "3/3"].iter().flat_map(|part| places(&["--shard", part], 0, &lines)).collect();
        all.sort_unstable();
        assert_eq!(all, (0..100).collect::<Vec<_>>());
        let sample = places(&["--sample", "10"], 7, &lines);
        assert_eq!(sample.len(), 10);
        assert_ne!(sample, places(&["--sample", "10"], 8, &lines));
        // A new mutant at the front moves the others by one and leaves all but one of them chosen.
        let more = [&["new".to_owned()], &lines[..]].concat();
        let moved = places(&["--sample", "10"], 7, &more);
        assert!(sample.iter().filter(|place| moved.contains(&(*place + 1))).count() >= 9);
        assert_eq!(places(&["--only", ":5:"], 0, &lines), [5]);
    }
}
