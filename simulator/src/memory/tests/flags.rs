//! Handing data over between blocks: fences, flags, counters, locks.

use super::*;

const RELAXED: Order = Order::Relaxed;
const VOLATILE: Order = Order::Volatile;

/// Block 0 writes data and sets a flag; block 1 sees the flag and reads the data.
fn hand_over(write: impl Fn(&mut World, u64), read: impl Fn(&mut World, u64)) -> World {
    let (mut world, buffer, _) = World::new(2, 64);
    world.store(thread(0, 0), InGlobal, |_| buffer);
    write(&mut world, buffer + 64);
    read(&mut world, buffer + 64);
    world.load(thread(1, 0), InGlobal, |_| buffer);
    world
}

fn set_volatile(world: &mut World, flag: u64) {
    world.fence(thread(0, 0), Scope::Gpu);
    world.strong_store(thread(0, 0), InGlobal, flag, VOLATILE, Scope::System);
}

fn see_volatile(world: &mut World, flag: u64) {
    world.strong_load(thread(1, 0), InGlobal, flag, VOLATILE, Scope::System);
    world.fence(thread(1, 0), Scope::Gpu);
}

#[test]
fn a_fence_on_both_sides_hands_over() {
    hand_over(set_volatile, see_volatile).clean();
}

#[test]
fn no_fence_before_the_flag_is_an_error() {
    let mut world = hand_over(
        |world, flag| {
            world.strong_store(thread(0, 0), InGlobal, flag, VOLATILE, Scope::System);
        },
        see_volatile,
    );
    assert_eq!(world.races(), [(4, 1, Severity::Error)]);
    let sentence = &world.sentences()[0];
    assert!(
        sentence.contains("`__threadfence()` between writing the data and setting the flag"),
        "{sentence}"
    );
}

#[test]
fn no_fence_after_the_flag_is_an_error() {
    let mut world = hand_over(set_volatile, |world, flag| {
        world.strong_load(thread(1, 0), InGlobal, flag, VOLATILE, Scope::System);
    });
    assert_eq!(world.races(), [(4, 1, Severity::Error)]);
    assert!(world.sentences()[0].contains("the reader has no fence"), "{:?}", world.sentences());
}

#[test]
fn a_fence_of_the_reader_that_is_too_narrow_is_said_to_be_there() {
    for (scope, reach) in [(Scope::Block, "block"), (Scope::Cluster, "cluster")] {
        for meets in [false, true] {
            let mut world = hand_over(set_volatile, |world, flag| {
                world.strong_load(thread(1, 0), InGlobal, flag, VOLATILE, Scope::System);
                world.fence(thread(1, 0), scope);
                if meets {
                    world.barrier(1);
                }
            });
            assert_eq!(world.races(), [(4, 1, Severity::Error)]);
            let sentence = world.sentences().concat();
            assert!(sentence.contains(&format!("too narrow: its scope is the {reach},")), "{sentence}");
            assert!(!sentence.contains("no fence"), "{sentence}");
        }
    }
}

#[test]
fn a_narrow_fence_before_the_flag_is_none_after_it() {
    let mut world = hand_over(set_volatile, |world, flag| {
        world.fence(thread(1, 0), Scope::Block);
        world.strong_load(thread(1, 0), InGlobal, flag, VOLATILE, Scope::System);
    });
    assert!(world.sentences()[0].contains("the reader has no fence"), "{:?}", world.sentences());
}

#[test]
fn a_block_fence_does_not_reach_another_block() {
    let mut world = hand_over(
        |world, flag| {
            world.fence(thread(0, 0), Scope::Block);
            world.strong_store(thread(0, 0), InGlobal, flag, VOLATILE, Scope::System);
        },
        see_volatile,
    );
    assert_eq!(world.races(), [(4, 1, Severity::Error)]);
    assert!(world.sentences()[0].contains("only the writer's own block"), "{:?}", world.sentences());
}

