//! Tables: goals, exercises, and how they are styled.

use colored::{ColoredString, Colorize};
use comfy_table::{
    Attribute, Cell, CellAlignment, Color, ColumnConstraint, ContentArrangement, LineStyle, Table,
    TableStyle, Width,
};
use harness::report::{GoalResult, Verdict};
use textwrap::core::display_width;

use crate::{paragraph, terminal::Terminal, visible::visible};

/// A table without vertical lines, as wide as its contents need and the terminal allows.
pub fn new(terminal: Terminal, header: &[&str]) -> Table {
    let mut table = Table::new();
    let line = LineStyle::none().fill('─').junction('─');
    table.load_style(TableStyle::new().top_border(line).header_separator(line).bottom_border(line));
    table.set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(u16::try_from(terminal.width).unwrap_or(u16::MAX));
    if terminal.colour {
        table.enforce_styling();
    } else {
        table.force_no_tty();
    }
    table.set_header(header.iter().map(|title| Cell::new(title).add_attribute(Attribute::Bold)));
    table
}

/// A cell whose text stands to the right.
pub fn right(text: impl ToString) -> Cell {
    Cell::new(text).set_alignment(CellAlignment::Right)
}

/// A table's text; read aloud, each row is a line, and a cell has its column's title with it.
pub fn text(table: &Table, terminal: Terminal) -> String {
    if !terminal.plain {
        let mut kept = table.clone();
        keep_words(&mut kept);
        let text = kept.trim_fmt();
        let fits = text.lines().all(|line| display_width(line) <= terminal.width);
        return match fits {
            true => text,
            // With a letter or two in each line of a cell nobody could read it.
            false if terminal.width < LEAST_GOALS_WIDTH => in_sentences(table, terminal),
            false => table.trim_fmt(),
        };
    }
    in_sentences(table, terminal)
}

/// Each row is a sentence.
fn in_sentences(table: &Table, terminal: Terminal) -> String {
    // A title may stand in two lines.
    let title = |cell: &Cell| cell.content().replace("-\n", "");
    let titles: Vec<String> = table.header().into_iter().flat_map(|row| row.cell_iter()).map(title).collect();
    let line = |row: &comfy_table::Row| {
        let named = row.cell_iter().map(Cell::content).enumerate().filter(|(_, text)| !text.is_empty());
        let cells = named.map(|(column, text)| match titles.get(column).filter(|title| !title.is_empty()) {
            // A name needs no title; a number does.
            Some(title) if column > 0 || text.parse::<u64>().is_ok() => format!("{title}: {text}"),
            _ => text,
        });
        cells.collect::<Vec<_>>().join("; ")
    };
    let fitting = |line: String| match terminal.plain {
        true => line,
        false => paragraph::indented(&line, terminal.width, "", "    "),
    };
    table.row_iter().map(line).map(fitting).collect::<Vec<_>>().join("\n")
}

/// A verdict's mark and word; the word alone where it is read aloud.
pub fn verdict_text(verdict: Verdict, terminal: Terminal) -> &'static str {
    match verdict {
        _ if terminal.plain => verdict.name(),
        Verdict::Passed => "✓ passed",
        Verdict::Failed => "✗ failed",
        Verdict::Inconclusive => "? inconclusive",
        Verdict::Unmeasured => "– unmeasured",
    }
}

/// The verdict, coloured, outside a table.
pub fn verdict_coloured(verdict: Verdict, terminal: Terminal) -> ColoredString {
    let text = verdict_text(verdict, terminal);
    match verdict {
        Verdict::Passed => text.green().bold(),
        Verdict::Failed => text.red().bold(),
        Verdict::Inconclusive => text.yellow().bold(),
        Verdict::Unmeasured => text.dimmed(),
    }
}

/// A verdict in a table.
pub fn verdict_cell(verdict: Verdict, terminal: Terminal) -> Cell {
    of_verdict(verdict_text(verdict, terminal), verdict)
}

/// Words that say more of a verdict, in its colour in a table.
pub fn of_verdict(words: &str, verdict: Verdict) -> Cell {
    let cell = Cell::new(words);
    match verdict {
        Verdict::Passed => cell.fg(Color::Green),
        Verdict::Failed => cell.fg(Color::Red).add_attribute(Attribute::Bold),
        Verdict::Inconclusive => cell.fg(Color::Yellow),
        Verdict::Unmeasured => cell.add_attribute(Attribute::Dim),
    }
}

/// In narrower terminals a table's columns hold a word or less.
const LEAST_GOALS_WIDTH: usize = 72;

