//! Fewer bits than a value or an index needs: `char`, `short`, 24 bits, half, bfloat, integers of floats, signs
//! dropped.

use tree_sitter::Node;

use super::Site;
use crate::mutate::{
    edit::{Edit, Family, short},
    scope::Shape,
};

const FAMILY: Family = Family::Width;

/// An integer's value in fewer bits.
const INTEGERS: [(&str, &str); 7] = [
    ("8 bits", "(signed char)(VALUE)"),
    ("8 bits without sign", "(unsigned char)(VALUE)"),
    ("16 bits", "(short)(VALUE)"),
    ("16 bits without sign", "(unsigned short)(VALUE)"),
    ("24 bits", "((int)(VALUE) << 8 >> 8)"),
    ("the 24 bits of a float", "(int)(float)(VALUE)"),
    ("its magnitude", "abs((int)(VALUE))"),
];

/// A float's value in fewer bits.
const FLOATS: [(&str, &str); 7] = [
    ("8 bits", "(signed char)(VALUE)"),
    ("16 bits", "(short)(VALUE)"),
    ("an integer", "(int)(VALUE)"),
    ("a half", "__half2float(__float2half(VALUE))"),
    ("a bfloat", "__uint_as_float(__float_as_uint(VALUE) & 0xffff0000u)"),
    ("finite", "fminf(fmaxf(VALUE, -3.402823466e+38f), 3.402823466e+38f)"),
    ("its magnitude", "fabsf(VALUE)"),
];

/// Bits of an index.
const INDEX_BITS: [u32; 3] = [12, 16, 21];

pub fn edit(site: &mut Site<'_>) {
    match site.node.kind() {
        "subscript_expression" => {
            if site.is_global(site.node) && site.is_read() {
                narrowed(site, site.node);
            }
            index(site);
        }
        "assignment_expression" => stored(site),
        "primitive_type" | "sized_type_specifier" | "type_identifier" => declared(site),
        _ => {}
    }
}

/// What is written to an array.
fn stored(site: &mut Site<'_>) {
    let Some((left, "=", right)) = site.operands() else { return };
    if left.kind() == "subscript_expression" || site.is_global(left) {
        let element = site.base(left).map(|variable| variable.element.clone());
        narrow(site, right, element.as_deref());
    }
}

fn narrowed(site: &mut Site<'_>, node: Node<'_>) {
    let element = site.base(site.node).map(|variable| variable.element.clone());
    narrow(site, node, element.as_deref());
}

fn narrow(site: &mut Site<'_>, node: Node<'_>, element: Option<&str>) {
    let kinds: &[_] = match element {
        Some("float" | "double") => &FLOATS,
        // Of a template's type: what fits both.
        Some("int" | "unsigned int" | "unsigned" | "long long" | "T") => &INTEGERS,
        _ => return,
    };
    let element = element.unwrap_or_default();
    for (what, code) in kinds {
        if *what == "finite" && !site.reach.has_infinities() {
            continue;
        }
        let value = code.replace("VALUE", site.text(node));
        let header = code.contains("half").then_some("cuda_fp16.h");
        site.edits.push(Edit {
            range: node.byte_range(),
            with: format!("({element})({value})"),
            header,
            family: FAMILY,
            what: format!("of `{}` only {what}", short(site.text(node))),
        });
    }
}

/// Indices of global memory; others are small.
fn index(site: &mut Site<'_>) {
    let Some(array) = site.field("argument") else { return };
    let (function, parameter) = site.scope.parameter(site.text(array));
    let elements = site.reach.elements(function, parameter);
    let is_global =
        site.scope.get(site.text(array)).is_some_and(|known| matches!(known.shape, Shape::Pointer { .. }));
    let Some(index) = site.field("indices").and_then(|list| list.named_child(0)).filter(|_| is_global) else {
        return;
    };
    let most = site.bounds().most(index).unwrap_or(u64::MAX).min(elements.saturating_sub(1));
    for bits in INDEX_BITS.into_iter().filter(|bits| most >> bits > 0) {
        let what = format!("of the index `{}` only {bits} bits", short(site.text(index)));
        site.change(index, format!("({}) & {:#x}", site.text(index), (1u32 << bits) - 1), FAMILY, what);
    }
}

/// A variable of a smaller type.
fn declared(site: &mut Site<'_>) {
    let Some(declaration) = site.node.parent().filter(|parent| parent.kind() == "declaration") else {
        return;
    };
    if site.text(declaration).contains("constexpr") || site.text(declaration).contains('*') {
        return;
    }
    let (smaller, holds) = match site.own() {
        "int" => ("short", i16::MAX as u64),
        "unsigned" | "unsigned int" => ("unsigned short", u16::MAX.into()),
        "long long" | "size_t" => ("int", i32::MAX as u64),
        "double" => ("float", 0),
        _ => return,
    };
    let bounds = site.bounds();
    let mut cursor = declaration.walk();
    let is_small = |declarator: Node<'_>| {
        let name = declarator.child_by_field_name("declarator").unwrap_or(declarator);
        bounds.most_of_name(site.text(name), site.node).is_some_and(|most| most <= holds)
    };
    if site.own() != "double" && declaration.children_by_field_name("declarator", &mut cursor).all(is_small) {
        return;
    }
    let what = format!("`{}` in `{}` becomes `{smaller}`", site.own(), short(site.text(declaration)));
    site.change(site.node, smaller.to_owned(), FAMILY, what);
}
