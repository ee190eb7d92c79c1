//! Which of all mutants are judged: a sample, a shard, or those whose line says something.

use super::edit::Family;
use crate::cli::{Mutate, Shard};

/// A seed that nobody chose.
pub fn fresh_seed() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    // Small enough to be typed again.
    std::hash::RandomState::new().build_hasher().finish() % 1_000_000
}

/// The places of those to judge among all mutants, each of which has a family and a line, in their order.
pub fn chosen(options: &Mutate, seed: u64, mutants: &[(Family, String)]) -> Vec<usize> {
    let wanted = |(family, line): &(Family, String)| {
        (options.only.is_empty() || options.only.iter().any(|text| line.contains(text)))
            && (options.family.is_empty() || options.family.contains(family))
    };
    let mut places: Vec<usize> = (0..mutants.len()).filter(|&place| wanted(&mutants[place])).collect();
    if let Some(Shard { part, of }) = options.shard {
        places = places.into_iter().skip(part - 1).step_by(of).collect();
    }
    if let Some(count) = options.sample {
        // By each line's own hash, so that a new mutant elsewhere does not change the whole sample.
        places.sort_by_key(|&place| {
            *blake3::hash(format!("{seed} {}", mutants[place].1).as_bytes()).as_bytes()
        });
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

    fn places(arguments: &[&str], seed: u64, lines: &[(Family, String)]) -> Vec<usize> {
        let command = Cli::parse_from([&["workshop", "mutate"], arguments].concat()).command;
        let Command::Mutate(options) = command else { panic!("another command") };
        chosen(&options, seed, lines)
    }

    #[test]
    fn shards_are_all_and_samples_stay_what_they_are() {
        let family = |number| if number == 7 { Family::Memory } else { Family::Removal };
        let line = |number| (family(number), format!("kernel.cu:{number}: remove"));
        let lines: Vec<_> = (0..100).map(line).collect();
        let mut all: Vec<usize> =
            ["1/3", "2/3", "3/3"].iter().flat_map(|part| places(&["--shard", part], 0, &lines)).collect();
        all.sort_unstable();
        assert_eq!(all, (0..100).collect::<Vec<_>>());
        let sample = places(&["--sample", "10"], 7, &lines);
        assert_eq!(sample.len(), 10);
        assert_ne!(sample, places(&["--sample", "10"], 8, &lines));
        // A new mutant at the front moves the others by one and leaves all but one of them chosen.
        let more = [&[line(100)], &lines[..]].concat();
        let moved = places(&["--sample", "10"], 7, &more);
        assert!(sample.iter().filter(|place| moved.contains(&(*place + 1))).count() >= 9);
        assert_eq!(places(&["--only", ":5:"], 0, &lines), [5]);
        assert_eq!(places(&["--family", "memory,special"], 0, &lines), [7]);
    }
}