#[test]
fn a_block_scope_flag_does_not_reach_another_block() {
    let world = hand_over(
        |world, flag| {
            world.fence(thread(0, 0), Scope::Gpu);
            world.strong_store(thread(0, 0), InGlobal, flag, RELAXED, Scope::Block);
        },
        see_volatile,
    );
    assert!(world.races().iter().any(|race| race.0 == 4 && race.2 == Severity::Error), "{:?}", world.races());
}

#[test]
fn a_block_fence_is_enough_within_a_block() {
    let (mut world, buffer, tile) = World::new(1, 64);
    world.store(thread(0, 0), InShared, |_| tile);
    world.store(thread(0, 0), InGlobal, |_| buffer);
    world.fence(thread(0, 0), Scope::Block);
    world.strong_store(thread(0, 0), InShared, tile + 64, VOLATILE, Scope::System);
    world.strong_load(thread(0, 32), InShared, tile + 64, VOLATILE, Scope::System);
    world.fence(thread(0, 32), Scope::Block);
    world.load(thread(0, 32), InShared, |_| tile);
    world.load(thread(0, 32), InGlobal, |_| buffer);
    world.clean();
}

#[test]
fn a_fence_does_not_publish_what_comes_after_it() {
    let (mut world, buffer, _) = World::new(2, 64);
    world.fence(thread(0, 0), Scope::Gpu);
    let write = world.store(thread(0, 0), InGlobal, |_| buffer);
    world.strong_store(thread(0, 0), InGlobal, buffer + 64, VOLATILE, Scope::System);
    see_volatile(&mut world, buffer + 64);
    let read = world.load(thread(1, 0), InGlobal, |_| buffer);
    assert_eq!(world.races(), [(read, write, Severity::Error)]);
}

#[test]
fn release_and_acquire_hand_over() {
    for scope in [Scope::Gpu, Scope::System] {
        hand_over(
            |world, flag| {
                world.strong_store(thread(0, 0), InGlobal, flag, Order::Release, scope);
            },
            |world, flag| {
                world.strong_load(thread(1, 0), InGlobal, flag, Order::Acquire, scope);
            },
        )
        .clean();
        hand_over(
            |world, flag| {
                world.atomic(thread(0, 0), InGlobal, flag, Order::AcquireRelease, scope);
            },
            |world, flag| {
                world.atomic(thread(1, 0), InGlobal, flag, Order::AcquireRelease, scope);
            },
        )
        .clean();
    }
}

#[test]
fn release_covers_nothing_later() {
    let (mut world, buffer, _) = World::new(2, 64);
    world.strong_store(thread(0, 0), InGlobal, buffer + 64, Order::Release, Scope::Gpu);
    let write = world.store(thread(0, 0), InGlobal, |_| buffer);
    world.strong_load(thread(1, 0), InGlobal, buffer + 64, Order::Acquire, Scope::Gpu);
    let read = world.load(thread(1, 0), InGlobal, |_| buffer);
    assert_eq!(world.races(), [(read, write, Severity::Error)]);
}

#[test]
fn a_block_scope_release_does_not_reach_another_block() {
    let world = hand_over(
        |world, flag| {
            world.strong_store(thread(0, 0), InGlobal, flag, Order::Release, Scope::Block);
        },
        |world, flag| {
            world.strong_load(thread(1, 0), InGlobal, flag, Order::Acquire, Scope::Gpu);
        },
    );
    assert!(world.races().iter().any(|race| race.0 == 4 && race.2 == Severity::Error), "{:?}", world.races());
}

#[test]
fn a_plain_flag_is_a_race_itself() {
    let (mut world, buffer, _) = World::new(2, 64);
    world.fence(thread(0, 0), Scope::Gpu);
    let write = world.store(thread(0, 0), InGlobal, |_| buffer + 64);
    let read = world.strong_load(thread(1, 0), InGlobal, buffer + 64, VOLATILE, Scope::System);
    assert_eq!(world.races(), [(read, write, Severity::Error)]);
}

