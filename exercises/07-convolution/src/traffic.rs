//! What the blocks' tiles cost in global and shared memory.

use harness::traffic::{LANES, most_row_sectors, most_sectors, pieces};

use crate::Shape;

/// What all blocks together may cost.
#[derive(Default)]
pub struct Traffic {
    pub load_sectors: usize,
    pub store_sectors: usize,
    /// Turns from one row of the tile into the next within a warp that sweeps it in one go, and one for each
    /// warp at least.
    pub turns: usize,
}

impl Traffic {
    pub fn of([width, height, filter]: [usize; 3], shape: Shape) -> Self {
        let radius = filter / 2;
        let [tile_width, tile_height] = [shape.width, shape.height].map(|side| side + 2 * radius);
        let mut traffic = Traffic::default();
        for rows in pieces(0..height, shape.height) {
            for columns in pieces(0..width, shape.width) {
                // The part of the tile that lies inside the image; elsewhere nothing is read.
                let wide =
                    (columns.start + shape.width + radius).min(width) - columns.start.saturating_sub(radius);
                let high =
                    (rows.start + shape.height + radius).min(height) - rows.start.saturating_sub(radius);
                // A row is read in runs: as wide as the block, or 32 long where the tile is swept in one go,
                // when a row may also begin and end in the middle of a warp.
                let runs = high * tile_width.div_ceil(shape.width).max(wide.div_ceil(LANES) + 1);
                traffic.load_sectors += most_sectors(high * wide, runs);
                traffic.turns += pieces(0..tile_width * tile_height, LANES)
                    .map(|warp| ((warp.end - 1) / tile_width - warp.start / tile_width).max(1))
                    .sum::<usize>();
                for row in rows.clone() {
                    let pixels = row * width + columns.start..row * width + columns.end;
                    traffic.store_sectors += most_row_sectors(pixels, shape.width);
                }
            }
        }
        traffic
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BASELINE;

    #[test]
    fn a_tile_without_a_radius_is_read_sector_by_sector() {
        // 64 × 32 pixels, blocks of 32 × 8, no halo: 256 sectors of image, and room for two runs a row.
        let traffic = Traffic::of([64, 32, 1], BASELINE);
        assert_eq!(traffic.store_sectors, 256);
        assert_eq!(traffic.load_sectors, 256 + 2 * 14 * 64 / 8);
    }
}
