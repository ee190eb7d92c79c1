//! What a case's outputs must be: what the host computes, or, where it is timed, what
//! the reference kernel gives.

use rayon::prelude::*;

use super::{Case, Inputs, On};
use crate::{
    fill,
    plan::{BufferId, Bytes, Plan, Tolerance},
};

impl Plan {
    /// Reads a buffer back and says what it must be: what `values` makes of the first contents, in double
    /// precision and rounded to the buffer's type. A timed case leaves that to the reference kernel, for its
    /// contents are new in each run.
    pub fn expect_values(
        &mut self,
        case: &Case,
        buffer: BufferId,
        tolerance: Tolerance,
        values: impl FnOnce(&Inputs<'_>) -> Vec<f64>,
    ) {
        match case.on {
            On::GpuTimed => self.expect_reference(buffer, tolerance),
            On::Everywhere | On::Large | On::Gpu => {
                let values = values(&Inputs::of(self));
                let bytes =
                    fill::rounded(self.buffers[buffer.0].element, values.len(), &|index| values[index]);
                self.expect(buffer, Bytes(bytes.into()), tolerance);
            }
        }
    }

    /// The same element by element, on all threads: `value` of the first contents and an index.
    pub fn expect_each(
        &mut self,
        case: &Case,
        buffer: BufferId,
        tolerance: Tolerance,
        value: impl Fn(&Inputs<'_>, usize) -> f64 + Sync,
    ) {
        let elements = self.buffers[buffer.0].len();
        self.expect_values(case, buffer, tolerance, |inputs| {
            (0..elements).into_par_iter().map(|index| value(inputs, index)).collect()
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Element, Expected, Fill};

    fn doubled(on: On) -> Expected {
        let case = Case { name: String::new(), index: 0, on, tiny: None };
        let mut plan = Plan::new();
        plan.buffer("in", Element::U8, &[3], Fill::Counting);
        let out = plan.buffer("out", Element::I32, &[3], Fill::Uninitialized);
        plan.expect_each(&case, out, Tolerance::Exact, |inputs, i| 2.0 * inputs.value("in", i));
        plan.expectations.remove(0).expected
    }

    #[test]
    fn elements_are_listed_unless_the_case_is_timed() {
        let values = Bytes::of(&[0, 2, 4]);
        let listed = Expected::Elements { values, tolerance: Tolerance::Exact };
        assert_eq!((doubled(On::Everywhere), doubled(On::Gpu)), (listed.clone(), listed));
        assert_eq!(doubled(On::GpuTimed), Expected::Reference { tolerance: Tolerance::Exact });
    }
}