#[test]
fn fences_are_cumulative_over_barriers() {
    // Everyone writes; __syncthreads(); thread 0 fences and sets the flag.
    let (mut world, buffer, _) = World::new(2, 64);
    for index in 0..2 {
        world.store(warp(0, index), InGlobal, |lane| buffer + 128 * u64::from(index) + 4 * lane);
    }
    world.barrier(0);
    world.fence(thread(0, 0), Scope::Gpu);
    world.strong_store(thread(0, 0), InGlobal, buffer + 512, VOLATILE, Scope::System);
    world.strong_load(thread(1, 0), InGlobal, buffer + 512, VOLATILE, Scope::System);
    world.fence(thread(1, 0), Scope::Gpu);
    world.barrier(1);
    for index in 0..2 {
        world.load(warp(1, index), InGlobal, |lane| buffer + 128 * u64::from(index) + 4 * lane);
    }
    world.clean();
}

#[test]
fn everyone_fences_before_the_barrier() {
    let (mut world, buffer, _) = World::new(2, 64);
    for index in 0..2 {
        world.store(warp(0, index), InGlobal, |lane| buffer + 128 * u64::from(index) + 4 * lane);
        world.fence(warp(0, index), Scope::Gpu);
    }
    world.barrier(0);
    world.atomic(thread(0, 0), InGlobal, buffer + 512, RELAXED, Scope::Gpu);
    world.atomic(thread(1, 0), InGlobal, buffer + 512, RELAXED, Scope::Gpu);
    world.fence(thread(1, 0), Scope::Gpu);
    world.barrier(1);
    world.load(warp(1, 1), InGlobal, |lane| buffer + 4 * lane);
    world.load(warp(1, 0), InGlobal, |lane| buffer + 128 + 4 * lane);
    world.clean();
}

#[test]
fn some_lanes_fence_before_a_syncwarp() {
    let (mut world, buffer, _) = World::new(2, 32);
    let half = Who { block: 0, warp: 0, mask: 0xffff };
    world.store(half, InGlobal, |lane| buffer + 4 * lane);
    world.fence(half, Scope::Gpu);
    world.sync_warp(0, 0, ALL);
    world.atomic(thread(0, 20), InGlobal, buffer + 512, RELAXED, Scope::Gpu);
    world.strong_load(thread(1, 0), InGlobal, buffer + 512, Order::Acquire, Scope::Gpu);
    world.load(thread(1, 0), InGlobal, |_| buffer + 4 * 7);
    world.clean();
}

/// The last block to arrive reads all partial results.
fn last_block_done(blocks: usize, fence: bool, acquire: bool, everyone_writes: bool) -> World {
    let (mut world, buffer, _) = World::new(blocks, 64);
    let counter = buffer + 2048;
    for block in 0..blocks {
        let partial = buffer + 4 * block as u64;
        if everyone_writes {
            world.store(thread(block, 0), InGlobal, |_| partial);
            world.store(warp(block, 1), InGlobal, |lane| buffer + 2304 + 128 * block as u64 + 4 * lane);
            if fence {
                world.fence(warp(block, 0), Scope::Gpu);
                world.fence(warp(block, 1), Scope::Gpu);
            }
            world.barrier(block);
        } else {
            world.store(thread(block, 0), InGlobal, |_| partial);
            if fence {
                world.fence(thread(block, 0), Scope::Gpu);
            }
        }
        world.atomic(thread(block, 0), InGlobal, counter, RELAXED, Scope::Gpu);
        if block == blocks - 1 && acquire {
            world.fence(thread(block, 0), Scope::Gpu);
        }
        world.barrier(block);
    }
    let last = blocks - 1;
    world.load(Who { block: last, warp: 1, mask: (1 << blocks) - 1 }, InGlobal, |lane| buffer + 4 * lane);
    if everyone_writes {
        for block in 0..blocks {
            world.load(warp(last, 0), InGlobal, |lane| buffer + 2304 + 128 * block as u64 + 4 * lane);
        }
    }
    // The counter is set back with a plain store, as NVIDIA's sample does.
    world.store(thread(last, 0), InGlobal, |_| counter);
    world
}

#[test]
fn the_last_block_reads_all_partials() {
    for everyone_writes in [false, true] {
        last_block_done(6, true, true, everyone_writes).clean();
    }
}

