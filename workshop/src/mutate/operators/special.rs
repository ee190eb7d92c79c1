//! One block, warp, lane or value treated differently: what is right by the luck of a small launch or of
//! random values.

use tree_sitter::Node;

use super::{Site, orders};
use crate::mutate::{
    edit::{Edit, Family, short},
    scope::{Shape, Variable},
    source::Role,
};

const FAMILY: Family = Family::Special;

/// Who leaves a store out.
const THREADS: [(&str, &str); 7] = [
    ("the first of several blocks", "gridDim.x > 1 && blockIdx.x == 0"),
    ("the last of several blocks", "gridDim.x > 1 && blockIdx.x == gridDim.x - 1"),
    ("a block in the middle", "gridDim.x > 2 && blockIdx.x == gridDim.x / 2"),
    ("the last of several warps", "blockDim.x > 32 && threadIdx.x / 32 == (blockDim.x - 1) / 32"),
    ("the first lane", "threadIdx.x % 32 == 0"),
    ("the last lane", "threadIdx.x % 32 == 31"),
    ("the only block", "gridDim.x == 1"),
];

/// Which blocks leave a barrier or fence out.
const BLOCKS: [(&str, &str); 3] = [
    ("the first of several blocks", "gridDim.x > 1 && blockIdx.x == 0"),
    ("the last of several blocks", "gridDim.x > 1 && blockIdx.x == gridDim.x - 1"),
    ("the only block", "gridDim.x == 1"),
];

pub fn edit(site: &mut Site<'_>) {
    match site.node.kind() {
        "expression_statement" if orders(site.source, site.node) => unless(site, &BLOCKS),
        "expression_statement" => {
            if let Some(value) = stored(site) {
                // Where one thread stores, other warps and lanes have nothing to leave out.
                let others = if is_for_one(site) { ["warps", "lane"] } else { ["-"; 2] };
                let whom = THREADS.iter().filter(|(who, _)| !others.iter().any(|word| who.contains(word)));
                unless(site, &whom.copied().collect::<Vec<_>>());
                let zero = format!("({}) == 0", site.text(value));
                unless(site, &[("a thread with a 0", &zero)]);
            }
        }
        "subscript_expression" if site.source.role == Role::Solution => repeated(site),
        _ => {}
    }
}

/// Whether a statement is guarded for one thread or lane: `if (thread == 0)`.
fn is_for_one(site: &Site<'_>) -> bool {
    let mut node = site.node;
    while let Some(parent) = node.parent() {
        let condition = (parent.kind() == "if_statement").then(|| parent.child_by_field_name("condition"));
        if condition.flatten().is_some_and(|condition| site.text(condition).contains("== 0")) {
            return true;
        }
        node = parent;
    }
    false
}

/// The value of a statement that stores to global memory.
fn stored<'a>(site: &Site<'a>) -> Option<Node<'a>> {
    let assignment = site.node.named_child(0).filter(|node| node.kind() == "assignment_expression")?;
    let left = assignment.child_by_field_name("left")?;
    let is_plain = site.text(assignment.child_by_field_name("operator")?) == "=";
    (is_plain && site.is_global(left)).then_some(assignment.child_by_field_name("right")?)
}

fn unless(site: &mut Site<'_>, whom: &[(&str, &str)]) {
    for (who, condition) in whom {
        site.edits.push(Edit {
            range: site.node.byte_range(),
            with: format!("if (!({condition})) {{ {} }}", site.own()),
            header: None,
            family: FAMILY,
            what: format!("{who} leaves out `{}`", short(site.own())),
        });
    }
}

/// An element that is its neighbour's equal is taken for nothing new.
fn repeated(site: &mut Site<'_>) {
    let constant = Shape::Pointer { constant: true };
    if !site.is_read() || !site.base(site.node).is_some_and(|Variable { shape, .. }| *shape == constant) {
        return;
    }
    let index = site.field("indices").and_then(|list| list.named_child(0));
    let (Some(array), Some(index)) = (site.field("argument"), index) else { return };
    let (array, index, own) = (site.text(array), site.text(index), site.own());
    let with = format!("(({index}) > 0 && {array}[({index}) - 1] == {own} ? 0 : {own})");
    let what = format!("`{}` is 0 where it is what stands before it", short(own));
    site.change(site.node, with, FAMILY, what);
}
