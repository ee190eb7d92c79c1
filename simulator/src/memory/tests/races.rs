//! Races of plain accesses: barriers, warps, atomics, same values.

use super::*;
use crate::findings::{Message, NarrowScopes, RaceCause, Reason, Spelled};

fn causes(world: &World) -> Vec<RaceCause> {
    world
        .findings()
        .into_iter()
        .filter_map(|finding| match finding.message {
            Message::Memory(Reason::Race(_, _, _, cause)) => Some(cause),
            _ => None,
        })
        .collect()
}

#[test]
fn a_barrier_orders_the_whole_block() {
    let (mut world, _, tile) = World::new(1, 64);
    for index in 0..2 {
        world.store(warp(0, index), InShared, |lane| tile + 128 * u64::from(index) + 4 * lane);
    }
    world.barrier(0);
    for index in 0..2 {
        world.load(warp(0, index), InShared, |lane| tile + 252 - 128 * u64::from(index) - 4 * lane);
    }
    world.clean();
}

#[test]
fn without_a_barrier_another_warps_element_is_a_race() {
    let (mut world, _, tile) = World::new(1, 64);
    let write = world.store(warp(0, 0), InShared, |lane| tile + 4 * lane);
    let read = world.load(warp(0, 1), InShared, |lane| tile + 4 * lane);
    assert_eq!(world.races(), [(read, write, Severity::Error)]);
    let finding = world.findings()[0].clone();
    assert_eq!(finding.count, 32);
    assert_eq!(finding.threads[0].thread, 32);
    assert_eq!(finding.threads[1].thread, 0);
    let allocation = finding.allocation.expect("it is inside one");
    assert_eq!((allocation.name.as_str(), allocation.offset, allocation.bytes), ("tile", 0, 4096));
    assert_eq!(causes(&world), [RaceCause::SameBlock]);
}

#[test]
fn own_elements_need_no_barrier() {
    let (mut world, _, tile) = World::new(1, 64);
    for _ in 0..3 {
        for index in 0..2 {
            world.store(warp(0, index), InShared, |lane| tile + 128 * u64::from(index) + 4 * lane);
            world.load(warp(0, index), InShared, |lane| tile + 128 * u64::from(index) + 4 * lane);
        }
    }
    world.clean();
}

#[test]
fn reuse_of_a_tile_needs_a_second_barrier() {
    let (mut world, _, tile) = World::new(1, 64);
    world.store(warp(0, 0), InShared, |lane| tile + 4 * lane);
    world.store(warp(0, 1), InShared, |lane| tile + 128 + 4 * lane);
    world.barrier(0);
    let first = world.load(warp(0, 0), InShared, |lane| tile + 128 + 4 * lane);
    let read = world.load(warp(0, 1), InShared, |lane| tile + 4 * lane);
    let write = world.store(warp(0, 0), InShared, |lane| tile + 4 * lane);
    assert_eq!(world.races(), [(write, read, Severity::Error)]);
    let write = world.store(warp(0, 1), InShared, |lane| tile + 128 + 4 * lane);
    assert_eq!(world.races()[1..], [(write, first, Severity::Error)]);
}

#[test]
fn a_read_by_many_warps_is_remembered() {
    for writer in 0..3 {
        let (mut world, _, tile) = World::new(1, 96);
        world.store(thread(0, 0), InShared, |_| tile);
        world.barrier(0);
        for index in 0..3 {
            world.load(warp(0, index), InShared, |_| tile);
        }
        world.store(thread(0, 32 * writer), InShared, |_| tile);
        assert!(!world.races().is_empty(), "writer {writer}");
    }
}

#[test]
fn lanes_of_a_warp_need_syncwarp() {
    let (mut world, _, tile) = World::new(1, 32);
    let write = world.store(warp(0, 0), InShared, |lane| tile + 4 * lane);
    let read = world.load(warp(0, 0), InShared, |lane| tile + 4 * (lane ^ 1));
    assert_eq!(world.races(), [(read, write, Severity::Error)]);
    assert_eq!(causes(&world), [RaceCause::SameWarp]);

    let (mut world, _, tile) = World::new(1, 32);
    world.store(warp(0, 0), InShared, |lane| tile + 4 * lane);
    world.sync_warp(0, 0, ALL);
    world.load(warp(0, 0), InShared, |lane| tile + 4 * (lane ^ 1));
    world.sync_warp(0, 0, ALL);
    world.store(warp(0, 0), InShared, |lane| tile + 4 * (31 - lane));
    world.clean();
}

