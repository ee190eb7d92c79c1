//! Recursive descent over the tokens of a module.

mod body;
mod constant;
pub mod modifiers;

use constant::Constant;

use super::{
    Initial, ParseError, ParsedFunction, ParsedModule, ParsedVariable, Type,
    lexer::{self, Placed, Token},
};

/// Braces and parentheses nest no deeper than this in any PTX that a compiler writes.
const DEPTH: u32 = 64;

type Parsed<T> = Result<T, ParseError>;

/// The column of a byte of the text, in characters from 1.
fn column(text: &str, byte: usize) -> u32 {
    text[..byte].chars().rev().take_while(|&c| c != '\n').count() as u32 + 1
}

pub struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Placed>,
    at: usize,
}

impl<'a> Parser<'a> {
    pub fn new(text: &'a str) -> Parsed<Parser<'a>> {
        // NVRTC's text ends with a NUL when a caller keeps it.
        let text = text.trim_end_matches('\0');
        let tokens = lexer::tokens(text).map_err(|(line, start, found)| ParseError {
            line,
            column: column(text, start),
            expected: "PTX".to_owned(),
            found: format!("`{}`", found.escape_default()),
        })?;
        Ok(Parser { text, tokens, at: 0 })
    }

    pub fn module(mut self) -> Parsed<ParsedModule<'a>> {
        let mut module = ParsedModule::default();
        while self.peek() != Token::End {
            self.item(&mut module)?;
        }
        Ok(module)
    }

    // The current token.

    fn peek(&self) -> Token {
        self.tokens[self.at].token
    }

    fn line(&self) -> u32 {
        self.tokens[self.at].line
    }

