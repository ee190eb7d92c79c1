//! What the fuzz targets share: how a text is launched, and how PTX is mutated as PTX.

pub mod launch;
pub mod mutate;
