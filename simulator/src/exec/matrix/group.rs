//! `wgmma`: products by a warpgroup, in the background.
//!
//! Each warp multiplies its 16 rows by all of B, as so many `mma`s of eight columns would. The results are there at once; until the
//! wait for their group they are taken for undefined, with an origin that says why: they may be moved and added to by further
//! products, but what is computed from them is a defect. The asynchronous proxy reads A and B from shared memory, at any time
//! until that wait. Moves by way of local memory are moves: compilers put arrays there that another build keeps in registers.
//!
//! May miss: a register of A that is overwritten while a product still reads it.

use foldhash::HashSet;

use super::{Given, Held, all_defined};
use crate::{
    exec::{
        access::Port,
        context::{Stop, report, say, site, threads},
        dispatch,
        machine::Machine,
        registers::Registers,
        undefined::{Register, Undefined},
        warp::Warp,
        warpgroup::ForAll,
    },
    finding::{FindingKind, Severity},
    findings::Message,
    ir::{
        AddressSpace, Constants, Element, FULL, GROUP_A_REGISTERS, GroupMultiply, LANES, MatrixType, Order,
        Scope, SourceIndex, Warpgroup, Word, Words,
    },
    memory::{Beginner, LaneWords, Site, lanes},
};

mod layout;

use layout::{CHUNK_BYTES, Layout};

/// Results of a warp that are remembered.
const MOST_RESULTS: usize = 4096;

/// What a warp's products were so far.
#[derive(Debug, Default)]
pub struct Products {
    /// A `wgmma.fence` came, and no wait since: threads change no sums while products add to them, so that several products
    /// share a fence.
    fenced: bool,
    /// What the registers of results held, as hashes.
    results: HashSet<u64>,
}

// Where `Held` has what: the registers of A or the descriptor, then the other descriptor, and whether D is added.
const A: usize = 0;
const B_AT: usize = 4;
const ADDS: usize = 6;
const D: usize = 7;

impl Held {
    /// Takes the operands of some lanes.
    pub(super) fn gather_group(
        &mut self,
        product: &GroupMultiply,
        lists: &[Word],
        registers: &Registers,
        constants: &Constants,
        mask: u32,
    ) {
        let (d, a) = lists[product.registers.range()].split_at(product.d_registers());
        self.words_of_group.resize(D + d.len(), [0; LANES]);
        let mut take = |at: usize, value: &Words| {
            lanes(mask).for_each(|lane| self.words_of_group[at][lane] = value[lane]);
        };
        let mut undefined = Vec::new();
        let named = d.iter().enumerate().map(|(at, &word)| (D + at, word));
        for (at, word) in named.chain(a.iter().enumerate().map(|(at, &word)| (A + at, word))) {
            take(at, registers.word(constants, word));
            if registers.word_poison(word) & mask != 0 {
                undefined.push((at, word));
            }
        }
        for (at, pair) in [(A, product.a_at), (B_AT, product.b_at)] {
            if !pair.is_some() {
                continue;
            }
            let value = registers.pair(constants, pair);
            take(at, &value.map(|value| value as u32));
            take(at + 1, &value.map(|value| (value >> 32) as u32));
            let poison = registers.pair_poison(pair) & mask;
            let of = |lane| (lane, registers.undefined(Register::Pair(pair), lane));
            self.undefined_addresses.extend(lanes(poison).map(of));
        }
        let adds = registers.predicate(product.adds) ^ if product.adds_negated { FULL } else { 0 };
        take(ADDS, &std::array::from_fn(|lane| adds >> lane & 1));
        for (at, word) in undefined {
            for lane in lanes(registers.word_poison(word) & mask) {
                let value = registers.undefined(Register::Word(word), lane);
                // What products before this one are still adding up.
                if at >= D && value.origin.is_in_flight() {
                    self.in_flight = true;
                    continue;
                }
                let size = self.words_of_group.len();
                self.undefined.get_or_insert_with(|| all_defined(size))[at][lane] = value;
            }
        }
    }
}

/// Writes the results of some lanes, which nobody may use yet.
pub(super) fn scatter(
    given: &Given,
    product: &GroupMultiply,
    lists: &[Word],
    registers: &mut Registers,
    mask: u32,
) {
    let d = &lists[product.registers.range()][..product.d_registers()];
    for (index, &word) in d.iter().enumerate() {
        registers.set_word(word, &given.words_of_group[index], 0, mask);
        registers.put_in_flight(word, given.origin, mask);
        let Some(undefined) = &given.undefined else { continue };
        for lane in lanes(mask).filter(|&lane| undefined[index][lane].bits != 0) {
            registers.set_undefined(Register::Word(word), lane, undefined[index][lane]);
        }
    }
}

