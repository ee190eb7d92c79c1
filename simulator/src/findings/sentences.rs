//! The sentences of memory findings: what happened, why it matters, what to do next.

mod cluster;
mod proxy;

use super::{Action, Decides, NarrowScopes, RaceCause, Reach, Reason, Source, Spelled};
use crate::finding::{Allocation, Finding, Space, Thread};

/// The sentence for one merged finding.
pub(super) fn sentence(reason: Reason, finding: &Finding) -> String {
    let at = &position(finding);
    match reason {
        Reason::Null(action) => format!(
            "{} {} through a null pointer{}. Nothing was given for that pointer: check the argument, or the pointer that \
             this one was computed from.",
            subject(finding),
            verb(action),
            finding
                .address
                .filter(|&address| address != 0)
                .map_or(String::new(), |address| format!(" plus {address}")),
        ),
        Reason::Stray(action, misaligned) => stray(action, misaligned, finding),
        Reason::Misaligned(action, bytes) => format!(
            "{} {} {bytes} bytes at {}, which is not a multiple of {bytes}. The hardware stops a kernel that does this: make \
             the address a multiple of the type's size, or use a narrower type.",
            subject(finding),
            verb(action),
            at,
        ),
        Reason::PartOfPiece(bytes) => proxy::part_of_piece(bytes, finding),
        Reason::MisalignedTile(bytes) => proxy::misaligned_tile(bytes, at, finding),
        Reason::LeftBehind(action, what) => proxy::left_behind(action, what, finding),
        Reason::MoreThanCopied(bytes) => format!(
            "{} copies {bytes} bytes and is told to read more: what then happens is undefined. The last operand of `cp.async` \
             must be at most {bytes}; with 0 it writes zeros.",
            subject(finding),
        ),
        Reason::NoSuchRank(action, blocks) => cluster::no_such_rank(action, blocks, finding),
        Reason::AnothersLocal(action) => format!(
            "{} {} through a pointer to another thread's local variable. A thread sees no local memory but its own: on a GPU \
             such an address leads to whatever the thread itself has at that place. Hand over the value instead of its \
             address, through shared or global memory or by a shuffle.",
            subject(finding),
            verb(action),
        ),
        Reason::OwnerLeft(action) => cluster::owner_left(action, finding),
        Reason::OwnerAbsent(action) => cluster::owner_absent(action, finding),
        Reason::ReadOnly(action) => format!(
            "{} {} {}, which kernels may only read. Write to a buffer or a `__device__` variable instead.",
            subject(finding),
            verb(action),
            target(finding),
        ),
        Reason::UndefinedAtomic => format!(
            "{} updates {} atomically, but nothing has written it before. Set it to its start value first, and put a barrier \
             between that and the first update.",
            subject(finding),
            at,
        ),
        Reason::Undefined(decides, Source::Shuffle) => format!(
            "What a shuffle read from a lane that takes no part in it {}. Use the result only in lanes whose source takes part.",
            does(decides),
        ),
        Reason::Undefined(decides, Source::Division) => format!(
            "The result of an integer division or remainder by zero {}. CUDA does not say what that is: ask first whether the \
             divisor is zero.",
            does(decides),
        ),
        Reason::Undefined(decides, Source::AbsentChannel) => format!(
            "A channel that the texture does not have {}: its texels have fewer channels than this read takes. Read it as what it is (a \
             `float` of one channel, a `float2` of two), or give the texture more channels.",
            does(decides),
        ),
        Reason::Undefined(decides, from) => undefined(decides, from, at, finding),
        Reason::Race(this, other, same_value, cause) => race(this, other, same_value, cause, at, finding),
    }
}

/// What becomes of a result.
fn does(decides: Decides) -> &'static str {
    match decides {
        Decides::Path => "decides what is executed here",
        Decides::Address => "decides which address is accessed here",
        Decides::Output => "is stored to global memory here",
    }
}

