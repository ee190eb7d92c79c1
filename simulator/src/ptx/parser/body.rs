//! The body of a function: scopes, registers, labels, source lines and instructions.

use super::{DEPTH, Parsed, Parser, constant::Constant, modifiers};
use crate::ptx::{Body, Location, Operand, ParsedInstruction, Statement, StatementKind, lexer::Token};

impl<'a> Parser<'a> {
    pub(super) fn body(&mut self) -> Parsed<Body<'a>> {
        let mut body = Body { statements: Vec::new(), parents: vec![0] };
        let mut scope = 0;
        let mut open = 1u32;
        loop {
            let line = self.line();
            match self.slice() {
                "{" if self.peek() == Token::Mark => {
                    self.advance();
                    open += 1;
                    body.parents.push(scope);
                    scope = body.parents.len() as u32 - 1;
                }
                "}" if self.peek() == Token::Mark => {
                    self.advance();
                    scope = body.parents[scope as usize];
                    open -= 1;
                    if open == 0 {
                        return Ok(body);
                    }
                }
                ";" => {
                    self.advance();
                }
                ".pragma" => self.skip_statement(),
                ".section" => {
                    while self.slice() != "{" && self.peek() != Token::End {
                        self.advance();
                    }
                    self.skip_braces()?;
                }
                _ => {
                    let mut kinds = Vec::new();
                    self.statement(&mut kinds)?;
                    body.statements.extend(kinds.into_iter().map(|kind| Statement { scope, line, kind }));
                }
            }
        }
    }

    fn statement(&mut self, found: &mut Vec<StatementKind<'a>>) -> Parsed<()> {
        match self.peek() {
            Token::Dotted => match self.slice() {
                ".loc" => found.push(StatementKind::Location(self.location()?)),
                ".reg" => self.registers(found)?,
                ".local" | ".shared" | ".param" | ".global" | ".const" => {
                    let mut variables = Vec::new();
                    self.variables(false, &mut variables)?;
                    found.extend(variables.into_iter().map(StatementKind::Variable));
                }
                ".extern" | ".visible" | ".weak" => {
                    let is_extern = self.advance() == ".extern";
                    let mut variables = Vec::new();
                    self.variables(is_extern, &mut variables)?;
                    found.extend(variables.into_iter().map(StatementKind::Variable));
                }
                _ => return self.error("an instruction or a declaration"),
            },
            Token::Word if self.ahead(1) == ":" => {
                let name = self.advance();
                self.expect(":")?;
                found.push(match self.slice() {
                    ".branchtargets" | ".calltargets" => self.targets(name)?,
                    ".callprototype" => self.prototype(name)?,
                    _ => StatementKind::Label(name),
                });
            }
            Token::Word => found.push(StatementKind::Instruction(self.instruction()?)),
            Token::Mark if self.slice() == "@" => found.push(StatementKind::Instruction(self.instruction()?)),
            _ => return self.error("a statement or `}`"),
        }
        Ok(())
    }

    fn registers(&mut self, found: &mut Vec<StatementKind<'a>>) -> Parsed<()> {
        let (_, kind, _) = self.variable_head()?;
        loop {
            let name = self.word("a register's name")?;
            let count = if self.eat("<") {
                let count = self.small()?;
                self.expect(">")?;
                Some(count)
            } else {
                None
            };
            found.push(StatementKind::Registers { kind, name, count });
            if self.eat(";") {
                return Ok(());
            }
            self.expect(",")?;
        }
    }

    fn targets(&mut self, name: &'a str) -> Parsed<StatementKind<'a>> {
        self.advance();
        let mut targets = vec![self.word("a label")?];
        while self.eat(",") {
            targets.push(self.word("a label")?);
        }
        self.expect(";")?;
        Ok(StatementKind::Targets { name, targets })
    }

    fn prototype(&mut self, name: &'a str) -> Parsed<StatementKind<'a>> {
        self.advance();
        if self.slice() == "(" {
            self.parameters()?;
        }
        self.word("`_`")?;
        if self.slice() == "(" {
            self.parameters()?;
        }
        self.directives()?;
        self.expect(";")?;
        Ok(StatementKind::Prototype { name })
    }

    pub(super) fn location(&mut self) -> Parsed<Location> {
        self.advance();
        let mut location =
            Location { file: self.small()?, line: self.small()?, column: self.small()?, inlined_at: None };
        while self.eat(",") {
            match self.word("function_name or inlined_at")? {
                "function_name" => {
                    self.word("a label")?;
                    if self.eat("+") {
                        self.natural()?;
                    }
                }
                "inlined_at" => location.inlined_at = Some((self.small()?, self.small()?, self.small()?)),
                _ => {
                    self.at -= 1;
                    return self.error("function_name or inlined_at");
                }
            }
        }
        Ok(location)
    }

    fn instruction(&mut self) -> Parsed<ParsedInstruction<'a>> {
        let start = self.tokens[self.at].start;
        let guard = if self.eat("@") {
            let negated = self.eat("!");
            Some((self.word("a predicate")?, negated))
        } else {
            None
        };
        let opcode = self.word("an instruction")?;
        let mut modifiers = Vec::new();
        while self.peek() == Token::Dotted {
            modifiers.push(&self.advance()[1..]);
        }
        modifiers::sort(&mut modifiers);
        let mut operands = Vec::new();
        while !self.eat(";") {
            // Elsewhere a parenthesis begins a constant expression.
            let is_list = opcode == "call" && self.eat("(");
            operands.push(if is_list {
                Operand::List(self.operands_until(")", DEPTH)?)
            } else {
                self.operand(DEPTH)?
            });
            if self.slice() != ";" && !matches!(operands.last(), Some(Operand::List(_))) {
                self.expect(",")?;
            } else {
                self.eat(",");
            }
        }
        let text = &self.text[start..self.tokens[self.at - 1].end];
        Ok(ParsedInstruction { guard, opcode, modifiers, operands, text })
    }

    fn operand(&mut self, depth: u32) -> Parsed<Operand<'a>> {
        if depth == 0 {
            return self.error("an operand nested less deeply");
        }
        let first = self.simple_operand(depth - 1)?;
        if self.eat("|") {
            let second = self.operand(depth - 1)?;
            return Ok(Operand::Dual(Box::new(first), Box::new(second)));
        }
        Ok(first)
    }

    fn simple_operand(&mut self, depth: u32) -> Parsed<Operand<'a>> {
        Ok(match self.peek() {
            Token::Word if self.slice() == "WARP_SZ" => self.number()?,
            Token::Word => {
                let start = self.tokens[self.at].start;
                let name = self.advance();
                // `%tid.x`
                if self.peek() == Token::Dotted {
                    let end = self.tokens[self.at].end;
                    self.advance();
                    Operand::Name(&self.text[start..end])
                } else if matches!(self.slice(), "+" | "-") {
                    Operand::Offset(name, self.bits(DEPTH)? as i64)
                } else {
                    Operand::Name(name)
                }
            }
            Token::Float => Operand::Float(self.float_bits()? as u32),
            Token::Double => Operand::Double(self.float_bits()?),
            Token::Mark => match self.slice() {
                "[" => self.address(depth)?,
                "{" => {
                    self.advance();
                    Operand::Vector(self.operands_until("}", depth)?)
                }
                "!" if self.tokens.get(self.at + 1).is_some_and(|next| next.token == Token::Word) => {
                    self.advance();
                    Operand::Not(Box::new(self.operand(depth)?))
                }
                "-" | "~" | "+" | "(" | "!" => self.number()?,
                _ => return self.error("an operand"),
            },
            Token::Integer | Token::Decimal => self.number()?,
            // `.5`
            Token::Dotted if self.slice()[1..].starts_with(|c: char| c.is_ascii_digit()) => self.number()?,
            _ => return self.error("an operand"),
        })
    }

    fn number(&mut self) -> Parsed<Operand<'a>> {
        Ok(match self.constant(DEPTH)? {
            Constant::Signed(value) => Operand::Integer(value as u64),
            Constant::Unsigned(value) => Operand::Integer(value),
            Constant::Float(value) => Operand::Decimal(value),
        })
    }

    fn operands_until(&mut self, close: &str, depth: u32) -> Parsed<Vec<Operand<'a>>> {
        let mut found = Vec::new();
        while !self.eat(close) {
            found.push(self.operand(depth)?);
            if self.slice() != close {
                self.expect(",")?;
            }
        }
        Ok(found)
    }

    /// `{x, y}`, or `x` alone.
    fn coordinates(&mut self, depth: u32) -> Parsed<Vec<Operand<'a>>> {
        if self.eat("{") { self.operands_until("}", depth) } else { Ok(vec![self.operand(depth)?]) }
    }

    fn address(&mut self, depth: u32) -> Parsed<Operand<'a>> {
        let open = self.at;
        self.expect("[")?;
        let base = if self.peek() == Token::Word { Some(self.advance()) } else { None };
        let offset = if matches!(self.slice(), "]" | ",") { Ok(0) } else { self.bits(DEPTH) };
        if let Ok(offset) = offset {
            let address = Operand::Address(base, offset as i64);
            if self.eat("]") {
                return Ok(address);
            }
            if self.eat(",")
                && let Ok(coordinates) = self.coordinates(depth)
                && self.eat("]")
            {
                return Ok(Operand::At(Box::new(address), coordinates));
            }
        }
        // Samplers and the like: skip to the bracket that closes it.
        self.at = open;
        let mut depth = 0;
        loop {
            match self.slice() {
                "[" => depth += 1,
                "]" => depth -= 1,
                ";" => return self.error("`]`"),
                _ if self.peek() == Token::End => return self.error("`]`"),
                _ => {}
            }
            self.advance();
            if depth == 0 {
                return Ok(Operand::Other);
            }
        }
    }
}
