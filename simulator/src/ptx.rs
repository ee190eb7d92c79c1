//! PTX text as a tree, without knowing any instruction.
//!
//! Every instruction has the one shape `@guard opcode(.modifier)* operands;`, so parsing fails only on text
//! that is no PTX, never on an instruction that is new. What instructions mean is `decode`'s business.

mod lexer;
mod parser;

pub(crate) use parser::modifiers::names_an_operation;

use std::collections::HashMap;

/// Why text is not PTX.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("PTX line {line}: expected {expected}, found {found}")]
pub struct ParseError {
    /// Line of the PTX text, from 1.
    pub line: u32,
    /// Column of what stands there, in characters from 1.
    pub column: u32,
    /// What could have stood there.
    pub expected: String,
    /// What stands there.
    pub found: String,
}

/// A parsed module. Names are slices of the text.
#[derive(Clone, Debug, Default)]
pub struct ParsedModule<'a> {
    /// `.version`, × 10.
    pub version: u32,
    /// `.target sm_NN`: NN.
    pub target: u32,
    /// `.file`: names by number.
    pub files: HashMap<u32, String>,
    /// Module variables.
    pub variables: Vec<ParsedVariable<'a>>,
    /// Functions and kernels; declarations have no body.
    pub functions: Vec<ParsedFunction<'a>>,
    /// `.alias`: name and the function that it stands for.
    pub aliases: Vec<(&'a str, &'a str)>,
}

/// A type as written: `.u32`, `.v4 .f32`, `.b8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Type<'a> {
    /// The scalar type without its dot: `u32`, `pred`, `f16x2`.
    pub scalar: &'a str,
    /// 1, 2 or 4 (`.v2`, `.v4`).
    pub vector: u32,
}

impl Type<'_> {
    /// Size in bytes; 0 for `pred` and what is unknown.
    pub fn bytes(&self) -> u32 {
        self.vector * scalar_bytes(self.scalar)
    }
}

/// Size of a scalar type in bytes; 0 for `pred` and what is unknown.
pub fn scalar_bytes(scalar: &str) -> u32 {
    match scalar {
        "b8" | "u8" | "s8" | "e4m3" | "e5m2" => 1,
        "b16" | "u16" | "s16" | "f16" | "bf16" | "e4m3x2" | "e5m2x2" => 2,
        "b32" | "u32" | "s32" | "f32" | "f16x2" | "bf16x2" | "tf32" | "u16x2" | "s16x2" => 4,
        "b64" | "u64" | "s64" | "f64" | "f32x2" => 8,
        "b128" => 16,
        _ => 0,
    }
}

/// A variable: in a module, in a body, or a parameter.
#[derive(Clone, Debug)]
pub struct ParsedVariable<'a> {
    /// Line of its declaration.
    pub line: u32,
    /// The state space without its dot: `global`, `shared`, `const`, `local`, `param`, `reg`.
    pub space: &'a str,
    /// Its name.
    pub name: &'a str,
    /// The element's type.
    pub kind: Type<'a>,
    /// Alignment in bytes as given; 0: the type's own.
    pub align: u32,
    /// Elements; `None` for a scalar, `Some(0)` for `name[]`.
    pub elements: Option<u64>,
    /// `.extern`
    pub is_extern: bool,
    /// Initial values, in order, nested braces flattened.
    pub initial: Vec<Initial<'a>>,
}

impl ParsedVariable<'_> {
    /// Size in bytes.
    pub fn bytes(&self) -> u64 {
        u64::from(self.kind.bytes()).saturating_mul(self.elements.unwrap_or(1))
    }

    /// Words of 32 bits that hand it over in a call: each element of a register has its own.
    pub fn words(&self) -> u64 {
        match self.space {
            "reg" => u64::from(self.kind.vector) * u64::from(scalar_bytes(self.kind.scalar).div_ceil(4)),
            _ => self.bytes().div_ceil(4),
        }
    }

    /// Alignment in bytes.
    pub fn alignment(&self) -> u32 {
        if self.align > 0 { self.align } else { self.kind.bytes().max(1) }
    }
}

/// An initial value.
#[derive(Clone, Debug, PartialEq)]
pub enum Initial<'a> {
    /// An integer, or the bits of a hexadecimal float of the element's width.
    Bits(u64),
    /// A decimal float.
    Float(f64),
    /// A string: its bytes.
    Text(&'a str),
    /// An address.
    Symbol {
        /// Whose.
        name: &'a str,
        /// Bytes added.
        offset: i64,
        /// `generic(name)`
        generic: bool,
        /// `0xFF00(name)`: that byte only; 0: all.
        mask: u64,
    },
}

