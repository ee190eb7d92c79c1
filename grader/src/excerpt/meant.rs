//! Which characters of a line a place means. The compiler gives a column, of an access often that of its whole
//! statement; what a reader looks for is the access itself.

use std::ops::Range;

use warpsim::{Place, Side};

/// The access that a place means.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meant<'a> {
    /// Its buffer.
    pub(super) name: &'a str,
    /// What it does, where that is known.
    pub(super) side: Option<Side>,
}

/// The bytes that a place means: the word at its column with the brackets right after it, or the whole line. Of an
/// access to a named buffer the compiler gives the statement's place: what is meant is the buffer's name in that
/// statement, or what lies between those that it may be; or all of the statement where the name is not there.
pub(super) fn span(source: &str, place: &Place, meant: Option<Meant<'_>>) -> Option<Range<usize>> {
    let line_start = match place.line.checked_sub(1)? {
        0 => 0,
        skip => source.match_indices('\n').nth(skip as usize - 1)?.0 + 1,
    };
    let line = source[line_start..].lines().next().unwrap_or("");
    let column = place.column.checked_sub(1).map(|column| column as usize);
    let range = match column.filter(|column| *column < line.len() && line.is_char_boundary(*column)) {
        Some(start) => match meant {
            Some(meant) => in_statement(line, start, meant),
            None => start..start + expression_length(&line[start..]),
        },
        None => {
            let start = line.len() - line.trim_start().len();
            start..line.trim_end().len().max(start)
        }
    };
    Some(line_start + range.start..line_start + range.end)
}

/// Where the statement of a line that has this column names a buffer; or all of it.
fn in_statement(line: &str, column: usize, meant: Meant<'_>) -> Range<usize> {
    let end = column + statement_length(&line[column..]);
    let begin = line[..column].rfind([';', '{', '}']).map_or(0, |at| at + 1);
    let begin = end.min(begin + line[begin..].len() - line[begin..].trim_start().len());
    // The compiler may also point at an operator in its middle, behind what is written.
    let starts = if meant.side == Some(Side::Write) { [begin, column] } else { [column, begin] };
    for from in starts {
        if let Some(at) = access(&line[from..end], meant) {
            return from + at.start..from + at.end;
        }
    }
    let from = if line[column..].starts_with(is_of_a_word) { column } else { begin };
    from..from + line[from..end].trim_end().len()
}

/// Where a statement may have this access: at the one place that names the buffer; of several, where one writes,
/// or from the first that reads to the last.
fn access(statement: &str, meant: Meant<'_>) -> Option<Range<usize>> {
    let all: Vec<_> = (named(statement, meant.name).into_iter())
        .map(|at| at..at + expression_length(&statement[at..]))
        .collect();
    let fitting: Vec<_> = match (all.len(), meant.side) {
        (0, _) => return None,
        (1, _) => all,
        (_, Some(Side::Read)) => all.into_iter().filter(|at| use_of(statement, at) != Use::Set).collect(),
        (_, Some(Side::Write)) => all.into_iter().filter(|at| use_of(statement, at) != Use::Read).collect(),
        _ => return None,
    };
    Some(fitting.first()?.start..fitting.last()?.end)
}

/// What a statement does with an expression in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Read,
    Set,
    Update,
}

fn use_of(statement: &str, at: &Range<usize>) -> Use {
    let (before, after) = (statement[..at.start].trim_end(), statement[at.end..].trim_start());
    let steps = ["++", "--"];
    let updates = ["+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="];
    if steps.iter().any(|step| before.ends_with(step) || after.starts_with(step))
        || updates.iter().any(|update| after.starts_with(update))
    {
        Use::Update
    } else if after.starts_with('=') && !after.starts_with("==") {
        Use::Set
    } else {
        Use::Read
    }
}

/// Where a text has this word.
fn named(text: &str, word: &str) -> Vec<usize> {
    let is_whole =
        |at: usize| !text[..at].ends_with(is_of_a_word) && !text[at + word.len()..].starts_with(is_of_a_word);
    text.match_indices(word).map(|(at, _)| at).filter(|&at| !word.is_empty() && is_whole(at)).collect()
}

fn is_of_a_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The length of the statement at the start, as far as it is on this line: to its semicolon, or to what closes or
/// opens around it.
fn statement_length(text: &str) -> usize {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' if depth == 0 => return at,
            ']' | ')' => depth -= 1,
            ';' | '{' | '}' if depth == 0 => return at,
            '/' if text[at..].starts_with("//") => return at,
            _ => {}
        }
    }
    text.len()
}

