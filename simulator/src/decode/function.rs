//! Lowers one function: scopes, registers, labels, parameters, source lines. Families of instructions use the methods
//! of [`Lowering`] to turn operands into registers.

use std::collections::HashMap;

use super::{
    DecodeError, control, convert, float, half, integer, memory, moves,
    names::{Names, Target},
    predicate, variables, warp,
};
use crate::{
    ir::{
        Address, Alu, Constant, Function, Guard, Instruction, Local, Op, Pair, Parameter, Pc, Predicate,
        Program, SourceIndex, Undefined, Word,
    },
    ptx::{self, Operand, StatementKind, Variable},
    source::Place,
};

/// A lowered function whose branches still name labels, and where those labels are.
pub struct Lowered {
    /// The function.
    pub function: Function,
    /// Pc by label, for labels that are defined.
    pub labels: Vec<Pc>,
}

/// Registers of a file must leave room for the constant bit and for `NONE`.
const REGISTERS: u32 = 0x7FFE;

/// What a name in a body stands for.
#[derive(Clone, Debug)]
pub enum Binding {
    /// A register, or the first of `count`.
    Word(u16),
    /// A 64-bit register.
    Pair(u16),
    /// A predicate.
    Predicate(u16),
    /// A `.param` variable that lives in words.
    Param {
        /// First word.
        first: u16,
        /// Words.
        words: u16,
    },
    /// A kernel parameter.
    EntryParam {
        /// Offset in the parameter block.
        offset: u32,
    },
    /// A local variable.
    Local {
        /// Offset in the frame's local bytes.
        offset: u32,
    },
    /// A list of labels.
    Targets(Vec<usize>),
    /// A call prototype; only its presence matters.
    Prototype,
}

/// A value's register, of whichever file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Register {
    /// Up to 32 bits.
    Word(Word),
    /// 64 bits.
    Pair(Pair),
    /// A predicate.
    Predicate(Predicate),
}

#[derive(Default)]
struct Scope<'a> {
    names: HashMap<&'a str, Binding>,
    /// `%r<100>`: prefix, count, first register.
    ranges: HashMap<&'a str, (u32, Binding)>,
}

