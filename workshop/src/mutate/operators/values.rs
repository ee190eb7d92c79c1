//! Terms dropped, constants that are not the identity, operations taken for others.

use super::{Site, integer};
use crate::mutate::edit::Family;

const FAMILY: Family = Family::Value;

pub fn edit(site: &mut Site<'_>) {
    match site.node.kind() {
        "binary_expression" => {
            dropped(site);
            subtraction_for_comparison(site);
        }
        "assignment_expression" => {
            if let Some((left, operator, right)) = site.operands()
                && operator.len() > 1
            {
                site.replace(site.node, format!("{} = {}", site.text(left), site.text(right)), FAMILY);
            }
        }
        "number_literal" if integer(site.own()).is_none() && site.own().contains('.') => {
            site.replace(site.node, format!("({} + 1)", site.own()), FAMILY);
        }
        "unary_expression" => negated(site),
        "call_expression" => call(site),
        _ => {}
    }
}

fn dropped(site: &mut Site<'_>) {
    let Some((left, operator, right)) = site.operands() else { return };
    if matches!(operator, "+" | "-" | "*" | "/" | "%" | "^" | "|" | "&" | "<<" | ">>") {
        site.replace(site.node, site.text(left), FAMILY);
    }
    if matches!(operator, "+" | "-" | "*" | "^" | "|") {
        site.replace(site.node, format!("({})", site.text(right)), FAMILY);
    }
}

/// `a > b` as `a - b > 0`, which overflows. Only of data: indices are small.
fn subtraction_for_comparison(site: &mut Site<'_>) {
    let Some((left, operator @ ("<" | "<=" | ">" | ">="), right)) = site.operands() else { return };
    let is_data = |node: tree_sitter::Node<'_>| {
        let text = site.text(node);
        let value = site.scope.get(text).and_then(|variable| variable.value.as_deref());
        text.contains('[') || value.is_some_and(|value| value.contains('['))
    };
    if (is_data(left) || is_data(right)) && integer(site.text(right)) != Some(0) {
        let (left, right) = (site.text(left), site.text(right));
        site.replace(site.node, format!("({left}) - ({right}) {operator} 0"), FAMILY);
    }
}

fn negated(site: &mut Site<'_>) {
    if site.own() == "-INFINITY" {
        for other in ["0.0f", "-1e30f", "-3.402823466e+38f"] {
            site.replace(site.node, other, FAMILY);
        }
    } else if site.own().starts_with('-')
        && let Some(inner) = site.field("argument")
    {
        site.replace(site.node, site.text(inner), FAMILY);
    }
}

/// The greater of two as one of both, and as a comparison that treats NaN otherwise. A cast left out.
fn call(site: &mut Site<'_>) {
    let Some((name, arguments)) = site.call() else { return };
    let own: Vec<&str> = arguments.iter().map(|node| site.text(*node)).collect();
    match (name.as_str(), &*own) {
        ("min" | "max" | "fmaxf" | "fminf" | "fmax" | "fmin", [a, b]) => {
            site.replace(site.node, format!("({a})"), FAMILY);
            site.replace(site.node, format!("({b})"), FAMILY);
            if name.starts_with('f') {
                let operator = if name.contains("max") { '>' } else { '<' };
                site.replace(site.node, format!("({a} {operator} {b} ? {a} : {b})"), FAMILY);
                site.replace(site.node, format!("({b} {operator} {a} ? {b} : {a})"), FAMILY);
            }
        }
        ("static_cast", [value]) => site.replace(site.node, format!("({value})"), FAMILY),
        _ => {}
    }
}
