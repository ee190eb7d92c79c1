//! Blocks of a cluster: whom a scope reaches, what the barrier of the cluster orders, and how long shared memory is there.

use super::*;

const VOLATILE: Order = Order::Volatile;

impl World {
    /// A turn of a block, in which those of its cluster lend it their shared memory.
    fn turn<R>(&mut self, block: usize, of: usize, work: impl FnOnce(&mut World) -> R) -> R {
        self.lend(block, of);
        let done = work(self);
        self.blocks[block].end_turn(&mut Global::Direct(&mut self.global));
        self.lend(block, of);
        done
    }

    fn lend(&mut self, block: usize, of: usize) {
        let first = block / of * of;
        for other in (first..first + of).filter(|&other| other != block) {
            self.blocks[other].lend(&mut self.global, false);
        }
    }

    /// All lanes of these threads arrive; then all wait.
    fn meet(&mut self, arrivals: &[(Who, bool)]) {
        for &(who, relaxed) in arrivals {
            let global = &mut Global::Direct(&mut self.global);
            self.blocks[who.block].arrive_at_cluster(global, who.warp, who.mask, relaxed);
        }
        let mut brought = super::super::Brought::default();
        for &(who, _) in arrivals {
            brought.join(&self.blocks[who.block].take_brought());
        }
        for &(who, _) in arrivals {
            let global = &mut Global::Direct(&mut self.global);
            self.blocks[who.block].end_cluster_phase(&brought);
            self.blocks[who.block].leave_cluster_barrier(global, who.warp, who.mask);
        }
    }
}

/// In the shared memory of a rank.
fn of(rank: u64, address: u64) -> u64 {
    (rank + 1) << 24 | address
}

/// Block 0 writes data and hands it by a flag to another block, in clusters of two.
fn hand_over(to: usize, write: impl Fn(&mut World, u64), read: impl Fn(&mut World, u64)) -> usize {
    let (mut world, buffer, _) = World::in_clusters(4, 2, 64);
    world.store(thread(0, 0), InGlobal, |_| buffer);
    write(&mut world, buffer + 64);
    read(&mut world, buffer + 64);
    world.load(thread(to, 0), InGlobal, |_| buffer);
    world.races().len()
}

#[test]
fn the_scope_of_the_cluster_reaches_its_blocks_and_no_others() {
    for (set, seen) in
        [(Scope::Cluster, Scope::Cluster), (Scope::Gpu, Scope::Cluster), (Scope::Cluster, Scope::Gpu)]
    {
        let races = |to: usize| {
            hand_over(
                to,
                |world, flag| _ = world.strong_store(thread(0, 0), InGlobal, flag, Order::Release, set),
                |world, flag| _ = world.strong_load(thread(to, 0), InGlobal, flag, Order::Acquire, seen),
            )
        };
        assert_eq!(races(1), 0, "{set:?} {seen:?}");
        // The flag itself, and the data.
        assert_eq!(races(2), 2, "{set:?} {seen:?}");
    }
}

#[test]
fn a_fence_for_the_cluster_reaches_its_blocks_and_no_others() {
    for (set, seen) in
        [(Scope::Cluster, Scope::Cluster), (Scope::Gpu, Scope::Cluster), (Scope::Cluster, Scope::Gpu)]
    {
        let races = |to: usize| {
            hand_over(
                to,
                |world, flag| {
                    world.fence(thread(0, 0), set);
                    world.strong_store(thread(0, 0), InGlobal, flag, VOLATILE, Scope::System);
                },
                |world, flag| {
                    world.strong_load(thread(to, 0), InGlobal, flag, VOLATILE, Scope::System);
                    world.fence(thread(to, 0), seen);
                },
            )
        };
        assert_eq!((races(1), races(2)), (0, 1), "{set:?} {seen:?}");
    }
}

#[test]
fn without_clusters_the_scope_reaches_the_block() {
    let (mut world, buffer, _) = World::new(2, 64);
    world.store(thread(0, 0), InGlobal, |_| buffer);
    world.strong_store(thread(0, 0), InGlobal, buffer + 64, Order::Release, Scope::Cluster);
    world.strong_load(thread(0, 32), InGlobal, buffer + 64, Order::Acquire, Scope::Cluster);
    world.load(thread(0, 32), InGlobal, |_| buffer);
    world.clean();
    world.strong_load(thread(1, 0), InGlobal, buffer + 64, Order::Acquire, Scope::Cluster);
    world.load(thread(1, 0), InGlobal, |_| buffer);
    assert_eq!(world.races().len(), 2);
}

