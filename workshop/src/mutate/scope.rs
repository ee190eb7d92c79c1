//! What a function's names stand for, as far as mutants need it: no compiler's types, only what is written.

use std::collections::BTreeMap;

use tree_sitter::Node;

use super::source::{Source, each};

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
    function: String,
    parameters: Vec<String>,
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
        scope.describe(function, text);
        scope
    }

    /// The function's name, and which of its parameters this is.
    pub fn parameter(&self, name: &str) -> (&str, Option<usize>) {
        (&self.function, self.parameters.iter().position(|parameter| parameter == name))
    }

    /// The function's name.
    pub fn function(&self) -> &str {
        &self.function
    }

    /// What a name stands for, where it is a variable.
    pub fn get(&self, name: &str) -> Option<&Variable> {
        self.names.get(name)
    }

    fn describe(&mut self, function: Node<'_>, text: &str) {
        if let Some((name, parameters)) = signature(function, text) {
            self.function = name.to_owned();
            self.parameters = parameters.into_iter().map(str::to_owned).collect();
        }
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

/// The function around a node, with its name.
pub fn function_of<'a>(node: Node<'a>, source: &'a Source) -> Option<(&'a str, Node<'a>)> {
    let mut inner = node;
    while inner.kind() != "function_definition" {
        inner = inner.parent()?;
    }
    Some((signature(inner, &source.text)?.0, inner))
}

/// The names of a function's parameters.
pub fn parameters_of<'a>(function: Node<'a>, source: &'a Source) -> Vec<&'a str> {
    signature(function, &source.text).map(|(_, parameters)| parameters).unwrap_or_default()
}

/// A function's name and those of its parameters.
fn signature<'a>(function: Node<'_>, text: &'a str) -> Option<(&'a str, Vec<&'a str>)> {
    let mut declarator = function.child_by_field_name("declarator")?;
    // The declarator of what returns an address stands in one of a pointer.
    while declarator.kind() != "function_declarator" {
        declarator = declarator.child_by_field_name("declarator").or_else(|| declarator.named_child(0))?;
    }
    let name = declarator.child_by_field_name("declarator")?;
    let parameters = declarator.child_by_field_name("parameters")?;
    let mut cursor = parameters.walk();
    let names =
        parameters.named_children(&mut cursor).filter(|node| node.kind() != "comment").map(|parameter| {
            // The name stands last, behind type and stars.
            let mut words = text[parameter.byte_range()].rsplit(|c: char| !c.is_alphanumeric() && c != '_');
            words.next().unwrap_or_default()
        });
    Some((&text[name.byte_range()], names.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutate::source::parse;

    #[test]
    fn names_stand_for_values_addresses_and_arrays() {
        let text = "constexpr int SIDE = 4;\n\
                    __global__ void k(const float *in, unsigned int *out, int n) {\n\
                    __shared__ float tile[SIDE][SIDE + 1];\n  double sum = 0.0;\n}\n";
        let tree = parse(text).ok().unwrap();
        let root = tree.root_node();
        let function = root.named_child(1).unwrap();
        let scope = Scope::of(root, function, text);
        let shown = ["SIDE", "in", "out", "n", "tile", "sum"].map(|name| {
            let Variable { element, shape, value } = scope.get(name).unwrap();
            format!("{name}: {element} {shape:?} {value:?}")
        });
        insta::assert_snapshot!(shown.join("\n"), @r#"
        SIDE: int Scalar Some("4")
        in: float Pointer { constant: true } None
        out: unsigned int Pointer { constant: false } None
        n: int Scalar None
        tile: float Array None
        sum: double Scalar Some("0.0")
        "#);
        assert_eq!(scope.parameter("out"), ("k", Some(1)));
        assert_eq!(scope.parameter("tile"), ("k", None));
    }
}
