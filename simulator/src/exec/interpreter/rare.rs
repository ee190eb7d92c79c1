//! What the inner loop leaves to others: instructions that are executed too seldom, or do too much, to be
//! compiled for every instruction set.

use crate::{
    counters::Counters,
    exec::{
        access::{Port, addresses},
        barrier::SiteKey,
        collective::{
            Offered, hands_over,
            meet::{meeting, named_lanes},
        },
        context::{Stop, report, site, threads},
        defects, division,
        interpreter::event::Event,
        machine::Machine,
        matrix::{self, Held},
        refuse::lacking,
        schedule::Schedule,
        special,
        undefined::Register,
        warp::{Frame, Warp},
    },
    finding::{FindingKind, Severity},
    ir::{AtomicOp, BarrierKind, Constants, Matrix, Op, Pair, SourceIndex, TextureAccess, UNUSED, Word},
    memory::{Site, lanes},
};

/// Lanes of the warp, and how they run.
#[derive(Clone, Copy)]
pub(super) struct Company {
    /// The warp's number.
    pub(super) warp: u32,
    /// Lanes that exist.
    pub(super) lanes: u32,
    /// Lanes that have not left the kernel.
    pub(super) live: u32,
    /// Lanes that had met others before.
    pub(super) met_before: u32,
    /// Warps and blocks run in another order than the usual.
    pub(super) other_order: bool,
    /// Lanes that run together may come to an `activemask` in parts.
    pub(super) may_part: bool,
    /// Whether lanes that run together may come to a strong store or an atomic in parts.
    pub(super) lateness: Option<Lateness>,
}

/// What says which lanes come late.
#[derive(Clone, Copy)]
pub(super) struct Lateness {
    pub(super) schedule: Schedule,
    pub(super) block: u32,
    /// Parts that the warp has already.
    pub(super) parts: usize,
}

impl Company {
    /// Of a warp's lanes; lanes of a loop that is watched are not taken apart.
    #[inline(always)]
    pub(super) fn of(m: &Machine<'_, '_>, warp: &Warp, is_watched: bool) -> Self {
        let schedule = m.cx.schedule;
        let other_order = schedule.is_other();
        Company {
            warp: warp.index,
            lanes: warp.lanes,
            live: warp.live(),
            met_before: warp.met_others,
            other_order,
            may_part: other_order && warp.diverged && !is_watched,
            lateness: (schedule.parts_lanes() && !is_watched).then(|| Lateness {
                schedule,
                block: m.unit.block,
                parts: warp.ready.len() + warp.waiting.len() + 1,
            }),
        }
    }

    /// Of lanes that come together to a strong store or an atomic, those that execute it now.
    #[inline(always)]
    pub(super) fn first(&self, mask: u32, issued: u64) -> u32 {
        self.lateness
            .map_or(mask, |late| late.schedule.first(late.parts, mask, late.block, self.warp, issued))
    }
}

/// The instruction that is executed.
pub(super) struct Current<'a> {
    pub(super) op: &'a Op,
    pub(super) source: SourceIndex,
    pub(super) constants: &'a Constants,
    pub(super) company: &'a Company,
    /// Lanes that run together.
    pub(super) together: u32,
    /// Lanes of them that execute it.
    pub(super) mask: u32,
    /// Instructions that the block has issued.
    pub(super) issued: u64,
    /// What the warp's clock says.
    pub(super) cycles: u64,
}

impl Current<'_> {
    fn site(&self) -> Site {
        site(self.source)
    }
}

/// What has come of an instruction.
#[derive(Default)]
pub(super) struct Done {
    /// It is none of the program's, and counts for nothing.
    pub(super) is_mark: bool,
    /// Cycles beyond the first.
    pub(super) cycles: u64,
    /// It read memory as one waits for others.
    pub(super) polls: bool,
    /// Lanes that have met others by it.
    pub(super) met: u32,
    /// Lanes that have come to it and execute it later.
    pub(super) late: u32,
    /// Others may be given a turn now.
    pub(super) may_sleep: bool,
}

