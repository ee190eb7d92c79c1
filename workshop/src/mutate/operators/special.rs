//! One block, warp, lane or value treated differently: what is right by the luck of a small launch or of
//! random values.

use strum::VariantArray;
use tree_sitter::Node;

use super::{Site, orders};
use crate::mutate::{
    edit::{Edit, Family, short},
    scope::{Shape, Variable},
    source::Role,
};

const FAMILY: Family = Family::Special;

/// Which threads are treated differently.
#[derive(Clone, Copy, PartialEq, Eq, VariantArray)]
enum Whom {
    FirstBlock,
    LastBlock,
    MiddleBlock,
    FirstBlockInY,
    LastBlockInY,
    FirstBlockInZ,
    LastBlockInZ,
    FirstWarp,
    LastWarp,
    FirstLane,
    LastLane,
    OnlyBlock,
}

impl Whom {
    /// Which blocks may leave a barrier or fence out.
    const BLOCKS: [Whom; 7] = [
        Whom::FirstBlock,
        Whom::LastBlock,
        Whom::FirstBlockInY,
        Whom::LastBlockInY,
        Whom::FirstBlockInZ,
        Whom::LastBlockInZ,
        Whom::OnlyBlock,
    ];

    /// In words, and as a condition.
    fn told(self) -> (&'static str, String) {
        // Warps are cut from a block's threads in the order of x, then y, then z.
        const THREADS: &str = "blockDim.x * blockDim.y * blockDim.z";
        const THREAD: &str = "(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z))";
        match self {
            Whom::FirstBlock => {
                ("the first of several blocks", "gridDim.x > 1 && blockIdx.x == 0".to_owned())
            }
            Whom::LastBlock => {
                ("the last of several blocks", "gridDim.x > 1 && blockIdx.x == gridDim.x - 1".to_owned())
            }
            Whom::MiddleBlock => {
                ("a block in the middle", "gridDim.x > 2 && blockIdx.x == gridDim.x / 2".to_owned())
            }
            Whom::OnlyBlock => ("the only block", "gridDim.x == 1".to_owned()),
            Whom::FirstBlockInY => {
                ("the first of several rows of blocks", "gridDim.y > 1 && blockIdx.y == 0".to_owned())
            }
            Whom::LastBlockInY => (
                "the last of several rows of blocks",
                "gridDim.y > 1 && blockIdx.y == gridDim.y - 1".to_owned(),
            ),
            Whom::FirstBlockInZ => {
                ("the first of several layers of blocks", "gridDim.z > 1 && blockIdx.z == 0".to_owned())
            }
            Whom::LastBlockInZ => (
                "the last of several layers of blocks",
                "gridDim.z > 1 && blockIdx.z == gridDim.z - 1".to_owned(),
            ),
            Whom::FirstWarp => {
                ("the first of several warps", format!("{THREADS} > 32 && {THREAD} / 32 == 0"))
            }
            Whom::LastWarp => (
                "the last of several warps",
                format!("{THREADS} > 32 && {THREAD} / 32 == ({THREADS} - 1) / 32"),
            ),
            Whom::FirstLane => ("the first lane", format!("{THREAD} % 32 == 0")),
            Whom::LastLane => ("the last lane", format!("{THREAD} % 32 == 31")),
        }
    }

    /// Whether there is such a thread in any launch of a function.
    fn is_anyone(self, site: &Site<'_>) -> bool {
        let function = site.scope.function();
        let blocks = site.reach.blocks(function, 0);
        let threads =
            (0..3).try_fold(1, |all, dimension| Some(all * site.reach.threads(function, dimension)?));
        match self {
            Whom::FirstBlock | Whom::LastBlock => blocks.is_none_or(|most| most > 1),
            Whom::FirstBlockInY | Whom::LastBlockInY => {
                site.reach.blocks(function, 1).is_none_or(|most| most > 1)
            }
            Whom::FirstBlockInZ | Whom::LastBlockInZ => {
                site.reach.blocks(function, 2).is_none_or(|most| most > 1)
            }
            Whom::MiddleBlock => blocks.is_none_or(|most| most > 2),
            Whom::OnlyBlock => site.reach.has_an_only_block(function),
            Whom::FirstWarp | Whom::LastWarp => threads.is_none_or(|most| most > 32),
            Whom::LastLane => threads.is_none_or(|most| most >= 32),
            Whom::FirstLane => true,
        }
    }

    /// Whether this says something of warps and lanes.
    fn is_within_a_block(self) -> bool {
        matches!(self, Whom::FirstWarp | Whom::LastWarp | Whom::FirstLane | Whom::LastLane)
    }
}

pub fn edit(site: &mut Site<'_>) {
    match site.node.kind() {
        "expression_statement" if orders(site.source, site.node) => left_out(site, &Whom::BLOCKS),
        "expression_statement" => {
            if let Some(value) = stored(site) {
                // Where one thread stores, other warps and lanes have nothing to leave out.
                let is_for_one = is_for_one(site);
                let whom =
                    Whom::VARIANTS.iter().copied().filter(|whom| !is_for_one || !whom.is_within_a_block());
                left_out(site, &whom.collect::<Vec<_>>());
                unless(site, "a thread with a 0", &format!("({}) == 0", site.text(value)));
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

fn left_out(site: &mut Site<'_>, whom: &[Whom]) {
    for whom in whom.iter().filter(|whom| whom.is_anyone(site)).collect::<Vec<_>>() {
        let (who, condition) = whom.told();
        unless(site, who, &condition);
    }
}

fn unless(site: &mut Site<'_>, who: &str, condition: &str) {
    site.edits.push(Edit {
        range: site.node.byte_range(),
        with: format!("if (!({condition})) {{ {} }}", site.own()),
        header: None,
        family: FAMILY,
        what: format!("{who} leaves out `{}`", short(site.own())),
    });
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