#[test]
fn the_last_block_without_an_acquiring_fence_is_an_error() {
    for everyone_writes in [false, true] {
        let world = last_block_done(6, true, false, everyone_writes);
        assert!(!world.races().is_empty());
        assert!(world.races().iter().all(|race| race.2 == Severity::Error), "{:?}", world.findings());
    }
}

#[test]
fn the_last_block_without_a_releasing_fence_is_an_error() {
    for everyone_writes in [false, true] {
        let mut world = last_block_done(6, false, true, everyone_writes);
        assert!(world.races().iter().any(|race| race.2 == Severity::Error));
        if !everyone_writes {
            assert!(world.sentences().iter().all(|text| text.contains("`__threadfence()` before the flag")));
        }
    }
}

#[test]
fn ten_thousand_blocks_on_one_counter() {
    let blocks = 10_000;
    let mut global = GlobalMemory::new();
    let buffer = global.allocate(4 * blocks + 4, "partials");
    let counter = buffer + 4 * blocks;
    global.write(counter, &[0; 4]).expect("in bounds");
    global.begin_launch();
    let layout = Arc::new(SharedLayout::default());
    let (mut world, ..) = World::new(0, 32);
    world.global = global;
    world.blocks.push(BlockMemory::new(layout, 32, true));
    for block in 0..blocks {
        world.blocks[0].begin(&mut Global::Direct(&mut world.global), block as u32);
        world.store(thread(0, 0), InGlobal, |_| buffer + 4 * block);
        world.fence(warp(0, 0), Scope::Gpu);
        world.atomic(thread(0, 0), InGlobal, counter, RELAXED, Scope::Gpu);
        world.fence(warp(0, 0), Scope::Gpu);
        // Each also waits for its neighbour, so that everyone's knowledge is passed on.
        if block > 0 {
            world.load(thread(0, 0), InGlobal, |_| buffer + 4 * (block - 1));
        }
    }
    world.barrier(0);
    for first in (0..blocks).step_by(32) {
        let mask = if blocks - first >= 32 { ALL } else { (1 << (blocks - first)) - 1 };
        world.load(Who { block: 0, warp: 0, mask }, InGlobal, |lane| buffer + 4 * (first + lane));
    }
    world.clean();
}

#[test]
fn decoupled_look_back_chains() {
    // Each block publishes a partial, then reads its predecessor's flag and data and
    // publishes the inclusive value.
    for order in [VOLATILE, RELAXED] {
        let blocks = 40;
        let (mut world, buffer, _) = World::new(blocks, 32);
        let (flags, values) = (buffer + 2048, buffer);
        for block in 0..blocks {
            let who = thread(block, 0);
            if block > 0 {
                let before = flags + 4 * (block as u64 - 1);
                world.strong_load(who, InGlobal, before, order, Scope::Gpu);
                world.fence(who, Scope::Gpu);
                world.load(who, InGlobal, |_| values + 4 * (block as u64 - 1));
                // Knowledge is passed along the chain.
                world.load(who, InGlobal, |_| values);
            }
            world.store(who, InGlobal, |_| values + 4 * block as u64);
            world.fence(who, Scope::Gpu);
            world.strong_store(who, InGlobal, flags + 4 * block as u64, order, Scope::Gpu);
        }
        world.clean();
    }
}

