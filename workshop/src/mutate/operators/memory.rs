//! Atomics, scopes, memory orders, `volatile`, the read-only path.

use super::Site;
use crate::mutate::{
    edit::Family,
    scope::{Shape, Variable},
};

const FAMILY: Family = Family::Memory;

/// Names of scopes and orders, each with what it is weakened to.
const WEAKER: [(&str, &[&str]); 6] = [
    ("thread_scope_system", &["thread_scope_device"]),
    ("thread_scope_device", &["thread_scope_block"]),
    ("memory_order_seq_cst", &["memory_order_acq_rel"]),
    ("memory_order_acq_rel", &["memory_order_acquire", "memory_order_release", "memory_order_relaxed"]),
    ("memory_order_acquire", &["memory_order_relaxed"]),
    ("memory_order_release", &["memory_order_relaxed"]),
];

/// The same in PTX.
const WEAKER_PTX: [(&str, &str); 6] = [
    (".acquire", ".relaxed"),
    (".release", ".relaxed"),
    (".acq_rel", ".relaxed"),
    (".acq_rel", ".acquire"),
    (".acq_rel", ".release"),
    (".gpu", ".cta"),
];

pub fn edit(site: &mut Site<'_>) {
    match site.node.kind() {
        "identifier" | "type_identifier" => {
            if let Some((_, weak)) = WEAKER.iter().find(|(strong, _)| *strong == site.own()) {
                weak.iter().for_each(|weak| site.replace(site.node, *weak, FAMILY));
            }
        }
        "string_content" => {
            let own = site.own();
            for (strong, weak) in WEAKER_PTX.iter().filter(|(strong, _)| own.contains(strong)) {
                site.replace(site.node, own.replace(strong, weak), FAMILY);
            }
        }
        "type_qualifier" if site.own() == "volatile" => {
            site.change(site.node, String::new(), FAMILY, "remove `volatile`".to_owned());
        }
        "call_expression" => {
            atomic(site);
            acquire_and_release(site);
        }
        "subscript_expression" | "field_expression" | "pointer_expression" => read(site),
        _ => {}
    }
}

/// An atomic operation becomes a plain one, or one that only the block's threads may rely on.
fn atomic(site: &mut Site<'_>) {
    let Some((name, arguments)) = site.call() else { return };
    let Some(operation) = name.strip_prefix("atomic") else { return };
    // Shared memory is the block's alone.
    let is_shared = arguments.first().and_then(|place| site.base(*place));
    let is_shared = is_shared.is_some_and(|variable| variable.shape == Shape::Array);
    if !name.ends_with("_block")
        && !is_shared
        && let Some(function) = site.field("function")
    {
        site.replace(function, format!("{name}_block"), FAMILY);
    }
    let [place, rest @ ..] = &*arguments else { return };
    let place = site.text(*place);
    let value = rest.first().map_or("0", |value| site.text(*value));
    let after = match operation.trim_end_matches("_block") {
        "Add" | "Inc" => format!("*({place}) + ({value})"),
        "Sub" => format!("*({place}) - ({value})"),
        "Or" => format!("*({place}) | ({value})"),
        "And" => format!("*({place}) & ({value})"),
        "Xor" => format!("*({place}) ^ ({value})"),
        "Max" => format!("max(*({place}), {value})"),
        "Min" => format!("min(*({place}), {value})"),
        "Exch" => value.to_owned(),
        _ => return,
    };
    let after = if operation.starts_with("Inc") {
        format!("*({place}) >= ({value}) ? 0 : *({place}) + 1")
    } else {
        after
    };
    let plain = if site.node.parent().is_some_and(|parent| parent.kind() == "expression_statement") {
        format!("*({place}) = {after}")
    } else {
        format!("[&] {{ auto old = *({place}); *({place}) = {after}; return old; }}()")
    };
    site.replace(site.node, plain, FAMILY);
}

/// The course's helpers of these names: the order goes, or the whole care.
fn acquire_and_release(site: &mut Site<'_>) {
    let Some((name, arguments)) = site.call() else { return };
    match &*arguments {
        [place] if name.ends_with("_acquire") => {
            let place = site.text(*place);
            site.replace(site.node, format!("*({place})"), FAMILY);
            site.replace(site.node, format!("*(const volatile unsigned int *)({place})"), FAMILY);
            site.replace(site.node, format!("__ldg({place})"), FAMILY);
            site.replace(site.node, format!("atomicOr((unsigned int *)({place}), 0u)"), FAMILY);
        }
        [place, value] if name.ends_with("_release") => {
            let (place, value) = (site.text(*place), site.text(*value));
            site.replace(site.node, format!("*({place}) = ({value})"), FAMILY);
            site.replace(site.node, format!("*(volatile unsigned int *)({place}) = ({value})"), FAMILY);
            site.replace(site.node, format!("atomicExch((unsigned int *)({place}), {value})"), FAMILY);
        }
        _ => {}
    }
}

/// A read from global memory: past the caches, or by an atomic that no bound on loads counts.
fn read(site: &mut Site<'_>) {
    if !site.is_read() || !site.is_global(site.node) {
        return;
    }
    let Some(Variable { element, shape, .. }) = site.base(site.node) else { return };
    let place = site.own();
    if *shape == (Shape::Pointer { constant: false }) {
        site.replace(site.node, format!("__ldg(&{place})"), FAMILY);
    } else {
        let bits = format!("atomicOr((unsigned int *)&{place}, 0u)");
        match element.as_str() {
            "float" => site.replace(site.node, format!("__uint_as_float({bits})"), FAMILY),
            "int" | "unsigned int" | "unsigned" => {
                site.replace(site.node, format!("({element})({bits})"), FAMILY);
            }
            _ => {}
        }
    }
}
