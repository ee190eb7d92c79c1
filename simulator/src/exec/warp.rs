//! A warp: its frames, its *splits* (groups of lanes that run together) and the *joins*
//! where splits meet again.
//!
//! A branch whose lanes disagree makes a join at the branch's immediate post-dominator; each side becomes a
//! split that parks when it gets there, and the last one to arrive goes on with all of them. Lanes that leave
//! the kernel are struck from the joins they belonged to. Nothing forces lanes to wait forever: when a warp
//! can't progress otherwise, [`Warp::release_joins`] lets the parked lanes go on as splits of their own,
//! which is the independent progress of lanes that CUDA promises since compute capability 7.0.
//!
//! This file knows neither instructions nor memory.

use std::collections::VecDeque;

use crate::{
    exec::{
        barrier::SiteId, context::Stop, registers::Registers, scoreboard::Scoreboard, spin::loops::Loops,
    },
    ir::{BarrierKind, FunctionIndex, Instruction, NO_JOIN, Pairs, Pc, SourceIndex},
};

/// Index of a frame in its warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FrameId(pub u32);

/// Index of a join in its warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JoinId(u32);

/// One activation of a function by some lanes of a warp.
#[derive(Debug)]
pub struct Frame {
    /// The function.
    pub function: FunctionIndex,
    /// Its registers.
    pub registers: Registers,
    /// The caller's frame; `None` for the kernel itself.
    pub parent: Option<FrameId>,
    /// The instruction after the call.
    pub return_pc: Pc,
    /// Lanes that have not left it.
    pub lanes: u32,
    /// The learner's line of the call, which stands for instructions that have none.
    pub source: SourceIndex,
    /// Identifies the chain of call sites; 0 for the kernel itself.
    pub path: u64,
    /// Per lane, the first byte of its local variables, in the local space.
    pub local: Pairs,
    /// Calls above it.
    pub depth: u32,
}

impl Frame {
    /// The learner's line that an instruction of its function stands for.
    #[inline(always)]
    pub fn source_of(&self, instruction: &Instruction) -> SourceIndex {
        if instruction.source.0 != 0 { instruction.source } else { self.source }
    }
}

/// What a split waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Nothing: it can run.
    Nothing,
    /// A block-wide barrier; it stands at the barrier instruction.
    Barrier {
        /// Which of the 16.
        id: u8,
        /// Number of threads that take part, 0 for the whole block.
        count: u32,
        /// Lanes whose predicate is true.
        predicate: u32,
        /// Which reduction.
        kind: BarrierKind,
        /// The barrier of the program, when the whole block takes part.
        key: Option<SiteId>,
    },
    /// The barrier of the cluster; it stands at the instruction that waits.
    Cluster {
        /// The barrier of the program.
        key: SiteId,
    },
    /// A warp-wide operation that names lanes which are not here yet; it stands at the instruction.
    Collective {
        /// Lanes named.
        named: u32,
    },
    /// The end of a phase of an mbarrier; it stands at the instruction that asks for it.
    Phase {
        /// Memory's version when it last asked.
        version: u64,
    },
    /// A change of memory: it was seen to repeat the same state while memory stayed at this version.
    Change {
        /// The version seen.
        version: u64,
    },
}

/// Lanes that run together.
#[derive(Clone, Copy, Debug)]
pub struct Split {
    /// Next instruction.
    pub pc: Pc,
    /// Its lanes.
    pub mask: u32,
    /// Their innermost frame.
    pub frame: FrameId,
    /// The innermost join that they owe.
    pub join: Option<JoinId>,
    /// What it waits for.
    pub wait: Wait,
}

#[derive(Clone, Copy, Debug)]
struct Join {
    /// `NO_JOIN` stands for the return from `frame`.
    pc: Pc,
    frame: FrameId,
    members: u32,
    arrived: u32,
    parent: Option<JoinId>,
    /// Where its lanes go on: `pc`, or the return instruction that the last arrival stands at.
    resume: Pc,
}

/// Up to 32 lanes with consecutive thread numbers.
#[derive(Debug)]
pub struct Warp {
    /// Its number in the block.
    pub index: u32,
    /// Lanes that exist.
    pub lanes: u32,
    /// Lanes that have left the kernel.
    pub exited: u32,
    /// Cycles it has taken under the documented cost model.
    pub cycles: u64,
    /// Loads whose values have not arrived.
    pub scoreboard: Scoreboard,
    /// What its next turn ends the launch with: a warp-wide operation failed while others ran.
    pub stop: Option<Stop>,
    /// Its lanes have been parted.
    pub diverged: bool,
    /// Lanes that have met others, at a barrier or a warp-wide operation.
    pub met_others: u32,
    /// What is known of its loops.
    pub loops: Loops,
    /// Where lanes have been told that a phase of an mbarrier is not over, and not yet that it is.
    pub refused: Vec<(FrameId, Pc, u32)>,
    /// Splits that can run, next first.
    pub ready: VecDeque<Split>,
    /// Splits that wait.
    pub waiting: Vec<Split>,
    frames: Vec<Frame>,
    free_frames: Vec<FrameId>,
    joins: Vec<Join>,
    free_joins: Vec<JoinId>,
}

