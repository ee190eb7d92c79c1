//! Whether an exercise's launch constants are tried at both ends of what they may be.
//!
//! A bound that follows from a constant is easily wrong where the constant is least or greatest. So some kernel that
//! must be accepted, or is shown, has each of these values.

use std::collections::BTreeSet;

use harness::exercise::ConstantBound;

use super::{Candidate, Role};

/// The ends that no kernel has: sentences.
pub(super) fn unused(bounds: &[ConstantBound], candidates: &[Candidate]) -> Vec<String> {
    let tried: BTreeSet<(&str, i64)> = (candidates.iter())
        .filter(|candidate| !matches!(candidate.role, Role::Stub | Role::Wrong))
        .flat_map(|candidate| chosen(&candidate.source))
        .collect();
    let ends = bounds.iter().flat_map(|bound| {
        [("least", bound.at_least), ("greatest", bound.at_most)].map(|(end, value)| (bound.name, end, value))
    });
    ends.filter(|(name, _, value)| !tried.contains(&(name, *value)))
        .map(|(name, end, value)| format!("no right kernel has {name} at its {end}, {value}"))
        .collect()
}

/// The launch constants of a kernel and their values, as far as they are written as numbers.
fn chosen(source: &str) -> impl Iterator<Item = (&str, i64)> {
    source.lines().filter_map(|line| {
        let (name, rest) = line.strip_prefix("LAUNCH_CONSTANT(")?.split_once(',')?;
        Some((name.trim(), rest.split(')').next()?.trim().parse().ok()?))
    })
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn an_end_that_no_right_kernel_has_is_named() {
        let bound = ConstantBound { name: "SIDE", at_least: 8, at_most: 32, multiple_of: 8 };
        let candidate = |role, value: &str| Candidate {
            role,
            file: PathBuf::new(),
            source: format!("//! style: x\nLAUNCH_CONSTANT(SIDE, {value});\nint x;\n"),
            fails: BTreeSet::new(),
            may_fail: BTreeSet::new(),
        };
        let least = candidate(Role::Right, "8");
        let missing =
            |others: &[Candidate]| unused(&[bound], &[std::slice::from_ref(&least), others].concat());
        for greatest in [candidate(Role::Right, "32"), candidate(Role::Step, "32")] {
            assert!(missing(&[greatest]).is_empty());
        }
        for other in
            [candidate(Role::Wrong, "32"), candidate(Role::Right, "24"), candidate(Role::Right, "4 * 8")]
        {
            assert_eq!(missing(&[other]), ["no right kernel has SIDE at its greatest, 32"]);
        }
    }
}
