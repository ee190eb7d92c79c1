//! Text in lines that fit the terminal. A line is broken at a space and nowhere else: names, paths and commands are for
//! copying. A command or code between backticks stays on one line where it fits on one: the half of a command may be
//! another command. A word that is wider than the terminal has a line of its own and runs over its edge.

use textwrap::{
    Options, WordSeparator, WordSplitter, WrapAlgorithm, core::display_width, wrap_algorithms::Penalties,
};

/// What a column over the edge costs: more than any lines that are not as even as they could be. The library's own
/// penalty lets a line run over the edge for the sake of the others.
const OVER_THE_EDGE: usize = 1 << 24;

/// A text in lines of so many columns.
pub fn fill(text: &str, width: usize) -> String {
    indented(text, width, "", "")
}

/// The same; `first` stands before the first line, `rest` before each of the others.
pub fn indented(text: &str, width: usize, first: &str, rest: &str) -> String {
    broken(text, options(width).initial_indent(first).subsequent_indent(rest)).join("\n")
}

/// The lines of a text.
pub fn lines(text: &str, width: usize) -> Vec<String> {
    broken(text, options(width))
}

/// Lines that fit as they are; each other broken at spaces, with its further lines below its own beginning.
pub fn folded(text: &str, width: usize) -> String {
    let fold = |line: &str| {
        if display_width(line) <= width {
            return line.to_owned();
        }
        let indent = &line[..line.len() - line.trim_start().len()];
        indented(line.trim_start(), width, indent, &format!("{indent}    "))
    };
    text.lines().map(|line| fold(line) + "\n").collect()
}

/// Stands for a space at which no line is broken, until the lines are made: Unicode leaves this character to private use.
const KEPT_SPACE: &str = "\u{e000}";

/// How commands begin.
const COMMANDS: [&str; 2] = ["`grader ", "`cargo "];

fn options(width: usize) -> Options<'static> {
    let penalties = Penalties { overflow_penalty: OVER_THE_EDGE, ..Penalties::new() };
    Options::new(width)
        .wrap_algorithm(WrapAlgorithm::OptimalFit(penalties))
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .break_words(false)
}

#[expect(clippy::disallowed_methods, reason = "everything else comes here")]
fn broken(text: &str, options: Options<'_>) -> Vec<String> {
    let mut all = Vec::new();
    for line in text.split('\n') {
        // The library does not count the spaces that a line begins with, and leaves them out below.
        let (own, line) = line.split_at(line.len() - line.trim_start_matches(' ').len());
        let before = if all.is_empty() { options.initial_indent } else { options.subsequent_indent };
        let (first, rest) = (format!("{before}{own}"), format!("{}{own}", options.subsequent_indent));
        let room = options.width.saturating_sub(display_width(&first).max(display_width(&rest)));
        let line = with_whole_code(line, room);
        let lines = textwrap::wrap(&line, options.clone().initial_indent(&first).subsequent_indent(&rest));
        all.extend(lines.into_iter().map(|line| line.replace(KEPT_SPACE, " ")));
    }
    all
}

