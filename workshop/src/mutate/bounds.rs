//! The most that an integer expression of a kernel can be, where that can be seen: from the arguments and
//! extents of its launches, through loops that end at a bound, and from a function's callers.
//!
//! Nothing is negative here: subtractions and divisions are taken for nothing less than what they begin with. An
//! expression that comes from memory or from a computation that is not followed has no bound.

use std::collections::BTreeSet;

use tree_sitter::Node;

use super::{
    operators::call_of,
    reach::Reach,
    scope::{function_of, parameters_of},
    source::{Source, each},
};

/// Follows expressions of one kernel's text.
pub struct Bounds<'a> {
    source: &'a Source,
    reach: &'a Reach,
}

/// Names on the way, each with its function: what depends on itself has no bound.
type Path = BTreeSet<(usize, String)>;

impl<'a> Bounds<'a> {
    /// Those of a kernel whose numbers reach so far.
    pub fn new(source: &'a Source, reach: &'a Reach) -> Self {
        Bounds { source, reach }
    }

    /// The most that an expression can be.
    pub fn most(&self, node: Node<'a>) -> Option<u64> {
        self.expression(node, &mut Path::new())
    }

    /// The most that a variable of the function around a node can be.
    pub fn most_of_name(&self, name: &str, within: Node<'a>) -> Option<u64> {
        self.name(name, within, &mut Path::new())
    }