#[test]
fn an_arrival_orders_what_came_before_it_and_a_relaxed_one_what_was_fenced() {
    for (relaxed, fenced, races) in [(false, false, 0), (true, true, 0), (true, false, 1)] {
        let (mut world, _, tile) = World::in_clusters(2, 2, 32);
        let write = world.store(warp(0, 0), InShared, |lane| tile + 4 * lane);
        if fenced {
            world.fence(warp(0, 0), Scope::Cluster);
        }
        world.meet(&[(warp(0, 0), relaxed), (warp(1, 0), relaxed)]);
        let read = world.turn(1, 2, |world| {
            world.load(warp(1, 0), AddressSpace::Cluster, |lane| of(0, tile + 4 * (31 - lane)))
        });
        let found = world.races();
        assert_eq!(found.len(), races, "{relaxed} {fenced}");
        let sentences = world.sentences().concat();
        assert_eq!(sentences.contains("`barrier.cluster.arrive` with `.release`"), races != 0, "{sentences}");
        assert!(found.iter().all(|race| *race == (read, write, Severity::Error)));
    }
}

#[test]
fn what_the_owner_does_later_races_with_another_blocks_access_in_either_order() {
    let (mut world, _, tile) = World::in_clusters(2, 2, 32);
    world.store(warp(0, 0), InShared, |lane| tile + 4 * lane);
    world.meet(&[(warp(0, 0), false), (warp(1, 0), false)]);
    let read = world
        .turn(1, 2, |world| world.load(warp(1, 0), AddressSpace::Cluster, |lane| of(0, tile + 4 * lane)));
    // A barrier of the block orders nothing with others.
    world.barrier(0);
    let write = world.store(warp(0, 0), InShared, |lane| tile + 4 * lane);
    assert_eq!(world.races(), [(write, read, Severity::Error)]);
}

#[test]
fn reads_that_are_put_off_are_seen_by_other_blocks() {
    let (mut world, _, tile) = World::in_clusters(2, 2, 32);
    world.meet(&[(warp(0, 0), false), (warp(1, 0), false)]);
    // Often enough that its shape is known.
    let read = world.turn(0, 2, |world| {
        (0..16).map(|_| world.load(warp(0, 0), InShared, |lane| tile + 4 * lane)).last().expect("a read")
    });
    world.barrier(0);
    let write = world
        .turn(1, 2, |world| world.store(warp(1, 0), AddressSpace::Cluster, |lane| of(0, tile + 4 * lane)));
    // The last readers, of one site or two.
    let races = world.races();
    assert!(!races.is_empty());
    assert!(races.iter().all(|&(this, other, _)| this == write && other <= read));
}

#[test]
fn a_block_must_know_that_another_has_begun_and_that_one_of_the_access_before_it_leaves() {
    let (mut world, _, tile) = World::in_clusters(2, 2, 32);
    let early =
        world.turn(1, 2, |world| world.store(thread(1, 3), AddressSpace::Cluster, |_| of(0, tile + 4)));
    assert_eq!(world.races(), [(early, 0, Severity::Error)]);
    world.meet(&[(warp(0, 0), false), (warp(1, 0), false)]);
    let last = world.turn(1, 2, |world| world.load(thread(1, 3), AddressSpace::Cluster, |_| of(0, tile + 4)));
    assert_eq!(world.races().len(), 1);
    world.blocks[0].leave_visitors();
    assert!(world.races().contains(&(last, 0, Severity::Error)));
    let said = world.sentences().join("\n");
    assert!(said.contains("nothing says that that block has begun"), "{said}");
    assert!(said.contains("it may have left the kernel by then"), "{said}");
    assert!(said.contains("of `tile` of another block of the cluster"), "{said}");
}

#[test]
fn a_block_that_meets_the_others_before_it_leaves_is_safe() {
    let (mut world, _, tile) = World::in_clusters(2, 2, 32);
    world.store(warp(0, 0), InShared, |lane| tile + 4 * lane);
    world.meet(&[(warp(0, 0), false), (warp(1, 0), false)]);
    world.turn(1, 2, |world| world.load(warp(1, 0), AddressSpace::Cluster, |lane| of(0, tile + 4 * lane)));
    world.meet(&[(warp(0, 0), false), (warp(1, 0), false)]);
    world.blocks[0].leave_visitors();
    world.clean();
}

#[test]
fn a_rank_that_the_cluster_lacks_is_nobodys() {
    let (mut world, _, tile) = World::in_clusters(4, 2, 32);
    world.turn(1, 2, |world| world.load(thread(1, 0), AddressSpace::Cluster, |_| of(2, tile)));
    let said = world.sentences().join("\n");
    assert!(said.contains("the cluster has 2 blocks, of the ranks 0 to 1"), "{said}");
}