/// A line whose code keeps its spaces, where it and what is joined to it fit into so many columns. A command that does not
/// fit keeps them, too: a terminal copies a line that runs over its edge as one.
fn with_whole_code(line: &str, room: usize) -> String {
    let mut inside = false;
    let is_gap = |c: char| {
        inside ^= c == '`';
        c == ' ' && !inside
    };
    // Without its second backtick a text is no code.
    if line.matches('`').count() % 2 == 1 {
        return line.to_owned();
    }
    let join = |word: &str| {
        let (word, gap) = word.split_at(word.trim_end().len());
        let is_kept = display_width(word) <= room || COMMANDS.iter().any(|command| word.contains(command));
        if is_kept { word.replace(' ', KEPT_SPACE) + gap } else { format!("{word}{gap}") }
    };
    line.split_inclusive(is_gap).map(join).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;
    use crate::{solution, watch};

    proptest! {
        #[test]
        fn every_word_is_whole_and_in_its_place(text in "([-a-z/_×…`,]{1,30} {1,2}){0,40}", width in 1usize..60) {
            let said = indented(&text, width, "> ", "  ");
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            let expected = match words(&text) {
                words if words.is_empty() => words,
                words => [vec![">".to_owned()], words].concat(),
            };
            prop_assert_eq!(words(said.trim_end_matches("> ")), expected);
            for line in said.lines().filter(|line| line.chars().count() > width.max(3)) {
                prop_assert_eq!(words(line.trim_start_matches("> ")).len(), 1, "{} could be broken", line);
            }
        }

        #[test]
        fn code_that_fits_on_a_line_is_on_one(
            before in "([a-z]{1,9} ){0,9}", code in "[-a-z]{1,9}( [-a-z]{1,9}){0,5}", after in "[.,;]?( [a-z]{1,9}){0,9}", width in 20usize..90
        ) {
            let said = indented(&format!("{before}`{code}`{after}"), width, "> ", "  ");
            let joined = 2 + code.len() + after.split(' ').next().map_or(0, str::len);
            let is_whole = said.contains(&format!("`{code}`"));
            prop_assert!(is_whole || joined > width - 2, "{}", said);
        }
    }

    #[test]
    fn no_line_runs_over_the_edge_for_even_ones() {
        // Found by the property above: in the library's own balance the first line has 60 columns.
        let text = "/,a×,…,…/a…,a…,,×/  ×……,,/×a//…///aaa  aa,,aa,a×…×…//,/,…/ a_//…a/…/a_×,………_a/ a…,//a,…×…,×aa×/aa \
                    aa,a/…aa×……/, ×,/×,a,a…/a/,/a…aaa…×a…,a ,/×,… ××//a,…a…a…/a……a,a,…×,×aa… a a … , ";
        let lines: Vec<String> = indented(text, 59, "> ", "  ").lines().map(str::to_owned).collect();
        assert!(lines.iter().all(|line| line.chars().count() <= 59), "{lines:#?}");
    }

    #[test]
    fn a_line_with_spaces_before_it_keeps_them_and_fits() {
        let said = indented("two things:\n  one of them is here\n    and\n\nthe end", 16, "> ", "- ");
        assert_eq!(said, "> two things:\n-   one of them\n-   is here\n-     and\n\n- the end");
    }

    #[test]
    fn code_that_is_too_wide_goes_on_below_itself() {
        let code = "fits\n    out[i] = first + second;\n";
        assert_eq!(folded(code, 20), "fits\n    out[i] = first +\n        second;\n");
        assert_eq!(folded(code, 40), code);
    }

    #[test]
    fn what_looks_like_a_hyphen_breaks_no_name() {
        assert_eq!(fill("see target/release-files/cuda-grader", 10), "see\ntarget/release-files/cuda-grader");
    }

    /// Looks at every command of a text in lines: each is whole, and the lines fit where no command is longer.
    fn assert_whole(text: &str, width: usize) {
        let commands: Vec<&str> = text.split('`').skip(1).step_by(2).collect();
        assert!(!commands.is_empty(), "no command in {text}");
        for command in commands {
            assert!(!command.contains('\n'), "`{command}` is broken in\n{text}");
        }
        let fits = |line: &str| line.chars().count() <= width || line.starts_with('`');
        assert!(text.lines().all(fits), "wider than {width} columns:\n{text}");
    }

    #[test]
    fn code_is_broken_only_where_it_does_not_fit_and_is_no_command() {
        assert_eq!(fill("it helps; `grader list` shows all", 14), "it helps;\n`grader list`\nshows all");
        assert_eq!(fill("then `grader explain --book 03`", 14), "then\n`grader explain --book 03`");
        assert_eq!(fill("then `sum += data[i] * 2`", 14), "then `sum +=\ndata[i] * 2`");
        assert_eq!(fill("one ` alone is kept", 80), "one ` alone is kept");
    }

    #[test]
    fn no_command_that_the_screen_tells_is_broken() {
        for exercise in course::COURSE {
            let trouble = solution::shown(*exercise, None, false).expect_err("nothing has passed");
            let missing =
                watch::missing(Path::new(exercise.id()), "is not there; `grader init` writes the stub", 80);
            assert_whole(&missing, 80);
            for width in [80, 100, 120] {
                let told = watch::told(&trouble, width);
                assert!(told.contains("--give-up`"), "{told}");
                assert_whole(&told, width);
            }
        }
    }
}
