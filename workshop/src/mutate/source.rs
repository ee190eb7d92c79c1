//! The kernels that are mutated: solutions and steps, and which parts of them are a learner's.

use std::{
    collections::BTreeSet,
    fs,
    ops::Range,
    path::{Path, PathBuf},
};

use grader::{
    exit::{Result, Trouble},
    files::explain,
    regions::{MARKS, regions},
};
use tree_sitter::{Node, Parser, Tree};

/// What a kernel is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Its mutants are those of everything that a learner writes.
    Solution,
    /// Another way or a way there. It meets the same cases, so that its values and indices are not narrowed
    /// once more.
    Step,
}

/// A kernel's text and syntax tree.
pub struct Source {
    /// Its path below the course's root.
    pub file: PathBuf,
    /// What it is there for.
    pub role: Role,
    /// Its text, with blanks for the comments in what is a learner's: other words there give no other mutants.
    pub text: String,
    /// Its tree.
    pub tree: Tree,
    /// The bytes that may be mutated.
    ours: Vec<Range<usize>>,
}

impl Source {
    /// A solution: what stands between its marks is a learner's.
    ///
    /// # Errors
    /// No marks.
    pub fn solution(file: PathBuf, text: String) -> Result<Self> {
        let starts: Vec<usize> = line_starts(&text);
        let ours: Vec<_> =
            regions(&text).into_iter().map(|lines| starts[lines.start]..starts[lines.end]).collect();
        if ours.is_empty() {
            return Err(Trouble::judge(
                format!("{}: no region between `{}` and `{}`", file.display(), MARKS.0, MARKS.1),
                "mark what is the learner's",
            ));
        }
        Source::without_comments(file, Role::Solution, text, ours)
    }

    /// A step has no marks: what is a learner's is every function that does not stand just so in the solution,
    /// where it is given or mutated already. Where all do, the step differs in its constants: all are.
    ///
    /// # Errors
    /// A kernel that cannot be parsed.
    pub fn step(file: PathBuf, text: String, solution: &Source) -> Result<Self> {
        let known: BTreeSet<String> =
            functions(&solution.tree).into_iter().map(|node| words(node, &solution.text)).collect();
        let tree = parse(&text)?;
        let all = functions(&tree);
        let new: Vec<_> = all.iter().filter(|node| !known.contains(&words(**node, &text))).collect();
        let ours = if new.is_empty() { all.iter().collect() } else { new };
        let ours = ours.into_iter().map(|node| node.byte_range()).collect();
        Source::without_comments(file, Role::Step, text, ours)
    }

    fn without_comments(file: PathBuf, role: Role, text: String, ours: Vec<Range<usize>>) -> Result<Self> {
        let text = blanked(&text, &comments(&parse(&text)?, &ours));
        let tree = parse(&text)?;
        Ok(Source { file, role, text, tree, ours })
    }

    /// Whether a part of the tree is a learner's.
    pub fn is_ours(&self, node: Node<'_>) -> bool {
        is_within(node, &self.ours)
    }

    /// The code without comments and layout: what makes two versions of a file the same program.
    pub fn code(&self) -> String {
        words(self.tree.root_node(), &self.text)
    }
}

/// A part's code without comments and layout.
fn words(node: Node<'_>, text: &str) -> String {
    let mut words = String::new();
    each(node, &mut |node| {
        if node.child_count() == 0 && node.kind() != "comment" {
            words.push_str(text[node.byte_range()].trim());
            words.push(' ');
        }
    });
    words
}

/// A part of the tree lies within one of these parts.
fn is_within(node: Node<'_>, parts: &[Range<usize>]) -> bool {
    parts.iter().any(|part| part.start <= node.start_byte() && node.end_byte() <= part.end)
}

/// Where comments stand within these parts.
fn comments(tree: &Tree, within: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    each(tree.root_node(), &mut |node| {
        if node.kind() == "comment" && is_within(node, within) {
            found.push(node.byte_range());
        }
    });
    found
}

