//! How many elements a case has, where what is hard depends on the learner's block, tile or segment.

/// A number of elements. What a piece is says the exercise: a block's elements, a tile, a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// So many, whatever the pieces.
    Elements(usize),
    /// So many pieces, and so many elements more (or fewer).
    Pieces(usize, isize),
    /// One more than as many pieces as a piece has elements: pieces, pieces of their
    /// results, and one more level.
    ThreeLevels,
}

impl Size {
    /// The number of elements where a piece has so many.
    pub fn elements(self, piece: usize) -> usize {
        match self {
            Size::Elements(n) => n,
            Size::Pieces(pieces, more) => (pieces * piece).saturating_add_signed(more),
            Size::ThreeLevels => piece * piece + 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_follow_the_piece() {
        let sizes = [Size::Elements(20), Size::Pieces(3, -1), Size::Pieces(2, 5), Size::ThreeLevels];
        assert_eq!(sizes.map(|size| size.elements(64)), [20, 191, 133, 4097]);
    }
}