    fn slice(&self) -> &'a str {
        let placed = self.tokens[self.at];
        &self.text[placed.start..placed.end]
    }

    /// The text of the token `ahead` of the current one; empty past the end.
    fn ahead(&self, ahead: usize) -> &'a str {
        self.tokens.get(self.at + ahead).map_or("", |placed| &self.text[placed.start..placed.end])
    }

    fn advance(&mut self) -> &'a str {
        let slice = self.slice();
        if self.peek() != Token::End {
            self.at += 1;
        }
        slice
    }

    fn error<T>(&self, expected: &str) -> Parsed<T> {
        let found = match self.peek() {
            Token::End => "the end of the text".to_owned(),
            _ => format!("`{}`", self.slice()),
        };
        let column = column(self.text, self.tokens[self.at].start);
        Err(ParseError { line: self.line(), column, expected: expected.to_owned(), found })
    }

    fn eat(&mut self, mark: &str) -> bool {
        let found = self.peek() != Token::Text && self.slice() == mark && self.peek() != Token::End;
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, mark: &str) -> Parsed<()> {
        if self.eat(mark) { Ok(()) } else { self.error(&format!("`{mark}`")) }
    }

    fn word(&mut self, expected: &str) -> Parsed<&'a str> {
        if self.peek() == Token::Word { Ok(self.advance()) } else { self.error(expected) }
    }

    fn natural(&mut self) -> Parsed<u64> {
        if self.peek() != Token::Integer {
            return self.error("an integer");
        }
        match integer(self.slice()) {
            Some(value) => {
                self.advance();
                Ok(value)
            }
            None => self.error("an integer of at most 64 bits"),
        }
    }

    fn small(&mut self) -> Parsed<u32> {
        match u32::try_from(self.natural()?) {
            Ok(value) => Ok(value),
            Err(_) => {
                self.at -= 1;
                self.error("an integer of at most 32 bits")
            }
        }
    }

    // Modules.

    fn item(&mut self, module: &mut ParsedModule<'a>) -> Parsed<()> {
        match self.slice() {
            ".version" => {
                self.advance();
                let version = self.advance();
                let parts =
                    version.split_once('.').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
                let Some((major, minor)) = parts else {
                    self.at -= 1;
                    return self.error("a version such as 9.0");
                };
                module.version = u32::wrapping_add(u32::wrapping_mul(major, 10), minor);
            }
            ".target" => {
                self.advance();
                loop {
                    let target = self.word("a target such as sm_90")?;
                    if let Some(number) = target.strip_prefix("sm_") {
                        let digits = number.trim_end_matches(|c: char| !c.is_ascii_digit());
                        module.target = digits.parse().unwrap_or(0);
                    }
                    if !self.eat(",") {
                        break;
                    }
                }
            }
            ".address_size" => {
                self.advance();
                if self.natural()? != 64 {
                    self.at -= 1;
                    return self.error("64 (32-bit addresses are not supported)");
                }
            }
            ".file" => {
                self.advance();
                let number = self.small()?;
                if self.peek() != Token::Text {
                    return self.error("a file's name in quotes");
                }
                module.files.insert(number, unquoted(self.advance()));
                while self.eat(",") {
                    self.natural()?;
                }
            }
            ".section" => {
                while !matches!(self.slice(), "{" | "}" | ";") && self.peek() != Token::End {
                    self.advance();
                }
                self.skip_braces()?;
            }
            ".pragma" => self.skip_statement(),
            ".alias" => {
                self.advance();
                let name = self.word("a function's name")?;
                self.expect(",")?;
                module.aliases.push((name, self.word("a function's name")?));
                self.expect(";")?;
            }
            ".loc" => {
                self.location()?;
            }
            ";" => {
                self.advance();
            }
            // LLVM marks the end of its debugging sections so.
            _ if self.peek() == Token::Word && self.ahead(1) == ":" => {
                self.advance();
                self.advance();
            }
            _ => self.declaration(module)?,
        }
        Ok(())
    }

    fn skip_braces(&mut self) -> Parsed<()> {
        self.expect("{")?;
        let mut depth = 1;
        while depth > 0 {
            match self.slice() {
                "{" => depth += 1,
                "}" => depth -= 1,
                _ if self.peek() == Token::End => return self.error("`}`"),
                _ => {}
            }
            self.advance();
        }
        Ok(())
    }

    fn skip_statement(&mut self) {
        while self.peek() != Token::End && !self.eat(";") {
            self.advance();
        }
    }

    fn declaration(&mut self, module: &mut ParsedModule<'a>) -> Parsed<()> {
        let mut is_extern = false;
        loop {
            match self.slice() {
                ".extern" => is_extern = true,
                ".visible" | ".weak" | ".common" => {}
                ".func" | ".entry" => {
                    module.functions.push(self.function()?);
                    return Ok(());
                }
                ".global" | ".const" | ".shared" => {
                    self.variables(is_extern, &mut module.variables)?;
                    return Ok(());
                }
                // Each thread has its own, in the frame of a function: the driver refuses it here, too.
                ".local" => {
                    return self.error(
                        "a variable in .global, .const or .shared (.local belongs inside a function)",
                    );
                }
                ".tex" => {
                    self.skip_statement();
                    return Ok(());
                }
                _ => return self.error("a directive, a variable or a function"),
            }
            self.advance();
        }
    }

    fn function(&mut self) -> Parsed<ParsedFunction<'a>> {
        let is_entry = self.advance() == ".entry";
        let mut directives = self.directives()?;
        let results = if self.slice() == "(" { self.parameters()? } else { Vec::new() };
        let line = self.line();
        let name = self.word("a function's name")?;
        let parameters = if self.slice() == "(" { self.parameters()? } else { Vec::new() };
        directives.extend(self.directives()?);
        let body = if self.eat(";") {
            None
        } else {
            self.expect("{")?;
            Some(self.body()?)
        };
        Ok(ParsedFunction { line, name, is_entry, results, parameters, directives, body })
    }

    fn directives(&mut self) -> Parsed<Vec<(&'a str, Vec<u64>)>> {
        let mut found = Vec::new();
        while self.peek() == Token::Dotted {
            if self.slice() == ".loc" {
                self.location()?;
                continue;
            }
            let name = &self.advance()[1..];
            let mut numbers = Vec::new();
            loop {
                match self.peek() {
                    Token::Integer => numbers.push(self.natural()?),
                    Token::Text => {
                        self.advance();
                    }
                    _ => break,
                }
                if !self.eat(",") {
                    break;
                }
            }
            if name == "pragma" {
                self.eat(";");
            }
            found.push((name, numbers));
        }
        Ok(found)
    }

    fn parameters(&mut self) -> Parsed<Vec<ParsedVariable<'a>>> {
        self.expect("(")?;
        let mut found = Vec::new();
        while !self.eat(")") {
            let (space, kind, align) = self.variable_head()?;
            found.push(self.declarator(space, kind, align, false)?);
            if self.slice() != ")" {
                self.expect(",")?;
            }
        }
        Ok(found)
    }

    // Variables.

    /// `.space` and everything up to the name.
    fn variable_head(&mut self) -> Parsed<(&'a str, Type<'a>, u32)> {
        let space = match self.slice() {
            space @ (".global" | ".const" | ".shared" | ".local" | ".param" | ".reg") => &space[1..],
            _ => return self.error("a state space such as .param or .global"),
        };
        self.advance();
        let (mut kind, mut align) = (Type { scalar: "", vector: 1 }, 0);
        while self.peek() == Token::Dotted {
            match self.advance() {
                ".align" => {
                    align = self.small()?;
                    if !align.is_power_of_two() {
                        self.at -= 1;
                        return self.error("a power of two");
                    }
                }
                ".v2" => kind.vector = 2,
                ".v4" => kind.vector = 4,
                ".v8" => kind.vector = 8,
                ".ptr" => {
                    // Where a pointer parameter points, and its alignment: a promise, not a layout.
                    while matches!(
                        self.slice(),
                        ".global" | ".const" | ".shared" | ".local" | ".param" | ".align"
                    ) {
                        if self.advance() == ".align" {
                            self.natural()?;
                        }
                    }
                }
                ".attribute" => {
                    self.expect("(")?;
                    while self.peek() != Token::End && !self.eat(")") {
                        self.advance();
                    }
                }
                other => kind.scalar = &other[1..],
            }
        }
        if kind.scalar.is_empty() {
            return self.error("a type such as .u32");
        }
        Ok((space, kind, align))
    }

    fn declarator(
        &mut self,
        space: &'a str,
        kind: Type<'a>,
        align: u32,
        is_extern: bool,
    ) -> Parsed<ParsedVariable<'a>> {
        let line = self.line();
        let name = self.word("a variable's name")?;
        let mut elements = None;
        while self.eat("[") {
            let count = if self.slice() == "]" { 0 } else { self.natural()? };
            self.expect("]")?;
            elements = Some(elements.map_or(count, |before: u64| before.saturating_mul(count)));
        }
        let mut initial = Vec::new();
        if self.eat("=") {
            self.initial(&mut initial, DEPTH)?;
        }
        // `x[] = {…}` has as many elements as values.
        if elements == Some(0) && !initial.is_empty() {
            elements = Some(initial.len() as u64);
        }
        Ok(ParsedVariable { line, space, name, kind, align, elements, is_extern, initial })
    }

    fn variables(&mut self, is_extern: bool, found: &mut Vec<ParsedVariable<'a>>) -> Parsed<()> {
        let (space, kind, align) = self.variable_head()?;
        loop {
            found.push(self.declarator(space, kind, align, is_extern)?);
            if self.eat(";") {
                return Ok(());
            }
            self.expect(",")?;
        }
    }

    fn initial(&mut self, found: &mut Vec<Initial<'a>>, depth: u32) -> Parsed<()> {
        if depth == 0 {
            return self.error("an initial value nested less deeply");
        }
        if self.eat("{") {
            while !self.eat("}") {
                self.initial(found, depth - 1)?;
                if self.slice() != "}" {
                    self.expect(",")?;
                }
            }
            return Ok(());
        }
        let value = match self.peek() {
            Token::Text => Initial::Text(self.advance().trim_matches('"')),
            Token::Float | Token::Double => Initial::Bits(self.float_bits()?),
            Token::Word if self.slice() != "WARP_SZ" => self.symbol_value(0)?,
            Token::Integer if self.ahead(1) == "(" => {
                let mask = self.natural()?;
                self.expect("(")?;
                let value = self.symbol_value(mask)?;
                self.expect(")")?;
                value
            }
            _ => match self.constant(DEPTH)? {
                Constant::Float(value) => Initial::Float(value),
                Constant::Signed(value) => Initial::Bits(value as u64),
                Constant::Unsigned(value) => Initial::Bits(value),
            },
        };
        found.push(value);
        Ok(())
    }

    fn symbol_value(&mut self, mask: u64) -> Parsed<Initial<'a>> {
        let word = self.word("a symbol")?;
        let generic = word == "generic" && self.eat("(");
        let name = if generic { self.word("a symbol")? } else { word };
        if generic {
            self.expect(")")?;
        }
        let offset = if matches!(self.slice(), "+" | "-") { self.bits(DEPTH)? as i64 } else { 0 };
        Ok(Initial::Symbol { name, offset, generic, mask })
    }

    fn float_bits(&mut self) -> Parsed<u64> {
        match u64::from_str_radix(&self.slice()[2..], 16) {
            Ok(bits) => {
                self.advance();
                Ok(bits)
            }
            Err(_) => self.error("the bits of a float"),
        }
    }
}