/// The length of the expression at the start: a word and the bracketed groups that follow it at once.
fn expression_length(text: &str) -> usize {
    let mut end = text.find(|c| !is_of_a_word(c)).unwrap_or(text.len());
    if end == 0 {
        return text.chars().next().map_or(0, char::len_utf8);
    }
    while let Some(group) = bracketed_length(&text[end..]) {
        end += group;
    }
    end
}

/// The length of the balanced group at the start, if it closes on this line.
fn bracketed_length(text: &str) -> Option<usize> {
    if !text.starts_with(['[', '(']) {
        return None;
    }
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_expressions() {
        let source = "tile[t] = f(a[i], b) + x;\n";
        let at = |column| {
            let place = Place { file: String::new(), line: 1, column };
            span(source, &place, None).map(|range| &source[range])
        };
        assert_eq!(at(1), Some("tile[t]"));
        assert_eq!(at(11), Some("f(a[i], b)"));
        assert_eq!(at(9), Some("="));
        assert_eq!(at(0), Some("tile[t] = f(a[i], b) + x;"));
    }

    #[test]
    fn an_access_is_marked_by_its_buffer_s_name() {
        // What the compiler calls the place of an access is where its statement begins.
        let at = |source: &'static str, column, name| {
            let place = Place { file: String::new(), line: 1, column };
            span(source, &place, Some(Meant { name, side: None })).map(|range| &source[range])
        };
        let add = "    out[i] = a[i] + b[i];\n";
        assert_eq!(at(add, 5, "a"), Some("a[i]"));
        assert_eq!(at(add, 5, "b"), Some("b[i]"));
        assert_eq!(at(add, 5, "out"), Some("out[i]"));
        assert_eq!(
            at("int mine = offsets[blockIdx.x + 1]; // of offsets\n", 1, "offsets"),
            Some("offsets[blockIdx.x + 1]")
        );
        // Which of them it is, or what it is called here, nobody knows.
        assert_eq!(
            at("data[t] = max(data[t], data[t + 8]); // in data\n", 1, "data"),
            Some("data[t] = max(data[t], data[t + 8])")
        );
        assert_eq!(at("sum += row[i]; count += 1;\n", 1, "in"), Some("sum += row[i]"));
        assert_eq!(at("if (flags[i]) {\n", 5, "flags"), Some("flags[i]"));
        assert_eq!(at("tile[y][x] = in[y * n + x];\n", 1, "tile"), Some("tile[y][x]"));
        assert_eq!(at("int value = in_range(in, i);\n", 5, "in"), Some("in"));
        assert_eq!(at("*count = position;\n", 2, "count"), Some("count"));
        assert_eq!(at("x = y;\n", 1, ""), Some("x = y"));
        assert_eq!(at("  a; bins[value] += one;\n", 18, "bins"), Some("bins[value]"));
        assert_eq!(at("  a; bins[value] += one;\n", 18, "in"), Some("bins[value] += one"));
    }

    #[test]
    fn of_a_buffer_that_a_statement_names_often_that_access_is_marked_which_is_meant() {
        let at = |source: &'static str, column, side| {
            let place = Place { file: String::new(), line: 1, column };
            span(source, &place, Some(Meant { name: "a", side: Some(side) })).map(|range| &source[range])
        };
        let neighbours = "  a[i] = a[i - 1] + a[i + 1];\n";
        for column in [3, 8, 19] {
            assert_eq!(at(neighbours, column, Side::Write), Some("a[i]"), "{column}");
        }
        for column in [3, 8] {
            assert_eq!(at(neighbours, column, Side::Read), Some("a[i - 1] + a[i + 1]"), "{column}");
        }
        assert_eq!(at("a[t] += a[t + s];\n", 1, Side::Write), Some("a[t]"));
        assert_eq!(at("a[t] += a[t + s];\n", 1, Side::Read), Some("a[t] += a[t + s]"));
        assert_eq!(at("a[t] = a[t + 1];\n", 1, Side::Read), Some("a[t + 1]"));
        assert_eq!(at("if (a[t] == a[0]) ++a[t];\n", 19, Side::Write), Some("a[t]"));
        // Which of the two an atomic goes to, nobody knows.
        assert_eq!(at("f(&a[t], a[0]);\n", 1, Side::Atomic), Some("f(&a[t], a[0])"));
    }
}
