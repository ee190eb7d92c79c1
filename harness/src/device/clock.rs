//! A clock that nobody can foretell, to tell a measurement from a formula.
//!
//! What a kernel says it has measured could as well be computed: the simulator's clock is exact and so is
//! arithmetic. So the checked pass, which runs each plan a second time, runs it with costs of its own: for
//! each launch a secret says how many cycles a load from shared memory takes with one wavefront more, with
//! two, with three. No one of these numbers tells another, so whoever wants to know what a read costs must
//! look at the clock around that read, or one just like it.
//!
//! The clock begins late, as a GPU's does that has run for a while, and the costs are large: what keeps a
//! reading or a difference in too few bits is wrong here as well. The difference of two readings fits an `int`.

use crate::fill;

/// A wavefront more costs at least so many cycles more: more than 16 bits hold,
const LEAST: u64 = 1 << 16;
/// and so many at most: all wavefronts together fit 31 bits.
const MOST: u64 = 1 << 20;
/// What the clock says at least as a launch begins: more than 32 bits hold.
const LEAST_START: u64 = 1 << 40;
/// As many wavefronts beyond the first as a load can take: 32 lanes of 16 bytes, each
/// lane's four words in turn.
const WAVEFRONTS: u64 = 128;

/// What the clock says as the `launch`-th launch of a plan begins.
pub(crate) fn start(secret: u64, launch: u64) -> u64 {
    const START: u64 = u64::from_be_bytes(*b"   start");
    LEAST_START + fill::one_way(fill::one_way(secret, START), launch) % LEAST_START
}

/// What a load from shared memory costs beyond its first cycle, by its wavefronts beyond the first, in the
/// `launch`-th launch of a plan.
pub(crate) fn load_cycles(secret: u64, launch: u64) -> Vec<u64> {
    let secret = fill::one_way(secret, launch);
    let steps = (0..WAVEFRONTS).map(|n| LEAST + fill::one_way(secret, n) % (MOST - LEAST + 1));
    let sums = steps.scan(0, |sum, step| {
        *sum += step;
        Some(*sum)
    });
    std::iter::once(0).chain(sums).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cost_tells_another() {
        let [one, other] = [0, 1].map(|launch| load_cycles(7, launch));
        assert_eq!(one, load_cycles(7, 0));
        assert!(one != other && one != load_cycles(8, 0));
        let steps: Vec<u64> = one.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(steps.iter().all(|step| (LEAST..=MOST).contains(step)), "{steps:?}");
        let mut different = steps;
        different.sort_unstable();
        different.dedup();
        assert!(different.len() > 100, "{different:?}");
    }

    #[test]
    fn too_few_bits_are_seen_and_32_are_enough_for_a_difference() {
        let costs = load_cycles(7, 1);
        assert!(costs[1] > u64::from(u16::MAX) && costs[WAVEFRONTS as usize] < i32::MAX as u64, "{costs:?}");
        for launch in 0..10 {
            assert!(start(7, launch) > u64::from(u32::MAX) && start(7, launch) < 1 << 62);
            assert_ne!(start(7, launch), start(8, launch));
        }
    }
}