/// A `.func` or `.entry`.
#[derive(Clone, Debug)]
pub struct ParsedFunction<'a> {
    /// Line of its name.
    pub line: u32,
    /// Its name.
    pub name: &'a str,
    /// `.entry`
    pub is_entry: bool,
    /// Return parameters.
    pub results: Vec<ParsedVariable<'a>>,
    /// Parameters.
    pub parameters: Vec<ParsedVariable<'a>>,
    /// Directives between the parameters and the body, each with its numbers: `maxntid [256, 1, 1]`.
    pub directives: Vec<(&'a str, Vec<u64>)>,
    /// The body; `None` for a declaration.
    pub body: Option<Body<'a>>,
}

/// A function's body, flat. Braces nest *scopes*; scope 0 is the body itself.
#[derive(Clone, Debug, Default)]
pub struct Body<'a> {
    /// The statements in order.
    pub statements: Vec<Statement<'a>>,
    /// The scope around each scope; scope 0's is itself.
    pub parents: Vec<u32>,
}

/// A statement, with the scope that it is in.
#[derive(Clone, Debug)]
pub struct Statement<'a> {
    /// Index into [`Body::parents`].
    pub scope: u32,
    /// Line of the PTX text.
    pub line: u32,
    /// What it is.
    pub kind: StatementKind<'a>,
}

/// What a statement is.
#[derive(Clone, Debug)]
pub enum StatementKind<'a> {
    /// `name:`
    Label(&'a str),
    /// An instruction.
    Instruction(ParsedInstruction<'a>),
    /// `.loc`
    Location(Location),
    /// `.reg`: one name, or `count` names `name0…`.
    Registers {
        /// The type.
        kind: Type<'a>,
        /// Name or prefix.
        name: &'a str,
        /// `Some(n)`: `name0 … name(n−1)`.
        count: Option<u32>,
    },
    /// `.local`, `.shared`, `.param`, …
    Variable(ParsedVariable<'a>),
    /// `name: .branchtargets a, b;` (or `.calltargets`).
    Targets {
        /// Its label.
        name: &'a str,
        /// The labels listed.
        targets: Vec<&'a str>,
    },
    /// `name: .callprototype (…) _ (…);`
    Prototype {
        /// Its label.
        name: &'a str,
    },
}

/// A `.loc`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// Number of the file.
    pub file: u32,
    /// The line; 0 means nothing.
    pub line: u32,
    /// The column.
    pub column: u32,
    /// `inlined_at`: file, line, column.
    pub inlined_at: Option<(u32, u32, u32)>,
}

/// An instruction, whatever it is.
#[derive(Clone, Debug)]
pub struct ParsedInstruction<'a> {
    /// `@p` or `@!p`: the predicate and whether it is negated.
    pub guard: Option<(&'a str, bool)>,
    /// `ld`
    pub opcode: &'a str,
    /// `global`, `v4`, `f32`
    pub modifiers: Vec<&'a str>,
    /// What stands between commas.
    pub operands: Vec<Operand<'a>>,
    /// The instruction as written.
    pub text: &'a str,
}

/// An operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand<'a> {
    /// A register, variable, label or special register (`%tid.x`).
    Name(&'a str),
    /// A variable's address plus bytes.
    Offset(&'a str, i64),
    /// An integer, two's complement.
    Integer(u64),
    /// `0fXXXXXXXX`
    Float(u32),
    /// `0dXXXXXXXXXXXXXXXX`
    Double(u64),
    /// A decimal float.
    Decimal(f64),
    /// `[base+offset]`; no base: an absolute address.
    Address(Option<&'a str>, i64),
    /// `{a, b}`
    Vector(Vec<Operand<'a>>),
    /// `a|b`
    Dual(Box<Operand<'a>>, Box<Operand<'a>>),
    /// `!a`
    Not(Box<Operand<'a>>),
    /// `(a, b)`: arguments of a call.
    List(Vec<Operand<'a>>),
    /// `[a, {b, c}]`: an address, and coordinates from there.
    At(Box<Operand<'a>>, Vec<Operand<'a>>),
    /// An element of a vector register by its number: decoding names them so where an instruction names the whole.
    Element(&'a str, u8),
    /// Something else between brackets (texture coordinates).
    Other,
}

/// Parses a module.
pub fn parse(text: &str) -> Result<ParsedModule<'_>, ParseError> {
    parser::Parser::new(text)?.module()
}
