//! The sentences about shared memory that blocks of a cluster have together.

use super::{Action, position, subject, verb};
use crate::finding::Finding;

/// Two blocks access the shared memory of one.
pub(super) fn race(what: &str, this: Action, other: Action) -> String {
    let both_write = this == Action::Write && other == Action::Write;
    let sums = if both_write {
        " If they add up (`x += ...`), one of the two is lost: use an atomic, such as `atomicAdd`."
    } else {
        ""
    };
    format!(
        "{what}. The two are in different blocks of a cluster, and nothing orders them: `__syncthreads()` is for one block. Put \
         `cluster.sync()` between these lines, where every thread of the cluster passes it.{sums}"
    )
}

/// A scope that is too narrow.
pub(super) fn beyond(what: &str) -> String {
    format!(
        "{what}. The two are in different clusters, but the scope of the access, of the fence or of the flag (`.cluster`, or narrower) reaches \
         no thread outside its own cluster. Use device scope: of a fence that is `__threadfence()`, of an access in PTX `.gpu`."
    )
}

/// There is no block of that rank.
pub(super) fn no_such_rank(action: Action, blocks: u32, finding: &Finding) -> String {
    let has = match blocks {
        1 => "this launch has no clusters, so that each block is one by itself, of rank 0. Launch it with clusters: \
              `__cluster_dims__(...)` at the kernel, or the attribute at the launch"
            .to_owned(),
        _ => format!(
            "the cluster has {blocks} blocks, of the ranks 0 to {}. Compute the rank so that it stays below \
             `cluster.num_blocks()`",
            blocks - 1
        ),
    };
    format!("{} {} shared memory of a block that does not exist: {has}.", subject(finding), verb(action))
}

/// The block whose memory it is may have left.
pub(super) fn owner_left(action: Action, finding: &Finding) -> String {
    format!(
        "{} {} {}, and that block does not wait until it is done: it may have left the kernel by then, and its shared memory \
         with it. Let no block leave while others may still access its shared memory: put `cluster.sync()` behind the last such access, \
         where every thread of the cluster passes it.",
        subject(finding),
        verb(action),
        position(finding),
    )
}

/// The block whose memory it is may not have begun.
pub(super) fn owner_absent(action: Action, finding: &Finding) -> String {
    format!(
        "{} {} {}, and nothing says that that block has begun: blocks of a cluster run at the same time, but not from the same \
         moment on. Put `cluster.sync()` before the first access to another block's shared memory.",
        subject(finding),
        verb(action),
        position(finding),
    )
}