#[test]
fn a_partial_warp_syncs_with_all_its_lanes() {
    let (mut world, _, tile) = World::new(1, 40);
    let who = Who { block: 0, warp: 1, mask: 0xff };
    world.store(who, InShared, |lane| tile + 4 * lane);
    world.sync_warp(0, 1, ALL);
    world.load(who, InShared, |lane| tile + 4 * (lane ^ 7));
    world.clean();
}

#[test]
fn syncwarp_of_one_warp_orders_no_other() {
    let (mut world, _, tile) = World::new(1, 64);
    let write = world.store(warp(0, 0), InShared, |lane| tile + 4 * lane);
    world.sync_warp(0, 0, ALL);
    world.sync_warp(0, 1, ALL);
    let read = world.load(warp(0, 1), InShared, |lane| tile + 4 * lane);
    assert_eq!(world.races(), [(read, write, Severity::Error)]);
}

#[test]
fn partial_masks_are_transitive() {
    let (mut world, _, tile) = World::new(1, 32);
    let write = world.store(thread(0, 0), InShared, |_| tile);
    world.sync_warp(0, 0, 0b0011);
    world.sync_warp(0, 0, 0b0110);
    world.load(thread(0, 2), InShared, |_| tile);
    world.clean();
    let read = world.load(thread(0, 3), InShared, |_| tile);
    assert_eq!(world.races(), [(read, write, Severity::Error)]);
}

#[test]
fn partial_masks_order_only_what_came_before() {
    let (mut world, _, tile) = World::new(1, 32);
    world.sync_warp(0, 0, 0b0011);
    let write = world.store(thread(0, 0), InShared, |_| tile);
    world.sync_warp(0, 0, 0b1100);
    let read = world.load(thread(0, 1), InShared, |_| tile);
    assert_eq!(world.races(), [(read, write, Severity::Error)]);
}

#[test]
fn one_instruction_may_not_write_two_values_to_one_place() {
    let (mut world, _, tile) = World::new(1, 32);
    let write = world.store(warp(0, 0), InShared, |lane| tile + 4 * (lane / 2));
    assert_eq!(world.races(), [(write, write, Severity::Error)]);
    assert_eq!(causes(&world), [RaceCause::SameInstruction]);
    assert_eq!(world.findings()[0].count, 16);
}

#[test]
fn writing_the_same_value_is_a_note() {
    let (mut world, _, tile) = World::new(1, 64);
    let access = world.access(warp(0, 0), InShared, |_| tile, 4);
    world.do_store(warp(0, 0), &access, |_| 7);
    let access = world.access(warp(0, 1), InShared, |_| tile, 4);
    world.do_store(warp(0, 1), &access, |_| 7);
    assert!(!world.races().is_empty());
    assert!(world.races().iter().all(|race| race.2 == Severity::Note), "{:?}", world.races());
    // Who then reads without a barrier still races.
    let read = world.load(thread(0, 40), InShared, |_| tile);
    assert!(world.races().iter().any(|race| race.0 == read && race.2 == Severity::Error));
}

#[test]
fn reading_together_is_fine() {
    let (mut world, buffer, tile) = World::new(3, 64);
    for block in 0..3 {
        world.store(thread(block, 0), InShared, |_| tile);
        world.barrier(block);
        for index in 0..2 {
            world.load(warp(block, index), InShared, |_| tile);
            world.load(warp(block, index), InGlobal, |lane| buffer + 4 * (lane / 3));
        }
    }
    world.clean();
}

#[test]
fn atomics_do_not_race_with_each_other() {
    let (mut world, buffer, tile) = World::new(2, 64);
    for block in 0..2 {
        world.store(thread(block, 0), InShared, |_| tile);
        world.barrier(block);
        for index in 0..2 {
            world.atomic(warp(block, index), InShared, tile, Order::Relaxed, Scope::Gpu);
            world.atomic(warp(block, index), InGlobal, buffer, Order::Relaxed, Scope::Gpu);
        }
        world.barrier(block);
        let access = world.access(thread(block, 9), InShared, |_| tile, 4);
        assert_eq!(
            world.do_load(thread(block, 9), &access).0.words[0][9],
            64 + 1000 * (1 + 6 * block as u32)
        );
    }
    world.clean();
}

#[test]
fn an_atomic_and_a_plain_access_race() {
    let (mut world, _, tile) = World::new(1, 64);
    let write = world.store(thread(0, 0), InShared, |_| tile);
    world.atomic(warp(0, 1), InShared, tile, Order::Relaxed, Scope::Gpu);
    let update = world.site;
    assert_eq!(world.races(), [(update, write, Severity::Error)]);
    let read = world.load(thread(0, 1), InShared, |_| tile);
    assert!(world.races().contains(&(read, update, Severity::Error)), "{:?}", world.races());
}