/// Executes an instruction, or says why the inner loop must be left before it.
#[inline(never)]
pub(super) fn execute(
    m: &mut Machine<'_, '_>,
    frame: &mut Frame,
    current: &Current<'_>,
) -> Result<Done, Event> {
    let &Current { mask, company, .. } = current;
    match *current.op {
        // A mark is told also that no lane has come by.
        Op::PastBarrier { .. } | Op::BarrierLoop { .. } | Op::BarrierChoice { .. } => {
            mark(m, frame, current);
            Ok(Done { is_mark: true, ..Done::default() })
        }
        Op::BranchIndexed { index, targets, join } => Err(Event::Indexed { index, targets, join, mask }),
        // Nothing else happens where no lane executes it.
        _ if mask == 0 => Ok(Done::default()),
        Op::Atomic { .. } => {
            let first = company.first(mask, current.issued);
            let cycles = atomic(m, frame, &Current { mask: first, ..*current }).map_err(Event::Stop)?;
            let late = mask & !first;
            Ok(Done { cycles, polls: true, may_sleep: company.other_order, late, ..Done::default() })
        }
        Op::Asynchronous(_) | Op::Bulk(_) | Op::Mbarrier(_) => {
            let bytes = |line: &Counters| line.bulk_load_bytes + line.bulk_store_bytes;
            let lists = &m.cx.program.function(frame.function).lists;
            let mut port = m.port(current.source, company.warp);
            let before = bytes(port.line);
            let done =
                port.copy_or_mbarrier(current.op, lists, &mut frame.registers, current.constants, mask);
            let moved = bytes(port.line) - before;
            m.unit.charge(moved / BULK_BYTES_OF_AN_INSTRUCTION);
            match done {
                Ok(Some(cycles)) => Ok(Done { cycles, ..Done::default() }),
                // Where only some of the lanes ask, they have their answer at once.
                Ok(None) if mask == current.together => Err(Event::Phase),
                Ok(None) => Ok(Done { polls: true, ..Done::default() }),
                Err(stop) => Err(Event::Stop(stop)),
            }
        }
        Op::Texture(ref access) => {
            texture(m, frame, current, access).map_err(Event::Stop)?;
            Ok(Done::default())
        }
        Op::Fence { scope, kind } => {
            m.unit.memory.fence(m.global, company.warp as u16, mask, scope, kind);
            Ok(Done { may_sleep: company.other_order, ..Done::default() })
        }
        Op::WarpSync { .. }
        | Op::Shuffle { .. }
        | Op::Vote { .. }
        | Op::Match { .. }
        | Op::Redux { .. }
        | Op::ActiveMask { .. }
        | Op::Elect { .. } => Ok(Done { met: collective(m, frame, current)?, ..Done::default() }),
        Op::Matrix(ref operation) => {
            if company.live != mask {
                return Err(Event::Collective { mask, site: current.site() });
            }
            let cycles = on_matrices(m, frame, current, operation).map_err(Event::Stop)?;
            Ok(Done { cycles, met: mask, ..Done::default() })
        }
        Op::Warpgroup(_) if company.live != mask => Err(Event::Collective { mask, site: current.site() }),
        Op::Warpgroup(operation) => Err(Event::Warpgroup { operation, site: current.site() }),
        Op::Hint { sleeps } => Ok(Done { may_sleep: sleeps, ..Done::default() }),
        Op::Call { callee, arguments, results } => {
            Err(Event::Call { callee, arguments, results, mask, site: current.site() })
        }
        Op::Return => Err(Event::Return { mask }),
        Op::Exit => Err(Event::Exit { mask }),
        Op::Barrier { kind, .. } => {
            // Those of the cluster are none of the block's.
            let is_clusters = matches!(kind, BarrierKind::ClusterArrive { .. } | BarrierKind::ClusterWait);
            m.lines[current.source.0 as usize].barriers += u64::from(!is_clusters);
            Err(Event::Barrier { mask, site: current.site() })
        }
        Op::Divide(ref alu) => {
            division::divide(m.unit, &mut frame.registers, current.constants, alu, mask, current.site());
            Ok(Done::default())
        }
        _ => {
            alone(m, frame, current).map_err(Event::Stop)?;
            Ok(Done::default())
        }
    }
}

/// Copying so many bytes in bulk takes the simulator as long as an instruction of a whole warp.
const BULK_BYTES_OF_AN_INSTRUCTION: u64 = 32;

