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
    use std::{fs, path::Path};

    use super::*;
    use crate::mutate::source::{each, of_exercise};

    /// What the grammar does not understand is not mutated: it must not be a learner's whole function.
    #[test]
    fn the_courses_kernels_are_understood() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut exercises: Vec<_> =
            fs::read_dir(root.join("solutions")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        exercises.retain(|name| name.to_string_lossy().starts_with(|c: char| c.is_ascii_digit()));
        assert!(exercises.len() >= 19);
        for exercise in exercises {
            for source in of_exercise(&root, exercise.to_str().unwrap()).ok().unwrap() {
                let mut errors = Vec::new();
                each(source.tree.root_node(), &mut |node| {
                    if source.is_ours(node) && (node.is_error() || node.is_missing()) {
                        errors.push(source.text[..node.start_byte()].lines().last().unwrap_or_default());
                    }
                });
                // The grammar lacks `__align__`.
                errors.retain(|line| !line.contains("__align__"));
                assert_eq!(errors, [""; 0], "{}", source.file.display());
                assert!(mutants(&source, &Reach::unlimited()).len() > 10, "{}", source.file.display());
            }
        }
    }
}