/// Executes a product whose operands have been gathered.
pub(super) fn execute(
    m: &mut Machine<'_, '_>,
    warp: u32,
    source: SourceIndex,
    product: &GroupMultiply,
    held: &Held,
) -> Result<Given, Stop> {
    let at = site(source);
    check_group(m, warp, at);
    m.unit.together.step(warp, ForAll::Product, at);
    check_fence(m, warp, at, held);
    let by = Beginner { warp: warp as u16, lane: 0, site: at };
    let word = |at: usize| held.words_of_group[at][0];
    let descriptor = |at: usize| u64::from(word(at)) | u64::from(word(at + 1)) << 32;
    let mut port = m.port(source, warp);
    port.undefined_addresses(&held.undefined_addresses);
    let first_row = 16 * (warp % 4);
    let mut chunks = Vec::new();
    let a = match product.a_at.is_some() {
        false => None,
        true => {
            let layout = Layout::of(descriptor(A), product.transposed[0]);
            Some(port.side(layout, (first_row, 16), product.a, &mut chunks)?)
        }
    };
    let layout = Layout::of(descriptor(B_AT), product.transposed[1]);
    let b = port.side(layout, (0, product.n.into()), product.b, &mut chunks)?;
    port.memory.begin_product(by, chunks);

    let group = m.unit.memory.group_of_products(by);
    let mut given = Given { origin: m.unit.origins.in_flight(at, warp, group), ..Given::default() };
    let mut tile = Held::new();
    for index in 0..GROUP_A_REGISTERS {
        match &a {
            Some(a) => a.put_rows(index, &mut tile),
            None => {
                tile.words[index] = held.words_of_group[A + index];
                tile.copy_undefined(held, A + index, index);
            }
        }
        negate(product.a, product.negates[0], &mut tile.words[index]);
    }
    let multiply = product.tile();
    let registers = product.tile_registers();
    for number in 0..product.tiles() {
        for index in 0..2 {
            b.put_columns(number, index, &mut tile);
            negate(product.b, product.negates[1], &mut tile.words[GROUP_A_REGISTERS + index]);
        }
        for index in 0..registers {
            let (from, to) = (D + number * registers + index, GROUP_A_REGISTERS + 2 + index);
            if word(ADDS) != 0 {
                tile.words[to] = held.words_of_group[from];
                tile.copy_undefined(held, from, to);
            }
        }
        let sums = dispatch::multiply(&multiply, &tile);
        given.words_of_group.extend_from_slice(&sums.words[..registers]);
        if let Some(undefined) = &sums.undefined {
            let all = given.undefined.get_or_insert_with(|| all_defined(product.d_registers()));
            all[number * registers..][..registers].copy_from_slice(&undefined[..registers]);
        }
    }
    let products = m.unit.products_of(warp);
    if products.results.len() == MOST_RESULTS {
        products.results.clear();
    }
    products.results.insert(hash(&given.words_of_group));
    Ok(given)
}

/// What registers hold, in a number.
fn hash(words: &[Words]) -> u64 {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let mut hasher = DefaultHasher::new();
    words.hash(&mut hasher);
    hasher.finish()
}

/// The signs of numbers change.
fn negate(kind: MatrixType, negates: bool, words: &mut Words) {
    let signs = match kind.bits() {
        _ if !negates => return,
        8 => 0x8080_8080,
        16 => 0x8000_8000,
        _ => 0x8000_0000,
    };
    words.iter_mut().for_each(|word| *word ^= signs);
}

/// Says that a warp is none of four.
fn check_group(m: &mut Machine<'_, '_>, warp: u32, at: Site) {
    if m.cx.threads() >= 128 * (warp / 4 + 1) {
        return;
    }
    say(
        &mut m.unit.memory.findings,
        FindingKind::InvalidMask,
        Severity::Error,
        at,
        Site(0),
        threads(m.unit.block, warp, 1),
        u64::from(FULL.count_ones()),
        Message::Advised(
            "`wgmma` is executed by a warpgroup, four whole warps of which the first one's number is a multiple of four; this warp belongs to \
             none. Launch blocks of a multiple of 128 threads."
                .into(),
            "Launch blocks of a multiple of 128 threads: the `wgmma`{at} is executed by four whole warps.",
        ),
    );
}

/// Says that registers were written since the last fence that a product adds to.
fn check_fence(m: &mut Machine<'_, '_>, warp: u32, at: Site, held: &Held) {
    let products = m.unit.products_of(warp);
    let is_first = products.results.is_empty();
    let adds = held.words_of_group[ADDS][0] != 0;
    let is_known = held.in_flight || !adds || products.results.contains(&hash(&held.words_of_group[D..]));
    if products.fenced || !is_first && is_known {
        return;
    }
    products.fenced = true;
    report(
        &mut m.unit.memory.findings,
        FindingKind::Race,
        Severity::Error,
        at,
        Site(0),
        threads(m.unit.block, warp, 1),
        u64::from(FULL.count_ones()),
        "This `wgmma` may use its accumulators before what the threads wrote there has arrived: no `wgmma.fence` comes between. Put \
         `wgmma.fence.sync.aligned` before the first product, and again whenever the accumulators (or an A in registers) were changed.",
    );
}