/// What was not written, what it decides, what to do about it.
fn undefined(decides: Decides, from: Source, at: &str, finding: &Finding) -> String {
    let what = match decides {
        Decides::Path => "decides what is executed here",
        Decides::Address => "the address accessed here is computed from it",
        Decides::Output => "what is stored to global memory here is made from it",
    };
    let advice = match finding.space {
        Some(Space::Shared) => {
            "Shared memory starts with arbitrary contents: let a thread write every element that is read, and put a barrier \
             between the two."
        }
        Some(Space::Local) => {
            "Local variables start with arbitrary contents: give every element that is used a value first."
        }
        Some(Space::Global) if decides != Decides::Output => {
            "A buffer starts with arbitrary contents until the host fills it or a kernel writes it: is it the one that you meant \
             to read?"
        }
        Some(Space::Global) => {
            "A buffer starts with arbitrary contents until the host fills it or a kernel writes it: assign the first value \
             (`=`) instead of updating it (`+=`), or read the buffer that you meant."
        }
        _ => "Give it a value on every path that leads here.",
    };
    if from == Source::Variable {
        return match decides {
            Decides::Path => format!("A variable that was never given a value {what}. {advice}"),
            _ => format!("A variable was never given a value, and {what}. {advice}"),
        };
    }
    if from == Source::PassedOn {
        let it = if decides == Decides::Path { "it " } else { "" };
        return format!(
            "A value read from {}, which nothing has written before, was stored elsewhere and read again; now {it}{what}. {advice}",
            source(at, finding)
        );
    }
    if from == Source::Stored {
        let joined = if decides == Decides::Path { "; it" } else { ", and" };
        return format!(
            "{} read {}, where the last store left a value that is itself undefined{joined} {what}. Look for what was stored there: \
             that is where something has no value yet.",
            subject(finding),
            source(at, finding)
        );
    }
    let unwritten = if from == Source::PartOfByte { "some bits of which nothing" } else { "which nothing" };
    let joined = if decides == Decides::Path { "; it" } else { ", and" };
    format!(
        "{} read {}, {unwritten} has written before{joined} {what}. {advice}",
        subject(finding),
        source(at, finding)
    )
}

/// "byte 12 of `tile` in shared memory".
fn source(at: &str, finding: &Finding) -> String {
    let space = match finding.space {
        Some(Space::Shared) => " in shared memory",
        Some(Space::Global) => " in global memory",
        // Its allocation is called so already.
        _ => "",
    };
    format!("{at}{space}")
}

fn stray(action: Action, misaligned: u8, finding: &Finding) -> String {
    let Some(allocation) = &finding.allocation else {
        return format!(
            "{} {} at address {:#x}, where nothing is allocated. Check how the index or pointer is computed.",
            subject(finding),
            verb(action),
            finding.address.unwrap_or(0)
        );
    };
    let distance = bytes(allocation.distance);
    let side = if allocation.offset < 0 { "before the start" } else { "past the end" };
    let advice = match finding.space {
        Some(Space::Shared) => {
            "Compare the index with the array's size; a tile with a halo needs room for the halo."
        }
        Some(Space::Local) => "Compare the index with the array's size.",
        _ if allocation.offset < 0 => {
            "An index went below zero: correct the index, guard it, or clamp it to the first element."
        }
        _ => {
            "Correct the index or the guard (`if (i < n)`, with the number of elements): the last block usually has threads to \
             spare."
        }
    };
    let size = i64::try_from(allocation.bytes).ok().and_then(|size| finding.elements(size));
    let size = size.filter(|&size| size != 0);
    let (me, verb, name) = (subject(finding), verb(action), named(allocation));
    let what = match (finding.elements(allocation.offset), size) {
        (Some(index), Some(size)) => format!(
            "{me} {verb} element {index} of {name}, {distance} {side}: it has {} ({})",
            if size == 1 { "1 element".to_owned() } else { format!("{size} elements") },
            bytes(allocation.bytes)
        ),
        _ => format!("{me} {verb} {distance} {side} of {name} ({})", bytes(allocation.bytes)),
    };
    let also = match misaligned {
        0 => String::new(),
        size => format!(" Nor is the address a multiple of the {size} bytes that are accessed."),
    };
    format!("{what}.{also} {advice}")
}

