//! Lowers one function: scopes, registers, labels, parameters, source lines. Families of instructions use the
//! methods of [`Lowering`] to turn operands into registers.

mod operands;
mod registers;

use std::collections::HashMap;

use super::{
    DecodeError, asynchronous, control, convert, float, half, integer,
    lacking::{self, Lacking},
    matrix, memory, moves,
    names::Names,
    opcodes::{self, Family},
    predicate, texture, variables, warp, warpgroup, words,
};
use crate::{
    ir::{
        Address, AddressSpace, Alu, Constant, Element, EntryRegisters, Function, Guard, Instruction, List,
        Local, Memory, Op, Order, Parameter, Pc, Predicate, Program, Scope as MemoryScope, SourceIndex, Word,
    },
    ptx::{self, Operand, ParsedVariable, StatementKind},
    source::Place,
};

pub use registers::{Binding, NamedRegister};
use registers::{NameScope, REGISTERS};

/// A lowered function whose branches still name labels, and where those labels are.
pub struct Lowered {
    /// The function.
    pub function: Function,
    /// Pc by label, for labels that are defined.
    pub labels: Vec<Pc>,
    /// Barriers and calls of which the compiler gave no place: theirs is that of a neighbour.
    pub placeless: Vec<Pc>,
}

/// The state of lowering one function.
pub struct Lowering<'l, 'm, 'a> {
    pub names: &'l mut Names<'m, 'a>,
    pub program: &'l mut Program,
    pub function: Function,
    pub labels: Vec<Pc>,
    label_names: HashMap<(u32, &'a str), usize>,
    parents: &'m [u32],
    scopes: Vec<NameScope<'a>>,
    scope: u32,
    words: u32,
    pairs: u32,
    predicates: u32,
    word_constants: HashMap<Constant, u16>,
    pair_constants: HashMap<Constant, u16>,
    carry: Option<Predicate>,
    /// Results that are registers, each with the first word that it is handed over in.
    results: Vec<(NamedRegister, u16)>,
    /// Some register has elements.
    has_vectors: bool,
    /// Words of `.param` variables that more than one narrow store fills.
    composed: HashMap<(u32, &'a str, u32), u32>,
    pub guard: Guard,
    source: SourceIndex,
    /// The instruction behind the last label.
    block_start: usize,
    /// Instructions from here on have no line yet, and take the next one.
    nameless: Option<usize>,
    /// The compiler gave what comes now a place of its own.
    is_placed: bool,
    placeless: Vec<Pc>,
    /// The latest chain that starts at a position, for `inlined_at`.
    chains: HashMap<(u32, u32, u32), Vec<Place>>,
    known: HashMap<Vec<Place>, SourceIndex>,
}

/// Lowers a function.
pub fn lower<'m, 'a>(
    source: &'m ptx::ParsedFunction<'a>,
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
        may_end: false,
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
        takes_stack: false,
        locals: Vec::new(),
        undefined: EntryRegisters::default(),
        required_threads: numbers("reqntid"),
        max_threads: numbers("maxntid"),
        required_cluster: numbers("reqnctapercluster"),
        needs_cluster: source.directives.iter().any(|(directive, _)| *directive == "explicitcluster"),
        max_cluster: numbers("maxclusterrank").map(|most| most[0]),
    };
    let mut lowering = Lowering {
        names,
        program,
        function,
        labels: Vec::new(),
        label_names: HashMap::new(),
        parents: &body.parents,
        scopes: body.parents.iter().map(|_| NameScope::default()).collect(),
        scope: 0,
        words: 0,
        pairs: 0,
        predicates: 0,
        word_constants: HashMap::new(),
        pair_constants: HashMap::new(),
        carry: None,
        results: Vec::new(),
        has_vectors: false,
        composed: HashMap::new(),
        guard: Guard::ALWAYS,
        source: SourceIndex::NONE,
        block_start: 0,
        nameless: None,
        is_placed: false,
        placeless: Vec::new(),
        chains: HashMap::new(),
        known: HashMap::new(),
    };
    lowering.parameters(source)?;
    lowering.prescan(body);
    if !source.is_entry {
        lowering.put_in_memory(source, body);
    }
    for statement in &body.statements {
        lowering.scope = statement.scope;
        lowering.statement(statement)?;
    }
    Ok(lowering.finish())
}

