//! Which reads are put off, and that they count when somebody comes who races with them.

use super::*;

/// Two warps of one block, and a shape that is known.
fn world() -> (World, u64) {
    let (mut world, _, tile) = World::new(1, 64);
    for _ in 0..2 {
        world.load(warp(0, 0), InShared, |lane| tile + 4 * lane);
    }
    world.barrier(0);
    (world, tile)
}

fn put_off(world: &World) -> usize {
    world.blocks[0].reads_put_off()
}

#[test]
fn a_write_after_a_read_that_was_put_off_is_a_race() {
    let (mut world, tile) = world();
    let read = world.load(warp(0, 0), InShared, |lane| tile + 4 * lane);
    assert_eq!(put_off(&world), 1);
    let write = world.store(thread(0, 32), InShared, |_| tile + 4 * 31);
    assert_eq!(put_off(&world), 0);
    assert_eq!(world.races(), [(write, read, Severity::Error)]);
}

#[test]
fn a_barrier_forgets_what_was_put_off() {
    let (mut world, tile) = world();
    world.load(warp(0, 0), InShared, |lane| tile + 4 * lane);
    world.load(warp(0, 1), InShared, |lane| tile + 4 * lane);
    assert_eq!(put_off(&world), 2);
    world.barrier(0);
    assert_eq!(put_off(&world), 0);
    world.store(warp(0, 1), InShared, |lane| tile + 4 * lane);
    world.clean();
}

#[test]
fn a_read_after_a_write_is_not_put_off() {
    let (mut world, tile) = world();
    let write = world.store(thread(0, 32), InShared, |_| tile);
    let read = world.load(warp(0, 0), InShared, |lane| tile + 4 * lane);
    assert_eq!(put_off(&world), 0);
    assert_eq!(world.races(), [(read, write, Severity::Error)]);
}

#[test]
fn what_a_warp_read_before_it_synchronised_is_known_to_its_lanes_only() {
    let (mut world, tile) = world();
    let read = world.load(warp(0, 0), InShared, |lane| tile + 4 * lane);
    world.sync_warp(0, 0, ALL);
    world.store(thread(0, 5), InShared, |_| tile + 8);
    world.clean();
    let write = world.store(thread(0, 40), InShared, |_| tile + 12);
    assert_eq!(world.races(), [(write, read, Severity::Error)]);
}

#[test]
fn more_reads_than_can_wait_all_count() {
    let (mut world, tile) = world();
    let first = world.load(warp(0, 0), InShared, |lane| tile + 4 * lane);
    for row in 1..32 {
        for _ in 0..100 {
            world.load(warp(0, 0), InShared, |lane| tile + 128 * row % 4096 + 4 * lane);
        }
    }
    assert!(put_off(&world) <= 2048);
    let write = world.store(thread(0, 40), InShared, |_| tile);
    assert_eq!(world.races(), [(write, first, Severity::Error)]);
}