#[test]
fn a_spin_lock_with_fences_protects() {
    let (mut world, buffer, _) = World::new(3, 32);
    let lock = buffer + 64;
    let lock_and_add = |world: &mut World, who: Who, acquire: bool, release: bool| {
        world.rmw(who, InGlobal, lock, RELAXED, Scope::Gpu, AtomicOp::CompareAndSwap, 0, 1);
        if acquire {
            world.fence(who, Scope::Gpu);
        }
        world.load(who, InGlobal, |_| buffer);
        world.store(who, InGlobal, |_| buffer);
        if release {
            world.fence(who, Scope::Gpu);
        }
        world.rmw(who, InGlobal, lock, RELAXED, Scope::Gpu, AtomicOp::Exchange, 0, 0);
    };
    for (block, lane) in [(0, 0), (0, 1), (1, 0), (0, 5), (2, 3)] {
        lock_and_add(&mut world, thread(block, lane), true, true);
        // Others fail to take it in between.
        world.rmw(thread(1, 9), InGlobal, lock, RELAXED, Scope::Gpu, AtomicOp::CompareAndSwap, 5, 1);
    }
    world.clean();
    lock_and_add(&mut world, thread(1, 1), false, true);
    assert!(world.races().iter().all(|race| race.2 == Severity::Error), "{:?}", world.races());
    let before = world.races().len();
    assert!(before > 0);

    let (mut world, ..) = World::new(3, 32);
    let buffer = world.global.address_of("buffer").expect("it is there");
    assert_eq!(lock, buffer + 64);
    lock_and_add(&mut world, thread(0, 0), true, false);
    lock_and_add(&mut world, thread(1, 0), true, true);
    assert!(world.races().iter().any(|race| race.2 == Severity::Error), "{:?}", world.races());
}

#[test]
fn a_store_ends_a_release_sequence_and_an_atomic_does_not() {
    let chain = |end_with_store: bool| {
        let (mut world, buffer, _) = World::new(3, 32);
        let flag = buffer + 64;
        world.store(thread(0, 0), InGlobal, |_| buffer);
        world.fence(thread(0, 0), Scope::Gpu);
        world.atomic(thread(0, 0), InGlobal, flag, RELAXED, Scope::Gpu);
        if end_with_store {
            world.strong_store(thread(1, 0), InGlobal, flag, RELAXED, Scope::Gpu);
        } else {
            world.atomic(thread(1, 0), InGlobal, flag, RELAXED, Scope::Gpu);
        }
        world.strong_load(thread(2, 0), InGlobal, flag, Order::Acquire, Scope::Gpu);
        world.load(thread(2, 0), InGlobal, |_| buffer);
        world
    };
    chain(false).clean();
    assert_eq!(chain(true).races().len(), 1);
}

#[test]
fn a_failed_compare_and_swap_publishes_nothing() {
    let (mut world, buffer, _) = World::new(2, 32);
    let flag = buffer + 64;
    world.store(thread(0, 0), InGlobal, |_| buffer);
    world.fence(thread(0, 0), Scope::Gpu);
    world.rmw(thread(0, 0), InGlobal, flag, RELAXED, Scope::Gpu, AtomicOp::CompareAndSwap, 7, 1);
    world.strong_load(thread(1, 0), InGlobal, flag, Order::Acquire, Scope::Gpu);
    world.load(thread(1, 0), InGlobal, |_| buffer);
    assert_eq!(world.races().len(), 1);
}

#[test]
fn grid_wide_barrier_by_hand() {
    // As cooperative groups do it: barrier, thread 0 fences, counts, spins, fences; barrier.
    let blocks = 3;
    let (mut world, buffer, _) = World::new(blocks, 64);
    let counter = buffer + 2048;
    for round in 0..3u64 {
        for block in 0..blocks {
            world.store(warp(block, 1), InGlobal, |lane| buffer + 128 * block as u64 + 4 * lane);
            world.barrier(block);
            world.fence(thread(block, 0), Scope::Gpu);
            world.atomic(thread(block, 0), InGlobal, counter + 4 * round, RELAXED, Scope::Gpu);
        }
        for block in 0..blocks {
            world.strong_load(thread(block, 0), InGlobal, counter + 4 * round, VOLATILE, Scope::System);
            world.fence(thread(block, 0), Scope::Gpu);
            world.barrier(block);
            for other in 0..blocks as u64 {
                world.load(warp(block, 1), InGlobal, |lane| buffer + 128 * other + 4 * (31 - lane));
            }
        }
        // A second one before the buffer is used again.
        for block in 0..blocks {
            world.barrier(block);
            world.fence(thread(block, 0), Scope::Gpu);
            world.atomic(thread(block, 0), InGlobal, counter + 64 + 4 * round, RELAXED, Scope::Gpu);
        }
        for block in 0..blocks {
            world.strong_load(
                thread(block, 0),
                InGlobal,
                counter + 64 + 4 * round,
                Order::Acquire,
                Scope::Gpu,
            );
            world.barrier(block);
        }
    }
    world.clean();
}