/// A PTX integer literal.
fn integer(text: &str) -> Option<u64> {
    let digits = text.strip_suffix('U').unwrap_or(text);
    if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        u64::from_str_radix(hex, 16).ok()
    } else if let Some(binary) = digits.strip_prefix("0b").or_else(|| digits.strip_prefix("0B")) {
        u64::from_str_radix(binary, 2).ok()
    } else if digits.len() > 1 && digits.starts_with('0') {
        u64::from_str_radix(digits, 8).ok()
    } else {
        digits.parse().ok()
    }
}

/// What stands between a string's quotes. Compilers write a backslash before a quote and a backslash.
fn unquoted(text: &str) -> String {
    let mut unquoted = String::with_capacity(text.len());
    let mut characters =
        text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text).chars();
    while let Some(c) = characters.next() {
        unquoted.push(if c == '\\' { characters.next().unwrap_or(c) } else { c });
    }
    unquoted
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::unquoted;
    use crate::ptx::{Initial, Operand, StatementKind, parse};

    #[test]
    fn a_files_name_has_its_own_quotes() {
        assert_eq!(unquoted(r#""a/b.cu""#), "a/b.cu");
        assert_eq!(unquoted(r#""a\"b\\c.cu""#), r#"a"b\c.cu"#);
    }

    #[test]
    fn keeps_what_an_instruction_says() {
        let text = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 .ptr .align 1 k_param_0)\n\
            .maxntid 256, 1, 1\n{\n.reg .b32 %r<3>;\n$L1:\n@!%p1 ld.shared::cta.v2.f32 {%f1, _}, [%r1+-8];\n\
            mov.u32 %r1, %tid.x;\nshfl.sync.down.b32 %r9|%p1, %r8, 1, -1, 0x1F;\n\
            call.uni (retval0), f, (param0, param1);\n.loc 1 2 3, function_name $L__info_string0, inlined_at 1 7 9\nret;\n}\n";
        let module = parse(text).expect("valid PTX");
        assert_eq!((module.version, module.target), (90, 90));
        let function = &module.functions[0];
        assert_eq!(function.directives, [("maxntid", vec![256, 1, 1])]);
        let body = function.body.as_ref().expect("a body");
        let instructions: Vec<_> = body
            .statements
            .iter()
            .filter_map(
                |s| if let StatementKind::Instruction(i) = &s.kind { Some((s.line, i)) } else { None },
            )
            .collect();
        let (line, load) = instructions[0];
        assert_eq!((line, load.guard, load.opcode), (9, Some(("%p1", true)), "ld"));
        assert_eq!(load.modifiers, ["v2", "shared::cta", "f32"]);
        assert_eq!(load.operands[1], Operand::Address(Some("%r1"), -8));
        assert_eq!(instructions[1].1.operands[1], Operand::Name("%tid.x"));
        assert_eq!(instructions[2].1.operands[3], Operand::Integer(u64::MAX));
        assert_eq!(instructions[3].1.operands.len(), 3);
        assert!(body.statements.iter().any(
            |s| matches!(s.kind, StatementKind::Location(l) if l.inlined_at == Some((1, 7, 9)) && l.line == 2)
        ));
    }

    #[test]
    fn debugging_sections_may_have_labels_between_them() {
        let text = ".visible .entry k()\n{\nret;\n}\n.file 1 \"a.rs\"\n.section .debug_info\n{\n.b64 $L__end-$L__begin\n}\n\
                    $L__end:\n.section .debug_macinfo { }\n";
        let module = parse(text).expect("as rustc and clang write it");
        assert_eq!(module.functions.len(), 1);
        assert_eq!(parse("k ret;").expect_err("no label").line, 1);
    }

    #[test]
    fn keeps_initial_values() {
        let module = parse(
            ".global .align 8 .u64 t[4] = {1, generic(x)+8, f, 0d3FF0000000000000};\n\
             .const .b8 m[2] = {0xFF(x), 0xFF00(x)};\n.global .b8 s[] = \"hi\";",
        )
        .expect("valid PTX");
        assert_eq!(
            module.variables[0].initial,
            [
                Initial::Bits(1),
                Initial::Symbol { name: "x", offset: 8, generic: true, mask: 0 },
                Initial::Symbol { name: "f", offset: 0, generic: false, mask: 0 },
                Initial::Bits(0x3FF0_0000_0000_0000),
            ]
        );
        assert_eq!(
            module.variables[1].initial[1],
            Initial::Symbol { name: "x", offset: 0, generic: false, mask: 0xFF00 }
        );
    }

    #[test]
    fn errors_say_where_and_what() {
        let error =
            parse(".version 9.0\n.visible .entry k()\n{\n  add.s32 %r1 %r2;\n}").expect_err("no comma");
        assert_eq!(error.to_string(), "PTX line 4: expected `,`, found `%r2`");
    }

    proptest! {
        #[test]
        fn never_panics(text in "\\PC{0,200}") {
            let _ = parse(&text);
        }

        #[test]
        fn never_panics_on_near_ptx(parts in prop::collection::vec(prop::sample::select(vec![
            ".version 9.0", ".target sm_90", ".entry", ".func", "k", "(", ")", "{", "}", "[", "]", ".reg", ".b32", "%r", "<4>",
            ";", ",", "=", "@", "!", "|", "+", "-", "1", "0f3F800000", "\"s\"", ".loc 1 2 3", "L:", "ld.global.u32", ".param",
            ".section", ".global", ".align", "generic(", "0xFF(", ".callprototype", ".branchtargets", "_", "// c\n", "1.5",
            ".file 1", ".pragma", "%tid.x", ".version", ".v4", "0", "99999999999999999999",
        ]), 0..60)) {
            let _ = parse(&parts.join(" "));
        }
    }
}
