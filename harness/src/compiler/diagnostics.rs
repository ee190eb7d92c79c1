//! The compiler's messages as data, read from the text that it prints.
//!
//! NVRTC has no other form. A message is a headline with file and line, the source line, and a caret whose
//! position is the column; lines between or after that belong to it as notes. The assembler's messages have a
//! headline only.

use std::fmt;

use serde::{Deserialize, Serialize};
use warpsim::Severity;

use super::help;
use crate::report;

/// One message of the compiler.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompilerMessage {
    /// The file, or nothing where the message has no place.
    pub file: Option<String>,
    /// The line, counted from 1; 0 where the message has no place.
    pub line: u32,
    /// The column in characters, counted from 1; 0 where the compiler gave none.
    pub column: u32,
    /// How bad.
    pub severity: Severity,
    /// The message, one line.
    pub message: String,
    /// The source line, or nothing.
    pub excerpt: String,
    /// What the compiler adds: candidate functions, the chain of instantiations.
    pub notes: Vec<String>,
    /// What to do about it, where we know better than the compiler.
    pub help: Option<String>,
}

impl fmt::Display for CompilerMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}:{}:{}: ", self.line, self.column)?;
        }
        write!(f, "{}: {}", self.severity.name(), self.message)?;
        for note in &self.notes {
            write!(f, "\n  {note}")?;
        }
        if let Some(help) = &self.help {
            write!(f, "\n  help: {help}")?;
        }
        Ok(())
    }
}

impl From<CompilerMessage> for report::Diagnostic {
    fn from(diagnostic: CompilerMessage) -> Self {
        let CompilerMessage { file, line, column, severity, mut message, excerpt, notes, help } = diagnostic;
        for note in notes {
            message.push_str("\n  ");
            message.push_str(&note);
        }
        let caret = if excerpt.is_empty() || column == 0 {
            excerpt
        } else {
            // A tab before the caret stays a tab, so that the two lines align at any tab width.
            let before = excerpt.chars().take(column as usize - 1);
            let indent: String = before.map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
            format!("{excerpt}\n{indent}^")
        };
        let place = file.map(|file| warpsim::Place { file, line, column });
        report::Diagnostic { place, severity, message, excerpt: caret, help }
    }
}

/// How a message begins that is nothing but NVRTC's name for an error: the compiler itself did not say why.
pub(super) const BARE_CODE: &str = "NVRTC_ERROR_";

/// The front end's message where an allocation failed.
pub(super) const OUT_OF_MEMORY: &str = "out of memory";

/// How it says so where it can't say in which line.
pub(super) const NO_MEMORY_LEFT: &str = "atastrophic error: out of memory";

/// The front end's message where a statement or a declaration has no end.
pub(super) const NO_SEMICOLON: &str = "expected a \";\"";

/// Reads all messages of a log, except the assembler's remarks. Files are named as in the log.
pub(super) fn parse(log: &str) -> Vec<CompilerMessage> {
    let mut all: Vec<CompilerMessage> = Vec::new();
    let mut open = false;
    let mut lines = log.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(diagnostic) = headline(line) {
            all.push(diagnostic);
            open = true;
        } else if line.trim().is_empty() || line.starts_with("ptxas info") {
            // The assembler's table of registers follows its warnings without a gap.
            open = false;
        } else if open && let Some(current) = all.last_mut() {
            let caret = lines.peek().is_some_and(|next| next.trim() == "^");
            if caret && current.excerpt.is_empty() {
                // The compiler indents the source line and the caret by two.
                current.excerpt = line.strip_prefix("  ").unwrap_or(line).to_owned();
                let caret_line = lines.next().unwrap_or_default();
                current.column = (caret_line.chars().count() as u32).saturating_sub(2);
            } else {
                current.notes.push(line.trim().to_owned());
            }
        }
    }
    all.retain(|each| !each.message.starts_with("Ptx assembly aborted") && !is_set_by_host(each));
    for diagnostic in &mut all {
        diagnostic.help = help::of_the_course(diagnostic);
        // The rest of such a sentence is about an option that nobody can set here.
        if let Some(end) = diagnostic.message.find(". Consider using -default-device") {
            diagnostic.message.truncate(end);
        }
    }
    all
}

/// A device variable that no kernel of the file uses is not forgotten: the host reads or writes it.
fn is_set_by_host(diagnostic: &CompilerMessage) -> bool {
    diagnostic.message.contains("was declared but never referenced")
        && ["__device__", "__constant__"].iter().any(|space| diagnostic.excerpt.contains(space))
}

/// The end of a message that the compiler places at the end of the source.
pub(super) const AT_END: &str = " at the end of the source";

/// Severities as the compiler writes them, at the start of a message's text.
const SEVERITIES: &[(&str, Severity)] = &[
    ("catastrophic error", Severity::Error),
    ("internal error", Severity::Error),
    ("error", Severity::Error),
    ("fatal", Severity::Error),
    ("warning", Severity::Warning),
    ("Warning", Severity::Warning),
    ("note", Severity::Note),
    ("remark", Severity::Note),
];

fn headline(line: &str) -> Option<CompilerMessage> {
    if line.starts_with(' ') || line.starts_with("ptxas info") {
        return None;
    }
    let at = |file: Option<&str>, line: u32, severity, message: &str| CompilerMessage {
        file: file.map(str::to_owned),
        line,
        column: 0,
        severity,
        message: message.to_owned(),
        excerpt: String::new(),
        notes: Vec::new(),
        help: None,
    };
    // `kernel.cu(3): error: …`, `kernel.cu(3): warning #177-D: …`
    for (start, _) in line.match_indices("): ") {
        let (place, text) = (&line[..start], &line[start + 3..]);
        let Some((file, number)) = place.rsplit_once('(') else { continue };
        if let (Ok(number), Some((severity, message))) = (number.parse(), severity(text)) {
            return Some(at(Some(file), number, severity, message));
        }
    }
    // `At end of source: error: …`
    if let Some((severity, message)) = line.strip_prefix("At end of source: ").and_then(severity) {
        return Some(at(None, 0, severity, &format!("{message}{AT_END}")));
    }
    // `ptxas fatal   : …`, `ptxas application ptx input, line 28; error   : …`, `nvrtc: error: …`
    if ["ptxas", "nvrtc", "nvlink", "nvvm", "libnvvm"].iter().any(|tool| line.starts_with(tool)) {
        let start = line.find([';', ':', ' '])?;
        let text = match line.split_once("; ") {
            Some((_, text)) => text,
            None => line[start..].trim_start_matches([':', ' ']),
        };
        let (severity, message) = severity(text)?;
        return Some(at(None, 0, severity, message));
    }
    None
}

/// Splits `warning #177-D: message` or `error   : message`.
fn severity(text: &str) -> Option<(Severity, &str)> {
    SEVERITIES.iter().find_map(|(word, severity)| {
        let rest = text.strip_prefix(word)?.trim_start();
        let rest = match rest.strip_prefix('#') {
            Some(number) => number.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches("-D"),
            None => rest,
        };
        Some((*severity, rest.trim_start().strip_prefix(':')?.trim()))
    })
}
