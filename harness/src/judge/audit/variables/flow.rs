//! Where the addresses of variables go, in all functions of a module at once.
//!
//! What a register or a word of memory may hold is a set of places, each an object and an offset, and whether
//! it may be something else. Objects are variables, and what a function has for itself: its own memory, its
//! parameters, its result. Sets only grow, until nothing changes, so that the order of instructions
//! doesn't matter; of an object with many offsets (a pointer that a loop moves on) none is known any more, so that
//! this comes to an end. Whatever is not known to read writes, and whatever is not known to stay in a function's
//! own memory is out of sight.

use std::collections::{BTreeMap, BTreeSet, btree_map::Entry};

use super::{
    super::ptx::{Function, Operation, words},
    Variables,
};

/// The functions outside the module that read what they are handed.
const READERS: [&str; 2] = ["vprintf", "__assertfail"];
/// What all of a function's own memory is called, `__local_depot3`.
const OWN_MEMORY: &str = "__local_depot";
/// Where a result is put before a function returns, `func_retval0`.
const RESULT: &str = "func_retval";
/// Instructions with an address in brackets that only read it.
const READS: [&str; 7] = ["ld", "ldu", "ldmatrix", "wmma.load", "prefetch", "prefetchu", "isspacep"];

/// More offsets of one object than these count as any.
const MOST_OFFSETS: usize = 64;

/// Something with an address, or that is handed over like memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Object<'a> {
    /// A variable of the module.
    Variable(&'a str),
    /// A function's own memory, a parameter or its result: the function's number, and the name.
    Own(usize, &'a str),
    /// What one call is handed, or gives: the caller's number, the name, and the call's number in it.
    Handed(usize, &'a str, usize),
}

/// An object, and how far from its beginning in bytes, where that is known.
type Place<'a> = (Object<'a>, Option<i64>);

/// What a register or a word of memory may hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Value<'a> {
    places: BTreeSet<Place<'a>>,
    /// It may be another address, too, or none.
    other: bool,
}

impl<'a> Value<'a> {
    const UNKNOWN: Value<'static> = Value { places: BTreeSet::new(), other: true };

    fn at(object: Object<'a>, offset: i64) -> Self {
        Value { places: BTreeSet::from([(object, Some(offset))]), other: false }
    }
    /// Takes in what another value may be; true if that is anything new.
    fn join(&mut self, other: &Value<'a>) -> bool {
        let mut grown = other.other && !self.other;
        self.other |= other.other;
        for &(object, offset) in &other.places {
            grown |= !self.places.contains(&(object, None)) && self.places.insert((object, offset));
            let known = self.places.range((object, None)..=(object, Some(i64::MAX))).count();
            if known > 1 && offset.is_none() || known > MOST_OFFSETS {
                self.places.retain(|&(of, _)| of != object);
                self.places.insert((object, None));
            }
        }
        grown
    }
    fn moved(mut self, by: i64) -> Self {
        self.places = self
            .places
            .into_iter()
            .map(|(object, offset)| (object, offset.and_then(|offset| offset.checked_add(by))))
            .collect();
        self
    }
    /// What may become of it by arithmetic.
    fn anywhere(self) -> Self {
        Value { places: self.places.into_iter().map(|(object, _)| (object, None)).collect(), other: true }
    }
}

/// A value that was stored: from which byte, how many, where that is known.
type Stored = (Option<i64>, i64);