impl Warp {
    /// A warp whose lanes are all about to execute the first instruction of `frame`, while memory is at this
    /// version.
    pub fn new(index: u32, lanes: u32, frame: Frame, version: u64) -> Warp {
        let first = Split { pc: 0, mask: lanes, frame: FrameId(0), join: None, wait: Wait::Nothing };
        Warp {
            index,
            lanes,
            exited: 0,
            diverged: false,
            met_others: 0,
            cycles: 0,
            scoreboard: Scoreboard::default(),
            stop: None,
            loops: Loops::new(version),
            refused: Vec::new(),
            ready: VecDeque::from([first]),
            waiting: Vec::new(),
            frames: vec![frame],
            free_frames: Vec::new(),
            joins: Vec::new(),
            free_joins: Vec::new(),
        }
    }

    /// Lanes that have not left the kernel.
    #[inline(always)]
    pub fn live(&self) -> u32 {
        self.lanes & !self.exited
    }

    /// A frame.
    #[inline(always)]
    pub fn frame(&self, id: FrameId) -> &Frame {
        &self.frames[id.0 as usize]
    }

    /// A frame.
    #[inline(always)]
    pub fn frame_mut(&mut self, id: FrameId) -> &mut Frame {
        &mut self.frames[id.0 as usize]
    }

    /// All frames, to change.
    pub fn frames_mut(&mut self) -> impl Iterator<Item = &mut Frame> {
        self.frames.iter_mut()
    }

    /// All frames, also those that nobody uses any more.
    pub fn frames(&self) -> impl Iterator<Item = &Frame> {
        self.frames.iter()
    }

    /// Two different frames at once.
    pub fn two_frames(&mut self, a: FrameId, b: FrameId) -> (&mut Frame, &mut Frame) {
        assert_ne!(a, b, "a frame is not its own caller");
        let (low, high) = (a.0.min(b.0) as usize, a.0.max(b.0) as usize);
        let (left, right) = self.frames.split_at_mut(high);
        let (low, high) = (&mut left[low], &mut right[0]);
        if a.0 < b.0 { (low, high) } else { (high, low) }
    }

    /// Adds a frame. Used frames of the same function are taken first: see [`Warp::spare_frame`].
    pub fn add_frame(&mut self, frame: Frame) -> FrameId {
        let id = FrameId(self.frames.len() as u32);
        self.frames.push(frame);
        id
    }

    /// A frame of `function` that nobody uses any more.
    #[inline]
    pub fn spare_frame(&mut self, function: FunctionIndex) -> Option<FrameId> {
        let at = self.free_frames.iter().rposition(|&id| self.frames[id.0 as usize].function == function)?;
        Some(self.free_frames.swap_remove(at))
    }

    /// Strikes lanes from a frame.
    #[inline]
    pub fn leave_frame(&mut self, id: FrameId, mask: u32) {
        let frame = &mut self.frames[id.0 as usize];
        frame.lanes &= !mask;
        if frame.lanes == 0 {
            self.free_frames.push(id);
        }
    }

    /// All frames, so that their registers can be used again by another warp.
    pub fn into_frames(self) -> Vec<Frame> {
        self.frames
    }

    /// Where `split` owes a join in its frame; a pc that no split has when there is none.
    #[inline(always)]
    pub fn owed(&self, split: &Split) -> Pc {
        match split.join {
            Some(id) if self.joins[id.0 as usize].frame == split.frame => self.joins[id.0 as usize].pc,
            _ => NO_JOIN,
        }
    }

    /// True when `split` stands at the join that it owes.
    #[inline(always)]
    pub fn at_join(&self, split: &Split) -> bool {
        match split.join {
            Some(id) => {
                let join = &self.joins[id.0 as usize];
                join.pc == split.pc && join.frame == split.frame
            }
            None => false,
        }
    }

    /// True when `split` must wait for others before it returns from its frame.
    #[inline(always)]
    pub fn at_return_join(&self, split: &Split) -> bool {
        match split.join {
            Some(id) => {
                let join = &self.joins[id.0 as usize];
                join.pc == NO_JOIN && join.frame == split.frame
            }
            None => false,
        }
    }

