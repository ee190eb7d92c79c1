//! `workshop new`: the files of a new exercise, a small one that works, with a hole
//! wherever its author must write.
//!
//! What it starts from lies in `workshop/scaffold`, laid out as a course is, and is an exercise that the tests
//! prove like any other. `workshop check` refuses an exercise while it has holes.

use std::{fs, path::PathBuf};

use grader::{
    checkout::root,
    exit::{Exit, Result, Trouble},
    files,
};

use crate::cli::New;

/// The exercise that all start from: its id, and so its name in paths, crates and types.
const SCAFFOLD: &str = "00-scaffold";

macro_rules! scaffold {
    ($($path:literal),* $(,)?) => {
        /// Its files: path below the course's root, and text.
        const FILES: &[(&str, &str)] = &[$(($path, include_str!(concat!("../scaffold/", $path)))),*];
    };
}

scaffold![
    // Not `Cargo.toml`: it would make a package of the folder.
    "exercises/00-scaffold/Cargo.toml.in",
    "exercises/00-scaffold/hints.md",
    "exercises/00-scaffold/kernel.cu",
    "exercises/00-scaffold/src/lib.rs",
    "solutions/00-scaffold/kernel.cu",
    "solutions/00-scaffold/steps/1-direct.cu",
    "solutions/00-scaffold/right/asynchronous.cu",
    "solutions/00-scaffold/right/cooperative-groups.cu",
    "solutions/00-scaffold/right/largest-block.cu",
    "solutions/00-scaffold/right/smallest-block.cu",
    "solutions/00-scaffold/right/templates.cu",
    "solutions/00-scaffold/wrong/barrier-in-each-branch.cu",
    "solutions/00-scaffold/wrong/missing-barrier.cu",
    "solutions/00-scaffold/wrong/no-guard.cu",
    "solutions/00-scaffold/wrong/off-by-one.cu",
    "solutions/00-scaffold/wrong/whole-block.cu",
    "kernels/baselines/scaffold.cu",
    "book/src/chapters/00-scaffold.md",
];

/// A list that the exercise is entered in: the file, how its lines begin, and the new line.
type Entry = (&'static str, &'static str, String);

/// Makes the files and enters the exercise where courses list theirs.
///
/// # Errors
/// Wrong usage: a name that is none, or is taken, or no course here. A judge error where
/// a file can't be written.
pub fn run(new: &New) -> Result<Exit> {
    let root = root()?;
    let names = Names::of(&new.name)?;
    let made: Vec<(PathBuf, String)> =
        FILES.iter().map(|(path, text)| (PathBuf::from(names.rename(path)), names.rename(text))).collect();
    // All or nothing: nothing that an author wrote is ever overwritten.
    if let Some((taken, _)) = made.iter().find(|(path, _)| root.join(path).exists()) {
        return Err(Trouble::usage(
            format!("{} is there already", taken.display()),
            "choose another number or name, or delete it",
        ));
    }
    let mut text = String::new();
    for (path, content) in &made {
        files::save(&root.join(path), content.as_bytes())?;
        text.push_str(&format!("  made     {}\n", path.display()));
    }
    for (file, beginning, line) in names.entries() {
        let path = root.join(file);
        match fs::read_to_string(&path).ok().and_then(|list| enter(&list, beginning, &line)) {
            Some(list) => {
                files::save(&path, list.as_bytes())?;
                text.push_str(&format!("  entered  {file}\n"));
            }
            None => text.push_str(&format!("  by hand  {file}: add the line `{}`\n", line.trim())),
        }
    }
    text.push_str(&format!(
        "It works as it is: a small exercise with HOLE wherever you must write.\n\
         next: fill the holes (grep -rn HOLE exercises solutions kernels book/src), then `cargo workshop bless {name} --accept`, \
         `cargo workshop check {name}` and `cargo workshop mutate {name}`\n",
        name = new.name
    ));
    grader::print(&text);
    Ok(Exit::Passed)
}

/// The forms of a name.
struct Names {
    /// `50-my-topic`.
    id: String,
    /// `my_topic`.
    snake: String,
    /// `MyTopic`.
    camel: String,
}