impl<'m, 'a> Lowering<'_, 'm, 'a> {
    // The function as a whole.

    fn parameters(&mut self, source: &ptx::ParsedFunction<'a>) -> Result<(), DecodeError> {
        if source.is_entry {
            let mut offset = 0u32;
            for variable in &source.parameters {
                let align = variable.alignment().max(1);
                let fits = offset.checked_next_multiple_of(align).filter(|&start| {
                    variable.bytes().saturating_add(start.into()) <= u64::from(Program::PARAMETER_BYTES)
                });
                let Some(start) = fits else {
                    return Err(DecodeError::TooMany {
                        line: variable.line,
                        function: source.name.to_owned(),
                        what: "bytes of parameters",
                        limit: Program::PARAMETER_BYTES,
                    });
                };
                let bytes = variable.bytes() as u32;
                offset = start;
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
        for variable in source.parameters.iter().filter(|variable| variable.space == "reg") {
            self.take_register(variable);
        }
        for variable in source.results.iter().filter(|variable| variable.space == "reg") {
            self.give_register(variable);
        }
        Ok(())
    }

    /// Labels may be used before they are defined, and narrow parameter stores must be
    /// known before the first one.
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
                            let at = (*offset as u32).wrapping_add(element * width);
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

    /// Parameters whose address is taken (a structure by value with more members than a compiler keeps in
    /// registers) move from the words that they came in to the frame's local memory, and stay there.
    fn put_in_memory(&mut self, source: &ptx::ParsedFunction<'a>, body: &ptx::Body<'a>) {
        let is_named = |name: &str| {
            body.statements.iter().any(|statement| match &statement.kind {
                StatementKind::Instruction(i) if matches!(i.opcode, "mov" | "cvta") => {
                    matches!(i.operands.get(1), Some(Operand::Name(n) | Operand::Offset(n, _)) if *n == name)
                }
                _ => false,
            })
        };
        for variable in source.parameters.iter().filter(|variable| is_named(variable.name)) {
            let Some(Binding::Param { first, words }) = self.binding(variable.name) else { continue };
            let bytes = 4 * u32::from(words);
            let align = variable.alignment().max(16);
            let offset = self.function.local_bytes.checked_next_multiple_of(align).unwrap_or(u32::MAX);
            self.function.local_bytes = offset.saturating_add(bytes);
            self.function.local_align = self.function.local_align.max(align);
            self.function.locals.push(Local { name: variable.name.to_owned(), offset, bytes });
            let d = self.new_pair();
            self.emit(Op::LocalAddress { wide: true, d: d.0, offset });
            let mut word = 0;
            while word < words {
                let count = if words - word >= 4 { 4 } else { 1 };
                let memory = Memory {
                    space: AddressSpace::Local,
                    element: Element { bytes: 4, signed: false, wide: false },
                    count: count as u8,
                    order: Order::Weak,
                    scope: MemoryScope::System,
                    read_only: false,
                };
                let a = std::array::from_fn(|at| {
                    if (at as u16) < count { first + word + at as u16 } else { u16::MAX }
                });
                let address = Address { register: d.0, wide: true, offset: 4 * i32::from(word) };
                self.emit(Op::Store { memory, a, address });
                word += count;
            }
            self.bind(variable.name, Binding::Local { offset });
        }
    }

    /// Leaves of the function only that it can't be executed, and why. Others of its module can.
    fn empty(&mut self, why: &str) {
        let function = &mut self.function;
        function.code.clear();
        function.word_constants.clear();
        function.pair_constants.clear();
        function.barriers.clear();
        // What a caller hands over and gets back.
        self.words = u32::from(function.argument_words).max(function.result_words.end.into());
        (self.pairs, self.predicates) = (0, 0);
        self.placeless.clear();
        self.labels.fill(0);
        self.guard = Guard::ALWAYS;
        self.unsupported(why.to_owned(), None);
        self.emit(Op::Exit);
    }

    fn finish(mut self) -> Lowered {
        let ends = self.function.code.last().is_some_and(|last| {
            last.guard == Guard::ALWAYS
                && matches!(
                    last.op,
                    Op::Return | Op::Exit | Op::Trap | Op::Branch { .. } | Op::BranchIndexed { .. }
                )
        });
        if !ends || self.labels.iter().any(|&label| label as usize >= self.function.code.len()) {
            self.guard = Guard::ALWAYS;
            self.returns();
        }
        let counts = [
            ("32-bit registers", self.words),
            ("64-bit registers", self.pairs),
            ("predicates", self.predicates),
            ("32-bit constants", self.function.word_constants.len() as u32),
            ("64-bit constants", self.function.pair_constants.len() as u32),
        ];
        if let Some((what, count)) = counts.into_iter().find(|&(_, count)| count > REGISTERS) {
            self.empty(&format!(
                "room for the {count} {what} of `{}`: it has room for {REGISTERS}",
                self.function.name
            ));
        }
        self.function.words = self.words as u16;
        self.function.pairs = self.pairs as u16;
        self.function.predicates = self.predicates as u16;
        Lowered { function: self.function, labels: self.labels, placeless: self.placeless }
    }

    // Statements.

    fn statement(&mut self, statement: &ptx::Statement<'a>) -> Result<(), DecodeError> {
        match &statement.kind {
            StatementKind::Label(name) => {
                let label = self.label_names[&(statement.scope, *name)];
                self.labels[label] = self.function.code.len() as Pc;
                self.block_start = self.function.code.len();
                self.nameless = None;
            }
            StatementKind::Instruction(instruction) => self.instruction(statement.line, instruction)?,
            StatementKind::Location(location) => self.location(*location),
            StatementKind::Registers { kind, name, count } => {
                let Some(binding) = self.registers(*kind, count.unwrap_or(1)) else { return Ok(()) };
                let scope = &mut self.scopes[statement.scope as usize];
                match count {
                    Some(count) => _ = scope.ranges.insert(name, (*count, binding)),
                    None => _ = scope.names.insert(name, binding),
                }
            }
            StatementKind::Variable(variable) => self.variable(variable)?,
            StatementKind::Targets { targets, .. } => {
                if let Some(missing) = targets.iter().find(|target| self.label(target).is_none()) {
                    return Err(DecodeError::Undeclared {
                        line: statement.line,
                        name: (*missing).to_owned(),
                    });
                }
            }
            StatementKind::Prototype { name } => self.bind(name, Binding::Prototype),
        }
        Ok(())
    }

    fn variable(&mut self, variable: &ParsedVariable<'a>) -> Result<(), DecodeError> {
        match variable.space {
            "param" => {
                self.bind_words(variable);
                // Words that several narrow stores fill start defined.
                let words = variable.bytes().div_ceil(4).min(u64::from(REGISTERS)) as u32;
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
                // What is too big for any stack overflows it when the function is entered.
                let bytes = u32::try_from(variable.bytes()).unwrap_or(u32::MAX);
                let align = variable.alignment().max(1);
                let offset = self.function.local_bytes.checked_next_multiple_of(align).unwrap_or(u32::MAX);
                self.function.local_bytes = offset.saturating_add(bytes);
                self.function.local_align = self.function.local_align.max(align);
                self.function.locals.push(Local { name: variable.name.to_owned(), offset, bytes });
                self.bind(variable.name, Binding::Local { offset });
            }
            // `extern` means a variable of the whole module; another is this block's own.
            _ if variable.is_extern => {
                if self.names.symbol(variable.name).is_none() {
                    let symbol = variables::add(variable, self.program);
                    self.names.add_symbol(variable.name, symbol);
                }
            }
            _ => {
                let symbol = variables::add(variable, self.program);
                self.bind(variable.name, Binding::Symbol(symbol));
                let symbols = |name: &str| match self.binding(name) {
                    Some(Binding::Symbol(symbol)) => Some(symbol),
                    _ => self.names.symbol(name),
                };
                let (initial, relocations) = variables::initial(variable, symbols, self.names)?;
                let symbol = &mut self.program.symbols[symbol.0 as usize];
                symbol.initial = initial;
                symbol.relocations = relocations;
            }
        }
        Ok(())
    }

    fn location(&mut self, location: ptx::Location) {
        self.is_placed = location.line != 0;
        if !self.is_placed {
            // No line. At the head of a block the last line is that of whatever stands before it in the text,
            // be it another loop: the next line is nearer.
            if self.block_start == self.function.code.len() {
                self.nameless = Some(self.block_start);
            }
            return;
        }
        let place = |file: u32, line: u32, column: u32, files: &HashMap<u32, String>| Place {
            file: files.get(&file).cloned().unwrap_or_default(),
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
        if let Some(first) = self.nameless.take() {
            let code = &mut self.function.code[first..];
            // An access without a line is one that the compiler made of several lines' before it.
            if code.iter().all(|instruction| matches!(instruction.op, Op::Alu(_) | Op::Divide(_))) {
                code.iter_mut().for_each(|instruction| instruction.source = self.source);
            }
        }
    }

    fn instruction(
        &mut self,
        line: u32,
        instruction: &ptx::ParsedInstruction<'a>,
    ) -> Result<(), DecodeError> {
        self.guard = match instruction.guard {
            None => Guard::ALWAYS,
            Some((name, negated)) => match self.binding(name) {
                Some(Binding::Predicate(index)) => Guard { predicate: Predicate(index), negated },
                _ => return Err(DecodeError::Undeclared { line, name: name.to_owned() }),
            },
        };
        let spread = self.spread(instruction);
        let instruction = spread.as_ref().unwrap_or(instruction);
        let before = self.function.code.len();
        let family = opcodes::family(instruction.opcode)
            .filter(|_| words::knows(instruction.opcode, &instruction.modifiers));
        let done = family.and_then(|family| match family {
            Family::Control => control::lower(self, instruction),
            Family::Memory => memory::lower(self, instruction),
            Family::Warp => warp::lower(self, instruction),
            Family::Asynchronous => asynchronous::lower(self, instruction),
            Family::Texture => texture::lower(self, instruction),
            Family::Matrix if instruction.opcode == "wgmma" => warpgroup::lower(self, instruction),
            Family::Matrix => matrix::lower(self, instruction),
            Family::Move => moves::lower(self, instruction),
            Family::Convert => convert::lower(self, instruction),
            Family::Compare => predicate::lower(self, instruction),
            Family::Arithmetic => {
                let kind =
                    instruction.modifiers.iter().rev().find(|m| ptx::scalar_bytes(m) > 0 || **m == "pred");
                match kind.copied() {
                    Some("f32" | "f64") => float::lower(self, instruction),
                    Some("f16" | "f16x2" | "bf16" | "bf16x2") => half::lower(self, instruction),
                    Some("pred") => predicate::logic(self, instruction),
                    _ => integer::lower(self, instruction),
                }
            }
        });
        if done.is_none() {
            self.function.code.truncate(before);
            let words: Vec<&str> = instruction.text.split_whitespace().collect();
            let text = words.join(" ");
            // The text may begin with a guard.
            let named = text.find(instruction.opcode).map_or("", |at| &text[at..]);
            self.unsupported(format!("this instruction: `{text}`"), lacking::family(named));
        }
        Ok(())
    }

    /// Names what is lacking, the part of PTX or CUDA that it belongs to, and what there is instead.
    pub fn unsupported(&mut self, what: String, part: Option<&Lacking>) {
        let text = self.program.unsupported.len() as u32;
        self.program.unsupported.push(match part {
            Some(part) => format!("{what} ({}). Instead: {}", part.name, part.instead),
            None => what,
        });
        self.emit(Op::Unsupported { text });
    }

    /// Adds an operation with the current guard and source line.
    pub fn emit(&mut self, op: Op) {
        if !self.is_placed && matches!(op, Op::Barrier { .. } | Op::Call { .. }) {
            self.placeless.push(self.function.code.len() as Pc);
        }
        self.function.code.push(Instruction::new(op, self.guard, self.source));
    }

    /// Keeps the registers of an instruction that has many.
    pub fn list(&mut self, registers: Vec<Word>) -> Option<List> {
        let lists = &mut self.function.lists;
        let list =
            List { start: u32::try_from(lists.len()).ok()?, len: u16::try_from(registers.len()).ok()? };
        lists.extend(registers);
        Some(list)
    }

    /// Adds a register-to-register operation.
    pub fn alu(&mut self, alu: Alu) -> Option<()> {
        self.emit(if alu.division().is_some() { Op::Divide(alu) } else { Op::Alu(alu) });
        Some(())
    }
}