    /// Parks `split` at its join; when it was the last, gives all of them as one split.
    pub fn arrive(&mut self, split: &Split) -> Option<Split> {
        let id = split.join?;
        let join = &mut self.joins[id.0 as usize];
        join.arrived |= split.mask;
        join.resume = split.pc;
        self.complete(id)
    }

    fn complete(&mut self, id: JoinId) -> Option<Split> {
        let join = self.joins[id.0 as usize];
        if join.arrived != join.members {
            return None;
        }
        self.free_joins.push(id);
        self.loops.go_on_together(join.members);
        Some(Split {
            pc: join.resume,
            mask: join.members,
            frame: join.frame,
            join: join.parent,
            wait: Wait::Nothing,
        })
    }

    /// Makes sure that `split` owes a join at `pc` (`NO_JOIN`: at the return from its frame).
    pub fn owe(&mut self, split: &mut Split, pc: Pc) {
        if let Some(id) = split.join {
            let join = &self.joins[id.0 as usize];
            if join.pc == pc && join.frame == split.frame {
                return;
            }
        }
        if pc == NO_JOIN && self.frame(split.frame).parent.is_none() {
            // Lanes that leave the kernel meet nobody any more.
            return;
        }
        let join =
            Join { pc, frame: split.frame, members: split.mask, arrived: 0, parent: split.join, resume: pc };
        let id = match self.free_joins.pop() {
            Some(id) => {
                self.joins[id.0 as usize] = join;
                id
            }
            None => {
                self.joins.push(join);
                JoinId(self.joins.len() as u32 - 1)
            }
        };
        split.join = Some(id);
    }

    /// Divides `split` at a branch: `others` go their ways as splits of their own, `split` keeps the rest of
    /// its lanes. Both owe a join at `join`. Lanes that are already there park at once.
    pub fn diverge(&mut self, split: &mut Split, join: Pc, others: &[(u32, Pc)]) {
        self.owe(split, join);
        self.part(split, others);
    }

    /// Divides `split` as [`Warp::diverge`] does, but its lanes need not meet before the join that it owes already.
    pub fn part(&mut self, split: &mut Split, others: &[(u32, Pc)]) {
        self.diverged = true;
        for &(mask, pc) in others {
            let other = Split { pc, mask, ..*split };
            split.mask &= !mask;
            if self.at_join(&other) {
                let whole = self.arrive(&other);
                debug_assert!(whole.is_none(), "the rest of the split has not arrived");
            } else {
                self.ready.push_front(other);
            }
        }
    }

    /// Lanes leave the kernel: they are struck from everything above `frame` and `join`, and joins that
    /// waited only for them let their lanes go.
    pub fn exit(&mut self, mask: u32, frame: FrameId, join: Option<JoinId>) {
        self.exited |= mask;
        let mut frame = Some(frame);
        while let Some(id) = frame {
            frame = self.frame(id).parent;
            self.leave_frame(id, mask);
        }
        let mut next = join;
        while let Some(id) = next {
            let join = &mut self.joins[id.0 as usize];
            join.members &= !mask;
            next = join.parent;
            let join = *join;
            if join.members == 0 {
                self.free_joins.push(id);
            } else if let Some(whole) = self.complete(id) {
                self.ready.push_back(whole);
            }
        }
    }

    /// Lets all lanes that are parked at joins go on as splits of their own. True when there were any.
    pub fn release_joins(&mut self) -> bool {
        self.loops.fruitless = 0;
        self.release_joins_where(|_, _, _| true)
    }

    /// The same at some joins: those that are chosen by their frame, where their lanes go on, and the lanes.
    pub fn release_joins_where(&mut self, chosen: impl Fn(&Frame, Pc, u32) -> bool) -> bool {
        let mut released = false;
        for index in 0..self.joins.len() {
            let join = self.joins[index];
            if join.arrived == 0
                || self.free_joins.iter().any(|free| free.0 as usize == index)
                || !chosen(self.frame(join.frame), join.resume, join.arrived)
            {
                continue;
            }
            released = true;
            self.joins[index].members &= !join.arrived;
            self.joins[index].arrived = 0;
            self.ready.push_back(Split {
                pc: join.resume,
                mask: join.arrived,
                frame: join.frame,
                join: join.parent,
                wait: Wait::Nothing,
            });
        }
        released
    }

    /// Lanes that are parked where `split` must come by: they can't come to where it
    /// stands before it has gone on.
    pub fn parked_behind(&self, split: &Split) -> u32 {
        let mut parked = 0;
        let mut next = split.join;
        while let Some(id) = next {
            let join = &self.joins[id.0 as usize];
            parked |= join.arrived;
            next = join.parent;
        }
        parked
    }

    /// True when some lanes are parked at joins.
    pub fn has_parked(&self) -> bool {
        let parked =
            self.live() & !self.ready.iter().chain(&self.waiting).fold(0, |mask, split| mask | split.mask);
        parked != 0
    }