/// Executes what orders products.
pub fn order(m: &mut Machine<'_, '_>, warp: &mut Warp, operation: Warpgroup, at: Site) {
    let by = Beginner { warp: warp.index as u16, lane: 0, site: at };
    match operation {
        Warpgroup::Fence => m.unit.products_of(warp.index).fenced = true,
        Warpgroup::Registers => m.unit.together.step(warp.index, ForAll::Registers, at),
        Warpgroup::Commit => m.unit.memory.commit_products(by),
        Warpgroup::Wait { groups } => {
            m.unit.products_of(warp.index).fenced = false;
            let done = m.unit.memory.wait_for_products(m.global, by, groups);
            m.unit.origins.waited_for(warp.index, done);
            let origins = &m.unit.origins;
            for frame in warp.frames_mut() {
                frame.registers.settle(FULL, |value| origins.is_over(value.origin));
            }
        }
    }
}

/// A warp's rows of A, or the columns of B.
struct Side {
    layout: Layout,
    /// The bytes of each chunk, by its place in the list that the layout makes.
    data: Vec<[u32; 4]>,
    /// By chunk and word.
    undefined: Vec<(usize, usize, Undefined)>,
}

impl Port<'_, '_> {
    /// Reads one side of a product.
    fn side(
        &mut self,
        layout: Layout,
        (first, count): (u32, u32),
        kind: MatrixType,
        chunks: &mut Vec<u32>,
    ) -> Result<Side, Stop> {
        if layout.is_shifted() {
            return Err(self.lack(0, "matrix descriptors with a base offset"));
        }
        let mut side = Side { layout, data: Vec::new(), undefined: Vec::new() };
        self.memory.element = (kind.bits() / 8).max(1) as u8;
        let whole = Element { bytes: 4, signed: false, wide: false };
        for offset in layout.chunks(first, count) {
            let access = self.access(
                AddressSpace::Shared,
                [offset.into(); LANES],
                1,
                CHUNK_BYTES as u8,
                Order::Weak,
                Scope::System,
            );
            *self.scratch = LaneWords::ZERO;
            if !self.memory.read_for_product(self.global, &access, self.scratch) {
                return Err(Stop::Faulted);
            }
            for word in 0..4 {
                if self.scratch.poison[word] & 1 != 0 {
                    let value = self.loaded(&access, whole, word, 0);
                    side.undefined.push((side.data.len(), word, value));
                }
            }
            side.data.push(std::array::from_fn(|word| self.scratch.words[word][0]));
            chunks.push(offset);
        }
        Ok(side)
    }
}

impl Side {
    /// A register of A: rows `lane / 4` and eight more, for uneven ones.
    fn put_rows(&self, index: usize, tile: &mut Held) {
        self.put(8 * (index as u32 % 2), index as u32 / 2, index, tile);
    }

    /// A register of B: of eight columns, one for four lanes.
    fn put_columns(&self, tile_number: usize, index: usize, tile: &mut Held) {
        self.put(8 * tile_number as u32, index as u32, GROUP_A_REGISTERS + index, tile);
    }

    /// Word `to`: in each lane four bytes of row `first + lane / 4`, at 4 × (lane % 4) of half `half` of its 32.
    fn put(&self, first: u32, half: u32, to: usize, tile: &mut Held) {
        tile.forget_undefined(to);
        for lane in 0..LANES {
            let row = first + lane as u32 / 4;
            let place = |part: u32| self.layout.place(row, half, lane as u32 % 4, part);
            let (chunk, byte) = place(0);
            if !self.layout.transposed() {
                tile.words[to][lane] = self.data[chunk][byte / 4];
                self.note(chunk, byte, u32::MAX, 0, tile, to, lane);
                continue;
            }
            let mut word = 0;
            for part in 0..2 {
                let (chunk, byte) = place(part);
                let shift = 8 * (byte % 4);
                word |= (self.data[chunk][byte / 4] >> shift & 0xFFFF) << (16 * part);
                self.note(chunk, byte, 0xFFFF << shift, 16 * part as i32 - shift as i32, tile, to, lane);
            }
            tile.words[to][lane] = word;
        }
    }

    /// Notes what is undefined in a word, moved by so many bits.
    #[expect(clippy::too_many_arguments, reason = "where from, and where to")]
    fn note(&self, chunk: usize, byte: usize, bits: u32, by: i32, tile: &mut Held, to: usize, lane: usize) {
        if self.undefined.is_empty() {
            return;
        }
        for &(_, _, value) in self.undefined.iter().filter(|of| of.0 == chunk && of.1 == byte / 4) {
            let bits = value.bits & u64::from(bits);
            let bits = if by >= 0 { bits << by } else { bits >> -by };
            let all = tile.undefined.get_or_insert_with(|| all_defined(super::MOST_WORDS));
            all[to][lane] = all[to][lane].merge(Undefined { bits, in_place: false, ..value });
        }
    }
}

impl Held {
    fn copy_undefined(&mut self, from: &Held, at: usize, to: usize) {
        let Some(values) = &from.undefined else { return };
        self.undefined.get_or_insert_with(|| all_defined(super::MOST_WORDS))[to] = values[at];
    }

    fn forget_undefined(&mut self, at: usize) {
        if let Some(undefined) = &mut self.undefined {
            undefined[at] = [Undefined::NONE; LANES];
        }
    }
}
