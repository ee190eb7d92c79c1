//! Which texels a coordinate means, and how much of each. CUDA C++ Programming Guide, "Texture Fetching".
//!
//! Weights have 8 bits of fraction; the guide does not say how they are rounded, here to the nearest. A GPU's may differ by one, 1/256. (An
//! H100's are the same at all places of `tests/pass/texture_filters.cu`; of 8-bit texels as parts of one it rounds the sum, to 1/65535.)

use crate::texture::{TextureAddressing, TextureFilter};

/// One dimension of a texture.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    /// Texels along it.
    pub texels: u32,
    /// What lies outside.
    pub addressing: TextureAddressing,
    /// Coordinates go from 0 to 1.
    pub normalized: bool,
}

/// Texels along a dimension, and their weights of 256; none lies outside, where zeros are.
pub type Taps = [(Option<u32>, u32); 2];

/// All of the weight.
pub const WHOLE: u32 = 256;

impl Axis {
    /// The texel of a whole index.
    pub fn texel(self, index: i64) -> Option<u32> {
        let texels = i64::from(self.texels);
        let inside = match self.addressing {
            TextureAddressing::Clamp => index.clamp(0, texels - 1),
            TextureAddressing::Border => Some(index).filter(|index| (0..texels).contains(index))?,
            TextureAddressing::Wrap => index.rem_euclid(texels),
            TextureAddressing::Mirror => {
                let within = index.rem_euclid(2 * texels);
                if within < texels { within } else { 2 * texels - 1 - within }
            }
        };
        u32::try_from(inside).ok()
    }

    /// A coordinate in texels.
    fn in_texels(self, coordinate: f32) -> f64 {
        let coordinate = f64::from(coordinate);
        if self.normalized { coordinate * f64::from(self.texels) } else { coordinate }
    }

    /// The texels of a coordinate, which is a number.
    pub fn taps(self, filter: TextureFilter, coordinate: f32) -> Taps {
        match filter {
            TextureFilter::Point => {
                let index = self.in_texels(coordinate).floor();
                [(self.texel(index as i64), WHOLE), (None, 0)]
            }
            TextureFilter::Linear => {
                let (first, second) = self.pair(coordinate);
                let shifted = self.in_texels(coordinate) - 0.5;
                let second_weight = ((shifted - shifted.floor()) * f64::from(WHOLE)).round() as u32;
                [(first, WHOLE - second_weight), (second, second_weight)]
            }
        }
    }

    /// The two texels that a coordinate lies between.
    pub fn pair(self, coordinate: f32) -> (Option<u32>, Option<u32>) {
        let index = (self.in_texels(coordinate) - 0.5).floor() as i64;
        (self.texel(index), self.texel(index.saturating_add(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODES: [TextureAddressing; 4] = [
        TextureAddressing::Clamp,
        TextureAddressing::Border,
        TextureAddressing::Wrap,
        TextureAddressing::Mirror,
    ];

    fn axis(addressing: TextureAddressing, normalized: bool) -> Axis {
        Axis { texels: 4, addressing, normalized }
    }

    #[test]
    fn the_nearest_texel_is_that_in_which_the_coordinate_lies() {
        let nearest = |x| axis(TextureAddressing::Border, false).taps(TextureFilter::Point, x)[0].0;
        assert_eq!(
            [-0.25, 0.0, 0.75, 1.0, 3.99, 4.0].map(nearest),
            [None, Some(0), Some(0), Some(1), Some(3), None]
        );
        let normalized = |x| axis(TextureAddressing::Clamp, true).taps(TextureFilter::Point, x)[0].0;
        assert_eq!([-1.0, 0.0, 0.25, 0.49, 0.99, 1.0, 7.0].map(normalized), [0, 0, 1, 1, 3, 3, 3].map(Some));
    }

    #[test]
    fn modes_say_what_lies_outside() {
        // By the guide: x of wrap is frac(x); of mirror it is frac(x) where floor(x) is even, else 1 - frac(x).
        let of = |mode, index| axis(mode, true).texel(index);
        let indices = [-5, -4, -1, 0, 3, 4, 7, 8];
        let found = MODES.map(|mode| indices.map(|index| of(mode, index)));
        assert_eq!(found[0], [0, 0, 0, 0, 3, 3, 3, 3].map(Some));
        assert_eq!(found[1], [None, None, None, Some(0), Some(3), None, None, None]);
        assert_eq!(found[2], [3, 0, 3, 0, 3, 0, 3, 0].map(Some));
        assert_eq!(found[3], [3, 3, 0, 0, 3, 3, 0, 0].map(Some));
    }

    #[test]
    fn two_texels_are_weighed_by_eight_bits() {
        let of = |x| axis(TextureAddressing::Clamp, false).taps(TextureFilter::Linear, x);
        // The middle of a texel is all its own.
        assert_eq!(of(1.5), [(Some(1), 256), (Some(2), 0)]);
        assert_eq!(of(1.0), [(Some(0), 128), (Some(1), 128)]);
        assert_eq!(of(2.0 + 1.0 / 256.0), [(Some(1), 127), (Some(2), 129)]);
        // At the edges the same texel twice.
        assert_eq!(of(0.25), [(Some(0), 64), (Some(0), 192)]);
        assert_eq!(of(4.0), [(Some(3), 128), (Some(3), 128)]);
        // The fraction that rounds up is all of the second texel.
        assert_eq!(of(1.5 - 1.0 / 1024.0), [(Some(0), 0), (Some(1), 256)]);
    }

    #[test]
    fn what_repeats_is_filtered_across_its_edge() {
        let of = |mode, x| axis(mode, true).taps(TextureFilter::Linear, x);
        assert_eq!(of(TextureAddressing::Wrap, 0.0), [(Some(3), 128), (Some(0), 128)]);
        assert_eq!(of(TextureAddressing::Mirror, 0.0), [(Some(0), 128), (Some(0), 128)]);
        assert_eq!(of(TextureAddressing::Wrap, 1.0), [(Some(3), 128), (Some(0), 128)]);
        assert_eq!(of(TextureAddressing::Border, 0.0), [(None, 128), (Some(0), 128)]);
    }
}
