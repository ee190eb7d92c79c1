//! What a warp does with matrices that its lanes hold together. PTX ISA 9.0, section 9.7.15.
//!
//! As in other warp-wide operations lanes may come from different splits and frames, so operands are gathered first
//! and results scattered last. All 32 lanes have to come.

mod common;
mod fragments;
pub mod group;
pub mod multiply;
mod numbers;
mod rows;
mod undefined;

#[cfg(test)]
mod tests;

use crate::{
    exec::{
        access,
        context::{Stop, say, site, threads},
        dispatch,
        machine::Machine,
        registers::Registers,
        undefined::{OriginId, Register, Undefined},
    },
    finding::{FindingKind, Severity},
    findings::Message,
    ir::{
        Address, Constants, FULL, FragmentAccess, LANES, Matrix, Multiply, Pair, Pairs, SourceIndex, Word,
        Words, row_lanes,
    },
    memory::{Site, lanes},
};

/// Most words of a lane that an operation reads: `wmma.mma` of halves has three fragments of eight.
const MOST_WORDS: usize = 32;
/// Most words of a lane that one writes.
const MOST_RESULTS: usize = 8;

/// By word, then lane.
type UndefinedWords = [[Undefined; LANES]];

/// The operands of all lanes. A pair is two words, the lower one first.
pub struct Held {
    words: [Words; MOST_WORDS],
    /// Of memory, where there is some.
    addresses: Pairs,
    /// From one row or column to the next, where an operation says it.
    strides: Words,
    /// What is undefined in the words, or nothing.
    undefined: Option<Box<UndefinedWords>>,
    /// Lanes with an undefined address.
    undefined_addresses: Vec<(usize, Undefined)>,
    /// The operands of `wgmma`, which are many.
    words_of_group: Vec<Words>,
    /// Its accumulators are those of products before it.
    in_flight: bool,
}

/// The results of all lanes, in words.
pub struct Given {
    words: [Words; MOST_RESULTS],
    undefined: Option<Box<UndefinedWords>>,
    /// Those of `wgmma`, which are many.
    words_of_group: Vec<Words>,
    /// Of what is in flight.
    origin: OriginId,
}

impl Default for Given {
    fn default() -> Self {
        Given {
            words: [[0; LANES]; MOST_RESULTS],
            undefined: None,
            words_of_group: Vec::new(),
            origin: OriginId::default(),
        }
    }
}

/// No word is undefined.
fn all_defined(words: usize) -> Box<UndefinedWords> {
    vec![[Undefined::NONE; LANES]; words].into_boxed_slice()
}

/// Registers of an operation: those that it reads or those that it writes.
struct Named<'a> {
    registers: &'a [Word],
    are_wide: bool,
}

impl Matrix {
    /// The registers that hold numbers; those of a product in its fragments' order.
    fn read<'a>(&'a self, lists: &'a [Word]) -> Named<'a> {
        let named = |registers, are_wide| Named { registers, are_wide };
        match self {
            Matrix::Load { .. } | Matrix::LoadFragment(_) | Matrix::Group(_) => named(&[], false),
            Matrix::Store { count, a, .. } => named(&a[..usize::from(*count)], false),
            Matrix::Transpose { a, .. } => named(std::slice::from_ref(a), false),
            Matrix::Multiply(multiply) => {
                let [d, ..] = multiply.fragments();
                named(&lists[multiply.registers.range()][d.registers()..], d.kind.is_wide())
            }
            Matrix::StoreFragment(access) => {
                named(&lists[access.registers.range()], access.fragment.kind.is_wide())
            }
        }
    }

    /// The registers that get numbers.
    fn written<'a>(&'a self, lists: &'a [Word]) -> Named<'a> {
        let named = |registers, are_wide| Named { registers, are_wide };
        match self {
            Matrix::Load { count, d, .. } => named(&d[..usize::from(*count)], false),
            Matrix::Store { .. } | Matrix::StoreFragment(_) | Matrix::Group(_) => named(&[], false),
            Matrix::Transpose { d, .. } => named(std::slice::from_ref(d), false),
            Matrix::Multiply(multiply) => {
                let [d, ..] = multiply.fragments();
                named(&lists[multiply.registers.range()][..d.registers()], d.kind.is_wide())
            }
            Matrix::LoadFragment(access) => {
                named(&lists[access.registers.range()], access.fragment.kind.is_wide())
            }
        }
    }

