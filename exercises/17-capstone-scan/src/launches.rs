//! How the launches go: in one pass, or in three phases. And what tiles have told each other in the end.

use harness::plan::{BufferId, Bytes, Element, Fill, Launch, Plan, Step};

use crate::{Done, Shape};

/// The buffer of what tiles tell each other.
pub const STATUS: &str = "status";
/// Words of a tile's status.
const STATUS_WORDS: usize = 4;
/// Flags.
const SUM: i32 = 1;
const PREFIX: i32 = 2;

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
    let (tiles, tiles_done) = (n.div_ceil(shape.tile).max(1), done.iter().sum::<usize>());
    let (mut status, mut ticket) = (Fill::Zeros, Fill::Zeros);
    if tiles_done > 0 {
        status = Fill::Data(Bytes::of(&published(listed, done, shape)));
        ticket = Fill::Data(Bytes::of(&[tiles_done as u32]));
    }
    let status = plan.buffer(STATUS, Element::U32, &[tiles, STATUS_WORDS], status);
    let ticket = plan.buffer("ticket", Element::U32, &[1], ticket);
    let launch = Launch::new("inclusive_scan", tiles - tiles_done, shape.block);
    plan.launch(launch.buffers([input, out, status, ticket]).ints([n]));
    if listed.0.len() == n {
        // The kernel writes them: they are no inputs that must stay as they were, and what it wrote is looked at.
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
            if tile < with_prefix { [PREFIX, prefix, prefix, 0] } else { [SUM, values.iter().sum(), 0, 0] };
    }
    status
}

/// What is wrong with what tiles have published in the end: a sentence, if anything is. Each of those launched,
/// which are the last, has said that its prefix is there. So has each before, but for those that had only their
/// sums before the launch; and what it said, in two places, it still says. And the last one's prefix, which no other
/// tile looks at, is the sum of all.
pub fn unpublished(status: &[i32], with_sum: usize, launched: usize, total: Option<i32>) -> Option<String> {
    let tiles: Vec<&[i32]> = status.chunks_exact(STATUS_WORDS).collect();
    let done = tiles.len().saturating_sub(launched);
    let silent = |&tile: &usize| tiles[tile][0] != PREFIX;
    if let Some(tile) = (done..tiles.len()).chain(0..done.saturating_sub(with_sum)).find(silent) {
        let flag = tiles[tile][0];
        return Some(format!(
            "the flag of tile {tile} should be {PREFIX} (PREFIX) in the end, but is {flag}"
        ));
    }
    let differs = |&tile: &usize| tiles[tile][1] != tiles[tile][2];
    if let Some(tile) = (0..done.saturating_sub(with_sum)).find(differs) {
        let (sum, prefix) = (tiles[tile][1], tiles[tile][2]);
        return Some(format!(
            "tile {tile} was done before the launch: its `sum` and `prefix`, which were the same, should stay as they were, but \
             are {sum} and {prefix}"
        ));
    }
    let (last, total) = (tiles.last()?, total?);
    (!last[1..3].contains(&total)).then(|| {
        format!(
            "the last tile's prefix should be {total} in the end, in `prefix` or in `sum`, but these are {} and {}",
            last[2], last[1]
        )
    })
}

/// Scans all tiles by themselves, scans their sums in the same way, and adds to each tile the sum of those
/// before it.
pub fn three_phases(plan: &mut Plan, input: BufferId, out: BufferId, n: usize, shape: Shape) {
    let tiles = n.div_ceil(shape.tile).max(1);
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

    #[test]
    fn every_tile_publishes_its_prefix() {
        let unpublished =
            |status: [[i32; STATUS_WORDS]; 4]| unpublished(status.as_flattened(), 1, 2, Some(7));
        let (before, with_sum) = ([2, 3, 3, 0], [1, 1, 0, 0]);
        assert_eq!(unpublished([before, with_sum, [2, 1, 5, 0], [2, 2, 7, 0]]), None);
        assert_eq!(unpublished([before, with_sum, [2, 5, 0, 0], [2, 7, 0, 0]]), None);
        let says = |status, what| {
            let said = unpublished(status).expect("it is wrong");
            assert!(said.contains(what), "{said}");
        };
        says([before, with_sum, [1, 1, 0, 0], [2, 2, 7, 0]], "tile 2 ");
        says([before, with_sum, [2, 1, 5, 0], [2, 2, 8, 0]], "8 and 2");
        // Nobody takes back what was said before.
        says([[1, 3, 3, 0], with_sum, [2, 1, 5, 0], [2, 2, 7, 0]], "tile 0 ");
        says([[2, 9, 3, 0], with_sum, [2, 1, 5, 0], [2, 2, 7, 0]], "9 and 3");
    }
}