    /// Puts a split that may go on among the ready ones, together with another that stands at the same place.
    pub fn resume(&mut self, split: Split) {
        let split = Split { wait: Wait::Nothing, ..split };
        let twin = self
            .ready
            .iter_mut()
            .find(|other| other.pc == split.pc && other.frame == split.frame && other.join == split.join);
        match twin {
            Some(twin) => {
                twin.mask |= split.mask;
                let mask = twin.mask;
                self.loops.go_on_together(mask);
            }
            None => self.ready.push_back(split),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::LANES;

    fn frame(parent: Option<FrameId>, lanes: u32) -> Frame {
        Frame {
            function: FunctionIndex(0),
            registers: Registers::default(),
            parent,
            return_pc: 7,
            lanes,
            source: SourceIndex::NONE,
            path: 0,
            local: [0; LANES],
            depth: 0,
        }
    }

    fn warp() -> (Warp, Split) {
        let mut warp = Warp::new(0, u32::MAX, frame(None, u32::MAX), 0);
        let split = warp.ready.pop_front().unwrap();
        (warp, split)
    }

    #[test]
    fn sides_meet_at_the_join() {
        let (mut warp, mut split) = warp();
        warp.diverge(&mut split, 10, &[(0xffff, 5)]);
        assert_eq!(split.mask, 0xffff_0000);
        let mut other = warp.ready.pop_front().unwrap();
        assert_eq!((other.mask, other.pc), (0xffff, 5));
        split.pc = 10;
        assert!(warp.at_join(&split));
        assert!(warp.arrive(&split).is_none());
        other.pc = 10;
        let whole = warp.arrive(&other).unwrap();
        assert_eq!((whole.mask, whole.pc, whole.join), (u32::MAX, 10, None));
    }

    #[test]
    fn a_loop_uses_one_join() {
        let (mut warp, mut split) = warp();
        for trip in 0..31 {
            warp.diverge(&mut split, 10, &[(1 << trip, 10)]);
        }
        assert_eq!(warp.joins.len(), 1);
        assert!(warp.ready.is_empty());
        split.pc = 10;
        assert_eq!(warp.arrive(&split).unwrap().mask, u32::MAX);
    }

    #[test]
    fn lanes_that_exit_are_not_waited_for() {
        let (mut warp, mut split) = warp();
        warp.diverge(&mut split, 10, &[(1, 5)]);
        let mut other = warp.ready.pop_front().unwrap();
        split.pc = 10;
        assert!(warp.arrive(&split).is_none());
        other.pc = 6;
        warp.exit(other.mask, other.frame, other.join);
        let whole = warp.ready.pop_front().unwrap();
        assert_eq!((whole.mask, whole.pc), (!1, 10));
        assert_eq!(warp.live(), !1);
    }

    #[test]
    fn nested_joins_of_exited_lanes_are_freed() {
        let (mut warp, mut split) = warp();
        warp.diverge(&mut split, 20, &[(0xff, 5)]);
        let mut inner = warp.ready.pop_front().unwrap();
        warp.diverge(&mut inner, 10, &[(0xf, 7)]);
        let innermost = warp.ready.pop_front().unwrap();
        split.pc = 20;
        assert!(warp.arrive(&split).is_none());
        warp.exit(innermost.mask, innermost.frame, innermost.join);
        warp.exit(inner.mask, inner.frame, inner.join);
        let whole = warp.ready.pop_front().unwrap();
        assert_eq!((whole.mask, whole.pc, whole.join), (!0xff, 20, None));
        assert_eq!(warp.free_joins.len(), 2);
    }

    #[test]
    fn returns_wait_for_each_other() {
        let (mut warp, mut split) = warp();
        split.frame = warp.add_frame(frame(Some(FrameId(0)), u32::MAX));
        warp.diverge(&mut split, NO_JOIN, &[(3, 5)]);
        let other = warp.ready.pop_front().unwrap();
        assert!(warp.at_return_join(&split));
        assert!(warp.arrive(&split).is_none());
        assert!(warp.at_return_join(&other));
        let whole = warp.arrive(&other).unwrap();
        assert_eq!(whole.mask, u32::MAX);
        assert!(!warp.at_return_join(&whole));
    }

    #[test]
    fn parked_lanes_can_be_released() {
        let (mut warp, mut split) = warp();
        warp.diverge(&mut split, 10, &[(1, 10)]);
        assert!(warp.release_joins());
        let early = warp.ready.pop_front().unwrap();
        assert_eq!((early.mask, early.pc), (1, 10));
        split.pc = 10;
        assert_eq!(warp.arrive(&split).unwrap().mask, !1);
        assert!(!warp.release_joins());
    }
}
