//! Cases with so few elements that a learner can follow each of them.
//!
//! Such a case is made of one of the table's: the same kind, another size, and numbers of one digit. It is for thinking
//! and judges nothing, so no bounds, classes or speed are asked of it.

use super::{Case, On};
use crate::plan::Fill;

/// Most elements along a side that are still few.
pub const MOST_TINY: usize = 32;

impl Case {
    /// A case of the same kind, with about so many elements.
    pub fn as_tiny(&self, name: impl Into<String>, n: usize) -> Case {
        Case { name: name.into(), index: self.index, on: On::Everywhere, tiny: Some(n) }
    }
    /// The case's row of its exercise's table; of a tiny case, what `tiny` makes of that row and the number of
    /// elements.
    pub fn row<R: Copy>(&self, table: &[R], tiny: impl FnOnce(R, usize) -> R) -> R {
        let row = table[self.index];
        self.tiny.map_or(row, |n| tiny(row, n))
    }
}

/// Whole numbers from −9 to 9.
pub fn digits(seed: u64) -> Fill {
    Fill::Whole { seed, low: -9.0, high: 9.0 }
}

/// Makes whole numbers from −9 to 9 of larger integers.
pub fn last_digit(values: &mut [i32]) {
    values.iter_mut().for_each(|value| *value %= 10);
}

/// The same of floats. None is −0, which would only be one more thing to think about.
pub fn last_digit_of_floats(values: &mut [f32]) {
    values.iter_mut().for_each(|value| *value = value.trunc() % 10.0 + 0.0);
}

/// The shorter side of what has two, of which the longer one is as long as asked: never as long, so that rows are told
/// from columns.
pub fn shorter(n: usize) -> usize {
    (n / 2).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tiny_case_has_a_row_of_its_own() {
        let table = [("one", 1000), ("two", 2000)];
        let cases = Case::list(table.map(|(name, _)| (name, On::Gpu)));
        let size = |case: &Case| case.row(&table, |(name, _), n| (name, n));
        assert_eq!(cases.iter().map(size).collect::<Vec<_>>(), table);
        let tiny = cases[1].as_tiny("n = 8", 8);
        assert_eq!((size(&tiny), tiny.on), (("two", 8), On::Everywhere));
    }
}