    fn text(&self, node: Node<'_>) -> &'a str {
        &self.source.text[node.byte_range()]
    }

    fn expression(&self, node: Node<'a>, path: &mut Path) -> Option<u64> {
        match node.kind() {
            "number_literal" => self.text(node).trim_end_matches(['u', 'U', 'l', 'L']).parse().ok(),
            "parenthesized_expression" => self.expression(node.named_child(0)?, path),
            "identifier" => self.name(self.text(node), node, path),
            "cast_expression" => self.expression(node.child_by_field_name("value")?, path),
            "unary_expression" => self.expression(node.child_by_field_name("argument")?, path),
            "conditional_expression" => {
                let sides = ["consequence", "alternative"].map(|side| node.child_by_field_name(side));
                Some(self.expression(sides[0]?, path)?.max(self.expression(sides[1]?, path)?))
            }
            "field_expression" => self.extent(node),
            "binary_expression" => self.binary(node, path),
            "call_expression" => self.call(node, path),
            _ => None,
        }
    }

    fn binary(&self, node: Node<'a>, path: &mut Path) -> Option<u64> {
        let [left, right] = ["left", "right"].map(|side| node.child_by_field_name(side));
        let left = self.expression(left?, path);
        let mut right = || self.expression(right?, path);
        match self.text(node.child_by_field_name("operator")?) {
            "<" | "<=" | ">" | ">=" | "==" | "!=" | "&&" | "||" => Some(1),
            "+" | "|" | "^" => left?.checked_add(right()?),
            "*" => left?.checked_mul(right()?),
            "<<" => left?.checked_shl(right()?.try_into().ok()?),
            "-" | "/" | ">>" => left,
            "%" => at_most(left, right().map(|right| right.saturating_sub(1))),
            "&" => at_most(left, right()),
            _ => None,
        }
    }

    fn call(&self, node: Node<'a>, path: &mut Path) -> Option<u64> {
        let (name, arguments) = call_of(self.source, node)?;
        match (name.as_str(), &*arguments) {
            ("static_cast", [value]) => self.expression(*value, path),
            // Of the course's header: at most what is divided.
            ("ceil_div", [count, _]) => self.expression(*count, path),
            ("min", [a, b]) => at_most(self.expression(*a, path), self.expression(*b, path)),
            ("max", [a, b]) => Some(self.expression(*a, path)?.max(self.expression(*b, path)?)),
            _ => None,
        }
    }

    /// `threadIdx.x` and its like.
    fn extent(&self, node: Node<'a>) -> Option<u64> {
        let dimension = match self.text(node.child_by_field_name("field")?) {
            "x" => 0,
            "y" => 1,
            "z" => 2,
            _ => return None,
        };
        let (function, _) = function_of(node, self.source)?;
        match self.text(node.child_by_field_name("argument")?) {
            "threadIdx" => Some(self.reach.threads(function, dimension)?.saturating_sub(1)),
            "blockDim" => self.reach.threads(function, dimension),
            "blockIdx" => Some(self.reach.blocks(function, dimension)?.saturating_sub(1)),
            "gridDim" => self.reach.blocks(function, dimension),
            _ => None,
        }
    }

    fn name(&self, name: &str, within: Node<'a>, path: &mut Path) -> Option<u64> {
        let known = function_of(within, self.source);
        let place = known.map_or(0, |(_, node)| node.id());
        if !path.insert((place, name.to_owned())) {
            return None;
        }
        let most = match known {
            Some((function, node)) => {
                match parameters_of(node, self.source).iter().position(|is| *is == name) {
                    Some(place) => self.parameter(function, place, path),
                    None => self.variable(name, node, path),
                }
            }
            None => self.variable(name, self.source.tree.root_node(), path),
        };
        path.remove(&(place, name.to_owned()));
        most
    }

    /// A kernel's by its launches, another function's by its calls.
    fn parameter(&self, function: &str, place: usize, path: &mut Path) -> Option<u64> {
        if let Some(most) = self.reach.scalar(function, place) {
            return Some(most);
        }
        let mut most = None;
        let mut all_known = true;
        each(self.source.tree.root_node(), &mut |node| {
            let Some((name, arguments)) = call_of(self.source, node).filter(|(name, _)| name == function)
            else {
                return;
            };
            debug_assert_eq!(name, function);
            match arguments.get(place).and_then(|argument| self.expression(*argument, path)) {
                Some(value) => most = most.max(Some(value)),
                None => all_known = false,
            }
        });
        most.filter(|_| all_known)
    }

    /// The most that is ever written to a variable of a function, or of the file.
    fn variable(&self, name: &str, within: Node<'a>, path: &mut Path) -> Option<u64> {
        let mut writes = Vec::new();
        let root = self.source.tree.root_node();
        let is_local = |scope: Node<'a>, writes: &mut Vec<Node<'a>>| {
            each(scope, &mut |node| {
                if self.is_write(node, name) {
                    writes.push(node);
                }
            });
        };
        is_local(within, &mut writes);
        if writes.is_empty() {
            let mut cursor = root.walk();
            for child in root.children(&mut cursor).filter(|child| child.kind() == "declaration") {
                is_local(child, &mut writes);
            }
            if writes.is_empty() {
                return self.launch_constant(name);
            }
        }
        let mut most = 0;
        for write in writes {
            most = self.written(write, name, path)?.max(most);
        }
        Some(most)
    }

    /// `LAUNCH_CONSTANT(NAME, 256);`
    fn launch_constant(&self, name: &str) -> Option<u64> {
        let (_, rest) = self.source.text.split_once(&format!("\nLAUNCH_CONSTANT({name},"))?;
        rest.split_once(')')?.0.trim().parse().ok()
    }

    /// Whether a node gives a variable a value.
    fn is_write(&self, node: Node<'_>, name: &str) -> bool {
        let target = match node.kind() {
            "init_declarator" => "declarator",
            "assignment_expression" => "left",
            "update_expression" => "argument",
            // Its address goes somewhere, and then anything may be written.
            "pointer_expression" => "argument",
            _ => return false,
        };
        let is_address = node.kind() != "pointer_expression" || self.text(node).starts_with('&');
        is_address && node.child_by_field_name(target).is_some_and(|target| self.text(target) == name)
    }

    fn written(&self, write: Node<'a>, name: &str, path: &mut Path) -> Option<u64> {
        if write.kind() == "init_declarator" {
            return self.expression(write.child_by_field_name("value")?, path);
        }
        let operator = write.child_by_field_name("operator").map_or("", |node| self.text(node));
        match operator {
            "=" => self.expression(write.child_by_field_name("right")?, path),
            "-=" | "/=" | ">>=" | "%=" | "&=" | "--" => Some(0),
            "+=" | "*=" | "<<=" | "++" => self.end_of_loop(write, name, path),
            _ => None,
        }
    }

    /// What a variable grows to in the loop around a node, where the loop goes on only below a bound.
    fn end_of_loop(&self, node: Node<'a>, name: &str, path: &mut Path) -> Option<u64> {
        let mut inner = node;
        while let Some(parent) = inner.parent() {
            inner = parent;
            if !matches!(inner.kind(), "for_statement" | "while_statement") {
                continue;
            }
            let Some(condition) = inner.child_by_field_name("condition") else { continue };
            let mut most = None;
            each(condition, &mut |node| {
                let is_bound = node.kind() == "binary_expression"
                    && node.child_by_field_name("operator").is_some_and(|is| self.text(is).starts_with('<'))
                    && node.child_by_field_name("left").is_some_and(|left| self.mentions(left, name));
                if let Some(right) = node.child_by_field_name("right").filter(|_| is_bound && most.is_none())
                {
                    most = self.expression(right, path);
                }
            });
            if most.is_some() {
                return most;
            }
        }
        None
    }

    /// Whether a name stands in a sum such as `i + 3`.
    fn mentions(&self, node: Node<'_>, name: &str) -> bool {
        let mut found = false;
        each(node, &mut |node| found |= node.kind() == "identifier" && self.text(node) == name);
        found
    }
}

/// The smaller of two bounds, or the one that is known.
fn at_most(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use harness::plan::{Argument, Launch, Plan, Step};

    use super::*;

    /// The most that the right side of `int x = …;` can be, in a kernel of blocks of 64 with an n of 1000.
    fn most(code: &str) -> Option<u64> {
        let text = format!(
            "LAUNCH_CONSTANT(SIDE, 1);\nLAUNCH_CONSTANT(WIDE, 300);\nconstexpr int TILE = 4 * WIDE;\n\
             __global__ void k(const int *in, int n) {{\n// >>> yours\n{code}\n// <<<\n}}\n"
        );
        let source = Source::solution("kernel.cu".into(), text).expect("it has marks");
        let mut launch = Launch::new("k", 10, 64);
        launch.arguments = vec![Argument::Null, Argument::scalar(1000)];
        let plan = Plan { steps: vec![Step::Launch(launch)], ..Plan::default() };
        let reach = Reach::of_plan(&plan);
        let mut found = None;
        each(source.tree.root_node(), &mut |node| {
            if node.kind() == "init_declarator" && source.text[node.byte_range()].starts_with("x =") {
                let bounds = Bounds::new(&source, &reach);
                found = Some(bounds.most(node.child_by_field_name("value").expect("a value")));
            }
        });
        found.expect("an x")
    }

    #[test]
    fn sums_of_what_is_known_are_bounded() {
        assert_eq!(most("int x = blockIdx.x * blockDim.x + threadIdx.x;"), Some(9 * 64 + 63));
        assert_eq!(most("int i = threadIdx.x % 32;\nint x = i << 2;"), Some(31 << 2));
        assert_eq!(most("int x = min(in[0], n - 1) + TILE;"), Some(1000 + 1200));
        assert_eq!(most("int x = n > 3 ? (int)threadIdx.x : n;"), Some(1000));
        assert_eq!(most("int x = ceil_div(n, TILE);"), Some(1000));
    }

    #[test]
    fn loops_end_at_their_bound() {
        assert_eq!(most("for (int i = threadIdx.x; i < n; i += 64) { int x = i; }"), Some(1000));
        assert_eq!(most("int i = 512;\nwhile (i > 0) { i /= 2; int x = i; }"), Some(512));
        assert_eq!(most("int i = 0;\nfor (;;) { ++i; int x = i; }"), None);
    }

    #[test]
    fn a_function_is_bounded_by_its_calls() {
        let text = "__device__ int half(int of) { int x = of; return x; }\n";
        assert_eq!(of_function(text, "half(3); half(40);"), Some(40));
        assert_eq!(of_function(text, "half(3); half(in[0]);"), None);
    }

    /// The most that the function's `x` can be.
    fn of_function(function: &str, code: &str) -> Option<u64> {
        let text =
            format!("{function}__global__ void k(const int *in) {{\n// >>> yours\n{code}\n// <<<\n}}\n");
        let source = Source::solution("kernel.cu".into(), text).expect("it has marks");
        let reach = Reach::default();
        let mut within = None;
        each(source.tree.root_node(), &mut |node| {
            if node.kind() == "return_statement" {
                within = Some(node);
            }
        });
        Bounds::new(&source, &reach).most_of_name("x", within.expect("a function"))
    }

    #[test]
    fn memory_and_what_depends_on_itself_have_no_bound() {
        assert_eq!(most("int x = in[0];"), None);
        assert_eq!(most("int i = 1;\ni = i + 1;\nint x = i;"), None);
        assert_eq!(most("int i = 1;\nread(&i);\nint x = i;"), None);
    }
}
