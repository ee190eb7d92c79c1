//! Names of people: how they may be spelled, and whether two may be one person's.

use std::collections::BTreeSet;

/// The ways in which a name may be spelled: `Lovelace, Ada`, `Ada Lovelace` and Canvas' `lovelaceada` have one in common.
pub fn spelled(name: &str) -> BTreeSet<String> {
    let squeezed = |parts: &[&str]| -> String {
        parts
            .iter()
            .flat_map(|part| part.chars())
            .filter(|c| c.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect()
    };
    let mut all = BTreeSet::from([squeezed(&[name])]);
    if let Some((last, first)) = name.split_once(',') {
        all.insert(squeezed(&[first, last]));
    } else {
        // Where the last name begins is not known.
        for (at, _) in name.match_indices(' ') {
            all.insert(squeezed(&[&name[at..], &name[..at]]));
        }
    }
    all.remove("");
    all
}

/// Whether two names may be one person's: they have a spelling in common, or one has all words of the other, or they differ
/// only in how letters beyond ASCII are written. A name without letters is like any other.
pub fn are_alike(one: &str, other: &str) -> bool {
    let (ones, others) = (spelled(one), spelled(other));
    if ones.is_empty() || others.is_empty() || !ones.is_disjoint(&others) {
        return true;
    }
    let (words, more) = (words(one), words(other));
    if words.is_subset(&more) || more.is_subset(&words) {
        return true;
    }
    ones.iter().any(|one| others.iter().any(|other| is_written(one, other) || is_written(other, one)))
}

fn words(name: &str) -> BTreeSet<String> {
    let words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

/// Whether a name may be written so: for each letter beyond ASCII stand up to two ASCII ones, as in `müller`, `mueller`,
/// `muller` and `mller`.
fn is_written(name: &str, so: &str) -> bool {
    let so: Vec<char> = so.chars().collect();
    let mut reached = BTreeSet::from([0]);
    for c in name.chars() {
        let mut next = BTreeSet::new();
        for at in reached {
            if so.get(at) == Some(&c) {
                next.insert(at + 1);
            }
            if !c.is_ascii() {
                let ascii = so[at..].iter().take(2).take_while(|c| c.is_ascii()).count();
                next.extend(at..=at + ascii);
            }
        }
        reached = next;
    }
    reached.contains(&so.len())
}