fn race(
    this: Action,
    other: Action,
    same_value: bool,
    cause: RaceCause,
    target: &str,
    finding: &Finding,
) -> String {
    let own = is_own(finding);
    let (me, you) = pair(finding);
    // A thread is in order with itself; but not with its copies.
    let you = if own { "a copy that it began".to_owned() } else { you };
    if same_value && cause != RaceCause::InHeader {
        return format!(
            "{me} and {you} both write the same value to {target} and nothing orders them. The result does not depend on who \
             is last, so this changes no verdict; let one thread write it, and it is clear to every reader."
        );
    }
    if cause == RaceCause::UnderWay {
        return under_way(this, other, (&me, &you), target, own);
    }
    if let RaceCause::BulkUnderWay
    | RaceCause::NotWaitedFor(_)
    | RaceCause::ByProxy(_)
    | RaceCause::ProxyFence(_) = cause
    {
        return proxy::race(this, other, cause, finding);
    }
    if let RaceCause::RelaxedBetween(relaxed, sides) = cause {
        return proxy::relaxed(this, other, relaxed, sides, finding);
    }
    if cause == RaceCause::SameInstruction {
        return format!(
            "{me} and {you} write different values to {target} by the same instruction; which one stays is undefined. Should \
             both own this element? If not, correct the index; if so, let one thread write, or combine the values with an atomic."
        );
    }
    let what = format!("{me} {} {target}, and {you} {} it", verb(this), past(other));
    let both_write = this == Action::Write && other == Action::Write;
    if both_write && matches!(cause, RaceCause::SameBlock | RaceCause::SameWarp | RaceCause::AcrossBlocks) {
        let order = match cause {
            RaceCause::SameBlock => {
                "put `__syncthreads()` between the two writes, where every thread of the block passes it"
            }
            RaceCause::SameWarp => {
                "put `__syncwarp()` between the two writes: lanes of a warp do not run in lockstep"
            }
            _ => "split the work into two launches, for no barrier joins blocks",
        };
        return format!(
            "{what}, and nothing says who is last. Should both threads own this element? If not, correct the index or the guard, so \
             that each writes its own. If they add up (`x += ...`), one of the two is lost: use an atomic, such as `atomicAdd`. If one is \
             to overwrite the other, {order}."
        );
    }
    // Both at one place in the source: an update of what another thread updates, or a read of what
    // a neighbour writes there.
    let at_one_place = finding.place.is_some() && finding.place == finding.other;
    let one_is_lost = "If both update this very element (`++x`, `x += ...`), no barrier helps, for one of the two updates is lost: use an \
                       atomic, such as `atomicAdd`.";
    match cause {
        RaceCause::SameBlock if at_one_place && this != Action::Atomic && other != Action::Atomic => format!(
            "{what}, with no barrier between the two: either may come first. Put `__syncthreads()` between reading and writing, where \
             every thread of the block passes it. {one_is_lost}"
        ),
        RaceCause::SameWarp if at_one_place && this != Action::Atomic && other != Action::Atomic => format!(
            "{what}, and although both are in one warp nothing orders them: lanes of a warp do not run in lockstep. Put \
             `__syncwarp()` (or `__syncthreads()`) between reading and writing. {one_is_lost}"
        ),
        // What looks like a flag may be the data: counts in shared memory, which one thread
        // clears and others update.
        RaceCause::MissingRelease if in_shared_memory_of_one_block(finding) => format!(
            "{what}, with no barrier between the two: either may come first. Put `__syncthreads()` between these lines, where \
             every thread of the block passes it. (If a flag or counter is to hand it over, `__threadfence_block()` belongs before \
             the flag.)"
        ),
        RaceCause::SameBlock => format!(
            "{what}, with no barrier between the two: either may come first. Put `__syncthreads()` between these lines, where \
             every thread of the block passes it{}.",
            if matches!(this, Action::Read | Action::StrongRead) {
                ""
            } else {
                " (in a loop, also before the next round overwrites what others still read)"
            },
        ),
        RaceCause::SameWarp => format!(
            "{what}, and although both are in one warp nothing orders them: lanes of a warp do not run in lockstep. Put \
             `__syncwarp()` (or `__syncthreads()`) between these lines."
        ),
        RaceCause::VolatileInWarp => format!(
            "{what}. `volatile` keeps the compiler from caching the value, but it orders no lanes: since Volta lanes of a warp \
             do not run in lockstep. Put `__syncwarp()` between the read and the write."
        ),
        RaceCause::AcrossBlocks => format!(
            "{what}. Blocks run in any order and no barrier joins them: give each block its own elements, combine with an \
             atomic, or split the work into two kernel launches."
        ),
        RaceCause::MissingRelease => format!(
            "{what}. It is handed over by a flag or counter, but the writer has no `__threadfence()` between writing the data \
             and setting the flag, so the flag may be seen before the data. Put `__threadfence()` before the flag."
        ),
        RaceCause::FlagOfAnother => format!(
            "{what}. It is handed over by a flag or counter, but another thread than the writer sets that, with no barrier between \
             the write and the flag: a fence is only for what its own thread did. Let the writer set the flag itself, after \
             `__threadfence()`, or put `__syncthreads()` between the writer's `__threadfence()` and the flag."
        ),
        RaceCause::SeenByAnother => format!(
            "{what}. The writer's fence and flag are in order, but another thread of the reader's block saw the flag, and nothing \
             orders that before this read. Put `__threadfence()` behind the test of the flag, and `__syncthreads()` between that and \
             the read."
        ),
        RaceCause::FlagNotSeen => format!(
            "{what}. The writer's fence and flag are in order, but the reader did not wait for it: it looked at the flag or \
             counter before the writer set it, or saw what somebody else stored there since. Check which value says that this \
             data is there."
        ),
        RaceCause::NarrowScope => format!(
            "{what}. It is handed over by a flag or counter, but the fence (or the flag's scope) reaches only the writer's own \
             block, and the reader is in another. Use `__threadfence()` and device scope, not the block-wide forms."
        ),
        RaceCause::MissingAcquire => format!(
            "{what}. The writer's fence and flag are in order, but the reader has no fence after it saw the flag, so it may \
             have read the data earlier. Put `__threadfence()` between the test of the flag and the first use of the data."
        ),
        RaceCause::NarrowAcquire(reach) => format!(
            "{what}. The writer's fence and flag are in order, and the reader has a fence after it saw the flag, but that fence is too narrow: \
             its scope is the {0}, and the writer is in another {0}. Make it a fence of device scope, `__threadfence()`.",
            in_words(reach),
        ),
        RaceCause::OtherRound(id, count) => format!(
            "{what}. Between the two, this thread has passed barrier {id}, but that barrier lets go whoever waits at it as soon as {count} threads have \
             arrived (its count), and the other thread was not among them. If all who use the barrier are to meet there, give it the number of \
             all of them in every call; if those are all threads of the block, put `__syncthreads()` there."
        ),
        RaceCause::AtomicScope(scopes) => atomic_scope(&what, (this, other), scopes, finding),
        RaceCause::AtomicWidth => format!(
            "{what}. Both are atomic, but not to each other: one covers more bytes than the other (of two halves in a word, \
             each is an atomic by itself). Access a value with the same width everywhere, or split it into two counters."
        ),
        RaceCause::Guess => format!(
            "{what}. What was read is only a guess, which the compare-and-swap after it checks: no harm comes of it. Read it as \
             `volatile`, and it is no race either."
        ),
        RaceCause::BarrierInit => format!(
            "{me} and {you} both initialise the barrier at {target}. That is one thread's work, with the number of arrivals that the \
             barrier waits for, before anybody uses it: `if (threadIdx.x == 0) init(&barrier, n);`, then `__syncthreads()`."
        ),
        RaceCause::ReadOnlyCache => format!(
            "{me} reads {target} through the read-only cache, and {} {} it earlier in the same launch. That cache does not see what \
             the kernel writes, whatever barrier or fence lies between: what is read may be what was there before the launch. Read it \
             with a plain load: without `__ldg()`, and not through a `const ... __restrict__` pointer.",
            it_or(own, finding),
            past(other)
        ),
        RaceCause::TextureCache => format!(
            "{me} reads {target} as part of a texture or surface, and {} {} it earlier in the same launch. The cache between does not \
             see what the kernel writes, whatever barrier or fence lies between: what is read may be what was there before the launch. \
             Read it in the next launch, or hand it on through shared memory.",
            it_or(own, finding),
            past(other)
        ),
        RaceCause::InHeader => format!(
            "{what}. Both do so inside NVIDIA's cooperative groups header, in shared memory of its own: it hands values from warp to \
             warp by a shuffle or a vote, which by the letter of PTX's memory model orders no memory. Your kernel can't change that and \
             need not: this is the header's own."
        ),
        RaceCause::BeyondCluster => cluster::beyond(&what),
        RaceCause::AcrossCluster => cluster::race(&what, this, other),
        RaceCause::SameInstruction
        | RaceCause::UnderWay
        | RaceCause::BulkUnderWay
        | RaceCause::NotWaitedFor(_)
        | RaceCause::ByProxy(_)
        | RaceCause::ProxyFence(_)
        | RaceCause::RelaxedBetween(..) => what,
    }
}

