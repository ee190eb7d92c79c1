//! What a function's names stand for, as far as mutants need it: no compiler's types, only what is written.

use std::collections::BTreeMap;

use tree_sitter::Node;

use super::source::each;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One value.
    Scalar,
    /// An address: what it points to lies in global memory in nearly all of the course.
    Pointer {
        /// Of what is not to be written to.
        constant: bool,
    },
    /// An array of this function or file.
    Array,
}

/// A name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its type, or its elements', without qualifiers: `unsigned int`.
    pub element: String,
    /// One or many.
    pub shape: Shape,
    /// Its first value as it is written.
    pub value: Option<String>,
}

/// The names of a function, its file's included.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    names: BTreeMap<String, Variable>,
}

impl Scope {
    /// The names that are declared at the top of a file, and in this function.
    pub fn of(root: Node<'_>, function: Node<'_>, text: &str) -> Self {
        let mut scope = Scope::default();
        let mut cursor = root.walk();
        for child in root.children(&mut cursor).filter(|child| child.kind() == "declaration") {
            scope.declare(child, text);
        }
        each(function, &mut |node| {
            if matches!(node.kind(), "declaration" | "parameter_declaration") {
                scope.declare(node, text);
            }
        });
        scope
    }

    /// What a name stands for, where it is a variable.
    pub fn get(&self, name: &str) -> Option<&Variable> {
        self.names.get(name)
    }

    fn declare(&mut self, declaration: Node<'_>, text: &str) {
        let Some(element) = declaration.child_by_field_name("type") else { return };
        let mut cursor = declaration.walk();
        let constant = declaration
            .children(&mut cursor)
            .any(|child| child.kind() == "type_qualifier" && &text[child.byte_range()] == "const");
        let mut cursor = declaration.walk();
        for declarator in declaration.children_by_field_name("declarator", &mut cursor) {
            let mut shape = Shape::Scalar;
            let mut value = None;
            let mut inner = declarator;
            while inner.kind() != "identifier" {
                match inner.kind() {
                    "init_declarator" => {
                        value =
                            inner.child_by_field_name("value").map(|node| text[node.byte_range()].to_owned());
                    }
                    "pointer_declarator" => shape = Shape::Pointer { constant },
                    "array_declarator" => shape = Shape::Array,
                    _ => {}
                }
                let next = inner.child_by_field_name("declarator").or_else(|| inner.named_child(0));
                let Some(next) = next else { break };
                inner = next;
            }
            if inner.kind() == "identifier" {
                let element = text[element.byte_range()].to_owned();
                self.names.insert(text[inner.byte_range()].to_owned(), Variable { element, shape, value });
            }
        }
    }
}