/// Executes an instruction that touches only its lanes' registers and local memory, or ends the launch.
fn alone(m: &mut Machine<'_, '_>, frame: &mut Frame, current: &Current<'_>) -> Result<(), Stop> {
    let &Current { constants, company, mask, .. } = current;
    let warp = company.warp;
    match *current.op {
        Op::Special { register, wide, d } => {
            let value = special::read(m.cx, m.unit, warp, current.cycles, register);
            if wide {
                frame.registers.set_pair(Pair(d), &value, 0, mask);
            } else {
                let word = std::array::from_fn(|lane| value[lane] as u32);
                frame.registers.set_word(Word(d), &word, 0, mask);
            }
        }
        Op::LocalAddress { wide, d, offset } => {
            let value = frame.local.map(|start| start + u64::from(offset));
            special::set_address(&mut frame.registers, wide, d, &value, 0, mask);
        }
        Op::IsSpace { space, d, wide, a } => {
            let (value, poison) = special::address_operand(&frame.registers, constants, wide, a);
            let mut yes = 0;
            for lane in lanes(mask) {
                yes |= u32::from(special::is_space(m.cx, m.unit.block, m.global.get(), space, value[lane]))
                    << lane;
            }
            frame.registers.set_predicate(d, yes, 0, mask);
            if poison & mask != 0 {
                let d = Register::Predicate(d);
                special::pass_undefined(&mut frame.registers, wide, d, a, poison & mask);
            }
        }
        Op::MapRank { generic, wide, d, a, rank } => {
            special::map_rank(
                m.cx,
                m.unit.block,
                &mut frame.registers,
                constants,
                (generic, wide, d, a, rank),
                mask,
            );
        }
        Op::RankOf { generic, wide, d, a } => {
            special::rank_of(
                m.cx,
                m.unit.block,
                &mut frame.registers,
                constants,
                (generic, wide, d, a),
                mask,
            );
        }
        Op::StackAllocate { wide, d, bytes, align } => {
            let (value, _) = special::address_operand(&frame.registers, constants, wide, bytes);
            let most = lanes(mask).map(|lane| value[lane]).max().unwrap_or(0);
            let most = u32::try_from(most).unwrap_or(u32::MAX);
            match m.unit.memory.push_local(warp as u16, mask, most, u32::from(align), frame.depth) {
                Ok(addresses) => special::set_address(&mut frame.registers, wide, d, &addresses, 0, mask),
                Err(full) => {
                    defects::taken_too_much(m.unit, warp, current.site(), full);
                    return Err(Stop::Faulted);
                }
            }
        }
        Op::StackSave { wide, d } => {
            let tops = m.unit.memory.local_tops(warp as u16);
            special::set_address(&mut frame.registers, wide, d, &tops, 0, mask);
        }
        Op::StackRestore { wide, a } => {
            let (tops, _) = special::address_operand(&frame.registers, constants, wide, a);
            m.unit.memory.restore_local(warp as u16, mask, frame.depth, &tops);
        }
        Op::Trap => {
            let message = "The kernel stopped itself with `__trap()`, or with the trap that the compiler puts where C++ \
                           leaves open what happens: a write to a constant or through a null pointer.";
            end(m, current, FindingKind::Trap, message.into());
            return Err(Stop::Faulted);
        }
        Op::Unsupported { text } => {
            let text = &m.cx.program.unsupported[text as usize];
            end(m, current, FindingKind::Unsupported, lacking(text).into());
            return Err(Stop::Unsupported);
        }
        Op::Breakpoint => {}
        _ => unreachable!("`step` and `execute` do the others"),
    }
    Ok(())
}

/// Says why the launch ends at an instruction.
fn end(
    m: &mut Machine<'_, '_>,
    current: &Current<'_>,
    kind: FindingKind,
    why: std::borrow::Cow<'static, str>,
) {
    let (at, count) = (current.site(), u64::from(current.mask.count_ones()));
    let lanes = threads(m.unit.block, current.company.warp, current.mask);
    report(&mut m.unit.memory.findings, kind, Severity::Error, at, Site(0), lanes, count, why);
}

/// So many lanes of an atomic, or of an access to a texture, take the simulator as long as an instruction of a whole warp.
const LANES_OF_AN_INSTRUCTION: u64 = 2;

/// Executes an atomic, and gives its cycles beyond the first.
fn atomic(m: &mut Machine<'_, '_>, frame: &mut Frame, current: &Current<'_>) -> Result<u64, Stop> {
    let &Current { constants, mask, .. } = current;
    let Op::Atomic { op, kind, space, order, scope, d, address, b, c } = *current.op else { return Ok(0) };
    let changes = m.global.get().changes();
    let counts = matches!(op, AtomicOp::Add | AtomicOp::Increment | AtomicOp::Decrement);
    let looked = (d != UNUSED && m.unit.helped.is_none())
        .then(|| addresses(&frame.registers, constants, address).0[mask.trailing_zeros() as usize]);
    if let Some(changer) = looked.and_then(|looked| m.global.get().changer(looked)) {
        m.unit.meet(changer.block);
    }
    let mut port = m.port(current.source, current.company.warp);
    let registers = &mut frame.registers;
    let cycles =
        port.atomic(op, kind, space, (order, scope), d, address, (b, c), registers, constants, mask)?;
    if let Some(counted) = looked.filter(|_| counts)
        && m.global.get().changes() != changes
    {
        m.unit.count(counted);
    }
    // Lane by lane, each with its place in the order of all: the work of many instructions.
    m.unit.charge(u64::from(mask.count_ones()) / LANES_OF_AN_INSTRUCTION);
    Ok(cycles)
}

