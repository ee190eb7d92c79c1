//! How the launches go: in one pass, or in three phases.

use harness::plan::{BufferId, Bytes, Element, Fill, Launch, Plan, Step};

use crate::{Done, Shape};

/// Words of a tile's status.
const STATUS_WORDS: usize = 4;

/// One launch over the tiles that are not done yet; values and their running sums are listed where some are
/// done.
pub fn one_pass(
    plan: &mut Plan,
    [input, out]: [BufferId; 2],
    listed: (&[i32], &[i32]),
    done: Done,
    shape: Shape,
) {
    let n = plan.buffers[out.0].len();
    let (tiles, tiles_done) = (n.div_ceil(shape.tile), done.iter().sum::<usize>());
    let (mut status, mut ticket) = (Fill::Zeros, Fill::Zeros);
    if tiles_done > 0 {
        status = Fill::Data(Bytes::of(&published(listed, done, shape)));
        ticket = Fill::Data(Bytes::of(&[tiles_done as u32]));
    }
    let status = plan.buffer("status", Element::U32, &[tiles, STATUS_WORDS], status);
    let ticket = plan.buffer("ticket", Element::U32, &[1], ticket);
    let launch = Launch::new("inclusive_scan", tiles - tiles_done, shape.block);
    plan.launch(launch.buffers([input, out, status, ticket]).ints([n]));
    if tiles_done > 0 {
        // Because the kernel writes them: they are no inputs that must stay as they were.
        plan.steps.extend([status, ticket].map(Step::ReadBack));
    }
}

/// The status of all tiles before the launch. A prefix stands in both places, so that a kernel may keep sum
/// and prefix in one.
fn published((values, sums): (&[i32], &[i32]), done: Done, shape: Shape) -> Vec<[i32; STATUS_WORDS]> {
    let [with_prefix, with_sum] = done;
    let mut status = vec![[0; STATUS_WORDS]; values.len().div_ceil(shape.tile)];
    let tiles = values.chunks(shape.tile).zip(sums.chunks(shape.tile));
    for (tile, (values, sums)) in tiles.enumerate().take(with_prefix + with_sum) {
        let prefix = sums[sums.len() - 1];
        status[tile] =
            if tile < with_prefix { [2, prefix, prefix, 0] } else { [1, values.iter().sum(), 0, 0] };
    }
    status
}

/// Scans all tiles by themselves, scans their sums in the same way, and adds to each tile the sum of those
/// before it.
pub fn three_phases(plan: &mut Plan, input: BufferId, out: BufferId, n: usize, shape: Shape) {
    let tiles = n.div_ceil(shape.tile);
    let launch = |kernel| Launch::new(kernel, tiles, shape.block);
    let sums = plan.buffer(&format!("sums of {tiles} tiles"), Element::I32, &[tiles], Fill::Uninitialized);
    plan.launch(launch("inclusive_scan").buffers([input, out, sums, sums]).ints([n]));
    if tiles > 1 {
        let name = format!("running sums of {tiles} tiles");
        let before = plan.buffer(&name, Element::I32, &[tiles], Fill::Uninitialized);
        three_phases(plan, sums, before, tiles, shape);
        plan.launch(launch("add_before").buffers([out, before]).ints([n]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_prefixes_agree() {
        let values: Vec<i32> = (1..=10).collect();
        let shape = Shape { block: 2, tile: 2, way: 0 };
        let status = published((&values, &crate::running_sums(&values)), [2, 1], shape);
        assert_eq!(status, [[2, 3, 3, 0], [2, 10, 10, 0], [1, 11, 0, 0], [0; 4], [0; 4]]);
    }
}
