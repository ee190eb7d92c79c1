//! In which order warps and blocks take turns, and how long a turn is.
//!
//! CUDA promises nothing of it, so every order is one that a GPU may take. Schedule 0 is the usual one: warps
//! in order, the youngest block first, long turns. Every other number is the seed of orders of its own: who
//! is next, who is left out for a while and how soon a turn ends are drawn from the number, the block and the
//! count of turns, and from nothing else, so that a schedule can be run again and takes the same course at
//! any thread count. Where turns are short they may end behind any access that others can see as an event
//! (atomics, `volatile`, fences), not only where a loop goes round.
//!
//! Nor does CUDA promise that lanes which a branch has parted meet again behind it, or run together from then
//! on. In schedules of an even number some of a warp's lanes stay apart behind a branch until an outer one brings them together,
//! and either side may go first. No branch is needed: at a store or an atomic that others can see as an event some
//! of the lanes may come later than the rest, whose next one is there before theirs. `__activemask()` lets a kernel see who runs together: once a branch has parted a
//! warp's lanes, some of those that come there together are told of each other, and the rest come later.
//!
//! Blocks still *start* in the usual order: relying on that is a warning of its own.

/// One order of warps and blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Schedule(pub u64);

/// How long some are left out: turns for which a draw holds.
const SPELL: u64 = 32;

/// What draws are for; keeps them apart.
#[derive(Clone, Copy)]
enum Purpose {
    Blocks = 1,
    Warps,
    BlockIsLeftOut,
    WarpIsLeftOut,
    Length,
    Split,
    Apart,
    Together,
    Late,
}

/// A side of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The lanes that jump.
    Taken,
    /// The lanes that do not.
    NotTaken,
}

/// Parts of a warp that stay apart at most: each executes for itself what they could execute together.
const MOST_PARTS: usize = 3;

impl Schedule {
    /// The usual one.
    pub const USUAL: Schedule = Schedule(0);

    /// True if it is not the usual one.
    #[inline]
    pub fn is_other(self) -> bool {
        self.0 != 0
    }

    fn draw(self, purpose: Purpose, a: u64, b: u64) -> u64 {
        let mut state = mix(self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ purpose as u64);
        state = mix(state ^ a.wrapping_mul(0xd1b5_4a32_d192_ed03));
        mix(state ^ b.wrapping_mul(0x8cb9_2ba7_2f3d_8dd7))
    }

    /// Schedule 1 is the usual one turned round, and leaves nobody out.
    fn is_opposite(self) -> bool {
        self.0 == 1
    }

    fn shuffle(self, purpose: Purpose, order: &mut [usize], a: u64, b: u64) {
        let mut state = self.draw(purpose, a, b);
        for last in (1..order.len()).rev() {
            state = mix(state.wrapping_add(1));
            order.swap(last, (state % (last as u64 + 1)) as usize);
        }
    }

    /// In which order the running blocks, oldest first, take their turns of this round.
    pub fn blocks(self, running: usize, round: u64, order: &mut Vec<usize>) {
        order.clear();
        order.extend(0..running);
        match self {
            // CUDA promises no order, and whoever counts on the usual one must wait here.
            Schedule::USUAL => order.reverse(),
            _ if self.is_opposite() => {}
            _ => self.shuffle(Purpose::Blocks, order, round, 0),
        }
    }

    /// In which order a block's warps take their turns.
    pub fn warps(self, warps: usize, block: u32, turn: u64, order: &mut Vec<usize>) {
        order.clear();
        order.extend(0..warps);
        match self {
            Schedule::USUAL => {}
            _ if self.is_opposite() => order.reverse(),
            _ => self.shuffle(Purpose::Warps, order, u64::from(block), turn),
        }
    }

    /// True where a block has no turn in this round.
    pub fn leaves_block_out(self, block: u32, round: u64) -> bool {
        self.leaves_out(Purpose::BlockIsLeftOut, u64::from(block), round)
    }

    /// True where a warp of a block has no turn this time.
    pub fn leaves_warp_out(self, block: u32, warp: u32, turn: u64) -> bool {
        self.leaves_out(Purpose::WarpIsLeftOut, u64::from(block) << 32 | u64::from(warp), turn)
    }

    /// For a spell some are never left out, some half of the time, and some nearly always: that
    /// is how one gets far ahead.
    fn leaves_out(self, purpose: Purpose, who: u64, time: u64) -> bool {
        if !self.is_other() || self.is_opposite() {
            return false;
        }
        let of_32 = match self.draw(purpose, who, time / SPELL) % 4 {
            0 | 1 => return false,
            2 => 16,
            _ => 31,
        };
        self.draw(purpose, !who, time) % 32 < of_32
    }

