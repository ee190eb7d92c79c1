//! Races with what the asynchronous proxy does (bulk copies, products of a warpgroup), in words.

use super::{is_own, pair, past, position, subject, target, thread, verb};
use crate::{
    finding::Finding,
    findings::{Action, Proxied, RaceCause, Relaxed, Sides},
};

/// The sentences of a race of which one side is the asynchronous proxy's.
pub(super) fn race(this: Action, other: Action, cause: RaceCause, finding: &Finding) -> String {
    let target = &target(finding);
    let own = is_own(finding);
    let (me, you) = pair(finding);
    let you = if own { "it" } else { &you };
    let i = first(finding);
    let (verb, past) = (verb(this), past(other));
    let reads = |action: Action| matches!(action, Action::Read | Action::StrongRead);
    match cause {
        RaceCause::BulkUnderWay => format!(
            "{me} {verb} {target}, which a bulk copy that {you} began writes, and nothing says that the copy has arrived. Its bytes count in a \
             phase of the barrier that it was given: let {} wait for the end of that phase (`mbarrier.try_wait`, `barrier.wait(token)`) before this \
             line. After the wait of another thread it takes `__syncthreads()` as well.",
            if own { "this thread" } else { "each thread that uses the data" },
        ),
        RaceCause::NotWaitedFor(Proxied::Copy) if reads(other) => format!(
            "{me} {verb} {target}, which a bulk copy that {you} began may still read. The thread that began it has to wait first: \
             `cp.async.bulk.commit_group`, then `cp.async.bulk.wait_group.read 0` (until the source can be used again){}.",
            behind(own),
        ),
        RaceCause::NotWaitedFor(Proxied::Copy) => format!(
            "{me} {verb} {target}, which a bulk copy that {you} began may still be writing. The thread that began it has to wait first: \
             `cp.async.bulk.commit_group`, then `cp.async.bulk.wait_group 0` (without `.read`, which waits for the source only){}.",
            behind(own),
        ),
        RaceCause::NotWaitedFor(Proxied::Product) => format!(
            "{me} {verb} {target}, which a `wgmma` of the warp of {you} may still read. The warps that multiply have to wait first: \
             `wgmma.commit_group`, then `wgmma.wait_group 0`, and `__syncthreads()` behind that."
        ),
        RaceCause::ByProxy(what) if reads(other) => format!(
            "{} that {i} begins overwrites {target}, and {you} {past} it: nothing says that the reader is done. Let those who read arrive at a \
             second barrier when they have read, and let the thread that begins the copy wait for its phase first; or put `__syncthreads()` \
             between the two.",
            named(what),
        ),
        RaceCause::ByProxy(what) => format!(
            "{} that {i} begins {verb} {target}, and {you} {past} it, with nothing between that orders the two. After the write put \
             `fence.proxy.async` (`cuda::ptx::fence_proxy_async`), then `__syncthreads()`, and begin the {} after that.",
            named(what),
            short(what),
        ),
        RaceCause::ProxyFence(what) if reads(other) => format!(
            "{} that {i} begins overwrites {target}, which {you} {past} before. Threads would be in the right order, but a {} goes through the \
             asynchronous proxy, and that may overtake what they read through the generic one. Let every thread that has read execute \
             `fence.proxy.async` (`cuda::ptx::fence_proxy_async`) after its reads and before it arrives.",
            named(what),
            short(what),
        ),
        RaceCause::ProxyFence(what) => format!(
            "{} that {i} begins {verb} {target}, which {you} {past} before. Their order is right, but a {} goes through the asynchronous proxy, and \
             that may miss what threads write through the generic one. Let every thread that wrote execute `fence.proxy.async` \
             (`cuda::ptx::fence_proxy_async`) after its writes and before the barrier behind which the {} begins.",
            named(what),
            short(what),
            short(what),
        ),
        _ => format!("{me} {verb} {target}, and {you} {past} it."),
    }
}