    /// Where its memory is.
    fn address(&self) -> Option<Address> {
        match *self {
            Matrix::Load { address, .. } | Matrix::Store { address, .. } => Some(address),
            Matrix::LoadFragment(access) | Matrix::StoreFragment(access) => Some(access.address),
            Matrix::Transpose { .. } | Matrix::Multiply(_) | Matrix::Group(_) => None,
        }
    }

    /// Lanes whose addresses count.
    fn addressing_lanes(&self) -> u32 {
        match *self {
            Matrix::Load { count, .. } | Matrix::Store { count, .. } => row_lanes(count),
            _ => FULL,
        }
    }
}

impl Held {
    /// Nothing yet.
    pub fn new() -> Held {
        Held {
            words: [[0; LANES]; MOST_WORDS],
            addresses: [0; LANES],
            strides: [0; LANES],
            undefined: None,
            undefined_addresses: Vec::new(),
            words_of_group: Vec::new(),
            in_flight: false,
        }
    }

    /// Takes the operands of some lanes.
    pub fn gather(
        &mut self,
        matrix: &Matrix,
        lists: &[Word],
        registers: &Registers,
        constants: &Constants,
        mask: u32,
    ) {
        if let Matrix::Group(product) = matrix {
            return self.gather_group(product, lists, registers, constants, mask);
        }
        let Named { registers: named, are_wide } = matrix.read(lists);
        for (index, &register) in named.iter().enumerate() {
            let register = if are_wide {
                let (register, at) = (Pair(register.0), 2 * index);
                let value = registers.pair(constants, register);
                for lane in lanes(mask) {
                    self.words[at][lane] = value[lane] as u32;
                    self.words[at + 1][lane] = (value[lane] >> 32) as u32;
                }
                Register::Pair(register)
            } else {
                let value = registers.word(constants, register);
                if mask == FULL {
                    self.words[index] = *value;
                } else {
                    lanes(mask).for_each(|lane| self.words[index][lane] = value[lane]);
                }
                Register::Word(register)
            };
            let poison = registers.poison(register) & mask;
            if poison != 0 {
                self.note(registers, register, index, poison);
            }
        }
        if let Some(address) = matrix.address() {
            let (addresses, poison) = access::addresses(registers, constants, address);
            for lane in lanes(mask) {
                self.addresses[lane] = addresses[lane];
            }
            let register = access::register(address.wide, address.register);
            for lane in lanes(poison & mask & matrix.addressing_lanes()) {
                self.undefined_addresses.push((lane, registers.undefined(register, lane)));
            }
        }
        if let Matrix::LoadFragment(access) | Matrix::StoreFragment(access) = matrix {
            self.take_stride(access, registers, constants, mask);
        }
    }

    /// Takes how far apart rows or columns of a fragment are.
    fn take_stride(
        &mut self,
        access: &FragmentAccess,
        registers: &Registers,
        constants: &Constants,
        mask: u32,
    ) {
        if !access.stride.is_some() {
            return;
        }
        let stride = registers.word(constants, access.stride);
        lanes(mask).for_each(|lane| self.strides[lane] = stride[lane]);
        let register = Register::Word(access.stride);
        for lane in lanes(registers.poison(register) & mask) {
            self.undefined_addresses.push((lane, registers.undefined(register, lane)));
        }
    }

    /// Notes what is undefined in a register in some lanes.
    #[cold]
    fn note(&mut self, registers: &Registers, register: Register, index: usize, poison: u32) {
        let undefined = self.undefined.get_or_insert_with(|| all_defined(MOST_WORDS));
        for lane in lanes(poison) {
            let value = registers.undefined(register, lane);
            match register {
                Register::Pair(_) => {
                    let (low, high) = (value.bits & u64::from(u32::MAX), value.bits >> 32);
                    undefined[2 * index][lane] = Undefined { bits: low, ..value };
                    undefined[2 * index + 1][lane] = Undefined { bits: high, ..value };
                }
                _ => undefined[index][lane] = value,
            }
        }
    }
}