#[test]
fn initialising_a_counter_in_the_kernel_races_with_other_blocks() {
    let (mut world, buffer, _) = World::new(3, 32);
    let write = world.store(thread(0, 0), InGlobal, |_| buffer);
    world.barrier(0);
    world.atomic(thread(0, 0), InGlobal, buffer, Order::Relaxed, Scope::Gpu);
    assert_eq!(world.races(), []);
    world.atomic(thread(1, 0), InGlobal, buffer, Order::Relaxed, Scope::Gpu);
    assert_eq!(world.races(), [(world.site, write, Severity::Error)]);
    world.atomic(thread(2, 0), InGlobal, buffer, Order::Relaxed, Scope::Gpu);
    assert_eq!(world.races().len(), 2);
}

#[test]
fn block_scope_atomics_race_across_blocks() {
    let (mut world, buffer, _) = World::new(2, 32);
    world.atomic(thread(0, 0), InGlobal, buffer, Order::Relaxed, Scope::Block);
    world.atomic(thread(0, 1), InGlobal, buffer, Order::Relaxed, Scope::Block);
    world.clean();
    world.atomic(thread(1, 0), InGlobal, buffer, Order::Relaxed, Scope::Gpu);
    let earlier = NarrowScopes([None, Some(Spelled::Unknown)]);
    assert_eq!(causes(&world), [RaceCause::AtomicScope(earlier)]);
    let said = world.sentences().concat();
    assert!(
        said.contains("the scope of the update by thread 1 of block 0 reaches only its own block"),
        "{said}"
    );
    assert!(!said.contains("_block"), "{said}");
}

#[test]
fn each_scope_that_is_narrow_is_named() {
    use Scope::{Block, Gpu};
    for (first, second, narrow) in
        [(Block, Gpu, [false, true]), (Gpu, Block, [true, false]), (Block, Block, [true, true])]
    {
        let (mut world, buffer, _) = World::new(2, 32);
        world.atomic(thread(0, 0), InGlobal, buffer, Order::Relaxed, first);
        world.atomic(thread(1, 0), InGlobal, buffer, Order::Relaxed, second);
        let narrow = NarrowScopes(narrow.map(|narrow| narrow.then_some(Spelled::Unknown)));
        assert_eq!(causes(&world), [RaceCause::AtomicScope(narrow)], "{first:?}, {second:?}");
    }
}

#[test]
fn a_barrier_that_counts_too_few_is_named() {
    for count in [64, 96] {
        let (mut world, _, tile) = World::new(1, 96);
        let meet = |world: &mut World, warps: &[u16]| {
            let round: Vec<_> = warps.iter().map(|&warp| (warp, ALL, ALL)).collect();
            world.blocks[0].note_count(1, count);
            world.blocks[0].barrier_among(&mut Global::Direct(&mut world.global), 1, &round, 0);
        };
        meet(&mut world, &[0, 1, 2]);
        world.store(warp(0, 2), InShared, |lane| tile + 4 * lane);
        if count == 64 {
            meet(&mut world, &[0, 1]);
        } else {
            meet(&mut world, &[0, 1, 2]);
        }
        world.load(warp(0, 0), InShared, |lane| tile + 4 * lane);
        let found: &[RaceCause] = if count == 64 { &[RaceCause::OtherRound(1, 64)] } else { &[] };
        assert_eq!(causes(&world), found, "{count}");
    }
}

#[test]
fn a_barrier_that_the_other_never_uses_is_not_named() {
    let (mut world, _, tile) = World::new(1, 96);
    world.store(warp(0, 2), InShared, |lane| tile + 4 * lane);
    let both = [(0, ALL, ALL), (1, ALL, ALL)];
    world.blocks[0].barrier_among(&mut Global::Direct(&mut world.global), 1, &both, 0);
    world.load(warp(0, 0), InShared, |lane| tile + 4 * lane);
    assert_eq!(causes(&world), [RaceCause::SameBlock]);
}

#[test]
fn blocks_that_share_a_word_race() {
    let (mut world, buffer, _) = World::new(2, 32);
    let write = world.store(thread(0, 0), InGlobal, |_| buffer);
    world.barrier(0);
    world.barrier(1);
    let read = world.load(thread(1, 0), InGlobal, |_| buffer);
    assert_eq!(world.races(), [(read, write, Severity::Error)]);
    assert_eq!(causes(&world), [RaceCause::AcrossBlocks]);
}

