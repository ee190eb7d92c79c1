//! Functions of the CUDA runtime that kernels call: `printf`, `malloc`, `free`, failed
//! assertions, grid barriers.

use crate::{
    environment::Windows,
    exec::{
        context::{Heap, Stop, Unit, report, site, threads},
        machine::Machine,
        printf::{self, Arguments},
        refuse::lacking,
        warp::{Split, Warp},
    },
    finding::{FindingKind, Severity},
    ir::{AddressSpace, Builtin, LANES, List, Order, Scope, Word},
    memory::{Access, Global, LaneWords, Site, lanes},
};

/// Longest string that is followed.
const STRING_BYTES: u64 = 4096;
/// Bytes that all lanes of a warp read and write in one `printf` as part of the call.
const FREE_BYTES: u64 = 2048;
/// Of more than those, as many cost the budget an instruction: a string takes a loop to read and to copy.
const BYTES_OF_AN_INSTRUCTION: u64 = 64;

/// One lane's view of memory.
struct Lane<'m, 'g> {
    unit: &'m mut Unit,
    global: &'m mut Global<'g>,
    warp: u32,
    lane: u32,
    site: Site,
    arguments: u64,
    /// Where the kernel sees shared and local memory.
    windows: Option<Windows>,
    faulted: bool,
    /// Bytes of strings that it has read.
    read: u64,
}

impl Lane<'_, '_> {
    fn load(&mut self, address: u64, bytes: u8) -> Option<u64> {
        let address = self.windows.map_or(address, |windows| windows.inside(address));
        let access = Access {
            space: AddressSpace::Generic,
            addresses: [address; LANES],
            mask: 1 << self.lane,
            bytes,
            order: Order::Weak,
            scope: Scope::Block,
            site: self.site,
            warp: self.warp as u16,
        };
        let mut words = LaneWords::ZERO;
        let outcome = self.unit.memory.load_out_of_line(self.global, &access, &mut words);
        if outcome.faulted != 0 {
            self.faulted = true;
            return None;
        }
        Some(words.pair(self.lane as usize))
    }

    /// A string up to its zero, or to what is followed of one, or to what the buffer
    /// of `printf` holds of all.
    fn text(&mut self, address: u64, most: u64) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        let room = (self.unit.printf_room as u64).saturating_sub(self.read);
        for at in 0..STRING_BYTES.min(most).min(room) {
            self.read += 1;
            match self.load(address.wrapping_add(at), 1)? as u8 {
                0 => break,
                byte => text.push(byte),
            }
        }
        Some(text)
    }
}

impl Arguments for Lane<'_, '_> {
    fn argument(&mut self, offset: u64, bytes: u8) -> Option<u64> {
        self.load(self.arguments.wrapping_add(offset), bytes)
    }

    fn string(&mut self, address: u64, most: usize) -> Option<Vec<u8>> {
        if address == 0 { None } else { self.text(address, most as u64) }
    }
}

