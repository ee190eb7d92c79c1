//! Numbers in the text of the book's pages that come from a record or from the committed counts.
//!
//! A page says beside each such number where it comes from, in a comment that readers don't see:
//!
//! ````markdown
//! The tile asks for <!-- =fewer("kernel.cu", "steps/1-naive.cu", "global_load_bytes", "n = 7") -->16.0×<!-- . --> less.
//! ````
//!
//! Between the two comments stands what the question's answer is ([`Questions`]), so that the page reads as it is, and no
//! ratio in it is typed by hand. In a chapter kernels are named from the exercise's folder in `solutions`.

use super::{
    circulation::Questions,
    shown::{Fence, Problem},
};

const BEGIN: &str = "<!-- =";
const MIDDLE: &str = " -->";
const END: &str = "<!-- . -->";

/// The page with its numbers as its questions' answers are.
///
/// What is wrong goes to `problems`: a question that has no answer, that no end follows, or that begins a line,
/// where Markdown takes a comment for a block of its own and ends the paragraph. Code blocks stay as they are.
pub fn answered(page: &str, text: &str, questions: &Questions, problems: &mut Vec<Problem>) -> String {
    let mut fresh = String::new();
    let mut fence = Fence::default();
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        if fence.has(line) {
            fresh.push_str(line);
            continue;
        }
        match answered_line(line, questions) {
            Ok(line) => fresh.push_str(&line),
            Err(what) => {
                problems.push(Problem { place: format!("{page}:{number}"), what });
                fresh.push_str(line);
            }
        }
    }
    fresh
}

fn answered_line(line: &str, questions: &Questions) -> Result<String, String> {
    let mut fresh = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once(BEGIN) {
        fresh.push_str(before);
        if fresh.trim_start_matches(['-', '*', '>', ' ']).is_empty() {
            return Err("a question begins the line: put a word before it".to_owned());
        }
        let (question, after) =
            after.split_once(MIDDLE).ok_or_else(|| format!("`{BEGIN}` without `{MIDDLE}` on its line"))?;
        // It would begin another cell of a table.
        if question.contains('|') {
            return Err(format!("`|` in {question}: use a function"));
        }
        let (_, after) = after
            .split_once(END)
            .ok_or_else(|| format!("`{BEGIN}{question}` without `{END}` on its line"))?;
        let answer = questions
            .page(&format!("{{{{ {question} }}}}"))
            .map_err(|error| format!("{question}: {error:#}"))?;
        fresh.push_str(&format!("{BEGIN}{question}{MIDDLE}{answer}{END}"));
        rest = after;
    }
    fresh.push_str(rest);
    Ok(fresh)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Record;

    const COUNTS: &str = "head\n\nsolutions/x/steps/slow.cu\n  n = 4 | loads 24576\n\nsolutions/x/kernel.cu\n  n = 4 | loads 3072\n";

    fn page(text: &str) -> (String, Vec<String>) {
        let record = Record {
            date: String::new(),
            device: String::new(),
            compiler: String::new(),
            kernels: Vec::new(),
            peers: Vec::new(),
            figures: Vec::new(),
            seconds: Default::default(),
        };
        let counts = |file: &str| (file == "solutions/x/counts.txt").then(|| COUNTS.to_owned());
        let mut problems = Vec::new();
        let fresh = answered("page.md", text, &Questions::new(&record, counts, Some("x")), &mut problems);
        (fresh, problems.iter().map(Problem::to_string).collect())
    }

    #[test]
    fn a_number_that_was_typed_becomes_the_count() {
        let text = |first: &str, second: &str| {
            format!(
                "From <!-- =grouped(count(\"steps/slow.cu\", \"loads\", \"n = 4\")) -->{first}<!-- . -->, which is \
                 <!-- =fewer(\"kernel.cu\", \"steps/slow.cu\", \"loads\", \"n = 4\") -->{second}<!-- . --> more.\n"
            )
        };
        assert_eq!(page(&text("7", "")), (text("24\u{a0}576", "8.00×"), Vec::new()));
        let code = "```text\n1 <!-- =unheard_of() -->7<!-- . -->\n```\n";
        assert_eq!(page(code), (code.to_owned(), Vec::new()));
        assert_eq!(
            page("no <!-- comment --> of ours\n"),
            ("no <!-- comment --> of ours\n".to_owned(), Vec::new())
        );
    }

    #[test]
    fn a_question_without_an_answer_is_refused() {
        let refused = |text: &str, what: &str| {
            let (fresh, problems) = page(text);
            assert_eq!(fresh, text);
            assert_eq!(problems.len(), 1, "{problems:?}");
            assert!(problems[0].starts_with("page.md:1: ") && problems[0].contains(what), "{problems:?}");
        };
        refused("a <!-- =count(\"kernel.cu\", \"stores\", \"n = 4\") -->1<!-- . -->\n", "no stores");
        refused("a <!-- =unheard_of() -->1<!-- . -->\n", "unheard_of");
        refused("a <!-- =1 -->1\n", "without `<!-- . -->`");
        refused("a <!-- =1|int -->1<!-- . -->\n", "`|` in 1|int");
        refused("a <!-- =1\n", "without ` -->`");
        refused("- <!-- =1 -->1<!-- . -->\n", "begins the line");
    }
}
