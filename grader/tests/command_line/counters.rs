//! The simulator's counters beside those that `ncu` read on a GPU, launch by launch: `counters/counters.py`.
//!
//! Knows the command line only.

#[test]
fn the_counters_are_those_of_the_hardware() {
    crate::python::run("counters/counters.py", &[]);
}
