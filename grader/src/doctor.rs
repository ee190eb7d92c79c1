//! `grader doctor`: whether the next check can do its work here. A fact a line, and what to do about each that needs it; what
//! a check would try is tried.

mod compiling;
pub mod fact;
mod machine;
mod place;
mod system;

use colored::Colorize;

use self::fact::{Examination, Fact, Health};
use crate::{
    cli::{Doctor, Format},
    course::Course,
    exit::{Exit, Result},
    paragraph,
    terminal::Terminal,
    visible::visible,
};

/// Runs it: passed where the next check can do its work, a judge's error where it can't.
///
/// # Errors
/// Never in practice; a fact that can't be found out is a fact.
pub fn run(course: Course<'_>, doctor: &Doctor, terminal: Terminal) -> Result<Exit> {
    let gpus = harness::judge::gpus();
    let first = gpus.as_ref().ok().and_then(|gpus| gpus.first()).cloned();
    let choice = doctor.compiler.clone().unwrap_or_default();
    let mut facts = vec![machine::processor()];
    facts.extend(compiling::facts(course, &choice, first.as_ref()));
    facts.push(machine::sandbox(gpus.is_ok()));
    facts.extend(machine::gpus(gpus));
    facts.push(place::course_folder(course));
    let examination = Examination::of(facts);
    match doctor.format {
        Format::Json => crate::print_json(&examination)?,
        Format::Text => crate::print(&in_text(&examination, terminal)),
    }
    Ok(if examination.works { Exit::Passed } else { Exit::JudgeError })
}

fn in_text(examination: &Examination, terminal: Terminal) -> String {
    let lines: String = examination.facts.iter().map(|fact| line(fact, terminal)).collect();
    let conclusion = match examination.works {
        true => "The course works here: `grader check` judges your kernels.",
        false if terminal.plain => "The course does not work here yet: see the lines that begin with broken.",
        false => "The course does not work here yet: see the lines with ✗.",
    };
    format!("{lines}\n{conclusion}\n")
}

/// What a fact's text is indented by.
const INDENT: &str = "                  ";

fn line(fact: &Fact, terminal: Terminal) -> String {
    if terminal.plain {
        return sentences(fact);
    }
    let mark = match fact.health {
        Health::Good => "✓".green(),
        Health::Absent => "–".normal(),
        Health::Lacking => "!".yellow().bold(),
        Health::Broken => "✗".red().bold(),
    };
    let found = format!("{:<16}{}", fact.name, visible(&fact.found));
    let found = paragraph::indented(&found, terminal.width.saturating_sub(2), "", &INDENT[2..]);
    let mut text = format!("{mark} {}\n", found.replace('\n', "\n  "));
    for remedy in &fact.remedies {
        let advice =
            paragraph::indented(&format!("→ {}", visible(&remedy.advice)), terminal.width, INDENT, INDENT);
        text.push_str(&format!("{}\n", advice.cyan()));
        // Whole, however long: a command in two lines is another one.
        for command in &remedy.commands {
            text.push_str(&format!("{INDENT}    {}\n", visible(command)));
        }
    }
    text
}

/// The same for screen readers.
fn sentences(fact: &Fact) -> String {
    let health = match fact.health {
        Health::Good => "good",
        Health::Absent => "not there, and not needed",
        Health::Lacking => "lacking",
        Health::Broken => "broken",
    };
    let mut text = format!("{health}: {}: {}\n", fact.name, visible(&fact.found));
    for remedy in &fact.remedies {
        text.push_str(&format!("what to do: {}\n", visible(&remedy.advice)));
        remedy.commands.iter().for_each(|command| text.push_str(&format!("{}\n", visible(command))));
    }
    text
}