/// What has been found out so far.
struct Flow<'a, 'm> {
    variables: &'m Variables<'a>,
    functions: &'m [Function<'a>],
    /// Functions whose addresses are taken: what a call through a pointer may reach.
    taken: BTreeSet<usize>,
    /// Functions that no other calls: what they are handed comes from the host.
    entries: BTreeSet<usize>,
    /// Registers that some instruction sets; others are the machine's own.
    set: BTreeSet<(usize, &'a str)>,
    registers: BTreeMap<(usize, &'a str), Value<'a>>,
    memory: BTreeMap<Object<'a>, BTreeMap<Stored, Value<'a>>>,
    /// Objects whose contents others may see.
    escaped: BTreeSet<Object<'a>>,
    written: BTreeSet<&'a str>,
    /// Something new was found out in this round.
    grown: bool,
}

/// The variables in global memory that some instruction may write to.
pub(super) fn written<'a>(variables: &Variables<'a>, functions: &[Function<'a>]) -> BTreeSet<&'a str> {
    let is_taken = |name: &str| {
        let by_operation = |operation: &Operation<'_>| {
            operation.called() != Some(name) && words(operation.text).any(|word| word == name)
        };
        variables.named.contains(name)
            || functions.iter().any(|function| function.operations.iter().any(by_operation))
    };
    let taken: BTreeSet<usize> =
        (0..functions.len()).filter(|&index| is_taken(functions[index].name)).collect();
    let operations = || functions.iter().flat_map(|function| &function.operations);
    let called: BTreeSet<&str> = operations().filter_map(Operation::called).collect();
    let entries = (0..functions.len())
        .filter(|index| !taken.contains(index) && !called.contains(functions[*index].name))
        .collect();
    let set = (functions.iter().enumerate())
        .flat_map(|(index, function)| function.operations.iter().map(move |operation| (index, operation)))
        .filter_map(|(index, operation)| Some((index, destination(operation.operands())?.0)))
        .flat_map(|(index, to)| words(to).map(move |word| (index, word)))
        .collect();
    let mut flow = Flow {
        variables,
        functions,
        taken,
        entries,
        set,
        registers: BTreeMap::new(),
        memory: BTreeMap::new(),
        escaped: BTreeSet::new(),
        written: BTreeSet::new(),
        grown: false,
    };
    for (&name, pointed_to) in &variables.pointed_to {
        let places = pointed_to.iter().map(|&other| (Object::Variable(other), None)).collect();
        flow.put(Object::Variable(name), (None, 8), &Value { places, other: true });
    }
    loop {
        flow.grown = false;
        for index in 0..functions.len() {
            flow.follow(index);
        }
        flow.spread();
        if !flow.grown {
            return flow.written;
        }
    }
}

impl<'a> Flow<'a, '_> {
    /// Goes through a function's instructions once.
    fn follow(&mut self, function: usize) {
        let mut calls = 0;
        let functions = self.functions;
        for operation in &functions[function].operations {
            let name = operation.name();
            if operation.label().is_some() {
                continue;
            }
            let operands = operation.operands();
            let is = |what: &str| {
                name.strip_prefix(what).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            if is("call") {
                self.call(function, calls, operation);
                calls += 1;
            } else if is("ld") {
                let Some((to, from)) = destination(operands) else { continue };
                let width = width(name);
                // What a call gives is read behind it.
                let value = match self.address(function, from, calls.wrapping_sub(1)) {
                    Some(address) => self.read(&address, width),
                    None => Value::UNKNOWN,
                };
                let value = if to.trim_start().starts_with('{') { value.anywhere() } else { value };
                self.assign(function, to, &value);
            } else if is("st") {
                let (to, what) = operands.split_once(']').unwrap_or((operands, ""));
                let value = self.all(function, what, calls);
                match self.address(function, to, calls) {
                    Some(address) => self.store(&address, width(name), &value),
                    None => self.escape(&value),
                }
            } else if READS.iter().any(|reads| is(reads)) {
                if let Some((to, _)) = destination(operands) {
                    self.assign(function, to, &Value::UNKNOWN);
                }
            } else if operands.contains('[') {
                // Of a copy the second address is read. Any other instruction writes, and what it writes is seen.
                let ends =
                    if is("cp") { operands.find(']').unwrap_or(operands.len()) } else { operands.len() };
                let value = self.all(function, &operands[..ends], calls);
                self.escape(&value);
                if let Some((to, _)) = destination(operands) {
                    self.assign(function, to, &Value::UNKNOWN);
                }
            } else if let Some((to, from)) = destination(operands) {
                let value = self.computed(function, name, from, calls);
                let value = if to.trim_start().starts_with('{') { value.anywhere() } else { value };
                self.assign(function, to, &value);
            }
        }
    }

    /// What an instruction without an address makes of its operands.
    fn computed(&self, function: usize, name: &str, from: &'a str, calls: usize) -> Value<'a> {
        let operation = name.split('.').next().unwrap_or_default();
        let parts: Vec<&str> = from.split(',').map(str::trim).collect();
        match (operation, &parts[..]) {
            ("mov" | "cvta", &[one]) if !one.starts_with('{') => self.operand(function, one, calls),
            ("add", &[base, step]) if step.parse::<i64>().is_ok() => {
                self.operand(function, base, calls).moved(step.parse().unwrap_or_default())
            }
            ("selp", &[yes, no, _]) => {
                let mut value = self.operand(function, yes, calls);
                value.join(&self.operand(function, no, calls));
                value
            }
            _ => self.all(function, from, calls).anywhere(),
        }
    }

    /// All that a text mentions.
    fn all(&self, function: usize, text: &'a str, calls: usize) -> Value<'a> {
        let mut value = Value::default();
        for word in words(text) {
            value.join(&self.word(function, word, calls));
        }
        value
    }

    /// A register, a name, or a name and an offset.
    fn operand(&self, function: usize, text: &'a str, calls: usize) -> Value<'a> {
        match text.split_once('+') {
            Some((base, offset)) => match offset.trim().parse() {
                Ok(offset) => self.word(function, base.trim(), calls).moved(offset),
                Err(_) => self.all(function, text, calls).anywhere(),
            },
            None if words(text).eq([text]) => self.word(function, text, calls),
            None => self.all(function, text, calls).anywhere(),
        }
    }

    fn word(&self, function: usize, word: &'a str, calls: usize) -> Value<'a> {
        if let Some(known) = self.registers.get(&(function, word)) {
            return known.clone();
        }
        match self.object(function, word, calls) {
            Some(object) => Value::at(object, 0),
            // A register that is set later holds nothing so far.
            None => Value { places: BTreeSet::new(), other: !self.set.contains(&(function, word)) },
        }
    }

    /// The object of a name.
    fn object(&self, function: usize, name: &'a str, calls: usize) -> Option<Object<'a>> {
        let is_parameter =
            name.strip_prefix(self.functions[function].name).is_some_and(|rest| rest.starts_with("_param_"));
        if self.variables.pointed_to.contains_key(name) {
            Some(Object::Variable(name))
        } else if is_parameter || name.starts_with(RESULT) || name.starts_with(OWN_MEMORY) {
            Some(Object::Own(function, name))
        } else if name.starts_with("param") || name.starts_with("retval") {
            Some(Object::Handed(function, name, calls))
        } else {
            None
        }
    }

    /// What stands in brackets; nothing where no brackets are.
    fn address(&self, function: usize, text: &'a str, calls: usize) -> Option<Value<'a>> {
        let (_, inside) = text.split_once('[')?;
        let inside = inside.split(']').next().unwrap_or_default();
        Some(self.operand(function, inside.trim(), calls))
    }

    fn assign(&mut self, function: usize, to: &'a str, value: &Value<'a>) {
        for register in words(to) {
            self.grown |= match self.registers.entry((function, register)) {
                Entry::Occupied(known) => known.into_mut().join(value),
                Entry::Vacant(new) => {
                    new.insert(value.clone());
                    true
                }
            };
        }
    }

    fn read(&self, address: &Value<'a>, width: Option<i64>) -> Value<'a> {
        let mut value = Value { places: BTreeSet::new(), other: address.other };
        for &(object, offset) in &address.places {
            // Plain data, and what the host hands a kernel.
            value.other |= match object {
                Object::Variable(_) => true,
                Object::Own(function, name) => {
                    self.entries.contains(&function) && !name.starts_with(OWN_MEMORY)
                }
                Object::Handed(..) => false,
            };
            for (&(from, bytes), stored) in self.memory.get(&object).into_iter().flatten() {
                match (from, offset, width) {
                    (Some(from), Some(offset), Some(width)) if from == offset && bytes == width => {
                        value.join(stored);
                    }
                    (Some(from), Some(offset), Some(width))
                        if from + bytes <= offset || offset + width <= from => {}
                    _ => {
                        value.join(&stored.clone().anywhere());
                    }
                }
            }
        }
        value
    }

    fn store(&mut self, address: &Value<'a>, width: Option<i64>, value: &Value<'a>) {
        let mut out_of_sight = address.other || address.places.is_empty();
        for &(object, offset) in &address.places {
            match object {
                Object::Variable(name) => {
                    self.write(name);
                    out_of_sight = true;
                }
                Object::Own(..) | Object::Handed(..) => {
                    let stored = width.map_or((None, 1), |width| (offset, width));
                    self.put(object, stored, value);
                }
            }
        }
        if out_of_sight {
            self.escape(value);
        }
    }

    fn put(&mut self, object: Object<'a>, stored: Stored, value: &Value<'a>) {
        self.grown |= match self.memory.entry(object).or_default().entry(stored) {
            Entry::Occupied(known) => known.into_mut().join(value),
            Entry::Vacant(new) => {
                new.insert(value.clone());
                true
            }
        };
    }

    fn write(&mut self, name: &'a str) {
        if self.variables.global.contains(name) {
            self.grown |= self.written.insert(name);
        }
    }

    /// Others have these addresses from now on, and may write there.
    fn escape(&mut self, value: &Value<'a>) {
        for &(object, _) in &value.places {
            match object {
                Object::Variable(name) => self.write(name),
                Object::Own(..) | Object::Handed(..) => {
                    self.grown |= self.escaped.insert(object);
                }
            }
        }
    }

    /// What lies where others look is theirs, too.
    fn spread(&mut self) {
        for object in self.escaped.clone() {
            let contents: Vec<Value<'a>> =
                self.memory.get(&object).into_iter().flat_map(BTreeMap::values).cloned().collect();
            contents.iter().for_each(|value| self.escape(value));
        }
    }

    /// `call.uni (retval0), f, (param0, param1)`, or through a register.
    fn call(&mut self, function: usize, number: usize, operation: &Operation<'a>) {
        let operands = operation.operands().trim_start();
        let (results, rest) = match operands.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
            Some((results, rest)) => (results, rest),
            None => ("", operands),
        };
        let handed =
            rest.split_once('(').map_or("", |(_, handed)| handed.split(')').next().unwrap_or_default());
        let handed: Vec<Object<'a>> =
            words(handed).map(|name| Object::Handed(function, name, number)).collect();
        let called = operation.called().unwrap_or_default();
        let known = self.functions.iter().position(|function| function.name == called);
        let callees: Vec<usize> = match known {
            Some(known) => vec![known],
            None if called.starts_with('%') => self.taken.iter().copied().collect(),
            None => Vec::new(),
        };
        if callees.is_empty() && !READERS.contains(&called) {
            let known = self.escaped.len();
            self.escaped.extend(&handed);
            self.grown |= self.escaped.len() > known;
        }
        for &callee in &callees {
            for (index, &object) in handed.iter().enumerate() {
                if let Some(parameter) = self.parameter(callee, index) {
                    self.copy(object, parameter);
                }
            }
            for result in words(results) {
                let given: Vec<Object<'a>> = (self.memory.keys().copied())
                    .filter(|object| {
                        matches!(object, Object::Own(own, name) if *own == callee && name.starts_with(RESULT))
                    })
                    .collect();
                given.into_iter().for_each(|own| self.copy(own, Object::Handed(function, result, number)));
            }
        }
        if callees.is_empty() {
            words(results).for_each(|result| {
                self.put(Object::Handed(function, result, number), (None, 1), &Value::UNKNOWN);
            });
        }
    }

    /// A function's parameter of that number, as its own instructions name it.
    fn parameter(&self, function: usize, index: usize) -> Option<Object<'a>> {
        let Function { name, operations, .. } = &self.functions[function];
        let is_it = |word: &&str| {
            word.strip_prefix(name).and_then(|rest| rest.strip_prefix("_param_")) == Some(&*index.to_string())
        };
        let word = operations.iter().find_map(|operation| words(operation.text).find(is_it))?;
        Some(Object::Own(function, word))
    }

    fn copy(&mut self, from: Object<'a>, to: Object<'a>) {
        let contents: Vec<(Stored, Value<'a>)> = self
            .memory
            .get(&from)
            .into_iter()
            .flatten()
            .map(|(stored, value)| (*stored, value.clone()))
            .collect();
        contents.iter().for_each(|(stored, value)| self.put(to, *stored, value));
    }
}

/// The bytes that an access touches: `ld.param.v2.u64` 16.
fn width(name: &str) -> Option<i64> {
    let mut bytes = None;
    let mut vector = 1;
    for part in name.split('.') {
        match part {
            "v2" => vector = 2,
            "v4" => vector = 4,
            "v8" => vector = 8,
            _ => {
                let bits = part.strip_prefix(['b', 'u', 's', 'f']).and_then(|bits| bits.parse::<i64>().ok());
                bytes = bits.map(|bits| bits / 8).or(bytes);
            }
        }
    }
    Some(bytes? * vector)
}

/// Destination and sources of an instruction's operands: `%r1, %r2` or, where it writes
/// several, `{%r1, %r2}, %rd1`.
fn destination(operands: &str) -> Option<(&str, &str)> {
    let end = if operands.trim_start().starts_with('{') { operands.find('}')? } else { 0 };
    let comma = end + operands[end..].find(',')?;
    Some((&operands[..comma], &operands[comma + 1..]))
}
