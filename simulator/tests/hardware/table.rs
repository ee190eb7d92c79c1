//! The table of forms, `forms.txt`: what is measured, with which operands, and how exact it has to be.

use crate::bounds::Bound;

/// A register of a form: an operand or a result.
#[derive(Clone, Debug)]
pub struct Operand {
    /// Its name in the kernel, without `%`.
    pub name: String,
    /// Its PTX type, or `pred`.
    pub kind: String,
    /// What its values are, where the type doesn't say it: `bits`, `lane`, …
    pub class: String,
}

impl Operand {
    /// Bytes in memory. Registers have at least 16 bits; a predicate is a byte, 0 or 1.
    pub fn bytes(&self) -> usize {
        match &self.kind[..] {
            "pred" => 1,
            "u8" | "s8" | "b16" | "u16" | "s16" | "f16" | "bf16" => 2,
            "b32" | "u32" | "s32" | "f32" | "f16x2" | "bf16x2" | "u16x2" | "s16x2" => 4,
            "b64" | "u64" | "s64" | "f64" => 8,
            other => panic!("forms.txt: {other} is no type of an operand"),
        }
    }
}

/// One form of one instruction.
#[derive(Clone, Debug)]
pub struct Form {
    /// The instruction with its modifiers; what follows a `#` tells forms of the same instruction apart.
    pub name: String,
    pub results: Vec<Operand>,
    pub operands: Vec<Operand>,
    /// The PTX that computes the results from the operands.
    pub body: String,
    /// How far from the hardware's a result may be; `None`: the same bits.
    pub bound: Option<Bound>,
    /// The simulator does not have it yet.
    pub lacking: bool,
}

/// A line of the table, for the list of what is supported.
pub enum Entry {
    Heading(String),
    Forms { text: String, lacking: bool },
    Elsewhere { mnemonics: Vec<String>, why: String },
}

pub struct Table {
    pub entries: Vec<Entry>,
    pub forms: Vec<Form>,
}

impl Table {
    /// The table of this folder.
    pub fn read() -> Table {
        let mut names: Vec<(String, String)> = Vec::new();
        let mut table = Table { entries: Vec::new(), forms: Vec::new() };
        for line in include_str!("forms.txt").lines() {
            if let Some(title) = line.strip_prefix("## ") {
                table.entries.push(Entry::Heading(title.into()));
            } else if line.is_empty() || line.starts_with('#') {
            } else if let Some(definition) = line.strip_prefix("let ") {
                let (name, value) = definition.split_once(" = ").expect("let NAME = ALTERNATIVES");
                names.push((format!("${name}"), value.into()));
            } else if let Some(rest) = line.strip_prefix("elsewhere ") {
                let (mnemonics, why) = listed(rest);
                table.entries.push(Entry::Elsewhere { mnemonics, why });
            } else {
                table.add(line, &names);
            }
        }
        for (at, form) in table.forms.iter().enumerate() {
            assert!(table.forms[..at].iter().all(|other| other.name != form.name), "twice: {}", form.name);
        }
        table
    }

    fn add(&mut self, line: &str, names: &[(String, String)]) {
        let mut fields = line.split(" | ");
        let text = fields.next().expect("split gives at least one").to_owned();
        let mut pattern = text.clone();
        for (name, value) in names {
            pattern = pattern.replace(name, value);
        }
        let operands = fields.next().unwrap_or_else(|| panic!("forms.txt: no operands in `{line}`"));
        let options: Vec<&str> = fields.collect();
        let lacking = options.contains(&"!");
        for (name, chosen) in expand(&pattern) {
            let fill = |text: &str| {
                let mut filled =
                    text.replace("{0}", &format!("{} ", name.split('#').next().unwrap_or(&name)));
                for (index, value) in chosen.iter().enumerate() {
                    filled = filled.replace(&format!("${}", index + 1), value);
                }
                filled
            };
            let operands = fill(operands);
            let (results, operands) = operands.split_once("<-").expect("RESULTS <- OPERANDS");
            let (results, operands) = (registers(results), registers(operands));
            let bound = options.iter().find_map(|option| option.strip_prefix('~')).map(Bound::parse);
            let body = match options.iter().find(|option| **option != "!" && !option.starts_with('~')) {
                Some(&"{cell}") => on_cell(&name, &operands),
                Some(body) => fill(body),
                None => plain(&name, &results, &operands),
            };
            self.forms.push(Form { name, results, operands, body, bound, lacking });
        }
        self.entries.push(Entry::Forms { text, lacking });
    }
}

fn listed(text: &str) -> (Vec<String>, String) {
    let (mnemonics, why) = text.split_once(": ").expect("MNEMONIC… : WHY");
    (mnemonics.split_whitespace().map(str::to_owned).collect(), why.to_owned())
}

/// Every choice of one alternative per brace: the text, and what was chosen, without a leading dot.
fn expand(pattern: &str) -> Vec<(String, Vec<String>)> {
    let Some(open) = pattern.find('{') else { return vec![(pattern.to_owned(), Vec::new())] };
    let close = open + pattern[open..].find('}').expect("a closing brace");
    let mut found = Vec::new();
    for alternative in pattern[open + 1..close].split(',') {
        for (rest, chosen) in expand(&pattern[close + 1..]) {
            // Of a pair of types (`f16.f16`) the first one stands for the operand.
            let value = alternative.strip_prefix('.').unwrap_or(alternative);
            let value = value.split('.').next().unwrap_or(value);
            let values = std::iter::once(value.to_owned()).chain(chosen).collect();
            found.push((format!("{}{alternative}{rest}", &pattern[..open]), values));
        }
    }
    found
}

/// `NAME:TYPE` or `NAME:TYPE/CLASS`, several.
fn registers(text: &str) -> Vec<Operand> {
    text.split_whitespace()
        .map(|word| {
            let (name, kind) = word.split_once(':').expect("NAME:TYPE");
            let (kind, class) = kind.split_once('/').unwrap_or((kind, ""));
            Operand { name: name.into(), kind: kind.into(), class: class.into() }
        })
        .collect()
}

/// `INSTRUCTION results, operands;`
fn plain(name: &str, results: &[Operand], operands: &[Operand]) -> String {
    let list = |registers: &[Operand], separator: &str| {
        registers.iter().map(|r| format!("%{}", r.name)).collect::<Vec<_>>().join(separator)
    };
    let instruction = name.split('#').next().unwrap_or(name);
    format!("{instruction} {}, {};", list(results, "|"), list(operands, ", "))
}

/// An atomic on a cell that holds `%m` before; `%e` is what it holds after.
fn on_cell(name: &str, operands: &[Operand]) -> String {
    let instruction = name.split('#').next().unwrap_or(name);
    let space = if name.contains(".shared") { "shared" } else { "global" };
    let bits = 8 * operands[0].bytes();
    let values: Vec<String> = operands[1..].iter().map(|operand| format!("%{}", operand.name)).collect();
    let result = if name.starts_with("atom") { "%d, " } else { "" };
    format!(
        "st.{space}.b{bits} [%cell], %m; {instruction} {result}[%cell], {}; ld.{space}.b{bits} %e, [%cell];",
        values.join(", ")
    )
}