#[test]
fn a_read_by_another_block_is_not_forgotten() {
    let (mut world, buffer, _) = World::new(2, 96);
    let read = world.load(thread(0, 0), InGlobal, |_| buffer);
    for index in 0..3 {
        world.load(warp(1, index), InGlobal, |_| buffer);
    }
    world.barrier(1);
    let write = world.store(thread(1, 0), InGlobal, |_| buffer);
    assert_eq!(world.races(), [(write, read, Severity::Error)]);
}

#[test]
fn a_launch_orders_everything() {
    let (mut world, buffer, _) = World::new(2, 32);
    world.store(thread(0, 0), InGlobal, |_| buffer);
    world.global.begin_launch();
    for (index, block) in world.blocks.iter_mut().enumerate() {
        block.begin(&mut Global::Direct(&mut world.global), index as u32);
    }
    world.load(thread(1, 0), InGlobal, |_| buffer);
    world.store(thread(0, 1), InGlobal, |_| buffer + 4);
    world.clean();
}

#[test]
fn a_block_slot_is_reused_cleanly() {
    let (mut world, _, tile) = World::new(1, 64);
    world.store(warp(0, 0), InShared, |lane| tile + 4 * lane);
    world.blocks[0].begin(&mut Global::Direct(&mut world.global), 1);
    let access = world.access(warp(0, 1), InShared, |lane| tile + 4 * lane, 4);
    let (out, _) = world.do_load(warp(0, 1), &access);
    assert_eq!(out.poison[0], ALL);
    world.store(warp(0, 1), InShared, |lane| tile + 4 * lane);
    world.clean();
}

#[test]
fn threads_that_left_before_a_barrier_are_ordered_by_it() {
    let (mut world, _, tile) = World::new(1, 64);
    world.store(warp(0, 1), InShared, |lane| tile + 4 * lane);
    // Warp 1 exits; the executor reports the skipped barrier, and warp 0 passes it.
    world.barrier(0);
    world.load(warp(0, 0), InShared, |lane| tile + 4 * lane);
    world.clean();
}

#[test]
fn a_barrier_of_two_warps_orders_these() {
    let (mut world, _, tile) = World::new(1, 96);
    let write = world.store(warp(0, 0), InShared, |lane| tile + 4 * lane);
    let both = [(0, ALL, ALL), (1, ALL, ALL)];
    world.blocks[0].barrier_among(&mut Global::Direct(&mut world.global), 1, &both, usize::MAX);
    world.load(warp(0, 1), InShared, |lane| tile + 4 * lane);
    world.clean();
    let read = world.load(warp(0, 2), InShared, |lane| tile + 4 * lane);
    assert_eq!(world.races(), [(read, write, Severity::Error)]);
}

#[test]
fn arriving_covers_only_what_came_before() {
    let (mut world, _, tile) = World::new(1, 64);
    world.store(warp(0, 0), InShared, |lane| tile + 4 * lane);
    world.blocks[0].arrive(&mut Global::Direct(&mut world.global), 2, 0, ALL);
    let late = world.store(warp(0, 0), InShared, |lane| tile + 128 + 4 * lane);
    let round = [(0, ALL, 0), (1, ALL, ALL)];
    world.blocks[0].barrier_among(&mut Global::Direct(&mut world.global), 2, &round, usize::MAX);
    world.load(warp(0, 1), InShared, |lane| tile + 4 * lane);
    world.clean();
    let read = world.load(warp(0, 1), InShared, |lane| tile + 128 + 4 * lane);
    assert_eq!(world.races(), [(read, late, Severity::Error)]);
    // Who only arrived learned nothing.
    world.store(warp(0, 1), InShared, |lane| tile + 256 + 4 * lane);
    world.blocks[0].arrive(&mut Global::Direct(&mut world.global), 2, 0, ALL);
    world.blocks[0].barrier_among(&mut Global::Direct(&mut world.global), 2, &round, usize::MAX);
    world.load(warp(0, 0), InShared, |lane| tile + 256 + 4 * lane);
    assert_eq!(world.races().len(), 2);
}

