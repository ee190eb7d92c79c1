//! Barriers, fences, masks, waits: removed, moved, weakened.

use tree_sitter::Node;

use super::{Site, orders};
use crate::mutate::{
    edit::{Edit, Family, short},
    source::each,
};

const FAMILY: Family = Family::Synchronization;

/// What a barrier or fence is weakened to.
const WEAKER: [(&str, &str); 5] = [
    ("__syncthreads", "__syncwarp"),
    ("__syncwarp", "__threadfence_block"),
    ("__threadfence", "__threadfence_block"),
    ("__threadfence_system", "__threadfence_block"),
    ("cooperative_groups::this_grid", "cooperative_groups::this_thread_block"),
];

pub fn edit(site: &mut Site<'_>) {
    if orders(site.source, site.node) {
        site.remove(site.node, FAMILY);
        let (before, behind) = site.neighbours();
        moved(site, before, true);
        moved(site, behind, false);
        into_branch(site, before);
    }
    weakened(site);
    masked(site);
    waits_for_less(site);
}

/// The statement changes places with its neighbour.
fn moved(site: &mut Site<'_>, neighbour: Option<Node<'_>>, up: bool) {
    let Some(neighbour) = neighbour else { return };
    let matters = match neighbour.kind() {
        // Where a value of no memory is computed does not matter.
        "declaration" => looks_at_memory(neighbour),
        kind => kind.ends_with("statement"),
    };
    if !matters || !site.source.is_ours(neighbour) {
        return;
    }
    let (own, other) = (site.node.byte_range(), neighbour.byte_range());
    let (statement, neighbour) = (site.own(), site.text(neighbour));
    let (range, with) = if up {
        (other.start..own.end, format!("{statement}\n{neighbour}"))
    } else {
        (own.start..other.end, format!("{neighbour}\n{statement}"))
    };
    let place = if up { "before" } else { "behind" };
    let what = format!("move `{}` {place} `{}`", short(statement), short(neighbour));
    site.edits.push(Edit { range, with, header: None, family: FAMILY, what });
}

fn looks_at_memory(node: Node<'_>) -> bool {
    let mut found = false;
    each(node, &mut |node| {
        found |= matches!(node.kind(), "subscript_expression" | "pointer_expression" | "call_expression");
    });
    found
}

/// The statement goes to the end of the branch before it, where not all threads come by.
fn into_branch(site: &mut Site<'_>, before: Option<Node<'_>>) {
    let branch = before.filter(|node| node.kind() == "if_statement" && site.source.is_ours(*node));
    let body = branch.and_then(|branch| branch.child_by_field_name("consequence"));
    let (Some(branch), Some(body)) = (branch, body.filter(|body| body.kind() == "compound_statement")) else {
        return;
    };
    let own = site.node.byte_range();
    let (inside, rest) = (body.end_byte() - 1, &site.source.text[body.end_byte() - 1..own.start]);
    let what = format!("move `{}` into `{}`", short(site.own()), short(site.text(branch)));
    let with = format!("{} {rest}", site.own());
    site.edits.push(Edit { range: inside..own.end, with, header: None, family: FAMILY, what });
}

fn weakened(site: &mut Site<'_>) {
    let Some((name, _)) = site.call() else { return };
    let weaker = WEAKER.iter().find(|(strong, _)| *strong == name).map(|(_, weak)| *weak);
    if let Some(weak) = weaker {
        // A fence takes no mask.
        if weak.starts_with("__threadfence") {
            site.replace(site.node, format!("{weak}()"), FAMILY);
        } else if let Some(function) = site.field("function") {
            site.replace(function, weak, FAMILY);
        }
    }
}

/// Shuffles, votes and warp barriers name the lanes that take part.
fn masked(site: &mut Site<'_>) {
    let Some((name, arguments)) = site.call() else { return };
    let Some(&mask) = arguments.first().filter(|_| name.ends_with("_sync") || name == "__syncwarp") else {
        return;
    };
    let written = site.text(mask).to_owned();
    site.replace(mask, "__activemask()", FAMILY);
    site.replace(mask, format!("({written}) >> 1"), FAMILY);
    site.replace(mask, format!("({written}) & ~1u"), FAMILY);
    site.replace(mask, "0xffffffff", FAMILY);
}

/// `wait_for_groups<0>()`: a wait for all but one more. And PTX's own.
fn waits_for_less(site: &mut Site<'_>) {
    if site.node.kind() == "template_function"
        && site.own().contains("wait")
        && let Some(list) = site.field("arguments")
        && let Some(left) = list.named_child(0)
    {
        site.replace(left, format!("{} + 1", site.text(left)), FAMILY);
    }
    let of_wait = site.node.kind() == "gnu_asm_input_operand"
        && site
            .node
            .parent()
            .and_then(|list| list.parent())
            .is_some_and(|all| site.text(all).contains("wait_group"));
    if let Some(left) = site.field("value").filter(|_| of_wait) {
        site.replace(left, format!("{} + 1", site.text(left)), FAMILY);
    }
}
