//! From data to what people and programs read. Renderers compute nothing: they show a `Report`.

pub mod class;
pub mod excerpt;
pub mod occupancy;
pub mod plot;
pub mod run;
pub mod table;
pub mod text;
