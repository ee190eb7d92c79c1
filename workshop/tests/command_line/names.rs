//! What authors run is the workshop's: no text names it as the grader's.

use std::{fs, path::Path};

/// Endings of files that people read or run.
const TEXTS: [&str; 12] = ["rs", "md", "cu", "cuh", "h", "py", "txt", "toml", "in", "json", "snap", "html"];

/// The words stand in the line, and no longer word does.
fn has_words(line: &str, words: &str) -> bool {
    let is_end = |c: char| !c.is_alphanumeric();
    line.split(words).skip(1).any(|rest| rest.is_empty() || rest.starts_with(is_end))
}

fn named(folder: &Path, commands: &[String], found: &mut Vec<String>, read: &mut usize) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if !matches!(name.as_str(), "target" | ".git" | "learn" | "python") {
                named(&path, commands, found, read);
            }
        } else if path.extension().is_some_and(|ending| TEXTS.iter().any(|text| ending == *text))
            || name == "run"
        {
            let text = fs::read_to_string(&path).unwrap_or_default();
            *read += 1;
            let lines = (1..).zip(text.lines());
            let naming = lines.filter(|(_, line)| commands.iter().any(|command| has_words(line, command)));
            found.extend(
                naming.map(|(number, line): (usize, _)| format!("{}:{number}: {line}", path.display())),
            );
        }
    }
}

#[test]
fn no_text_names_a_command_that_the_grader_has_not() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    // Put together here, so that this file names none.
    let commands: Vec<String> = ["grader", "grade"]
        .iter()
        .flat_map(|program| ["dev", "measure"].map(|command| format!("{program} {command}")))
        .collect();
    let (mut found, mut read) = (Vec::new(), 0);
    named(&root, &commands, &mut found, &mut read);
    assert!(read > 1000, "{read} texts were read");
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Where cargo is what one types: how to build and begin, and what authors do.
const OF_CARGO: [&str; 6] =
    ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "introduction.md", "compiler.rs", "regenerate.rs"];

#[test]
fn texts_for_learners_have_one_name_for_the_program() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    // Put together here, so that this file does not name it.
    let name = ["cargo", "grade"].join(" ");
    let (mut found, mut read) = (Vec::new(), 0);
    for folder in
        ["exercises", "solutions", "kernels", "book/src", "workshop", "harness", "grader", ".github"]
    {
        named(&root.join(folder), std::slice::from_ref(&name), &mut found, &mut read);
    }
    // `typed` says it where cargo runs the program, and two tests call it so.
    let callers = ["/src/terminal.rs", "/tests/command_line/learner.rs", "/tests/command_line/readme.rs"];
    let is_allowed = |line: &String| {
        let file = line.split(':').next().unwrap_or_default();
        OF_CARGO.iter().any(|allowed| file.ends_with(&format!("/{allowed}")))
            || callers.iter().any(|of| file.ends_with(of))
    };
    found.retain(|line| !is_allowed(line));
    assert!(read > 1000, "{read} texts were read");
    assert!(found.is_empty(), "{}", found.join("\n"));
}
