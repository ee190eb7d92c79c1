//! Comparisons off by one, guards dropped.

use super::{Site, integer};
use crate::mutate::edit::Family;

const FAMILY: Family = Family::Condition;

/// A comparison, what it is taken for, and what is then added to its right side for the other off by one.
const COMPARISONS: [(&str, &[&str], &str); 6] = [
    ("<", &["<="], "- 1"),
    ("<=", &["<"], "+ 1"),
    (">", &[">="], "+ 1"),
    (">=", &[">"], "- 1"),
    ("==", &["!=", "<=", ">="], ""),
    ("!=", &["==", "<", ">"], ""),
];

pub fn edit(site: &mut Site<'_>) {
    match site.node.kind() {
        "binary_expression" => {
            compared(site);
            joined(site);
        }
        "conditional_expression" => {
            for side in ["consequence", "alternative"] {
                if let Some(side) = site.field(side) {
                    site.replace(site.node, format!("({})", site.text(side)), FAMILY);
                }
            }
        }
        "if_statement" => {
            for constant in ["true", "false"] {
                condition(site, constant);
            }
        }
        "while_statement" => condition(site, "false"),
        "unary_expression" if site.own().starts_with('!') => {
            if let Some(inner) = site.field("argument") {
                site.replace(site.node, site.text(inner), FAMILY);
            }
        }
        _ => {}
    }
}

fn compared(site: &mut Site<'_>) {
    let Some((left, operator, right)) = site.operands() else { return };
    let Some((_, taken_for, offset)) = COMPARISONS.iter().find(|(known, ..)| *known == operator) else {
        return;
    };
    let (left, right_text) = (site.text(left), site.text(right));
    // Hardly anything here is less than 0, so that `== 0` is `<= 0`, and `>= 0` always.
    let only_one = right_text == "0" && matches!(operator, "==" | "!=");
    for other in taken_for.iter().take(if only_one { 1 } else { taken_for.len() }) {
        site.replace(site.node, format!("{left} {other} {right_text}"), FAMILY);
    }
    // Of a literal its own neighbours are tried anyway.
    if !offset.is_empty() && integer(right_text).is_none() {
        site.replace(site.node, format!("{left} {operator} {right_text} {offset}"), FAMILY);
    }
}

/// Of two guards one is dropped.
fn joined(site: &mut Site<'_>) {
    let Some((left, "&&" | "||", right)) = site.operands() else { return };
    site.replace(site.node, site.text(left), FAMILY);
    site.replace(site.node, site.text(right), FAMILY);
}

fn condition(site: &mut Site<'_>, constant: &str) {
    if let Some(value) = site.field("condition").and_then(|clause| clause.child_by_field_name("value")) {
        site.replace(value, constant, FAMILY);
    }
}
