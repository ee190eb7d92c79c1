//! A statement left out. Barriers and their like are `synchronization`'s.

use super::{Site, orders};
use crate::mutate::edit::Family;

const FAMILY: Family = Family::Removal;

pub fn edit(site: &mut Site<'_>) {
    match site.node.kind() {
        "expression_statement" if site.own() != ";" && !orders(site.source, site.node) => {
            site.remove(site.node, FAMILY);
        }
        "break_statement" | "continue_statement" => site.remove(site.node, FAMILY),
        "return_statement" if site.node.named_child_count() == 0 => site.remove(site.node, FAMILY),
        _ => {}
    }
}