/// One thread is both sides.
fn is_own(finding: &Finding) -> bool {
    matches!(finding.threads.as_slice(), [me, you, ..] if me == you)
}

/// The other side, which may be the same thread.
fn it_or(own: bool, finding: &Finding) -> String {
    if own { "it".to_owned() } else { pair(finding).1 }
}

fn in_words(reach: Reach) -> &'static str {
    match reach {
        Reach::Block => "block",
        Reach::Cluster => "cluster",
    }
}

/// Two strong accesses, of which at least one is for its own block only.
fn atomic_scope(
    what: &str,
    (this, other): (Action, Action),
    NarrowScopes(scopes): NarrowScopes,
    finding: &Finding,
) -> String {
    let noun = |action: Action| match action {
        Action::Read | Action::StrongRead => "read",
        Action::Write => "write",
        Action::Atomic => "update",
    };
    let whose = |action: Action, index: usize| {
        let by = finding.threads.get(index).map_or_else(|| "one thread".to_owned(), thread);
        format!(
            "the scope of the {} by {by} reaches only its own block, and the other thread is in another",
            noun(action)
        )
    };
    let narrow = match scopes {
        [Some(_), None] => whose(this, 0),
        [None, Some(_)] => whose(other, 1),
        _ => "the scope of each reaches only its own block, and the two are in different ones".to_owned(),
    };
    let [mine, theirs] = scopes.map(|scope| scope.map(device_scope));
    let advice = match (mine, theirs) {
        (Some(mine), Some(theirs)) if mine != theirs => format!("{mine} {theirs}"),
        (Some(advice), _) | (None, Some(advice)) => advice.to_owned(),
        (None, None) => device_scope(Spelled::Unknown).to_owned(),
    };
    format!("{what}. Both are atomic, but {narrow}. {advice}")
}