/// The text with blanks in place of these parts. All else stays where it is.
fn blanked(text: &str, parts: &[Range<usize>]) -> String {
    let mut bytes = text.as_bytes().to_owned();
    for part in parts {
        bytes[part.clone()].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
    }
    // Whole characters went: this is UTF-8 as before.
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The kernels of one exercise, the solution first.
///
/// # Errors
/// A file that cannot be read.
pub fn of_exercise(root: &Path, exercise: &str) -> Result<Vec<Source>> {
    let folder = Path::new("solutions").join(exercise);
    let solution = folder.join("kernel.cu");
    let text = read(root, &solution)?;
    let solution = Source::solution(solution, text)?;
    let entries = fs::read_dir(root.join(&folder).join("steps")).into_iter().flatten().flatten();
    let names = entries.map(|entry| folder.join("steps").join(entry.file_name()));
    let mut steps: Vec<PathBuf> = names.filter(|name| name.extension().is_some_and(|e| e == "cu")).collect();
    steps.sort();
    let steps = steps.into_iter().map(|file| {
        let text = read(root, &file)?;
        Source::step(file, text, &solution)
    });
    let steps = steps.collect::<Result<Vec<Source>>>()?;
    Ok(std::iter::once(solution).chain(steps).collect())
}

fn read(root: &Path, file: &Path) -> Result<String> {
    fs::read_to_string(root.join(file)).map_err(|error| {
        Trouble::usage(
            format!("could not read {}: {}", file.display(), explain(&error)),
            "every exercise needs a solution: `cargo workshop check` says what else it lacks",
        )
    })
}

/// Parses CUDA.
///
/// # Errors
/// A grammar and a parser that do not fit each other.
pub fn parse(text: &str) -> Result<Tree> {
    let broken = |what: String| Trouble::judge(what, "report this as a bug");
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_cuda::LANGUAGE.into())
        .map_err(|error| broken(format!("the CUDA grammar does not fit the parser: {error}")))?;
    parser.parse(text, None).ok_or_else(|| broken("the parser gave nothing".to_owned()))
}

/// Visits every node, parents before children.
pub fn each<'a>(node: Node<'a>, visit: &mut impl FnMut(Node<'a>)) {
    visit(node);
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        each(child, visit);
    }
}

/// The functions of a file.
fn functions(tree: &Tree) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    each(tree.root_node(), &mut |node| {
        if node.kind() == "function_definition" {
            found.push(node);
        }
    });
    found
}

/// The byte at which each line begins, and the end.
fn line_starts(text: &str) -> Vec<usize> {
    let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
    std::iter::once(0).chain(ends).chain([text.len()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_steps_own_functions_are_ours() {
        let given = "__device__ int twice(int i) { return 2 * i; }\n";
        let solution = format!("{given}__global__ void k() {{\n// >>> yours\nf();\n// <<<\n}}\n");
        let solution = Source::solution("kernel.cu".into(), solution).ok().unwrap();
        let text = format!("{given}__global__ void k() {{\ng();\n}}\n");
        let step = Source::step("step.cu".into(), text, &solution).ok().unwrap();
        let ours = |source: &Source| {
            let mut found = Vec::new();
            each(source.tree.root_node(), &mut |node| {
                if source.is_ours(node) && node.kind() == "call_expression" {
                    found.push(source.text[node.byte_range()].to_owned());
                }
            });
            found
        };
        assert_eq!((ours(&solution), ours(&step)), (vec!["f()".to_owned()], vec!["g()".to_owned()]));
    }

    #[test]
    fn comments_and_layout_are_no_code() {
        let code = |text: &str| Source::solution("k".into(), text.to_owned()).ok().unwrap().code();
        let plain = code("// >>>\nint i = 1;\n// <<<\n");
        assert_eq!(plain, code("// >>> yours\nint  i\n = 1; // one\n// <<<\n"));
        assert_ne!(plain, code("// >>>\nint i = 2;\n// <<<\n"));
    }
}