/// Executes a warp-wide operation for which all the named lanes are here, and gives the lanes that have met
/// others by it.
fn collective(m: &mut Machine<'_, '_>, frame: &mut Frame, current: &Current<'_>) -> Result<u32, Event> {
    let &Current { op, constants, mask, .. } = current;
    let &Company { warp, lanes, live, met_before, may_part, .. } = current.company;
    let named = named_lanes(op, &frame.registers, constants, mask);
    if named & live != mask {
        return Err(Event::Collective { mask, site: current.site() });
    }
    if may_part && matches!(op, Op::ActiveMask { .. }) {
        let part = m.cx.schedule.together(mask, m.unit.block, warp, current.issued);
        if part != mask {
            Offered::default().exchange(op, part).scatter(op, &mut frame.registers, part);
            return Err(Event::Part { part });
        }
    }
    let gone = named & lanes & !live;
    if gone != 0 {
        defects::gone_lanes(m.unit, warp, current.site(), op, mask, gone, met_before);
    }
    if let Op::WarpSync { .. } = op {
        m.unit.memory.sync_warp(m.global, warp as u16, mask);
    } else {
        m.lines[current.source.0 as usize].exchange_requests += u64::from(hands_over(op));
        let mut offered = Offered::default();
        offered.gather(op, &frame.registers, constants, mask);
        m.unit.origins.use_marks(&mut m.unit.memory.findings, offered.undefined());
        let mut given = offered.exchange(op, mask);
        if let Some((lane, from)) = given.absent {
            let (at, absent) = (current.site(), given.absent_lanes);
            given.blame(defects::absent_source(m.unit, warp, at, lane, from, absent, named, live));
        }
        given.scatter(op, &mut frame.registers, mask);
    }
    Ok(meeting(op, mask))
}

/// Executes an access to a texture or surface. What it moves is not counted: an array's order in memory is the driver's secret.
fn texture(
    m: &mut Machine<'_, '_>,
    frame: &mut Frame,
    current: &Current<'_>,
    access: &TextureAccess,
) -> Result<(), Stop> {
    let &Current { constants, mask, company, .. } = current;
    let lists = &m.cx.program.function(frame.function).lists;
    let (mut uncounted, sectors) = (Counters::default(), m.unit.memory.tally.load_sectors);
    let mut port = Port::of(m.cx, m.unit, m.global, &mut uncounted, company.warp, current.site());
    let done = port.texture(access, lists, &mut frame.registers, constants, mask);
    m.unit.memory.tally.load_sectors = sectors;
    // Lane by lane, each with its texels: the work of many instructions.
    m.unit.charge(u64::from(mask.count_ones()) / LANES_OF_AN_INSTRUCTION);
    done
}

/// Executes an operation on matrices for which all lanes are here, and gives its cycles beyond the first.
fn on_matrices(
    m: &mut Machine<'_, '_>,
    frame: &mut Frame,
    current: &Current<'_>,
    operation: &Matrix,
) -> Result<u64, Stop> {
    let &Current { constants, mask, company, source, .. } = current;
    let lists = &m.cx.program.function(frame.function).lists;
    let mut held = Held::new();
    held.gather(operation, lists, &frame.registers, constants, mask);
    let (given, cycles) = matrix::execute(m, company.warp, mask, source, operation, &held)?;
    given.scatter(operation, lists, &mut frame.registers, mask);
    Ok(cycles)
}

/// Notes that lanes come by a mark that the decoder has put near a barrier.
fn mark(m: &mut Machine<'_, '_>, frame: &Frame, current: &Current<'_>) {
    let &Current { source, mask, company: &Company { warp, .. }, .. } = current;
    let line = &mut m.lines[source.0 as usize];
    line.ptx_instructions -= 1;
    line.active_lanes -= u64::from(mask.count_ones());
    let key = |site| SiteKey { function: frame.function, site, path: frame.path };
    match *current.op {
        Op::PastBarrier { site } => {
            if let Some(skipped) = m.unit.barriers.past(key(site), source, warp, mask) {
                defects::skipped_barrier(m.unit, skipped);
            }
        }
        Op::BarrierLoop { site } => m.unit.barriers.goes_round(key(site), source, warp, mask),
        Op::BarrierChoice { site } => m.unit.barriers.chooses(key(site), source, warp, mask),
        _ => unreachable!("it is no mark"),
    }
}