#[test]
fn an_unacquired_flag_stays_unacquired_over_a_barrier() {
    let (mut world, buffer, _) = World::new(2, 64);
    world.store(thread(0, 0), InGlobal, |_| buffer);
    world.fence(thread(0, 0), Scope::Gpu);
    world.atomic(thread(0, 0), InGlobal, buffer + 64, RELAXED, Scope::Gpu);
    world.atomic(thread(1, 0), InGlobal, buffer + 64, RELAXED, Scope::Gpu);
    world.barrier(1);
    world.load(thread(1, 50), InGlobal, |_| buffer);
    assert_eq!(world.races().iter().map(|race| race.2).collect::<Vec<_>>(), [Severity::Error]);
    // A fence by the reader itself, even after the barrier, settles it.
    world.fence(thread(1, 51), Scope::Gpu);
    world.load(thread(1, 51), InGlobal, |_| buffer);
    assert_eq!(world.races().len(), 1);
}

#[test]
fn a_volatile_look_at_an_atomic_has_its_width() {
    for (bytes, races) in [(4, 0), (8, 1)] {
        let (mut world, buffer, _) = World::new(2, 64);
        world.atomic(thread(0, 0), InGlobal, buffer, RELAXED, Scope::Gpu);
        let look = world.access(thread(1, 0), InGlobal, |_| buffer, bytes);
        world.do_load(thread(1, 0), &Access { order: VOLATILE, scope: Scope::System, ..look });
        assert_eq!(world.races().len(), races, "{bytes} bytes");
        assert!(
            world.sentences().iter().all(|sentence| sentence.contains("covers more bytes than the other"))
        );
    }
}

/// Thread 32 of block 0 writes and fences, and thread 0 sets the flag behind `__syncthreads()`, itself with a fence or without; thread 0 of
/// block 1 sees it.
fn fenced_by_another(by_writer: FenceKind, by_setter: Option<FenceKind>) -> Vec<(u32, u32, Severity)> {
    let (mut world, buffer, _) = World::new(2, 64);
    world.store(thread(0, 32), InGlobal, |_| buffer);
    world.fence_of(thread(0, 32), Scope::Gpu, by_writer);
    world.barrier(0);
    if let Some(kind) = by_setter {
        world.fence_of(thread(0, 0), Scope::Gpu, kind);
        world.barrier(0);
    }
    world.strong_store(thread(0, 0), InGlobal, buffer + 64, RELAXED, Scope::Gpu);
    world.strong_load(thread(1, 0), InGlobal, buffer + 64, RELAXED, Scope::Gpu);
    world.fence(thread(1, 0), Scope::Gpu);
    world.load(thread(1, 0), InGlobal, |_| buffer);
    world.races()
}

#[test]
fn only_fences_of_sequential_consistency_count_for_others() {
    use FenceKind::{AcquireRelease, SequentiallyConsistent};
    assert_eq!(fenced_by_another(SequentiallyConsistent, None), []);
    assert_eq!(fenced_by_another(AcquireRelease, None).len(), 1);
    // Its own fence counts behind a barrier, too.
    assert_eq!(fenced_by_another(AcquireRelease, Some(AcquireRelease)), []);
}

#[test]
fn a_fence_counts_for_its_own_thread_behind_barriers() {
    let (mut world, buffer, _) = World::new(2, 64);
    world.store(thread(0, 0), InGlobal, |_| buffer);
    world.fence_of(thread(0, 0), Scope::Gpu, FenceKind::AcquireRelease);
    world.barrier(0);
    world.sync_warp(0, 0, 3);
    world.strong_store(thread(0, 0), InGlobal, buffer + 64, RELAXED, Scope::Gpu);
    world.strong_load(thread(1, 0), InGlobal, buffer + 64, RELAXED, Scope::Gpu);
    world.fence(thread(1, 0), Scope::Gpu);
    world.load(thread(1, 0), InGlobal, |_| buffer);
    world.clean();
}
