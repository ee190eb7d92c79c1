//! All mutants of a kernel, in the order of its text, none twice.

use std::collections::{BTreeMap, HashSet};

use tree_sitter::Node;

use super::{
    edit::{Edit, Mutant},
    operators,
    reach::Reach,
    scope::Scope,
    source::Source,
};

/// Nodes in which nothing is mutated: what is no code of the kernel's own, or checked by the compiler.
const LEFT_ALONE: [&str; 6] = [
    "comment",
    "preproc_call",
    "preproc_include",
    "static_assert_declaration",
    "ERROR",
    "template_parameter_list",
];

/// The mutants of a kernel, whose indices reach so far.
pub fn mutants(source: &Source, reach: &Reach) -> Vec<Mutant> {
    let mut edits = Vec::new();
    let root = source.tree.root_node();
    walk(source, root, &Scope::of(root, root, &source.text), reach, &mut edits);
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let mut known = HashSet::from([source.text.clone()]);
    let mut numbers: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut mutants = Vec::new();
    for edit in edits {
        let text = edit.apply(&source.text);
        if known.insert(text.clone()) {
            mutants.push(mutant(source, edit, text, &mut numbers));
        }
    }
    mutants
}

fn walk(source: &Source, node: Node<'_>, scope: &Scope, reach: &Reach, edits: &mut Vec<Edit>) {
    if LEFT_ALONE.contains(&node.kind()) {
        return;
    }
    let own_scope = (node.kind() == "function_definition")
        .then(|| Scope::of(source.tree.root_node(), node, &source.text));
    let scope = own_scope.as_ref().unwrap_or(scope);
    if source.is_ours(node) {
        edits.extend(operators::edits(source, scope, reach, node));
    }
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        walk(source, child, scope, reach, edits);
    }
}

fn mutant(
    source: &Source,
    edit: Edit,
    text: String,
    numbers: &mut BTreeMap<(String, String), usize>,
) -> Mutant {
    let before = &source.text[..edit.range.start];
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let code = source.text[start..].lines().next().unwrap_or_default().trim().to_owned();
    let number = numbers.entry((code.clone(), edit.what.clone())).or_default();
    *number += 1;
    Mutant {
        file: source.file.clone(),
        line: before.matches('\n').count() + 1,
        column: before[start..].chars().count() + 1,
        family: edit.family,
        what: edit.what,
        code,
        number: *number,
        text,
    }
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        path::{Path, PathBuf},
    };

    use super::*;
    use crate::mutate::{
        equivalents,
        source::{Role, each, of_exercise},
    };

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
    }

    fn exercises() -> Vec<String> {
        let entries = fs::read_dir(root().join("solutions")).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let found: Vec<_> = names.filter(|name| name.starts_with(|c: char| c.is_ascii_digit())).collect();
        assert!(found.len() >= 19);
        found
    }

    /// A writer mends comments of a solution and of no step, say. The record of the mutants must stay valid.
    #[test]
    fn other_comments_give_the_same_mutants() {
        let other = |text: &str| {
            let lines = text.lines().map(|line| match line.split_once("//") {
                Some((code, comment)) if !comment.trim_start().starts_with(['>', '<']) => {
                    format!("{code}   // /* Other words, `f();` */ → {}\n", comment.len())
                }
                _ => format!("{line}\n"),
            });
            lines.collect::<String>()
        };
        let named = |source: &Source| -> Vec<(usize, usize, String)> {
            let all = mutants(source, &Reach::unlimited());
            all.iter().map(|mutant| (mutant.line, mutant.column, equivalents::name(mutant))).collect()
        };
        for exercise in exercises() {
            let sources = of_exercise(&root(), &exercise).ok().unwrap();
            let read = |source: &Source| fs::read_to_string(root().join(&source.file)).unwrap();
            let solution = Source::solution(sources[0].file.clone(), other(&read(&sources[0]))).ok().unwrap();
            assert_eq!(named(&sources[0]), named(&solution), "{exercise}");
            for source in sources.iter().filter(|source| source.role == Role::Step) {
                let step = Source::step(source.file.clone(), read(source), &solution).ok().unwrap();
                assert_eq!(named(source), named(&step), "{}", source.file.display());
            }
        }
    }

    /// What the grammar does not understand is not mutated: it must not be a learner's whole function.
    #[test]
    fn the_courses_kernels_are_understood() {
        for exercise in exercises() {
            for source in of_exercise(&root(), &exercise).ok().unwrap() {
                let mut errors = Vec::new();
                each(source.tree.root_node(), &mut |node| {
                    if source.is_ours(node) && (node.is_error() || node.is_missing()) {
                        errors.push(source.text[..node.start_byte()].lines().last().unwrap_or_default());
                    }
                });
                // The grammar lacks `__align__`, and macros among the operands of an `asm`, whose lines begin with a colon.
                errors.retain(|line| !line.contains("__align__") && !line.trim_start().starts_with(':'));
                assert_eq!(errors, [""; 0], "{}", source.file.display());
                assert!(mutants(&source, &Reach::unlimited()).len() > 10, "{}", source.file.display());
            }
        }
    }
}
