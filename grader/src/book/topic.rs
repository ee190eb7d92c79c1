//! Which page of the book a topic is on: an exercise's chapter, a word's place, or a page by its own name.

use std::path::Path;

use harness::exercise::Exercise;

use super::INDEX;
use crate::{
    course::Course,
    exit::{Result, Trouble},
    explain,
    visible::one_line,
};

/// A page and a place in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// What it is, for people.
    pub what: String,
    /// Its path in the book.
    pub file: String,
    /// Where in it.
    pub anchor: Option<String>,
}

/// The page of a topic; the first page without one.
///
/// # Errors
/// Wrong usage where no page is about it.
pub fn page(course: Course<'_>, topic: &str, book: &Path) -> Result<Page> {
    if topic.is_empty() {
        return Ok(Page { what: "The book".to_owned(), file: INDEX.to_owned(), anchor: None });
    }
    // A reduction and a stencil are exercises, and terms, too: their chapters say more.
    if let Some(exercise) = course.exactly(topic) {
        return chapter(exercise, book);
    }
    if let Some((word, file, anchor)) = explain::place(topic) {
        let what = format!("The book, {word}");
        return Ok(Page { what, file: file.to_owned(), anchor: Some(anchor) });
    }
    if let Some(file) = named(topic, book) {
        return Ok(Page { what: format!("The book, {}", one_line(topic)), file, anchor: None });
    }
    match course.find(topic) {
        Ok(exercise) => chapter(exercise, book),
        Err(_) => Err(unknown(topic)),
    }
}

fn chapter(exercise: &dyn Exercise, book: &Path) -> Result<Page> {
    let (id, title) = (exercise.id(), exercise.about().title);
    let file = format!("chapters/{id}.html");
    if !book.join(&file).is_file() {
        return Err(Trouble::usage(
            format!("the book has no chapter about {id}"),
            "`grader explain --book` opens its first page",
        ));
    }
    let number = id.split('-').next().unwrap_or_default();
    Ok(Page { what: format!("The book, chapter {number}, {title}"), file, anchor: None })
}

/// A page by its file's name: `machine-model`, `watch`.
fn named(topic: &str, book: &Path) -> Option<String> {
    let name = topic.trim().to_lowercase().replace([' ', '_'], "-");
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let file = format!("{name}.html");
    (is_name && book.join(&file).is_file()).then_some(file)
}

fn unknown(topic: &str) -> Trouble {
    let Trouble { exit, next, .. } = explain::unknown(topic);
    let message = format!("the book has no page about `{}`", one_line(topic));
    let next = format!("{next}, `grader list` all exercises; `grader explain --book` opens the first page");
    Trouble { exit, message, next }
}