/// The state of lowering one function.
pub struct Lowering<'l, 'm, 'a> {
    pub names: &'l mut Names<'m, 'a>,
    pub program: &'l mut Program,
    pub function: Function,
    pub labels: Vec<Pc>,
    label_names: HashMap<(u32, &'a str), usize>,
    parents: &'m [u32],
    scopes: Vec<Scope<'a>>,
    scope: u32,
    words: u32,
    pairs: u32,
    predicates: u32,
    word_constants: HashMap<Constant, u16>,
    pair_constants: HashMap<Constant, u16>,
    carry: Option<Predicate>,
    /// Words of `.param` variables that more than one narrow store fills.
    composed: HashMap<(u32, &'a str, u32), u32>,
    pub guard: Guard,
    source: SourceIndex,
    /// The latest chain that starts at a position, for `inlined_at`.
    chains: HashMap<(u32, u32, u32), Vec<Place>>,
    known: HashMap<Vec<Place>, SourceIndex>,
}

/// Lowers a function.
pub fn lower<'m, 'a>(
    source: &'m ptx::Function<'a>,
    names: &mut Names<'m, 'a>,
    program: &mut Program,
) -> Result<Lowered, DecodeError> {
    let Some(body) = &source.body else {
        return Err(DecodeError::Undeclared { line: source.line, name: source.name.to_owned() });
    };
    let numbers = |name: &str| -> Option<[u32; 3]> {
        let (_, given) = source.directives.iter().find(|(directive, _)| *directive == name)?;
        let at = |i: usize| given.get(i).map_or(1, |&n| n.min(u64::from(u32::MAX)) as u32);
        Some([at(0), at(1), at(2)])
    };
    let function = Function {
        name: source.name.to_owned(),
        is_entry: source.is_entry,
        code: Vec::new(),
        words: 0,
        pairs: 0,
        predicates: 0,
        argument_words: 0,
        result_words: 0..0,
        word_constants: Vec::new(),
        pair_constants: Vec::new(),
        lists: Vec::new(),
        targets: Vec::new(),
        barriers: Vec::new(),
        parameters: Vec::new(),
        local_bytes: 0,
        local_align: 1,
        locals: Vec::new(),
        undefined: Undefined::default(),
        required_threads: numbers("reqntid"),
        max_threads: numbers("maxntid"),
    };
    let mut lowering = Lowering {
        names,
        program,
        function,
        labels: Vec::new(),
        label_names: HashMap::new(),
        parents: &body.parents,
        scopes: body.parents.iter().map(|_| Scope::default()).collect(),
        scope: 0,
        words: 0,
        pairs: 0,
        predicates: 0,
        word_constants: HashMap::new(),
        pair_constants: HashMap::new(),
        carry: None,
        composed: HashMap::new(),
        guard: Guard::ALWAYS,
        source: SourceIndex::NONE,
        chains: HashMap::new(),
        known: HashMap::new(),
    };
    lowering.parameters(source)?;
    lowering.prescan(body);
    for statement in &body.statements {
        lowering.scope = statement.scope;
        lowering.statement(statement)?;
    }
    lowering.finish(source.line)
}

impl<'m, 'a> Lowering<'_, 'm, 'a> {
    // The function as a whole.

    fn parameters(&mut self, source: &ptx::Function<'a>) -> Result<(), DecodeError> {
        if source.is_entry {
            let mut offset = 0u32;
            for variable in &source.parameters {
                let (bytes, align) = (variable.bytes() as u32, variable.alignment().max(1));
                offset = offset.next_multiple_of(align);
                self.bind(variable.name, Binding::EntryParam { offset });
                self.function.parameters.push(Parameter {
                    name: variable.name.to_owned(),
                    offset,
                    bytes,
                    align,
                    may_be_pointer: variable.elements.is_none()
                        && matches!(variable.kind.scalar, "u64" | "b64" | "s64"),
                });
                offset += bytes;
            }
            return Ok(());
        }
        for variable in &source.parameters {
            self.bind_words(variable);
        }
        self.function.argument_words = self.words as u16;
        for variable in &source.results {
            self.bind_words(variable);
        }
        self.function.result_words = self.function.argument_words..self.words as u16;
        Ok(())
    }

    /// Labels may be used before they are defined, and narrow parameter stores must be known before the first one.
    fn prescan(&mut self, body: &ptx::Body<'a>) {
        for statement in &body.statements {
            match &statement.kind {
                StatementKind::Label(name) => {
                    self.label_names.insert((statement.scope, name), self.labels.len());
                    self.labels.push(0);
                }
                StatementKind::Instruction(i) if i.opcode == "st" && i.modifiers.contains(&"param") => {
                    let scalar = i.modifiers.last().copied().unwrap_or_default();
                    let count = if i.modifiers.contains(&"v4") {
                        4
                    } else {
                        1 + u32::from(i.modifiers.contains(&"v2"))
                    };
                    if let Some(Operand::Address(Some(name), offset)) = i.operands.first() {
                        let width = ptx::scalar_bytes(scalar);
                        for element in 0..count.min(4) {
                            let at = *offset as u32 + element * width;
                            *self.composed.entry((statement.scope, name, at / 4)).or_default() += 1;
                        }
                    }
                }
                _ => {}
            }
        }
        // Tables of labels may follow the branch that uses them.
        for statement in &body.statements {
            if let StatementKind::Targets { name, targets } = &statement.kind {
                self.scope = statement.scope;
                let labels = targets.iter().filter_map(|target| self.label(target)).collect();
                self.bind(name, Binding::Targets(labels));
            }
        }
        self.scope = 0;
    }

    fn finish(mut self, line: u32) -> Result<Lowered, DecodeError> {
        let ends = self.function.code.last().is_some_and(|last| {
            last.guard == Guard::ALWAYS
                && matches!(
                    last.op,
                    Op::Return | Op::Exit | Op::Trap | Op::Branch { .. } | Op::BranchIndexed { .. }
                )
        });
        if !ends || self.labels.iter().any(|&label| label as usize >= self.function.code.len()) {
            self.guard = Guard::ALWAYS;
            self.emit(Op::Return);
        }
        for (what, count) in [
            ("32-bit registers", self.words),
            ("64-bit registers", self.pairs),
            ("predicates", self.predicates),
            ("32-bit constants", self.function.word_constants.len() as u32),
            ("64-bit constants", self.function.pair_constants.len() as u32),
            ("call arguments", self.function.lists.len() as u32),
            ("branch targets", self.function.targets.len() as u32),
        ] {
            if count > REGISTERS {
                let function = self.function.name;
                return Err(DecodeError::TooMany { line, function, what, limit: REGISTERS });
            }
        }
        self.function.words = self.words as u16;
        self.function.pairs = self.pairs as u16;
        self.function.predicates = self.predicates as u16;
        Ok(Lowered { function: self.function, labels: self.labels })
    }

    // Statements.

    fn statement(&mut self, statement: &ptx::Statement<'a>) -> Result<(), DecodeError> {
        match &statement.kind {
            StatementKind::Label(name) => {
                let label = self.label_names[&(statement.scope, *name)];
                self.labels[label] = self.function.code.len() as Pc;
            }
            StatementKind::Instruction(instruction) => self.instruction(statement.line, instruction)?,
            StatementKind::Location(location) => self.location(*location),
            StatementKind::Registers { kind, name, count } => {
                let size = count.unwrap_or(1);
                if size > REGISTERS {
                    let function = self.function.name.clone();
                    return Err(DecodeError::TooMany {
                        line: statement.line,
                        function,
                        what: "registers",
                        limit: REGISTERS,
                    });
                }
                let binding = match kind.bytes() {
                    _ if kind.scalar == "pred" => {
                        self.predicates = self.predicates.saturating_add(size);
                        Binding::Predicate((self.predicates - size) as u16)
                    }
                    8 => {
                        self.pairs = self.pairs.saturating_add(size);
                        Binding::Pair((self.pairs - size) as u16)
                    }
                    1 | 2 | 4 => {
                        self.words = self.words.saturating_add(size);
                        Binding::Word((self.words - size) as u16)
                    }
                    // `.b128`, vectors: instructions that use them find no binding and are unsupported.
                    _ => return Ok(()),
                };
                let scope = &mut self.scopes[statement.scope as usize];
                match count {
                    Some(count) => _ = scope.ranges.insert(name, (*count, binding)),
                    None => _ = scope.names.insert(name, binding),
                }
            }
            StatementKind::Variable(variable) => self.variable(variable),
            StatementKind::Targets { targets, .. } => {
                if let Some(missing) = targets.iter().find(|target| self.label(target).is_none()) {
                    return Err(DecodeError::Undeclared {
                        line: statement.line,
                        name: (*missing).to_owned(),
                    });
                }
            }
            StatementKind::Prototype { name, .. } => self.bind(name, Binding::Prototype),
        }
        Ok(())
    }

    fn variable(&mut self, variable: &Variable<'a>) {
        match variable.space {
            "param" => {
                self.bind_words(variable);
                // Words that several narrow stores fill start defined.
                let words = variable.bytes().div_ceil(4) as u32;
                for word in 0..words {
                    let stores = self.composed.get(&(self.scope, variable.name, word)).copied().unwrap_or(0);
                    if stores > 1
                        && let Some(Binding::Param { first, .. }) = self.binding(variable.name)
                    {
                        let a = self.word_bits(0);
                        self.emit(Op::Alu(Alu::MoveWord { d: Word(first + word as u16), a }));
                    }
                }
            }
            "local" => {
                let (bytes, align) = (variable.bytes() as u32, variable.alignment().max(1));
                let offset = self.function.local_bytes.next_multiple_of(align);
                self.function.local_bytes = offset.saturating_add(bytes);
                self.function.local_align = self.function.local_align.max(align);
                self.function.locals.push(Local { name: variable.name.to_owned(), offset, bytes });
                self.bind(variable.name, Binding::Local { offset });
            }
            _ => {
                variables::add(variable, self.names, self.program);
            }
        }
    }

    fn location(&mut self, location: ptx::Location) {
        if location.line == 0 {
            return;
        }
        let place = |file: u32, line: u32, column: u32, files: &HashMap<u32, &str>| Place {
            file: files.get(&file).map_or_else(String::new, |name| (*name).to_owned()),
            line,
            column,
        };
        let mut chain = vec![place(location.file, location.line, location.column, self.names.files)];
        if let Some((file, line, column)) = location.inlined_at {
            match self.chains.get(&(file, line, column)) {
                // The bound ends chains that a broken compiler closes to a ring.
                Some(outer) => chain.extend(outer.iter().take(64).cloned()),
                None => chain.push(place(file, line, column, self.names.files)),
            }
        }
        self.chains.insert((location.file, location.line, location.column), chain.clone());
        self.source = match self.known.get(&chain) {
            Some(&known) => known,
            None => {
                let added = self.program.sources.add(chain.clone());
                self.known.insert(chain, added);
                added
            }
        };
    }

    fn instruction(&mut self, line: u32, instruction: &ptx::Instruction<'a>) -> Result<(), DecodeError> {
        self.guard = match instruction.guard {
            None => Guard::ALWAYS,
            Some((name, negated)) => match self.binding(name) {
                Some(Binding::Predicate(index)) => Guard { predicate: Predicate(index), negated },
                _ => return Err(DecodeError::Undeclared { line, name: name.to_owned() }),
            },
        };
        let before = self.function.code.len();
        let done = match instruction.opcode {
            "bra" | "brx" | "call" | "ret" | "exit" | "trap" | "brkpt" | "bar" | "barrier" | "membar"
            | "fence" => control::lower(self, instruction),
            "ld" | "ldu" | "st" | "atom" | "red" | "cvta" | "isspacep" | "alloca" | "stacksave"
            | "stackrestore" | "prefetch" | "prefetchu" | "discard" | "applypriority" | "createpolicy" => {
                memory::lower(self, instruction)
            }
            "shfl" | "vote" | "match" | "redux" | "activemask" | "elect" | "nanosleep" | "pmevent"
            | "setmaxnreg" | "griddepcontrol" => warp::lower(self, instruction),
            "mov" | "selp" | "slct" => moves::lower(self, instruction),
            "cvt" => convert::lower(self, instruction),
            "setp" | "set" | "testp" => predicate::lower(self, instruction),
            _ => {
                let kind =
                    instruction.modifiers.iter().rev().find(|m| ptx::scalar_bytes(m) > 0 || **m == "pred");
                match kind.copied() {
                    Some("f32" | "f64") => float::lower(self, instruction),
                    Some("f16" | "f16x2" | "bf16" | "bf16x2") => half::lower(self, instruction),
                    Some("pred") => predicate::logic(self, instruction),
                    _ => integer::lower(self, instruction),
                }
            }
        };
        if done.is_none() {
            self.function.code.truncate(before);
            let text = self.program.unsupported.len() as u32;
            let words: Vec<&str> = instruction.text.split_whitespace().collect();
            self.program.unsupported.push(words.join(" "));
            self.emit(Op::Unsupported { text });
        }
        Ok(())
    }

    /// Names what a call needs and cannot have.
    pub fn unsupported(&mut self, what: String) {
        let text = self.program.unsupported.len() as u32;
        self.program.unsupported.push(what);
        self.emit(Op::Unsupported { text });
    }

    /// Adds an operation with the current guard and source line.
    pub fn emit(&mut self, op: Op) {
        self.function.code.push(Instruction { op, guard: self.guard, is_join: false, source: self.source });
    }

    /// Adds a register-to-register operation.
    pub fn alu(&mut self, alu: Alu) -> Option<()> {
        self.emit(Op::Alu(alu));
        Some(())
    }

    // Names.

    fn bind(&mut self, name: &'a str, binding: Binding) {
        self.scopes[self.scope as usize].names.insert(name, binding);
    }

    fn bind_words(&mut self, variable: &Variable<'a>) {
        let words = variable.bytes().div_ceil(4).min(u64::from(REGISTERS)) as u32;
        let first = self.words.min(REGISTERS) as u16;
        self.words = self.words.saturating_add(words);
        self.bind(variable.name, Binding::Param { first, words: words as u16 });
    }

    /// What a name stands for, from the innermost scope outward.
    pub fn binding(&self, name: &str) -> Option<Binding> {
        let mut scope = self.scope;
        loop {
            let names = &self.scopes[scope as usize];
            if let Some(binding) = names.names.get(name) {
                return Some(binding.clone());
            }
            // `%rd12` is number 12 of `%rd<…>`, or number 2 of `%rd1<…>`.
            let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
            for count in (1..=digits).rev() {
                let (prefix, number) = name.split_at(name.len() - count);
                if let Some((size, binding)) = names.ranges.get(prefix)
                    && let Ok(number) = number.parse::<u32>()
                    && number < *size
                {
                    let number = number as u16;
                    return Some(match *binding {
                        Binding::Word(first) => Binding::Word(first + number),
                        Binding::Pair(first) => Binding::Pair(first + number),
                        Binding::Predicate(first) => Binding::Predicate(first + number),
                        ref other => other.clone(),
                    });
                }
            }
            let parent = self.parents[scope as usize];
            if parent == scope {
                return None;
            }
            scope = parent;
        }
    }

    /// The label that a name means here.
    pub fn label(&self, name: &str) -> Option<usize> {
        let mut scope = self.scope;
        loop {
            // The map's keys are slices of the same text, so the lookup needs no owned name.
            if let Some(&label) = self.label_names.get(&(scope, name)) {
                return Some(label);
            }
            let parent = self.parents[scope as usize];
            if parent == scope {
                return None;
            }
            scope = parent;
        }
    }

    /// The function that a name means.
    pub fn target(&self, name: &str) -> Option<Target> {
        self.names.function(name)
    }

    /// How often a word of a parameter is stored to in this scope.
    pub fn stores_to(&self, name: &str, word: u32) -> u32 {
        self.composed.get(&(self.scope, name, word)).copied().unwrap_or(0)
    }

    // Registers and constants.

    /// A fresh word.
    pub fn new_word(&mut self) -> Word {
        self.words = self.words.saturating_add(1);
        Word((self.words - 1).min(REGISTERS) as u16)
    }

    /// A fresh pair.
    pub fn new_pair(&mut self) -> Pair {
        self.pairs = self.pairs.saturating_add(1);
        Pair((self.pairs - 1).min(REGISTERS) as u16)
    }

    /// A fresh predicate.
    pub fn new_predicate(&mut self) -> Predicate {
        self.predicates = self.predicates.saturating_add(1);
        Predicate((self.predicates - 1).min(REGISTERS) as u16)
    }

    /// The carry flag of `add.cc` and its kin.
    pub fn carry(&mut self) -> Predicate {
        match self.carry {
            Some(carry) => carry,
            None => {
                let carry = self.new_predicate();
                self.carry = Some(carry);
                carry
            }
        }
    }

    /// A constant as a word.
    pub fn word_constant(&mut self, constant: Constant) -> Word {
        let constants = &mut self.function.word_constants;
        let index = *self.word_constants.entry(constant).or_insert_with(|| {
            constants.push(constant);
            (constants.len() - 1).min(REGISTERS as usize) as u16
        });
        Word::constant(index)
    }

    /// A constant as a pair.
    pub fn pair_constant(&mut self, constant: Constant) -> Pair {
        let constants = &mut self.function.pair_constants;
        let index = *self.pair_constants.entry(constant).or_insert_with(|| {
            constants.push(constant);
            (constants.len() - 1).min(REGISTERS as usize) as u16
        });
        Pair::constant(index)
    }

    /// A value as a word.
    pub fn word_bits(&mut self, bits: u32) -> Word {
        self.word_constant(Constant::Bits(u64::from(bits)))
    }

    /// A value as a pair.
    pub fn pair_bits(&mut self, bits: u64) -> Pair {
        self.pair_constant(Constant::Bits(bits))
    }

    /// The register that an operand names; none for anything else.
    pub fn register(&self, operand: &Operand<'_>) -> Option<Register> {
        match operand {
            Operand::Name(name) => match self.binding(name)? {
                Binding::Word(index) => Some(Register::Word(Word(index))),
                Binding::Pair(index) => Some(Register::Pair(Pair(index))),
                Binding::Predicate(index) => Some(Register::Predicate(Predicate(index))),
                _ => None,
            },
            _ => None,
        }
    }

    /// The address of a variable or function as a constant.
    pub fn address_constant(&self, name: &str, offset: i64) -> Option<Constant> {
        if let Some(Binding::EntryParam { offset: at }) = self.binding(name) {
            return Some(Constant::Bits(u64::from(at).wrapping_add_signed(offset)));
        }
        if let Some(symbol) = self.names.symbol(name) {
            return Some(Constant::Address { symbol, offset });
        }
        match self.names.function(name)? {
            Target::Defined(function) if offset == 0 => Some(Constant::Function(function)),
            _ => None,
        }
    }

    // Sources, by the type that the instruction gives them.

    /// A word operand: integers and bits.
    pub fn word(&mut self, operand: &Operand<'_>) -> Option<Word> {
        match operand {
            Operand::Integer(value) => Some(self.word_bits(*value as u32)),
            Operand::Float(bits) => Some(self.word_bits(*bits)),
            Operand::Name(name) => match self.binding(name) {
                Some(Binding::Word(index)) => Some(Word(index)),
                // A wider register may stand for its low bits.
                Some(Binding::Pair(index)) => {
                    let lo = self.new_word();
                    self.alu(Alu::UnpackPair { lo, hi: Word::NONE, a: Pair(index) })?;
                    Some(lo)
                }
                Some(_) => None,
                None if *name == "WARP_SZ" => Some(self.word_bits(32)),
                None => self.special_word(name).or_else(|| {
                    let constant = self.address_constant(name, 0)?;
                    Some(self.word_constant(constant))
                }),
            },
            Operand::Offset(name, offset) => {
                let constant = self.address_constant(name, *offset)?;
                Some(self.word_constant(constant))
            }
            _ => None,
        }
    }

    /// A pair operand: integers and bits.
    pub fn pair(&mut self, operand: &Operand<'_>) -> Option<Pair> {
        match operand {
            Operand::Integer(value) => Some(self.pair_bits(*value)),
            Operand::Double(bits) => Some(self.pair_bits(*bits)),
            Operand::Name(name) => match self.binding(name) {
                Some(Binding::Pair(index)) => Some(Pair(index)),
                Some(_) => None,
                None if *name == "WARP_SZ" => Some(self.pair_bits(32)),
                None => self.special_pair(name).or_else(|| {
                    let constant = self.address_constant(name, 0)?;
                    Some(self.pair_constant(constant))
                }),
            },
            Operand::Offset(name, offset) => {
                let constant = self.address_constant(name, *offset)?;
                Some(self.pair_constant(constant))
            }
            _ => None,
        }
    }

    /// `%reserved_smem_offset_0`, `_1`: shared memory that the system keeps for cooperative groups of several warps. A
    /// variable stands for it.
    fn reserved(&mut self, name: &str) -> Option<Constant> {
        const NAME: &str = "reserved shared memory";
        name.strip_prefix("%reserved_smem_offset_").filter(|which| matches!(*which, "0" | "1" | "begin"))?;
        let symbol = self.names.symbol(NAME).unwrap_or_else(|| {
            let kind = ptx::Type { scalar: "b8", vector: 1 };
            let (space, elements) = ("shared", Some(1024));
            let (align, is_extern, initial) = (16, false, Vec::new());
            let reserved = Variable { line: 0, space, name: NAME, kind, align, elements, is_extern, initial };
            variables::add(&reserved, self.names, self.program)
        });
        Some(Constant::Address { symbol, offset: 0 })
    }

    fn special_word(&mut self, name: &str) -> Option<Word> {
        if let Some(reserved) = self.reserved(name) {
            return Some(self.word_constant(reserved));
        }
        let register = moves::special_register(name)?;
        let d = self.new_word();
        self.emit(Op::Special { register, wide: false, d: d.0 });
        Some(d)
    }

    fn special_pair(&mut self, name: &str) -> Option<Pair> {
        let register = moves::special_register(name)?;
        let d = self.new_pair();
        self.emit(Op::Special { register, wide: true, d: d.0 });
        Some(d)
    }

    /// An `f32` operand.
    pub fn float(&mut self, operand: &Operand<'_>) -> Option<Word> {
        match operand {
            Operand::Double(bits) => Some(self.word_bits((f64::from_bits(*bits) as f32).to_bits())),
            Operand::Decimal(value) => Some(self.word_bits((*value as f32).to_bits())),
            _ => self.word(operand),
        }
    }

    /// An `f64` operand.
    pub fn double(&mut self, operand: &Operand<'_>) -> Option<Pair> {
        match operand {
            Operand::Float(bits) => Some(self.pair_bits(f64::from(f32::from_bits(*bits)).to_bits())),
            Operand::Decimal(value) => Some(self.pair_bits(value.to_bits())),
            _ => self.pair(operand),
        }
    }

    /// A predicate operand, and whether it is negated.
    pub fn predicate(&mut self, operand: &Operand<'_>) -> Option<(Predicate, bool)> {
        match operand {
            Operand::Not(inner) => self.predicate(inner).map(|(predicate, negated)| (predicate, !negated)),
            Operand::Integer(value) => Some((Predicate::constant(u16::from(*value != 0)), false)),
            _ => match self.register(operand)? {
                Register::Predicate(predicate) => Some((predicate, false)),
                _ => None,
            },
        }
    }

    // Destinations. The sink `_` gets a fresh register.

    /// A word to write.
    pub fn d_word(&mut self, operand: &Operand<'_>) -> Option<Word> {
        match self.register(operand) {
            Some(Register::Word(word)) => Some(word),
            None if *operand == Operand::Name("_") => Some(self.new_word()),
            _ => None,
        }
    }

    /// A pair to write.
    pub fn d_pair(&mut self, operand: &Operand<'_>) -> Option<Pair> {
        match self.register(operand) {
            Some(Register::Pair(pair)) => Some(pair),
            None if *operand == Operand::Name("_") => Some(self.new_pair()),
            _ => None,
        }
    }

    /// A predicate to write.
    pub fn d_predicate(&mut self, operand: &Operand<'_>) -> Option<Predicate> {
        match self.register(operand) {
            Some(Register::Predicate(predicate)) => Some(predicate),
            None if *operand == Operand::Name("_") => Some(self.new_predicate()),
            _ => None,
        }
    }

    /// `[base+offset]`.
    pub fn address(&mut self, operand: &Operand<'_>) -> Option<Address> {
        let Operand::Address(base, offset) = operand else { return None };
        let Some(name) = base else {
            return Some(Address { register: self.pair_bits(*offset as u64).0, wide: true, offset: 0 });
        };
        let small = i32::try_from(*offset).ok();
        match self.binding(name) {
            Some(Binding::Pair(index)) => Some(Address { register: index, wide: true, offset: small? }),
            Some(Binding::Word(index)) => Some(Address { register: index, wide: false, offset: small? }),
            Some(Binding::Local { offset: at }) => {
                let d = self.new_pair();
                self.emit(Op::LocalAddress { wide: true, d: d.0, offset: at });
                Some(Address { register: d.0, wide: true, offset: small? })
            }
            _ => {
                let constant = self.address_constant(name, *offset)?;
                Some(Address { register: self.pair_constant(constant).0, wide: true, offset: 0 })
            }
        }
    }

    // Shapes that many instructions share.

    /// `d, a` in words.
    pub fn words2(&mut self, o: &[Operand<'_>]) -> Option<(Word, Word)> {
        let [d, a] = o else { return None };
        Some((self.d_word(d)?, self.word(a)?))
    }

    /// `d, a, b` in words.
    pub fn words3(&mut self, o: &[Operand<'_>]) -> Option<(Word, Word, Word)> {
        let [d, a, b] = o else { return None };
        Some((self.d_word(d)?, self.word(a)?, self.word(b)?))
    }

    /// `d, a, b, c` in words.
    pub fn words4(&mut self, o: &[Operand<'_>]) -> Option<(Word, Word, Word, Word)> {
        let [d, a, b, c] = o else { return None };
        Some((self.d_word(d)?, self.word(a)?, self.word(b)?, self.word(c)?))
    }

    /// `d, a` in pairs.
    pub fn pairs2(&mut self, o: &[Operand<'_>]) -> Option<(Pair, Pair)> {
        let [d, a] = o else { return None };
        Some((self.d_pair(d)?, self.pair(a)?))
    }

    /// `d, a, b` in pairs.
    pub fn pairs3(&mut self, o: &[Operand<'_>]) -> Option<(Pair, Pair, Pair)> {
        let [d, a, b] = o else { return None };
        Some((self.d_pair(d)?, self.pair(a)?, self.pair(b)?))
    }

    /// `d, a, b, c` in pairs.
    pub fn pairs4(&mut self, o: &[Operand<'_>]) -> Option<(Pair, Pair, Pair, Pair)> {
        let [d, a, b, c] = o else { return None };
        Some((self.d_pair(d)?, self.pair(a)?, self.pair(b)?, self.pair(c)?))
    }
}