impl Names {
    fn of(id: &str) -> Result<Self> {
        let wrong = || {
            Trouble::usage(
                format!("expected two digits and a name in small letters such as 50-my-topic, found `{id}`"),
                "the number is the exercise's place in the course",
            )
        };
        let (number, name) = id.split_once('-').ok_or_else(wrong)?;
        let two_digits = number.len() == 2 && number.bytes().all(|byte| byte.is_ascii_digit());
        let words: Vec<&str> = name.split('-').collect();
        let is_word = |word: &&str| {
            word.starts_with(|c: char| c.is_ascii_lowercase())
                && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        };
        if !two_digits || !words.iter().all(is_word) {
            return Err(wrong());
        }
        let camel = words.iter().map(|word| word[..1].to_uppercase() + &word[1..]).collect();
        Ok(Names { id: id.to_owned(), snake: words.join("_"), camel })
    }

    /// The scaffold's path or text with this exercise's names.
    fn rename(&self, text: &str) -> String {
        let (number, _) = SCAFFOLD.split_once('-').unwrap_or_default();
        let own_number = &self.id[..number.len()];
        text.replace(SCAFFOLD, &self.id)
            .replace("Cargo.toml.in", "Cargo.toml")
            .replace(&format!("Exercise {number}"), &format!("Exercise {own_number}"))
            .replace(&format!("HOLE: {number} title"), &format!("HOLE: {own_number} title"))
            .replace("Scaffold", &self.camel)
            .replace("scaffold", &self.snake)
    }

    fn entries(&self) -> [Entry; 3] {
        let Names { id, .. } = self;
        let package = format!("exercise-{id}");
        [
            ("course/Cargo.toml", "exercise-", format!("{package} = {{ path = \"../exercises/{id}\" }}")),
            ("course/src/lib.rs", "    &exercise_", format!("    &{}::EXERCISE,", package.replace('-', "_"))),
            ("book/src/SUMMARY.md", "- [", format!("- [{} HOLE: title](chapters/{id}.md)", &id[..2])),
        ]
    }
}

/// A list with one more line, before the first that comes after it; nothing where no line of the list is
/// found. A list of chapters ends where its lines do.
fn enter(list: &str, beginning: &str, line: &str) -> Option<String> {
    let lines: Vec<&str> = list.lines().collect();
    let first = lines.iter().position(|other| other.starts_with(beginning))?;
    let length = lines[first..].iter().take_while(|other| other.starts_with(beginning)).count();
    let place = lines[first..first + length].iter().position(|other| *other > line).unwrap_or(length);
    let (before, after) = lines.split_at(first + place);
    Some([before, &[line], after].concat().join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn names_take_their_forms() {
        let names = Names::of("19-my-2nd-topic");
        assert!(names.is_err(), "a word must not begin with a digit: it would be no type's name");
        let names = Names::of("50-my-topic").ok().unwrap();
        assert_eq!((names.snake.as_str(), names.camel.as_str()), ("my_topic", "MyTopic"));
        assert_eq!(names.rename("exercises/00-scaffold/Cargo.toml.in"), "exercises/50-my-topic/Cargo.toml");
        assert_eq!(names.rename("pub struct Scaffold; scaffold.cu"), "pub struct MyTopic; my_topic.cu");
        for wrong in ["", "my-topic", "1-x", "123-x", "19-", "19-My", "19-a--b", "19-../x", "19-a_b"] {
            assert!(Names::of(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_line_finds_its_place() {
        let list = "[x]\n- a\n- c\n\n- z\n";
        assert_eq!(enter(list, "- ", "- b").unwrap(), "[x]\n- a\n- b\n- c\n\n- z\n");
        assert_eq!(enter(list, "- ", "- d").unwrap(), "[x]\n- a\n- c\n- d\n\n- z\n");
        assert_eq!(enter(list, "* ", "* b"), None);
    }

    #[test]
    fn every_file_of_the_scaffold_is_copied() {
        let scaffold = Path::new(env!("CARGO_MANIFEST_DIR")).join("scaffold");
        let mut found = Vec::new();
        let mut folders = vec![scaffold.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    found.push(path.strip_prefix(&scaffold).unwrap().display().to_string());
                }
            }
        }
        let mut copied: Vec<&str> = FILES.iter().map(|(path, _)| *path).collect();
        found.sort();
        copied.sort_unstable();
        assert_eq!(found, copied);
    }
}