    /// Instructions of one turn of a warp, which `usual` would give it.
    pub fn length(self, usual: u64, block: u32, warp: u32, turn: u64) -> u64 {
        if !self.is_other() {
            return usual;
        }
        let draw = self.draw(Purpose::Length, u64::from(block) << 32 | u64::from(warp), turn);
        match draw % 8 {
            0..=3 => 1,
            4 | 5 => 8,
            6 => 48,
            _ => usual.min(512),
        }
    }

    /// Which of the parts of a warp that can run goes first.
    pub fn split(self, splits: usize, block: u32, warp: u32, turn: u64) -> usize {
        if !self.is_other() || self.is_opposite() || splits < 2 {
            return 0;
        }
        (self.draw(Purpose::Split, u64::from(block) << 32 | u64::from(warp), turn) % splits as u64) as usize
    }

    /// True where lanes may stay apart. In the others a warp's time is spent on getting far ahead as a whole.
    #[inline]
    pub fn parts_lanes(self) -> bool {
        self.is_other() && self.0.is_multiple_of(2)
    }

    /// Whether the sides of a branch, by which a warp of so many parts comes to have one more, stay apart behind
    /// it; and which side goes first then.
    pub fn stay_apart(self, parts: usize, block: u32, warp: u32, issued: u64) -> Option<Side> {
        if !self.parts_lanes() || parts >= MOST_PARTS {
            return None;
        }
        match self.draw(Purpose::Apart, u64::from(block) << 32 | u64::from(warp), issued) % 8 {
            0..=2 => Some(Side::Taken),
            3..=5 => Some(Side::NotTaken),
            _ => None,
        }
    }

    /// Of lanes that come to an `activemask` together, those that run together there; the others come later.
    pub fn together(self, lanes: u32, block: u32, warp: u32, issued: u64) -> u32 {
        if !self.is_other() {
            return lanes;
        }
        part(lanes, self.draw(Purpose::Together, u64::from(block) << 32 | u64::from(warp), issued))
    }

    /// Of lanes of a warp of so many parts that come together to a store or an atomic which others can see as an
    /// event, those that execute it first; the others come later.
    #[inline]
    pub fn first(self, parts: usize, lanes: u32, block: u32, warp: u32, issued: u64) -> u32 {
        if !self.parts_lanes() || parts >= MOST_PARTS || lanes.is_power_of_two() {
            return lanes;
        }
        part(lanes, self.draw(Purpose::Late, u64::from(block) << 32 | u64::from(warp), issued))
    }
}

/// Some of these lanes, or all, as a draw wants it.
fn part(lanes: u32, draw: u64) -> u32 {
    let pattern = match draw % 8 {
        // So that what needs all of them comes to its end.
        0 | 1 => return lanes,
        2 | 3 => 0x0000_ffff,
        4 | 5 => 0x5555_5555,
        _ => (draw >> 32) as u32,
    };
    let part = lanes & if draw >> 8 & 1 == 0 { pattern } else { !pattern };
    if part == 0 { lanes } else { part }
}

/// The finaliser of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
fn mix(value: u64) -> u64 {
    let value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ value >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_schedule_orders_all_and_can_be_had_again() {
        for seed in 0..20 {
            let (mut order, mut again) = (Vec::new(), Vec::new());
            for round in 0..50 {
                Schedule(seed).blocks(9, round, &mut order);
                Schedule(seed).blocks(9, round, &mut again);
                assert_eq!(order, again);
                order.sort_unstable();
                assert_eq!(order, (0..9).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn lanes_come_to_an_active_mask_in_parts_in_all_orders_but_the_usual_one() {
        for lanes in [u32::MAX, 0xffff, 0x8000_0001, 1] {
            for issued in 0..100 {
                assert_eq!(Schedule::USUAL.together(lanes, 3, 1, issued), lanes);
                for seed in 1..20 {
                    let part = Schedule(seed).together(lanes, 3, 1, issued);
                    assert!(part != 0 && part & !lanes == 0, "schedule {seed}: {part:#x} of {lanes:#x}");
                }
            }
        }
        // Also those that are run unasked, and nearly at once.
        for seed in 1..8 {
            assert!((0..16).any(|issued| Schedule(seed).together(u32::MAX, 0, 0, issued) != u32::MAX));
        }
    }

    #[test]
    fn nobody_is_left_out_for_ever() {
        for seed in 0..20 {
            for warp in 0..8 {
                let turns = (0..2000).filter(|&turn| !Schedule(seed).leaves_warp_out(3, warp, turn)).count();
                assert!(turns > 200, "schedule {seed}: warp {warp} has {turns} of 2000 turns");
            }
        }
    }
}
