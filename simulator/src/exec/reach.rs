//! What a kernel can reach through calls, found out before it runs: functions, shared variables, whether its
//! blocks can affect each other while they run, and whether anything but full barriers orders its threads.

use crate::{
    finding::Space,
    ir::{
        AddressSpace, BarrierKind, Builtin, Bulk, Callee, Constant, FunctionIndex, Matrix, Op, Order,
        Program, Scope, SymbolIndex,
    },
};

/// What a kernel can reach.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    /// Functions, the kernel first.
    pub functions: Vec<FunctionIndex>,
    /// Shared variables, in the module's order.
    pub shared: Vec<SymbolIndex>,
    /// Blocks may communicate: they use atomics, fences or strong accesses beyond their
    /// block, or the device's heap.
    pub communicates: bool,
    /// Its threads can see who was first, or who runs with them: without a race another order of warps and
    /// blocks would take another course.
    pub sees_order: bool,
    /// Somebody looks at a clock.
    pub reads_clock: bool,
    /// Something orders some of a block's threads and not the others: fences, flags, barriers of a part.
    pub orders_parts: bool,
    /// The hardware swaps chunks of shared memory by their addresses.
    pub swaps_chunks: bool,
}

impl Reach {
    /// Everything that `entry` can reach.
    pub fn new(program: &Program, entry: FunctionIndex) -> Reach {
        let mut reach = Reach { functions: vec![entry], ..Reach::default() };
        let mut next = 0;
        while next < reach.functions.len() {
            let function = program.function(reach.functions[next]);
            next += 1;
            for constant in function.word_constants.iter().chain(&function.pair_constants) {
                match *constant {
                    Constant::Address { symbol, .. } => reach.symbol(program, symbol),
                    Constant::Function(function) => reach.function(function),
                    Constant::Bits(_) => {}
                }
            }
            for instruction in &function.code {
                match instruction.op {
                    Op::Call { callee: Callee::Function(function), .. } => reach.function(function),
                    Op::Call { callee: Callee::Indirect(_), .. } => {
                        // A pointer may come from a table in memory: any function whose
                        // address is taken somewhere.
                        for symbol in &program.symbols {
                            for relocation in &symbol.relocations {
                                if let Constant::Function(function) = relocation.target {
                                    reach.function(function);
                                }
                            }
                        }
                    }
                    Op::Call { callee: Callee::Builtin(builtin), .. } => {
                        let quiet = matches!(builtin, Builtin::Vprintf | Builtin::AssertFail);
                        reach.communicates |= !quiet;
                        reach.sees_order |= !quiet;
                    }
                    Op::Load { ref memory, .. } | Op::Store { ref memory, .. } => {
                        // Also with the block's own scope: parallel blocks' overlays
                        // know plain accesses only.
                        reach.communicates |= memory.order != Order::Weak && may_be_global(memory.space);
                        reach.sees_order |= memory.order != Order::Weak;
                        reach.orders_parts |= memory.order.is_acquire() || memory.order.is_release();
                    }
                    Op::Atomic { space, order, .. } => {
                        reach.communicates |= may_be_global(space);
                        reach.sees_order = true;
                        reach.orders_parts |= order.is_acquire() || order.is_release();
                    }
                    Op::Fence { scope, .. } => {
                        // Where there are clusters, blocks communicate anyway.
                        reach.communicates |= scope > Scope::Cluster;
                        reach.orders_parts = true;
                    }
                    Op::Barrier {
                        kind: BarrierKind::ClusterArrive { .. } | BarrierKind::ClusterWait,
                        ..
                    } => {
                        reach.orders_parts = true;
                    }
                    Op::Barrier { count, .. } => {
                        reach.sees_order |= count.is_some();
                        reach.orders_parts |= count.is_some();
                    }
                    Op::Matrix(Matrix::Group(_)) => reach.swaps_chunks = true,
                    Op::Bulk(Bulk::Tensor { reduces, .. }) => {
                        reach.communicates |= reduces.is_some();
                        reach.swaps_chunks = true;
                        reach.sees_order = true;
                        reach.orders_parts = true;
                    }
                    Op::Bulk(Bulk::Out { reduces: Some(_), .. }) => {
                        reach.communicates = true;
                        reach.sees_order = true;
                        reach.orders_parts = true;
                    }
                    Op::Bulk(_) | Op::Mbarrier(_) | Op::Warpgroup(_) => {
                        reach.sees_order = true;
                        reach.orders_parts = true;
                    }
                    Op::ActiveMask { .. } => reach.sees_order = true,
                    Op::Special { register, .. } => reach.reads_clock |= register.is_clock(),
                    Op::WarpSync { mask } => {
                        let all = Constant::Bits(u64::from(u32::MAX));
                        let is_whole_warp =
                            mask.is_constant() && function.word_constants.get(mask.index()) == Some(&all);
                        reach.orders_parts |= !is_whole_warp;
                    }
                    _ => {}
                }
            }
        }
        reach.shared.sort();
        reach
    }

    fn function(&mut self, function: FunctionIndex) {
        if !self.functions.contains(&function) {
            self.functions.push(function);
        }
    }

    fn symbol(&mut self, program: &Program, symbol: SymbolIndex) {
        if program.symbols[symbol.0 as usize].space == Space::Shared && !self.shared.contains(&symbol) {
            self.shared.push(symbol);
        }
    }
}

/// Bytes of local memory that a thread takes at most: the kernel's and those of the functions that it calls, one
/// within the other. Of functions that call themselves the first activation counts.
pub fn local_bytes(program: &Program, entry: FunctionIndex) -> u64 {
    let callees = |index: FunctionIndex| {
        let code = &program.function(index).code;
        code.iter().filter_map(|instruction| match instruction.op {
            Op::Call { callee: Callee::Function(callee), .. } => Some(callee),
            _ => None,
        })
    };
    // Of each function, once it has been begun; complete once it has been left.
    let mut bytes: Vec<Option<u64>> = vec![None; program.functions.len()];
    let own = |index: FunctionIndex| u64::from(program.function(index).local_bytes);
    // No recursion: a text may call as deeply as it is long.
    let mut stack = vec![(entry, false)];
    while let Some((index, left)) = stack.pop() {
        let at = index.0 as usize;
        if left {
            let deepest = callees(index).filter_map(|callee| bytes[callee.0 as usize]).max();
            bytes[at] = Some(own(index) + deepest.unwrap_or(0));
        } else if bytes[at].is_none() {
            bytes[at] = Some(0);
            stack.push((index, true));
            stack.extend(callees(index).map(|callee| (callee, false)));
        }
    }
    bytes[entry.0 as usize].unwrap_or(0)
}

/// True if it is not each block's own: constants and parameters lie beside buffers.
fn may_be_global(space: AddressSpace) -> bool {
    !matches!(space, AddressSpace::Shared | AddressSpace::Cluster | AddressSpace::Local)
}
