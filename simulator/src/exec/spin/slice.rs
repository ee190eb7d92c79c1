//! What a loop's next round trip depends on: a backward slice of the round trip just made.
//!
//! Executed lanes are decided by guards, branches and calls; effects by addresses, by what is stored outside
//! local memory, and by what warp-wide operations exchange. All of these are *needed*. Walking the
//! instructions backwards, whatever computes a needed value makes its own operands needed, through registers,
//! calls, returns and words of local memory. What is needed at the head of the loop is needed at its end too,
//! because that is the next head; so the walk is repeated until nothing is added. Values read from global and
//! shared memory end the walk: that memory did not change is known from its version.
//!
//! A counter that nothing reads but its own increment is not in the slice, whether it is a register or a
//! variable whose address was taken.

use foldhash::HashMap;

use crate::{
    exec::{
        spin::trace::{Link, LocalWord, Step, Trace},
        warp::{FrameId, Warp},
    },
    ir::{
        AddressSpace, Builtin, Callee, Constants, Op, Pair, Predicate, Program, SpecialRegister, Word,
        visit::{self, File, OperandUse},
    },
    memory::{BlockMemory, lanes},
};

/// A value that lanes hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Holder {
    /// A register of a frame.
    Register(u32, File, u16),
    /// A word of local memory.
    Local(u32),
}

/// Places, and the lanes in which they are needed.
type Needs = HashMap<Holder, u32>;

/// The places that an instruction reads and writes. Thousands of instructions are looked at, one after the other.
#[derive(Default)]
struct Operands {
    read: Vec<Holder>,
    written: Vec<Holder>,
}

/// What a loop's round trip depends on, at its head.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slice(Vec<(Holder, u32)>);

/// It depends on what differs from trip to trip by itself (the clock, or the device's heap), or, of what decides
/// whether there is another trip, on memory that others could change.
struct Restless;

/// What of a trip is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    /// All of its effects.
    Trip,
    /// Only which way it takes.
    Way,
}

impl Slice {
    /// The slice of a round trip of a loop in `frame`; `None` when trips can't be alike.
    pub fn new(program: &Program, trace: &Trace, frame: FrameId) -> Option<Slice> {
        Slice::of(program, trace, frame, Of::Trip)
    }

    /// True if no memory that others could change has a say in whether the trip is made again.
    pub fn decides_alone(program: &Program, trace: &Trace, frame: FrameId) -> bool {
        Slice::of(program, trace, frame, Of::Way).is_some()
    }

    fn of(program: &Program, trace: &Trace, frame: FrameId, of: Of) -> Option<Slice> {
        let mut needed = Needs::default();
        let mut operands = Operands::default();
        loop {
            let mut live = needed.clone();
            for step in trace.steps.iter().rev() {
                let rows = &trace.rows[step.rows.0 as usize..step.rows.1 as usize];
                before(program, step, rows, of, &mut live, &mut operands).ok()?;
            }
            // Frames of calls made on the way are gone at the head.
            live.retain(|place, lanes| {
                *lanes != 0 && !matches!(*place, Holder::Register(of, ..) if of != frame.0)
            });
            let mut grown = false;
            for (place, lanes) in live {
                let known = needed.entry(place).or_default();
                grown |= lanes & !*known != 0;
                *known |= lanes;
            }
            if !grown {
                let mut slice: Vec<(Holder, u32)> = needed.into_iter().collect();
                // Two trips that are alike have the same digest, so places have one order.
                slice.sort_unstable();
                return Some(Slice(slice));
            }
        }
    }

