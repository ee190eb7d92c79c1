//! The real binary, as an author calls it, and what it holds the repository to. One program for all of this, so that
//! it is linked once.

mod cheats;
mod class;
mod contract;
mod figures;
mod names;
mod new;
mod open;
mod outputs;
mod prose;
mod regenerate;

/// The judge's workers are this program.
#[test]
fn __worker() {
    harness::worker::intercept();
}
