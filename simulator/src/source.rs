//! Places in the learner's source, as `.loc` lines name them.

use serde::{Deserialize, Serialize};

/// A position in a source file. Lines and columns count from 1.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Place {
    /// The file as the compiler recorded it.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The column; 0 where the compiler gave none.
    pub column: u32,
}
