//! Indices and bounds off by one, dimensions swapped.

use super::{Site, integer};
use crate::mutate::edit::Family;

const FAMILY: Family = Family::Index;

/// Names that stand for the same thing in two dimensions.
const COUNTERPARTS: [(&str, &str); 12] = [
    ("row", "column"),
    ("rows", "columns"),
    ("x", "y"),
    ("image_x", "image_y"),
    ("quad_x", "quad_y"),
    ("left", "top"),
    ("width", "height"),
    ("m", "n"),
    ("n", "k"),
    ("m", "k"),
    ("i", "j"),
    ("BLOCK_WIDTH", "BLOCK_HEIGHT"),
];
const GRID: [&str; 4] = ["threadIdx", "blockIdx", "blockDim", "gridDim"];

pub fn edit(site: &mut Site<'_>) {
    match site.node.kind() {
        "subscript_expression" => {
            off_by_one(site);
            turned(site);
        }
        "number_literal" => neighbours_of_a_literal(site),
        "field_expression" => other_dimension(site),
        "identifier" => counterpart(site),
        "assignment_expression" => step(site),
        _ => {}
    }
}

fn off_by_one(site: &mut Site<'_>) {
    let Some(index) = index(site, site.node) else { return };
    if integer(site.text(index)).is_none() {
        let text = site.text(index);
        for offset in ["+ 1", "- 1"] {
            site.replace(index, format!("({text}) {offset}"), FAMILY);
        }
    }
}

/// `a[row][column]` as `a[column][row]`.
fn turned(site: &mut Site<'_>) {
    let Some(inner) = site.field("argument").filter(|inner| inner.kind() == "subscript_expression") else {
        return;
    };
    let parts = (inner.child_by_field_name("argument"), index(site, inner), index(site, site.node));
    if let (Some(array), Some(first), Some(second)) = parts {
        let turned = format!("{}[{}][{}]", site.text(array), site.text(second), site.text(first));
        site.replace(site.node, turned, FAMILY);
    }
}

fn index<'a>(_: &Site<'a>, subscript: tree_sitter::Node<'a>) -> Option<tree_sitter::Node<'a>> {
    subscript.child_by_field_name("indices")?.named_child(0)
}

fn neighbours_of_a_literal(site: &mut Site<'_>) {
    if let Some(value) = integer(site.own()) {
        site.replace(site.node, (value + 1).to_string(), FAMILY);
        site.replace(site.node, (value - 1).to_string(), FAMILY);
    }
}

/// Only where the kernel has two dimensions.
fn other_dimension(site: &mut Site<'_>) {
    let (Some(object), Some(dimension)) = (site.field("argument"), site.field("field")) else { return };
    let object = site.text(object);
    if !GRID.contains(&object) || !site.source.text.contains("Idx.y") {
        return;
    }
    let other = match site.text(dimension) {
        "x" => "y",
        "y" => "x",
        _ => return,
    };
    site.replace(site.node, format!("{object}.{other}"), FAMILY);
}

/// A name is taken for its counterpart, where the function has both.
fn counterpart(site: &mut Site<'_>) {
    let own = site.own();
    let parent = site.node.parent();
    let declared = parent.is_some_and(|parent| {
        parent.kind().ends_with("declarator") && {
            parent.child_by_field_name("declarator") == Some(site.node)
        }
    });
    if declared || !site.source.text.contains("Idx.y") {
        return;
    }
    for (one, other) in COUNTERPARTS {
        let other = match own {
            _ if own == one => other,
            _ if own == other => one,
            _ => continue,
        };
        if site.scope.get(other).is_some() {
            site.replace(site.node, other, FAMILY);
        }
    }
}

/// A loop that steps too far.
fn step(site: &mut Site<'_>) {
    let is_update = site.node.parent().is_some_and(|parent| {
        parent.kind() == "for_statement" && parent.child_by_field_name("update") == Some(site.node)
    });
    if let (true, Some((_, "+=" | "-=", by))) = (is_update, site.operands()) {
        site.replace(by, format!("{} + 1", site.text(by)), FAMILY);
    }
}
