//! What this package's own benches and tests need of its inside. Not for others: it changes without notice.

pub use crate::{
    exec::force_baseline,
    ir::{AddressSpace, Order, Scope},
    memory::{Access, BlockMemory, Global, GlobalMemory, LaneWords, SharedLayout, Site},
};

use crate::module::Module;

/// The operations that a module was decoded to, as text.
pub fn operations(module: &Module) -> Vec<String> {
    let code = module.program.functions.iter().flat_map(|function| &function.code);
    code.map(|instruction| format!("{:?}", instruction.op)).collect()
}