/// The sentences of a race of two sides between which something is relaxed.
pub(super) fn relaxed(
    this: Action,
    other: Action,
    relaxed: Relaxed,
    sides: Sides,
    finding: &Finding,
) -> String {
    let at = &position(finding);
    let (me, you) = pair(finding);
    let begins = match sides.this {
        Some(what) => format!("{} that {} begins {} {at}", named(what), first(finding), verb(this)),
        None => format!("{me} {} {at}", verb(this)),
    };
    let began = match (sides.other_is_copy, is_own(finding)) {
        (true, true) => "an asynchronous copy that the same thread began".to_owned(),
        (true, false) => format!("an asynchronous copy that {you} began"),
        (false, true) => "that thread".to_owned(),
        (false, false) => you,
    };
    let why = match relaxed {
        Relaxed::Arrival => {
            "An arrival at a barrier in shared memory lies between the two, but it is relaxed: it counts, and makes nothing known of what was \
             done before it. Let it release: `mbarrier.arrive` with `.release`, which it has where no order is written, in place of `.relaxed`."
        }
        Relaxed::Wait => {
            "A wait for a phase of a barrier in shared memory lies between the two, but it is relaxed: it says that the phase is over, and makes \
             nothing known of what was done before that. Let it acquire: `mbarrier.try_wait` or `mbarrier.test_wait` with `.acquire`, which they \
             have where no order is written, in place of `.relaxed`."
        }
        Relaxed::ClusterArrival => {
            "A barrier of the cluster lies between the two, but the arrival at it is relaxed: it counts, and makes nothing known of what was done \
             before it. Let it release: `barrier.cluster.arrive` with `.release`, which it has where no order is written, in place of `.relaxed`."
        }
    };
    format!("{begins}, and {began} {} it, and nothing orders the two. {why}", past(other))
}

fn first(finding: &Finding) -> String {
    finding.threads.first().map_or_else(|| "a thread".to_owned(), thread)
}

fn named(what: Proxied) -> &'static str {
    match what {
        Proxied::Copy => "A bulk copy",
        Proxied::Product => "A product (`wgmma`)",
    }
}

fn short(what: Proxied) -> &'static str {
    match what {
        Proxied::Copy => "copy",
        Proxied::Product => "product",
    }
}

/// What others need besides.
fn behind(own: bool) -> &'static str {
    if own { "" } else { ", and `__syncthreads()` behind that" }
}

/// A length that is no multiple of 16 bytes.
pub(super) fn part_of_piece(bytes: u32, finding: &Finding) -> String {
    format!(
        "{} begins a bulk copy of {bytes} bytes; it must be a multiple of 16, and both addresses, too. Copy the rest with plain loads and \
         stores.",
        subject(finding)
    )
}

/// A box of a tensor at a wrong place.
pub(super) fn misaligned_tile(bytes: u8, at: &str, finding: &Finding) -> String {
    format!(
        "{} begins a tensor copy with its tile at {at}, which is not a multiple of {bytes}. The hardware stops a kernel that does \
         this: declare the tile `alignas({bytes})`, each stage of several a multiple of that apart. (A tile that is swizzled wants `alignas(1024)`.)",
        subject(finding)
    )
}

/// What outlives its block.
pub(super) fn left_behind(action: Action, what: Proxied, finding: &Finding) -> String {
    let (does, wait) = match (action, what) {
        (_, Proxied::Product) => (
            "read",
            "Let the warps that multiply wait before they leave: `wgmma.commit_group`, then `wgmma.wait_group 0`",
        ),
        (Action::Write, _) => {
            ("write", "Let a thread wait for the phase of the barrier that the copy was given")
        }
        _ => (
            "read",
            "Let the thread that began it wait before it leaves: `cp.async.bulk.commit_group`, then `cp.async.bulk.wait_group.read 0`",
        ),
    };
    let to = if action == Action::Write { " that it goes to" } else { "" };
    format!(
        "{} begins a {}, and all threads of the block{to} leave before anybody has waited for it: it may still {does} {}, when that shared \
         memory belongs to another block. {wait}.",
        subject(finding),
        short(what),
        position(finding),
    )
}