#[test]
fn knowledge_from_a_partial_barrier_passes_through_a_full_one() {
    let (mut world, buffer, _) = World::new(2, 96);
    world.store(thread(0, 0), InGlobal, |_| buffer);
    world.fence(thread(0, 0), Scope::Gpu);
    world.strong_store(thread(0, 0), InGlobal, buffer + 64, Order::Volatile, Scope::System);
    world.strong_load(thread(1, 0), InGlobal, buffer + 64, Order::Acquire, Scope::Gpu);
    world.blocks[1].barrier_among(
        &mut Global::Direct(&mut world.global),
        1,
        &[(0, ALL, ALL), (1, ALL, ALL)],
        usize::MAX,
    );
    world.load(thread(1, 40), InGlobal, |_| buffer);
    world.clean();
    world.barrier(1);
    world.load(thread(1, 70), InGlobal, |_| buffer);
    world.clean();
}

#[test]
fn volatile_does_not_order_lanes() {
    // The pre-Volta tail of a reduction.
    let (mut world, _, tile) = World::new(1, 32);
    for step in [16, 8] {
        for (offset, read) in [(0, true), (4 * step, true), (0, false)] {
            let access = Access {
                order: Order::Volatile,
                ..world.access(warp(0, 0), InShared, |lane| tile + 4 * lane + offset, 4)
            };
            if read {
                world.do_load(warp(0, 0), &access);
            } else {
                world.do_store(warp(0, 0), &access, |lane| lane as u32);
            }
        }
    }
    assert!(causes(&world).contains(&RaceCause::VolatileInWarp), "{:?}", world.findings());
    assert!(world.races().iter().all(|race| race.2 == Severity::Error));
}

#[test]
fn polling_a_volatile_flag_in_a_warp_is_no_race() {
    let (mut world, _, tile) = World::new(1, 32);
    world.strong_store(thread(0, 0), InShared, tile, Order::Volatile, Scope::System);
    world.barrier(0);
    let poll = Access { order: Order::Volatile, ..world.access(thread(0, 1), InShared, |_| tile, 4) };
    world.do_load(thread(0, 1), &poll);
    world.do_load(thread(0, 1), &poll);
    world.strong_store(thread(0, 0), InShared, tile, Order::Volatile, Scope::System);
    world.do_load(thread(0, 1), &poll);
    world.clean();
}

#[test]
fn volatile_flags_of_a_warp_are_no_race() {
    let (mut world, _, tile) = World::new(1, 32);
    let flag = Access { order: Order::Volatile, ..world.access(warp(0, 0), InShared, |_| tile, 4) };
    world.do_store(warp(0, 0), &flag, |_| 1);
    world.do_load(warp(0, 0), &flag);
    world.do_store(warp(0, 0), &flag, |lane| lane as u32);
    let look = Access { order: Order::Volatile, ..world.access(thread(0, 7), InShared, |_| tile + 4, 4) };
    world.do_load(thread(0, 7), &look);
    world.strong_store(thread(0, 3), InShared, tile + 4, Order::Volatile, Scope::System);
    world.do_load(thread(0, 7), &look);
    world.clean();
}

#[test]
fn bytes_of_one_word_are_different_places() {
    let (mut world, buffer, tile) = World::new(2, 32);
    let access = world.access(warp(0, 0), InShared, |lane| tile + lane, 1);
    world.do_store(warp(0, 0), &access, |lane| lane as u32);
    world.clean();
    for block in 0..2 {
        let access = world.access(thread(block, 0), InGlobal, |_| buffer + block as u64, 1);
        world.do_store(thread(block, 0), &access, |_| 1 + block as u32);
    }
    world.clean();
    let access = world.access(thread(1, 0), InGlobal, |_| buffer, 2);
    world.do_load(thread(1, 0), &access);
    assert_eq!(world.races().len(), 1);
}

#[test]
fn a_words_past_survives_the_change_to_bytes() {
    let (mut world, _, tile) = World::new(1, 64);
    let write = world.store(thread(0, 0), InShared, |_| tile);
    let access = world.access(thread(0, 33), InShared, |_| tile + 3, 1);
    world.do_load(thread(0, 33), &access);
    assert_eq!(world.races(), [(world.site, write, Severity::Error)]);
}

#[test]
fn wide_accesses_cover_all_their_words() {
    let (mut world, _, tile) = World::new(1, 64);
    let access = world.access(warp(0, 0), InShared, |lane| tile + 16 * lane, 16);
    world.do_store(warp(0, 0), &access, |lane| lane as u32);
    let write = world.site;
    let read = world.load(thread(0, 32), InShared, |_| tile + 16 * 5 + 12);
    assert_eq!(world.races(), [(read, write, Severity::Error)]);
    assert_eq!(world.findings()[0].threads[1].thread, 5);
}