/// How to widen a scope that is spelled so.
fn device_scope(spelled: Spelled) -> &'static str {
    match spelled {
        Spelled::Suffix => "Use the function without the `_block` suffix.",
        Spelled::ThreadScope => "Use `cuda::thread_scope_device` in place of `cuda::thread_scope_block`.",
        Spelled::Ptx(Reach::Block) => "In PTX its scope is `.cta`: make it `.gpu`, that of the device.",
        Spelled::Ptx(Reach::Cluster) => {
            "In PTX its scope is `.cluster`, and in a launch without clusters each block is one by itself: make it `.gpu`, that of the \
             device."
        }
        Spelled::Unknown => "Give it the scope of the device.",
    }
}

fn in_shared_memory_of_one_block(finding: &Finding) -> bool {
    let one_block = matches!(finding.threads.as_slice(), [me, you, ..] if me.block == you.block);
    one_block && finding.space == Some(Space::Shared)
}

/// A race with an asynchronous copy.
fn under_way(this: Action, other: Action, (me, you): (&str, &str), target: &str, own: bool) -> String {
    let you = if own { "it" } else { you };
    let way = if matches!(other, Action::Read | Action::StrongRead) { "from" } else { "into" };
    let what = format!(
        "{me} {} {target}, {way} which {you} copies asynchronously, and nothing says that the copy has arrived.",
        verb(this)
    );
    let whose =
        if own { "Before this line wait for it" } else { "Let the thread that began the copy wait for it" };
    let then = if own { "" } else { ", and put `__syncthreads()` behind that" };
    format!(
        "{what} {whose}: `__pipeline_wait_prior(N)` lets the last N committed groups go on, so 0 waits for all; \
         `cuda::pipeline` has `consumer_wait()`{then}. If a `cuda::barrier` was given to the copy, wait at that."
    )
}

