//! What is undefined in the results of warp-wide operations, where an operand is.

use crate::{
    exec::{
        registers::Registers,
        undefined::{Register, Undefined},
    },
    ir::{LANES, Op, ReduxOp, VoteMode},
    memory::lanes,
};

use super::Offered;

/// By lane.
#[derive(Clone, Debug)]
pub struct UndefinedResults {
    pub word: [Undefined; LANES],
    pub predicate: [Undefined; LANES],
}

impl UndefinedResults {
    /// Notes what some lanes of a result have got.
    #[cold]
    pub fn scatter(
        &self,
        registers: &mut Registers,
        register: Register,
        values: &[Undefined; LANES],
        mask: u32,
    ) {
        for lane in lanes(mask) {
            registers.set_undefined(register, lane, values[lane]);
        }
    }
}

impl Offered {
    /// Of the lanes of `part`, which execute the operation together.
    #[cold]
    pub fn undefined_results(&self, op: &Op, part: u32) -> Box<UndefinedResults> {
        let mut results = Box::new(UndefinedResults {
            word: [Undefined::NONE; LANES],
            predicate: [Undefined::NONE; LANES],
        });
        let value = |lane: usize| self.undefined.as_ref().map_or(Undefined::NONE, |values| values[lane]);
        // Results that all lanes share blame the first lane whose value is undefined.
        let blamed = lanes(part).map(value).find(|value| value.bits != 0).unwrap_or(Undefined::NONE);
        let shared = |bits: u64| Undefined { bits, in_place: false, moved: false, ..blamed };
        let unsure =
            lanes(part).filter(|&lane| value(lane).bits != 0).fold(0u32, |mask, lane| mask | 1 << lane);
        let sure = part & !unsure;
        match *op {
            Op::Shuffle { mode, .. } => {
                for lane in lanes(part) {
                    let source = self.source.as_ref().map_or(Undefined::NONE, |values| values[lane]);
                    if source.bits & 0x1F1F != 0 {
                        let whole = Undefined { in_place: false, moved: false, ..source };
                        results.word[lane] = Undefined { bits: u32::MAX.into(), ..whole };
                        results.predicate[lane] = Undefined { bits: 1, ..whole };
                        continue;
                    }
                    let (from, in_range) = self.source_lane(mode, lane as u32);
                    let from = if in_range { from as usize } else { lane };
                    results.word[lane] = Undefined { in_place: false, ..value(from) };
                }
            }
            Op::Vote { mode, .. } => {
                let (yes, no) = (self.predicate & sure, !self.predicate & sure);
                let undecided = match mode {
                    VoteMode::All => no == 0,
                    VoteMode::Any => yes == 0,
                    VoteMode::Uniform => yes == 0 || no == 0,
                    VoteMode::Ballot => true,
                };
                results.word = [shared(unsure.into()); LANES];
                results.predicate = [shared((undecided && unsure != 0).into()); LANES];
            }
            Op::Redux { op, .. } => {
                let bits = lanes(part).map(|lane| value(lane).bits).fold(0, |all, bits| all | bits);
                // Bits that some lane decides for all.
                let decided = |f: &dyn Fn(u32) -> u32| {
                    lanes(part).fold(0, |all, lane| all | u64::from(f(self.a[lane])) & !value(lane).bits)
                };
                let undefined = match op {
                    ReduxOp::And => bits & !decided(&|a| !a),
                    ReduxOp::Or => bits & !decided(&|a| a),
                    ReduxOp::Xor => bits,
                    ReduxOp::Add => bits | bits.wrapping_neg(),
                    ReduxOp::MinU | ReduxOp::MaxU | ReduxOp::MinS | ReduxOp::MaxS => {
                        if bits == 0 {
                            0
                        } else {
                            u64::MAX
                        }
                    }
                };
                results.word = [shared(undefined & u64::from(u32::MAX)); LANES];
            }
            Op::Match { .. } if unsure != 0 => {
                results.word = [shared(u32::MAX.into()); LANES];
                results.predicate = [shared(1); LANES];
            }
            _ => {}
        }
        results
    }
}
