//! How the source asks for a scope, so that advice names what stands there.
//!
//! An access of block scope is a function whose name ends in `_block`, an operation of `cuda::atomic_ref` or `cuda::atomic`, or PTX. The first
//! two are the toolkit's functions: the access is in one that was called or inlined at the learner's line.

use crate::{
    findings::{Reach, Spelled},
    ir::{Callee, Op, Order, Program, Scope, SourceIndex},
    source::is_toolkit,
};

/// A scope's class in the names of the functions of `cuda::atomic_ref`.
const SCOPE_TAG: &str = "thread_scope_block_tag";

/// How the access at a place has a scope that is narrower than the device.
pub fn spelled(program: &Program, at: SourceIndex) -> Spelled {
    if let Some(innermost) = program.sources.chain(at).first()
        && is_toolkit(&innermost.file)
    {
        return of_header(&innermost.file);
    }
    let here = || {
        let code = program.functions.iter().flat_map(|function| &function.code);
        code.filter(|instruction| instruction.source == at).map(|instruction| &instruction.op)
    };
    if let Some(reach) = here().find_map(reach_of) {
        return Spelled::Ptx(reach);
    }
    let called = here().filter_map(|op| match op {
        Op::Call { callee: Callee::Function(function), .. } => {
            Some(program.function(*function).name.as_str())
        }
        _ => None,
    });
    called.map(of_function).find(|&spelled| spelled != Spelled::Unknown).unwrap_or(Spelled::Unknown)
}

/// The scope of an access that is narrower than the device.
fn reach_of(op: &Op) -> Option<Reach> {
    let scope = match op {
        Op::Load { memory, .. } | Op::Store { memory, .. }
            if !matches!(memory.order, Order::Weak | Order::Volatile) =>
        {
            memory.scope
        }
        Op::Atomic { scope, .. } => *scope,
        _ => return None,
    };
    match scope {
        Scope::Block => Some(Reach::Block),
        Scope::Cluster => Some(Reach::Cluster),
        Scope::Gpu | Scope::System => None,
    }
}

fn of_header(file: &str) -> Spelled {
    if file.contains("atomic_functions") {
        Spelled::Suffix
    } else if file.contains("/cccl/") || file.contains("/cuda/std/") {
        Spelled::ThreadScope
    } else {
        Spelled::Unknown
    }
}

/// What a function's name in PTX says.
fn of_function(name: &str) -> Spelled {
    if name.contains(SCOPE_TAG) {
        Spelled::ThreadScope
    } else if name.contains("atomic") && name.contains("_block") {
        Spelled::Suffix
    } else {
        Spelled::Unknown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_and_headers_tell_how_a_scope_is_spelled() {
        for (name, spelled) in [
            ("_Z15atomicInc_blockPjj", Spelled::Suffix),
            ("_Z15atomicAdd_blockPii", Spelled::Suffix),
            (
                "_ZNK4cuda3std3__420__atomic_ref_bitwiseIjNS1_24__thread_scope_block_tagEE9fetch_addEjNS1_12memory_orderE",
                Spelled::ThreadScope,
            ),
            ("_ZN4cuda3__410atomic_refIjLNS_3std3__412thread_scopeE2EEC1ERj", Spelled::Unknown),
            ("_Z14sum_of_a_blockPi", Spelled::Unknown),
        ] {
            assert_eq!(of_function(name), spelled, "{name}");
        }
        for (file, spelled) in [
            ("/toolkit/include/cccl/cuda/std/__atomic/functions/cuda_ptx_generated.h", Spelled::ThreadScope),
            ("/usr/local/cuda/include/crt/sm_60_atomic_functions.hpp", Spelled::Suffix),
            ("__nv_nvrtc_builtin_header.h", Spelled::Unknown),
        ] {
            assert_eq!(of_header(file), spelled, "{file}");
        }
    }
}
