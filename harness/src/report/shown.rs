//! What went in, what was expected and what came out, element by element: for whoever wants to look at it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Content;

/// What a case worked on and made, as far as that can be looked through: small arrays whole, of larger ones a part.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Shown {
    /// What was there before the kernel ran.
    pub inputs: Vec<ShownInput>,
    /// What it made, beside what was expected.
    pub outputs: Vec<ShownOutput>,
}

/// The first elements of an input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ShownInput {
    /// The buffer's or variable's name.
    pub name: String,
    /// Extents, slowest first.
    pub shape: Vec<usize>,
    /// From the first element on, as text: all, or the first few.
    pub values: Vec<String>,
}

/// Some elements of an output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ShownOutput {
    /// The buffer's name.
    pub name: String,
    /// Extents, slowest first.
    pub shape: Vec<usize>,
    /// The inputs of the same shape, whose elements of the same index stand beside.
    pub beside: Vec<String>,
    /// All that is expected of it; or some neighbours, the first that is wrong among them.
    pub elements: Vec<ShownElement>,
    /// Elements that are expected in all.
    pub of: u64,
}

/// An element of an output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ShownElement {
    /// Its index, one number per dimension.
    pub index: Vec<usize>,
    /// Of each input beside it the element of that index, as text.
    pub inputs: Vec<String>,
    /// What it should be, as text.
    pub expected: String,
    /// What it is.
    pub found: Content,
    /// Whether that is right.
    pub right: bool,
}