    /// A digest of its values: equal values have equal digests.
    pub fn digest(&self, warp: &Warp, frame: FrameId, memory: &BlockMemory) -> u64 {
        // Constants never are in a slice, so any pool will do.
        let none = &Constants::default();
        let registers = &warp.frame(frame).registers;
        let mut digest = 0xcbf2_9ce4_8422_2325u64;
        let mut mix =
            |value: u64| digest = (digest.rotate_left(5) ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        for &(place, mask) in &self.0 {
            for lane in lanes(mask) {
                mix(match place {
                    Holder::Register(_, File::Word, index) => {
                        u64::from(registers.word(none, Word(index))[lane])
                    }
                    Holder::Register(_, File::Pair, index) => registers.pair(none, Pair(index))[lane],
                    Holder::Register(_, File::Predicate, index) => {
                        u64::from(registers.predicate(Predicate(index)) >> lane & 1)
                    }
                    Holder::Local(word) => u64::from(memory.local_word(warp.index as u16, word, lane)),
                });
            }
        }
        digest
    }
}

fn need(live: &mut Needs, place: Holder, lanes: u32) {
    if lanes != 0 {
        *live.entry(place).or_default() |= lanes;
    }
}

/// Strikes a place; gives the lanes in which it was needed.
fn strike(live: &mut Needs, place: Holder, lanes: u32) -> u32 {
    let Some(needed) = live.get_mut(&place) else { return 0 };
    let hit = *needed & lanes;
    *needed &= !lanes;
    hit
}

/// From what is needed after an instruction to what is needed before it.
fn before(
    program: &Program,
    step: &Step,
    rows: &[LocalWord],
    of: Of,
    live: &mut Needs,
    Operands { read, written }: &mut Operands,
) -> Result<(), Restless> {
    if let Some(link) = step.link {
        moved(program, step, link, live);
        return Ok(());
    }
    let function = program.function(step.function);
    let instruction = &function.code[step.pc as usize];
    let register = |file: File, index: u16| Holder::Register(step.frame.0, file, index);
    let guard = instruction.guard.predicate;
    let guard = (guard.is_some() && !guard.is_constant()).then(|| register(File::Predicate, guard.0));
    read.clear();
    written.clear();
    let mut op = instruction.op;
    // The words of calls are in lists; those of matrices, too, but a trace ends at them.
    if !matches!(op, Op::Call { .. } | Op::Matrix(_)) {
        visit::operands(&mut op, &mut [], &mut |file, access, index| {
            if access != OperandUse::Write {
                read.push(register(file, *index));
            }
            if access != OperandUse::Read {
                written.push(register(file, *index));
            }
        });
    }
    // Lanes that need the result or, where the guard kept them from it, what was there before.
    let wanted =
        written.iter().filter_map(|place| live.get(place)).fold(0, |all, lanes| all | lanes) & step.came;
    let hit = written.iter().fold(0, |hit, &place| hit | strike(live, place, step.mask));
    let (guarded, reading) = match op {
        Op::Special { register, .. } => {
            use SpecialRegister as R;
            let time = [R::Clock, R::ClockHi, R::Clock64, R::GlobalTimer, R::GlobalTimerLo, R::GlobalTimerHi];
            if hit != 0 && time.contains(&register) {
                return Err(Restless);
            }
            (wanted, hit)
        }
        // Registers to registers.
        Op::Alu(_)
        | Op::Divide(_)
        | Op::LocalAddress { .. }
        | Op::ConvertAddress { .. }
        | Op::IsSpace { .. }
        | Op::StackSave { .. }
        | Op::ActiveMask { .. } => (wanted, hit),
        Op::Load { ref memory, .. } if of == Of::Way => {
            let constant = matches!(memory.space, AddressSpace::Constant | AddressSpace::Param);
            if hit & step.elsewhere != 0 && !constant {
                return Err(Restless);
            }
            rows.iter().for_each(|row| need(live, Holder::Local(row.word), row.lanes & hit));
            (wanted, hit)
        }
        Op::Load { .. } => {
            rows.iter().for_each(|row| need(live, Holder::Local(row.word), row.lanes & hit));
            (step.came, step.mask)
        }
        Op::Store { .. } if of == Of::Way => {
            let mut stored = 0;
            for row in rows {
                let place = Holder::Local(row.word);
                stored |= live.get(&place).copied().unwrap_or(0) & row.lanes;
                if row.whole {
                    strike(live, place, row.lanes);
                }
            }
            (stored, stored & step.mask)
        }
        Op::Atomic { .. } if of == Of::Way => {
            if hit != 0 {
                return Err(Restless);
            }
            (0, 0)
        }
        Op::Shuffle { .. } | Op::Vote { .. } | Op::Match { .. } | Op::Redux { .. } | Op::Elect { .. }
            if of == Of::Way && hit == 0 =>
        {
            (wanted, 0)
        }
        Op::Store { address, .. } => {
            let mut stored = step.elsewhere;
            for row in rows {
                let place = Holder::Local(row.word);
                stored |= live.get(&place).copied().unwrap_or(0) & row.lanes;
                if row.whole {
                    strike(live, place, row.lanes);
                }
            }
            // The address is needed whatever becomes of the value: it may leave its array one day.
            if address.register & 0x8000 == 0 {
                let file = if address.wide { File::Pair } else { File::Word };
                need(live, register(file, address.register), step.mask);
            }
            (step.came, stored & step.mask)
        }
        Op::Atomic { .. } => {
            rows.iter().for_each(|row| need(live, Holder::Local(row.word), row.lanes));
            (step.came, step.mask)
        }
        Op::Call { callee: Callee::Builtin(builtin), arguments, results } => {
            let results = function.lists[results.range()].iter().filter(|word| word.is_some());
            let hit =
                results.fold(0, |hit, word| hit | strike(live, register(File::Word, word.0), step.mask));
            match builtin {
                Builtin::CooperativeHandle => {}
                // What was printed does not decide what comes next; how much room is left might.
                Builtin::Vprintf if hit == 0 => {}
                _ => return Err(Restless),
            }
            let arguments = function.lists[arguments.range()].iter();
            read.extend(
                arguments.filter(|word| !word.is_constant()).map(|word| register(File::Word, word.0)),
            );
            (step.came, step.mask)
        }
        Op::Call { callee: Callee::Indirect(pair), .. } if !pair.is_constant() => {
            read.push(register(File::Pair, pair.0));
            (step.came, step.mask)
        }
        // Whatever decides who runs, or exchanges values between lanes.
        _ => (step.came, step.mask),
    };
    if let Some(guard) = guard {
        need(live, guard, guarded);
    }
    for &place in &*read {
        need(live, place, reading);
    }
    Ok(())
}

/// The same for the words that a call or return moves from one frame to another.
fn moved(program: &Program, step: &Step, link: Link, live: &mut Needs) {
    let function = program.function(step.function);
    let Op::Call { arguments, results, .. } = function.code[step.pc as usize].op else { return };
    let word = |frame: FrameId, index: u16| Holder::Register(frame.0, File::Word, index);
    match link {
        Link::Call { callee } => {
            for (index, &argument) in function.lists[arguments.range()].iter().enumerate() {
                let hit = strike(live, word(callee, index as u16), step.mask);
                if !argument.is_constant() {
                    need(live, word(step.frame, argument.0), hit);
                }
            }
            // The callee's other registers are nobody's before the call.
            for (place, lanes) in live.iter_mut() {
                if matches!(*place, Holder::Register(frame, ..) if frame == callee.0) {
                    *lanes &= !step.mask;
                }
            }
        }
        Link::Return { callee, from } => {
            let words = program.function(from).result_words.clone();
            for (from, &to) in words.zip(&function.lists[results.range()]) {
                if to.is_some() {
                    let hit = strike(live, word(step.frame, to.0), step.mask);
                    need(live, word(callee, from), hit);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{decode::decode, ir::FunctionIndex};

    /// The size of the slice of one round trip through `body`. Instructions listed in `local` access
    /// that word of local memory.
    fn size(body: &str, local: &[(usize, u32)]) -> Option<usize> {
        let text = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p) {{\n.reg .b32 %r<9>; .reg .b64 \
             %a<4>; .reg .pred %q<3>;\nld.param.u64 %a0, [p]; mov.u32 %r0, 0; mov.u32 %r1, 0; mov.u32 %r2, 0;\nL: {body}\n\
             @%q0 bra L;\nst.u32 [%a0], %r0; st.u32 [%a0+4], %r1; st.u32 [%a0+8], %r2; ret; }}"
        );
        let program = decode(&text).expect("this is PTX");
        let code = &program.function(FunctionIndex(0)).code;
        let back = |op: &Op| if let Op::Branch { target, .. } = *op { Some(target) } else { None };
        let (jump, head) =
            code.iter().enumerate().find_map(|(pc, i)| Some((pc as u32, back(&i.op)?))).expect("a loop");
        let mut trace = Trace::new(100);
        for pc in head..=jump {
            let word = local.iter().find(|(at, _)| *at == (pc - head) as usize).map(|&(_, word)| word);
            let first = trace.rows.len() as u32;
            trace.rows.extend(word.map(|word| LocalWord { word, lanes: 1, whole: true }));
            trace.steps.push(Step {
                pc,
                function: FunctionIndex(0),
                frame: FrameId(0),
                came: 1,
                mask: 1,
                link: None,
                rows: (first, trace.rows.len() as u32),
                elsewhere: u32::from(word.is_none()),
            });
        }
        Slice::new(&program, &trace, FrameId(0)).map(|slice| slice.0.len())
    }

    const POLL: &str = "ld.volatile.u32 %r3, [%a0]; setp.eq.u32 %q0, %r3, 0;";

    #[test]
    fn a_poll_needs_its_address() {
        assert_eq!(size(POLL, &[]), Some(1));
    }

    #[test]
    fn a_counter_that_decides_nothing_is_not_needed() {
        assert_eq!(size(&format!("add.u32 %r0, %r0, 1; {POLL}"), &[]), Some(1));
        assert_eq!(size(&format!("add.u32 %r0, %r0, %r1; add.u32 %r1, %r1, %r0; {POLL}"), &[]), Some(1));
    }

    #[test]
    fn what_decides_stores_or_addresses_is_needed_through_any_number_of_trips() {
        let limit = "setp.lt.u32 %q0, %r2, 9; mov.u32 %r2, %r1; mov.u32 %r1, %r0; add.u32 %r0, %r0, 1;";
        assert_eq!(size(limit, &[]), Some(3), "each is the next one's past");
        let store = "st.u32 [%a0+16], %r0;";
        assert_eq!(size(&format!("add.u32 %r0, %r0, 1; {store} {POLL}"), &[]), Some(2));
        assert_eq!(size(&format!("mov.u32 %r0, 1; {store} {POLL}"), &[]), Some(1), "made anew each time");
        let guarded = "setp.eq.u32 %q1, %r1, 0; @%q1 mov.u32 %r0, 5; add.u32 %r1, %r1, 1;";
        assert_eq!(size(&format!("{guarded} {store} {POLL}"), &[]), Some(2), "what the guard looks at");
    }

    #[test]
    fn local_memory_is_followed_word_by_word() {
        let count = "ld.u32 %r4, [%a0+32]; add.u32 %r4, %r4, 1; st.u32 [%a0+32], %r4;";
        assert_eq!(size(&format!("{count} {POLL}"), &[(0, 8), (2, 8)]), Some(1));
        let limit = "ld.u32 %r5, [%a0+32]; setp.lt.u32 %q0, %r5, 9;";
        assert_eq!(size(&format!("{count} {limit}"), &[(0, 8), (2, 8), (3, 8)]), Some(2));
        assert_eq!(size(&format!("{count} {limit}"), &[(0, 8), (2, 8), (3, 9)]), Some(2), "another word");
    }

    #[test]
    fn the_clock_never_repeats_where_it_decides() {
        let look = "mov.u32 %r6, %clock;";
        assert_eq!(size(&format!("{look} setp.lt.u32 %q0, %r6, 9;"), &[]), None);
        assert_eq!(size(&format!("{look} add.u32 %r0, %r0, %r6; {POLL}"), &[]), Some(1));
    }
}