/// The goals of a check: as a table, or one below the other where there is no room for one.
pub fn goals(goals: &[GoalResult], terminal: Terminal) -> String {
    if terminal.width < LEAST_GOALS_WIDTH {
        return goals.iter().map(|goal| stacked(goal, terminal)).collect::<Vec<_>>().join("\n");
    }
    let mut table = new(terminal, &["Goal", "Verdict", "Asked", "Found"]);
    for goal in goals {
        table.add_row([
            Cell::new(goal_name(goal)),
            verdict_cell(goal.verdict, terminal),
            Cell::new(visible(&asked(goal))),
            Cell::new(visible(&goal.found_in_words())),
        ]);
    }
    keep_whole(&mut table, 2);
    text(&table, terminal)
}

fn goal_name(goal: &GoalResult) -> String {
    let name = goal.goal.name();
    if goal.required { name.to_owned() } else { format!("{name} (optional)") }
}

/// A goal on lines of its own.
pub fn stacked(goal: &GoalResult, terminal: Terminal) -> String {
    if terminal.plain {
        let (name, verdict) = (goal_name(goal), goal.verdict.name());
        let (asked, found) = (visible(&asked(goal)), visible(&goal.found_in_words()));
        return format!("{name}: {verdict}; asked: {asked}; found: {found}");
    }
    let line = |what: &str, text: &str| {
        paragraph::indented(&format!("{what}: {}", visible(text)), terminal.width, "    ", "      ")
    };
    let head = format!("{}  {}", verdict_coloured(goal.verdict, terminal), goal_name(goal));
    [head, line("asked", &asked(goal)), line("found", &goal.found_in_words())].join("\n")
}

/// What was asked; the reason only where it helps.
fn asked(goal: &GoalResult) -> String {
    match goal.verdict {
        Verdict::Passed => goal.asked_in_short(),
        Verdict::Failed | Verdict::Inconclusive | Verdict::Unmeasured => goal.asked_in_words(),
    }
}

/// Columns are at least as wide as their longest words.
fn keep_words(table: &mut Table) {
    let longest = |cell: &Cell| cell.content().split_whitespace().map(display_width).max().unwrap_or(0);
    let mut least = vec![0; table.column_count()];
    let rows = table.header().into_iter().chain(table.row_iter());
    for (column, cell) in rows.flat_map(|row| row.cell_iter().enumerate()) {
        least[column] = least[column].max(longest(cell));
    }
    for (column, least) in table.column_iter_mut().zip(least) {
        if column.constraint().is_none() {
            // A space stands on either side.
            let width = Width::Fixed(u16::try_from(least + 2).unwrap_or(u16::MAX));
            column.set_constraint(ColumnConstraint::LowerBoundary(width));
        }
    }
}

/// Never breaks the first columns: names are for copying.
pub fn keep_whole(table: &mut Table, columns: usize) {
    for column in table.column_iter_mut().take(columns) {
        column.set_constraint(ColumnConstraint::ContentWidth);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn words_are_whole_where_there_is_room() {
        let terminal = Terminal { width: 60, rows: usize::MAX, colour: false, plain: false };
        let mut table = new(terminal, &["exercise", "killed by", "why"]);
        let row = [
            "04-synchronization",
            "correct 1, clean/race 2, global_store_sectors 3",
            "what it is for, in many words",
        ];
        table.add_row(row.map(Cell::new));
        let text = text(&table, terminal);
        for word in row.iter().flat_map(|cell| cell.split_whitespace()) {
            assert!(text.split_whitespace().any(|found| found == word), "{word} is not whole in\n{text}");
        }
        assert!(text.lines().all(|line| display_width(line) <= 60), "{text}");
    }

    #[test]
    fn a_table_without_room_for_its_words_becomes_sentences() {
        let terminal = Terminal { width: 40, rows: usize::MAX, colour: false, plain: false };
        let mut table = new(terminal, &["Exercise", "Passed", "Failed", "Incon-\nclusive", "Judge error"]);
        table.add_row(["03-reduction", "2", "1", "0", "0"].map(Cell::new));
        keep_whole(&mut table, 1);
        let expected = "03-reduction; Passed: 2; Failed: 1;\n    Inconclusive: 0; Judge error: 0";
        assert_eq!(text(&table, terminal), expected);
        assert_eq!(text(&table, Terminal { plain: true, ..terminal }), expected.replace("\n   ", ""));
    }

    #[test]
    fn goals_fit_narrow_and_wide_terminals() {
        let report = sample::failed();
        for width in [40, 60, 80, 120] {
            let table =
                goals(&report.goals, Terminal { width, rows: usize::MAX, colour: false, plain: false });
            insta::assert_snapshot!(format!("goals_{width}"), table);
        }
    }
}
