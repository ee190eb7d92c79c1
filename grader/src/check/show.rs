//! A case side by side: what goes in, what is expected, what comes out, element by element.
//!
//! For a learner who wants to see what a kernel does, not only whether it is right. What is shown was chosen by the judge.

use colored::Colorize as _;
use comfy_table::{Attribute, Cell, Color};
use harness::report::{CaseReport, Report, ShownInput, ShownOutput};
use textwrap::core::display_width;

use super::render;
use crate::{
    paragraph, table,
    terminal::Terminal,
    visible::{one_line, visible},
};

/// What stands beside an element that is wrong, for whoever sees no colour.
const WRONG: &str = "← differs";
const WRONG_IN_WORDS: &str = "differs";

/// All cases that a report shows.
pub fn of(report: &Report, terminal: Terminal) -> String {
    let shown = report.cases.iter().filter(|case| case.shown.is_some());
    let shown: String = shown.map(|shown| format!("\n{}", case(shown, terminal))).collect();
    if shown.is_empty() { "no case ran: there is nothing to show\n".to_owned() } else { shown }
}

/// The report of a tiny case: what it is, what went wrong with it, all that it has. It is no verdict.
pub fn tiny(report: &Report, terminal: Terminal) -> String {
    let end = format!(
        "A tiny case is for thinking and judges nothing: `grader check {}` does that.",
        one_line(&report.exercise)
    );
    let parts = [
        render::head(report, terminal),
        render::first_error(report, terminal).unwrap_or_default(),
        render::complaints_of_all(report, terminal),
        render::explained(&render::words(report), "that means", render::COMMANDS),
        of(report, terminal).trim_start().to_owned(),
        paragraph::fill(&end, terminal.width),
    ];
    let parts: Vec<&str> = parts.iter().map(|part| part.trim_end()).filter(|part| !part.is_empty()).collect();
    format!("{}\n", parts.join("\n\n"))
}

/// One case.
fn case(case: &CaseReport, terminal: Terminal) -> String {
    let Some(shown) = &case.shown else { return String::new() };
    let head =
        format!("side by side: {} on {}", one_line(&case.name), one_line(&case.device)).bold().to_string();
    let mut parts = vec![render::hanging(&head, terminal)];
    parts.extend(shown.inputs.iter().map(|of| input(of, terminal)));
    parts.extend(shown.outputs.iter().map(|of| output(of, terminal)));
    format!("{}\n", parts.join("\n"))
}

/// `4 × 8`, or nothing of a plain list.
fn extents(shape: &[usize]) -> String {
    let extents: Vec<String> = shape.iter().map(ToString::to_string).collect();
    if shape.len() > 1 { format!(" ({})", extents.join(" × ")) } else { String::new() }
}

/// The elements of an input: row by row where it has rows and there is room for them.
fn input(input: &ShownInput, terminal: Terminal) -> String {
    let name = format!("{}{}", one_line(&input.name), extents(&input.shape));
    let of: usize = input.shape.iter().product();
    let more = match of - input.values.len() {
        0 => String::new(),
        more => format!(" {}and {more} more of {of}", render::dots(terminal)),
    };
    let columns = input.shape.last().copied().unwrap_or(1).max(1);
    let widest = input.values.iter().map(|value| display_width(value)).max().unwrap_or(0) + 1;
    if terminal.plain && input.shape.len() > 1 {
        let rows = (0..).zip(input.values.chunks(columns));
        let rows: Vec<String> =
            rows.map(|(number, row): (usize, _)| format!("row {number}: {}", row.join(" "))).collect();
        return format!("{name}: {}{more}", rows.join("; "));
    }
    if input.shape.len() < 2 || 2 + columns * widest > terminal.width {
        return render::hanging(&format!("{name}: {}{more}", input.values.join(" ")), terminal);
    }
    let rows = input.values.chunks(columns).map(|row| {
        let row: String = row.iter().map(|value| format!("{value:>widest$}")).collect();
        format!("\n  {row}")
    });
    format!("{name}:{}{more}", rows.collect::<String>())
}

/// The elements of an output, one below the other, with those of the inputs that have its shape.
fn output(output: &ShownOutput, terminal: Terminal) -> String {
    let name = one_line(&output.name);
    let beside = output.beside.iter().map(|name| one_line(name));
    let header: Vec<String> = [name.clone()]
        .into_iter()
        .chain(beside)
        .chain(["expected", "yours", ""].map(str::to_owned))
        .collect();
    let mut table = table::new(terminal, &header.iter().map(String::as_str).collect::<Vec<_>>());
    for element in &output.elements {
        let index: String = element.index.iter().map(|at| format!("[{at}]")).collect();
        // Read aloud, what stands first has no title of its own.
        let index = if terminal.plain { format!("{name}{index}") } else { index };
        let mut cells = vec![Cell::new(index)];
        cells.extend(element.inputs.iter().map(table::right));
        let found = table::right(visible(&element.found.to_string()));
        cells.push(table::right(&element.expected));
        if element.right {
            cells.extend([found, Cell::new("")]);
        } else {
            let mark = if terminal.plain { WRONG_IN_WORDS } else { WRONG };
            let wrong = |cell: Cell| cell.fg(Color::Red).add_attribute(Attribute::Bold);
            cells.extend([wrong(found), wrong(Cell::new(mark))]);
        }
        table.add_row(cells);
    }
    let count = output.elements.len() as u64;
    let part = match output.of {
        0 => "it has no element".to_owned(),
        of if of == count => String::new(),
        of => format!("{count} of {of} elements; --dump DIR writes them all"),
    };
    let shape = extents(&output.shape);
    let caption = match (shape.is_empty(), part.is_empty()) {
        (true, true) => String::new(),
        (_, true) => format!("{name}{shape}\n"),
        _ => format!("{name}{shape}: {part}\n"),
    };
    format!("{caption}{}", table::text(&table, terminal))
}
