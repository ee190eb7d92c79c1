//! The operators: each looks at one node of a kernel's tree and says what a slip of the hand makes of it.
//!
//! One file for each family. An operator knows the node, its neighbours and the names of its function; it
//! knows no exercise and judges nothing. What does not compile is sorted out later, so an operator need not
//! know types exactly.

mod conditions;
mod indices;
mod memory;
mod removal;
mod special;
mod synchronization;
#[cfg(test)]
mod tests;
mod values;
mod width;

use tree_sitter::Node;

use super::{
    bounds::Bounds,
    edit::{Edit, Family, short},
    reach::Reach,
    scope::{Scope, Shape, Variable},
    source::{Role, Source},
};

/// A node and what can be known of it.
pub struct Site<'a> {
    source: &'a Source,
    scope: &'a Scope,
    reach: &'a Reach,
    node: Node<'a>,
    edits: Vec<Edit>,
}

/// Everything that the operators make of one node.
pub fn edits(source: &Source, scope: &Scope, reach: &Reach, node: Node<'_>) -> Vec<Edit> {
    let mut site = Site { source, scope, reach, node, edits: Vec::new() };
    synchronization::edit(&mut site);
    memory::edit(&mut site);
    conditions::edit(&mut site);
    indices::edit(&mut site);
    values::edit(&mut site);
    removal::edit(&mut site);
    special::edit(&mut site);
    // A step meets the same cases as the solution: the same values, as large and as many.
    if source.role == Role::Solution {
        width::edit(&mut site);
    }
    site.edits
}

impl<'a> Site<'a> {
    fn text(&self, node: Node<'_>) -> &'a str {
        &self.source.text[node.byte_range()]
    }

    fn own(&self) -> &'a str {
        self.text(self.node)
    }

    fn field(&self, name: &str) -> Option<Node<'a>> {
        self.node.child_by_field_name(name)
    }

    /// The operands and the operator of a binary expression or assignment.
    fn operands(&self) -> Option<(Node<'a>, &'a str, Node<'a>)> {
        let operator = self.field("operator")?;
        Some((self.field("left")?, self.text(operator), self.field("right")?))
    }

    /// The name of the function that this node calls, and its arguments. Qualified names come whole,
    /// methods as `.name`.
    fn call(&self) -> Option<(String, Vec<Node<'a>>)> {
        call_of(self.source, self.node)
    }

    /// The variable that a subscript or a dereference begins at, e.g. that of `in` for `in[i].x`.
    fn base(&self, node: Node<'a>) -> Option<&'a Variable> {
        let mut inner = node;
        while inner.kind() != "identifier" {
            inner = inner.child_by_field_name("argument").or_else(|| inner.named_child(0))?;
        }
        self.scope.get(self.text(inner))
    }

    /// Whether a node is an element in global memory, e.g. `in[i]`, `*out`.
    fn is_global(&self, node: Node<'a>) -> bool {
        matches!(node.kind(), "subscript_expression" | "pointer_expression" | "field_expression")
            && self.base(node).is_some_and(|variable| matches!(variable.shape, Shape::Pointer { .. }))
            && !self.text(node).starts_with('&')
    }

    /// Whether this node's value is used: it is no address and no place that is assigned to.
    fn is_read(&self) -> bool {
        let Some(parent) = self.node.parent() else { return false };
        let is_left = parent.child_by_field_name("left") == Some(self.node);
        match parent.kind() {
            "assignment_expression" => !is_left,
            "update_expression" => false,
            "pointer_expression" => !self.text(parent).starts_with('&'),
            // Of `a[i][j]` and `a[i].x` the whole is read, not the part.
            "subscript_expression" | "field_expression" => {
                parent.child_by_field_name("argument") != Some(self.node)
            }
            _ => true,
        }
    }

    /// How large this function's numbers are.
    fn bounds(&self) -> Bounds<'a> {
        Bounds::new(self.source, self.reach)
    }

    fn change(&mut self, node: Node<'_>, with: String, family: Family, what: String) {
        if self.text(node) != with {
            self.edits.push(Edit { range: node.byte_range(), with, header: None, family, what });
        }
    }

    /// This code instead of that.
    fn replace(&mut self, node: Node<'_>, with: impl Into<String>, family: Family) {
        let with = with.into();
        let what = format!("`{}` becomes `{}`", short(self.text(node)), short(&with));
        self.change(node, with, family, what);
    }

    /// Nothing instead of a statement.
    fn remove(&mut self, node: Node<'_>, family: Family) {
        self.change(node, ";".to_owned(), family, format!("remove `{}`", short(self.text(node))));
    }

    /// This node's neighbour statements: the one before and the one behind. Comments are none.
    fn neighbours(&self) -> (Option<Node<'a>>, Option<Node<'a>>) {
        let (mut before, mut behind) = (self.node.prev_named_sibling(), self.node.next_named_sibling());
        while let Some(node) = before.filter(|node| node.kind() == "comment") {
            before = node.prev_named_sibling();
        }
        while let Some(node) = behind.filter(|node| node.kind() == "comment") {
            behind = node.next_named_sibling();
        }
        (before, behind)
    }
}

/// As [`Site::call`], of any node.
pub fn call_of<'a>(source: &Source, node: Node<'a>) -> Option<(String, Vec<Node<'a>>)> {
    if node.kind() != "call_expression" {
        return None;
    }
    let function = node.child_by_field_name("function")?;
    let text = |node: Node<'_>| source.text[node.byte_range()].to_owned();
    let name = match function.kind() {
        "template_function" => text(function.child_by_field_name("name")?),
        "field_expression" => format!(".{}", text(function.child_by_field_name("field")?)),
        _ => text(function),
    };
    let arguments = node.child_by_field_name("arguments")?;
    let mut cursor = arguments.walk();
    let arguments = arguments.named_children(&mut cursor).filter(|node| node.kind() != "comment").collect();
    Some((name, arguments))
}

/// Whether a statement orders something: it is nothing but a call of a barrier, fence or wait.
fn orders(source: &Source, statement: Node<'_>) -> bool {
    const ORDERING: [&str; 7] =
        ["__syncthreads", "__syncwarp", "__threadfence", "wait", "fence", ".sync", "commit"];
    let call = |node| call_of(source, node).map(|(name, _)| name);
    match statement.named_child(0) {
        Some(inner) if statement.kind() == "expression_statement" => match inner.kind() {
            "gnu_asm_expression" => ["bar", "fence", "membar", "cp.async"]
                .iter()
                .any(|word| source.text[inner.byte_range()].contains(word)),
            _ => call(inner).is_some_and(|name| {
                // A read that waits for its value is the exercise's own `wait_for`.
                name != "wait_for" && ORDERING.iter().any(|word| name.contains(word))
                    || name.starts_with("end_of_")
            }),
        },
        _ => false,
    }
}

/// Whether something is an integer as it is written: a literal of digits.
fn integer(text: &str) -> Option<i64> {
    text.trim_end_matches(['u', 'U']).parse().ok()
}