/// Executes a call of a runtime function by all lanes of `split`, and steps over it.
pub fn call(
    m: &mut Machine<'_, '_>,
    warp: &mut Warp,
    split: &mut Split,
    which: Builtin,
    arguments: List,
    results: List,
    at: Site,
) -> Result<(), Stop> {
    let mask = split.mask;
    let frame = warp.frame(split.frame);
    let function = m.cx.program.function(frame.function);
    let constants = &m.cx.constants[frame.function.0 as usize];
    let list = &function.lists[arguments.range()];
    let results = &function.lists[results.range()];
    let word = |index: usize, lane: usize| -> u64 {
        match list.get(index) {
            Some(&word) if word.is_some() => u64::from(frame.registers.word(constants, word)[lane]),
            _ => 0,
        }
    };
    let pair = |index: usize, lane: usize| word(index, lane) | word(index + 1, lane) << 32;
    let mut low = [0u32; LANES];
    let mut high = [0u32; LANES];
    let mut stop = None;
    let windows = constants.windows;
    match which {
        // What does not fit is lost, and printed in vain by the whole warp.
        Builtin::Vprintf if m.unit.printf.len() >= m.unit.printf_room => {
            let mut addresses = [0; LANES];
            lanes(mask).for_each(|lane| addresses[lane] = pair(0, lane));
            if let Some(windows) = windows {
                windows.all_inside(&mut addresses);
            }
            let access = Access {
                space: AddressSpace::Generic,
                addresses,
                mask,
                bytes: 1,
                order: Order::Weak,
                scope: Scope::Block,
                site: at,
                warp: warp.index as u16,
            };
            let mut first = LaneWords::ZERO;
            if m.unit.memory.load_out_of_line(m.global, &access, &mut first).faulted != 0 {
                stop = Some(Stop::Faulted);
            }
        }
        Builtin::Vprintf => {
            let mut bytes = 0;
            for lane in lanes(mask) {
                let mut view = Lane {
                    unit: m.unit,
                    global: m.global,
                    warp: warp.index,
                    lane: lane as u32,
                    site: at,
                    arguments: pair(2, lane),
                    windows,
                    faulted: false,
                    read: 0,
                };
                let full = view.unit.printf.len() >= view.unit.printf_room;
                let (text, taken) = match view.text(pair(0, lane), STRING_BYTES) {
                    // What does not fit is lost, and printed in vain.
                    Some(_) if full => (Vec::new(), 0),
                    Some(format) => printf::format(&format, &mut view),
                    None => (Vec::new(), u32::MAX),
                };
                if view.faulted {
                    stop = Some(Stop::Faulted);
                }
                low[lane] = taken;
                bytes += view.read + text.len() as u64;
                let room = m.unit.printf_room.saturating_sub(m.unit.printf.len());
                m.unit.printf.extend_from_slice(&text[..text.len().min(room)]);
            }
            m.unit.issued += bytes.saturating_sub(FREE_BYTES) / BYTES_OF_AN_INSTRUCTION;
        }
        Builtin::AssertFail => {
            for lane in lanes(mask) {
                let mut view = Lane {
                    unit: m.unit,
                    global: m.global,
                    warp: warp.index,
                    lane: lane as u32,
                    site: at,
                    arguments: 0,
                    windows,
                    faulted: false,
                    read: 0,
                };
                let text = view.text(pair(0, lane), STRING_BYTES).unwrap_or_default();
                let list = threads(m.unit.block, warp.index, 1 << lane);
                let message = format!("The assertion `{}` does not hold.", String::from_utf8_lossy(&text));
                let findings = &mut m.unit.memory.findings;
                report(findings, FindingKind::Assertion, Severity::Error, at, Site(0), list, 1, message);
            }
            stop = Some(Stop::Faulted);
        }
        Builtin::Malloc => {
            for lane in lanes(mask) {
                let address = allocate(m, warp.index, lane, pair(0, lane), at);
                low[lane] = address as u32;
                high[lane] = (address >> 32) as u32;
            }
        }
        Builtin::Free => {
            for lane in lanes(mask) {
                release(m, warp.index, lane, pair(0, lane), at);
            }
        }
        Builtin::CooperativeHandle => {
            low = [m.cx.workspace as u32; LANES];
            high = [(m.cx.workspace >> 32) as u32; LANES];
        }
        Builtin::CooperativeSynchronize => {
            let list = threads(m.unit.block, warp.index, mask);
            report(
                &mut m.unit.memory.findings,
                FindingKind::Unsupported,
                Severity::Error,
                at,
                Site(0),
                list,
                u64::from(mask.count_ones()),
                lacking("`cudaCGSynchronize`"),
            );
            stop = Some(Stop::Unsupported);
        }
    }
    let results: Vec<Word> = results.to_vec();
    let registers = &mut warp.frame_mut(split.frame).registers;
    for (value, &word) in [&low, &high].into_iter().zip(&results) {
        if word.is_some() {
            registers.set_word(word, value, 0, mask);
        }
    }
    if let Some(stop) = stop {
        warp.ready.push_front(*split);
        return Err(stop);
    }
    split.pc += 1;
    Ok(())
}

fn heap<'a>(m: &Machine<'a, '_>) -> std::sync::MutexGuard<'a, Heap> {
    // A poisoned lock means that another launch panicked; its heap is still consistent, entry by entry.
    m.cx.heap.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn allocate(m: &mut Machine<'_, '_>, warp: u32, lane: usize, bytes: u64, at: Site) -> u64 {
    let mut heap = heap(m);
    let Global::Direct(memory) = m.global else {
        unreachable!("kernels that call `malloc` run with direct access to global memory")
    };
    if bytes == 0 {
        return 0;
    }
    if heap.used.saturating_add(bytes) > Heap::BYTES {
        report(
            &mut m.unit.memory.findings,
            FindingKind::HeapOverflow,
            Severity::Warning,
            at,
            site(crate::ir::SourceIndex::NONE),
            threads(m.unit.block, warp, 1 << lane),
            1,
            format!(
                "`malloc` of {bytes} bytes gives a null pointer: {} of the heap's {} bytes are taken. Free what is no longer \
                 used, and test the pointer.",
                heap.used,
                Heap::BYTES
            ),
        );
        return 0;
    }
    let address = memory.allocate(bytes, "malloc");
    heap.used += bytes;
    heap.pieces.insert(address, bytes);
    address
}

fn release(m: &mut Machine<'_, '_>, warp: u32, lane: usize, address: u64, at: Site) {
    if address == 0 {
        return;
    }
    let mut heap = heap(m);
    match heap.pieces.remove(&address) {
        Some(bytes) => {
            heap.used -= bytes;
            if let Global::Direct(memory) = m.global {
                memory.release(address);
            }
        }
        None => report(
            &mut m.unit.memory.findings,
            FindingKind::OutOfBounds,
            Severity::Error,
            at,
            Site(0),
            threads(m.unit.block, warp, 1 << lane),
            1,
            format!("`free` of {address:#x}, which `malloc` did not give or which was freed before."),
        ),
    }
}