impl Given {
    /// Writes the results of some lanes.
    pub fn scatter(&self, matrix: &Matrix, lists: &[Word], registers: &mut Registers, mask: u32) {
        if let Matrix::Group(product) = matrix {
            return group::scatter(self, product, lists, registers, mask);
        }
        let Named { registers: named, are_wide } = matrix.written(lists);
        for (index, &register) in named.iter().enumerate() {
            if !register.is_some() {
                continue;
            }
            let register = if are_wide {
                let (low, high) = (&self.words[2 * index], &self.words[2 * index + 1]);
                let value = std::array::from_fn(|lane| u64::from(low[lane]) | u64::from(high[lane]) << 32);
                registers.set_pair(Pair(register.0), &value, 0, mask);
                Register::Pair(Pair(register.0))
            } else {
                registers.set_word(register, &self.words[index], 0, mask);
                Register::Word(register)
            };
            let Some(undefined) = &self.undefined else { continue };
            for lane in lanes(mask) {
                let value = if are_wide {
                    let (low, high) = (undefined[2 * index][lane], undefined[2 * index + 1][lane]);
                    Undefined { bits: low.bits | high.bits << 32, ..low.merge(high) }
                } else {
                    undefined[index][lane]
                };
                if value.bits != 0 {
                    registers.set_undefined(register, lane, value);
                }
            }
        }
    }
}

/// Executes an operation whose operands have been gathered. Gives the results and extra cycles.
pub fn execute(
    m: &mut Machine<'_, '_>,
    warp: u32,
    live: u32,
    source: SourceIndex,
    matrix: &Matrix,
    held: &Held,
) -> Result<(Given, u64), Stop> {
    let at = site(source);
    if live != FULL {
        incomplete(m, warp, at, live);
    }
    if let Some(undefined) = &held.undefined {
        let values = undefined.iter().flatten().copied();
        m.unit.origins.use_marks(&mut m.unit.memory.findings, values);
    }
    let line = &mut m.lines[source.0 as usize];
    match matrix {
        Matrix::Multiply(multiply) => {
            line.matrix_operations += 2 * products(multiply);
            m.unit.charge(products(multiply) / PRODUCTS_OF_AN_INSTRUCTION);
            Ok((dispatch::multiply(multiply, held), 0))
        }
        Matrix::Group(product) => {
            let count = products(&product.tile()) * product.tiles() as u64;
            line.matrix_operations += 2 * count;
            m.unit.charge(count / PRODUCTS_OF_AN_INSTRUCTION);
            Ok((group::execute(m, warp, source, product, held)?, 0))
        }
        Matrix::Transpose { .. } => Ok((rows::transpose(held), 0)),
        _ => {
            let mut port = m.port(source, warp);
            port.undefined_addresses(&held.undefined_addresses);
            port.matrix(matrix, held, live)
        }
    }
}

/// So many products take the simulator as long as an instruction of a whole warp.
const PRODUCTS_OF_AN_INSTRUCTION: u64 = 64;

/// Products of two numbers.
fn products(multiply: &Multiply) -> u64 {
    let shape = multiply.shape;
    u64::from(shape.m) * u64::from(shape.n) * u64::from(shape.k)
}

/// Says that lanes are missing for good.
#[cold]
#[inline(never)]
pub fn incomplete(m: &mut Machine<'_, '_>, warp: u32, at: Site, live: u32) {
    let missing = (!live).trailing_zeros();
    let first = live & live.wrapping_neg();
    say(
        &mut m.unit.memory.findings,
        FindingKind::InvalidMask,
        Severity::Error,
        at,
        Site(0),
        threads(m.unit.block, warp, first),
        u64::from((!live).count_ones()),
        Message::Advised(
            format!(
                "All 32 lanes of a warp hold a part of the matrices here, but lane {missing} takes no part: it does not exist, has left the kernel, \
                 or is elsewhere. The result is undefined. Launch whole warps (a block of a multiple of 32 threads), let no thread `return` before \
                 the last matrix operation, and put none behind a condition that lanes of a warp decide differently."
            )
            .into(),
            "Bring all 32 lanes of each warp to the matrix operation{at} together: behind no condition that they decide differently.",
        ),
    );
}