fn verb(action: Action) -> &'static str {
    match action {
        Action::Read | Action::StrongRead => "reads",
        Action::Write => "writes",
        Action::Atomic => "atomically updates",
    }
}

fn past(action: Action) -> &'static str {
    match action {
        Action::Read | Action::StrongRead => "read",
        Action::Write => "wrote",
        Action::Atomic => "atomically updated",
    }
}

/// `tile`, in quotes as an identifier unless it is a description already.
fn named(allocation: &Allocation) -> String {
    if allocation.name.contains(' ') { allocation.name.clone() } else { format!("`{}`", allocation.name) }
}

fn target(finding: &Finding) -> String {
    finding.allocation.as_ref().map_or_else(|| "this memory".to_owned(), named)
}

/// "element 3 (byte 12) of `tile`".
fn position(finding: &Finding) -> String {
    match (&finding.allocation, finding.address) {
        (Some(allocation), _) => match finding.elements(allocation.offset) {
            Some(index) => format!("element {index} (byte {}) of {}", allocation.offset, named(allocation)),
            None => format!("byte {} of {}", allocation.offset, named(allocation)),
        },
        (None, Some(address)) => format!("address {address:#x}"),
        (None, None) => "this memory".to_owned(),
    }
}

fn bytes(count: u64) -> String {
    if count == 1 { "1 byte".to_owned() } else { format!("{count} bytes") }
}

fn coordinates(of: [u32; 3]) -> String {
    match of {
        [x, 0, 0] => format!("{x}"),
        [x, y, 0] => format!("({x}, {y})"),
        [x, y, z] => format!("({x}, {y}, {z})"),
    }
}

fn thread(thread: &Thread) -> String {
    format!("thread {} of block {}", coordinates(thread.thread), coordinates(thread.block))
}

fn subject(finding: &Finding) -> String {
    finding.threads.first().map_or_else(|| "A thread".to_owned(), |first| capitalised(&thread(first)))
}

/// Both threads of a race; the block is named once where they share it.
fn pair(finding: &Finding) -> (String, String) {
    match finding.threads.as_slice() {
        [me, you, ..] if me.block == you.block => {
            (capitalised(&thread(me)), format!("thread {}", coordinates(you.thread)))
        }
        [me, you, ..] => (capitalised(&thread(me)), thread(you)),
        _ => (subject(finding), "another thread".to_owned()),
    }
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or(String::new(), |first| first.to_uppercase().chain(characters).collect())
}
