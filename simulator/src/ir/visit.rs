//! The register operands of every operation, for whoever must know or rename them.

use crate::ir::{
    Address, Alu, Asynchronous, BarrierKind, Bulk, Callee, CompareKind, ConvertKind, FragmentAccess, Matrix,
    Mbarrier, Op, Pair, Predicate, TextureAccess, VoteMode, Word,
};

/// A register file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum File {
    /// 32 bits.
    Word,
    /// 64 bits.
    Pair,
    /// Predicates.
    Predicate,
}

/// What an operation does to an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandUse {
    /// Only reads.
    Read,
    /// Only writes.
    Write,
    /// Keeps a part.
    Update,
}

/// Like [`operands`], of an operation that stays as it is; `lists` are its function's.
pub fn used(mut op: Op, lists: &[Word], visit: &mut dyn FnMut(File, OperandUse, u16)) {
    // Others have none of their words there.
    let mut lists = match op {
        Op::Bulk(_) | Op::Texture(_) | Op::Matrix(_) | Op::Call { .. } => lists.to_vec(),
        _ => Vec::new(),
    };
    operands(&mut op, &mut lists, &mut |file, access, register| visit(file, access, *register));
}

/// Calls `visit` for every register operand; constants and absent operands are left out.
pub fn operands(op: &mut Op, lists: &mut [Word], visit: &mut dyn FnMut(File, OperandUse, &mut u16)) {
    let mut visitor = Visitor { visit };
    match op {
        Op::Alu(alu) | Op::Divide(alu) => visitor.alu(alu),
        Op::Load { memory, d, address } => {
            visitor.address(address);
            for d in d.iter_mut().take(usize::from(memory.count)) {
                visitor.either(memory.element.wide, OperandUse::Write, d);
            }
        }
        Op::Store { memory, a, address } => {
            visitor.address(address);
            for a in a.iter_mut().take(usize::from(memory.count)) {
                visitor.either(memory.element.wide, OperandUse::Read, a);
            }
        }
        Op::Atomic { kind, d, address, b, c, .. } => {
            visitor.address(address);
            for operand in b.iter_mut().chain(c) {
                visitor.either(kind.is_wide(), OperandUse::Read, operand);
            }
            for result in d {
                visitor.either(kind.is_wide(), OperandUse::Write, result);
            }
        }
        Op::Asynchronous(operation) => visitor.asynchronous(operation),
        Op::Bulk(operation) => visitor.bulk(operation, lists),
        Op::Texture(access) => visitor.texture(access, lists),
        Op::Warpgroup(_) => {}
        Op::Mbarrier(operation) => visitor.mbarrier(operation),
        Op::Matrix(operation) => visitor.matrix(operation, lists),
        Op::BranchIndexed { index, .. } => visitor.r(index),
        Op::Call { callee, arguments, results } => {
            if let Callee::Indirect(pair) = callee {
                visitor.rp(pair);
            }
            for word in &mut lists[arguments.range()] {
                visitor.r(word);
            }
            for word in &mut lists[results.range()] {
                visitor.w(word);
            }
        }
        Op::Barrier { kind, id, count, d, predicate, .. } => {
            visitor.r(id);
            visitor.r(count);
            visitor.rq(predicate);
            match kind {
                BarrierKind::Popcount => visitor.call(File::Word, OperandUse::Write, d),
                BarrierKind::And | BarrierKind::Or => visitor.call(File::Predicate, OperandUse::Write, d),
                BarrierKind::Sync
                | BarrierKind::Arrive
                | BarrierKind::ClusterArrive { .. }
                | BarrierKind::ClusterWait => {}
            }
        }
        Op::WarpSync { mask } => visitor.r(mask),
        Op::Shuffle { d, in_range, a, b, c, mask, .. } => {
            for word in [a, b, c, mask] {
                visitor.r(word);
            }
            visitor.w(d);
            visitor.wq(in_range);
        }
        Op::Vote { mode, d, predicate, mask, .. } => {
            visitor.rq(predicate);
            visitor.r(mask);
            let file = if *mode == VoteMode::Ballot { File::Word } else { File::Predicate };
            visitor.call(file, OperandUse::Write, d);
        }
        Op::Match { wide, d, equal, a, mask, .. } => {
            visitor.either(*wide, OperandUse::Read, a);
            visitor.r(mask);
            visitor.w(d);
            visitor.wq(equal);
        }
        Op::Redux { d, a, mask, .. } => {
            visitor.r(a);
            visitor.r(mask);
            visitor.w(d);
        }
        Op::ActiveMask { d } => visitor.w(d),
        Op::Elect { d, elected, mask } => {
            visitor.r(mask);
            visitor.w(d);
            visitor.wq(elected);
        }
        Op::Special { wide, d, .. } | Op::LocalAddress { wide, d, .. } | Op::StackSave { wide, d } => {
            visitor.either(*wide, OperandUse::Write, d);
        }
        Op::ConvertAddress { wide, d, a, .. } => {
            visitor.either(*wide, OperandUse::Read, a);
            visitor.either(*wide, OperandUse::Write, d);
        }
        Op::IsSpace { d, wide, a, .. } => {
            visitor.either(*wide, OperandUse::Read, a);
            visitor.wq(d);
        }
        Op::MapRank { wide, d, a, rank, .. } => {
            visitor.either(*wide, OperandUse::Read, a);
            visitor.r(rank);
            visitor.either(*wide, OperandUse::Write, d);
        }
        Op::RankOf { wide, d, a, .. } => {
            visitor.either(*wide, OperandUse::Read, a);
            visitor.w(d);
        }
        Op::StackAllocate { wide, d, bytes, .. } => {
            visitor.either(*wide, OperandUse::Read, bytes);
            visitor.either(*wide, OperandUse::Write, d);
        }
        Op::StackRestore { wide, a } => visitor.either(*wide, OperandUse::Read, a),
        Op::Branch { .. }
        | Op::Return
        | Op::Exit
        | Op::Trap
        | Op::Breakpoint
        | Op::PastBarrier { .. }
        | Op::BarrierLoop { .. }
        | Op::BarrierChoice { .. }
        | Op::Fence { .. }
        | Op::Hint { .. }
        | Op::Unsupported { .. } => {}
    }
}

struct Visitor<'v> {
    visit: &'v mut dyn FnMut(File, OperandUse, &mut u16),
}

impl Visitor<'_> {
    fn call(&mut self, file: File, access: OperandUse, register: &mut u16) {
        // Constants and `NONE` have the top bit.
        if *register & 0x8000 == 0 {
            (self.visit)(file, access, register);
        }
    }

    fn either(&mut self, wide: bool, access: OperandUse, register: &mut u16) {
        self.call(if wide { File::Pair } else { File::Word }, access, register);
    }

    fn address(&mut self, address: &mut Address) {
        self.either(address.wide, OperandUse::Read, &mut address.register);
    }

    fn asynchronous(&mut self, operation: &mut Asynchronous) {
        match operation {
            Asynchronous::Copy { to, from, reads, ignore, .. } => {
                self.address(to);
                self.address(from);
                self.r(reads);
                self.rq(ignore);
            }
            Asynchronous::Arrive { address, .. } => self.address(address),
            Asynchronous::Commit | Asynchronous::Wait { .. } | Asynchronous::WaitAll => {}
        }
    }

    fn bulk(&mut self, operation: &mut Bulk, lists: &mut [Word]) {
        match operation {
            Bulk::In { to, from, bytes, barrier, ranks } => {
                self.address(to);
                self.address(from);
                self.r(bytes);
                self.address(barrier);
                self.r(ranks);
            }
            Bulk::Across { to, from, bytes, barrier } => {
                self.address(to);
                self.address(from);
                self.r(bytes);
                self.address(barrier);
            }
            Bulk::Out { to, from, bytes, .. } => {
                self.address(to);
                self.address(from);
                self.r(bytes);
            }
            Bulk::Tensor { map, words, ranks, .. } => {
                self.address(map);
                self.r(ranks);
                for word in &mut lists[words.range()] {
                    self.r(word);
                }
            }
            Bulk::Commit | Bulk::Wait { .. } | Bulk::Fence => {}
        }
    }

    fn texture(&mut self, access: &mut TextureAccess, lists: &mut [Word]) {
        match access {
            TextureAccess::Read(read) => {
                self.rp(&mut read.handle);
                for (index, word) in lists[read.words.range()].iter_mut().enumerate() {
                    // The first four are results.
                    if index < 4 { self.w(word) } else { self.r(word) }
                }
            }
            TextureAccess::Surface(access) => {
                self.rp(&mut access.handle);
                lists[access.words.range()].iter_mut().for_each(|word| self.r(word));
                let used = if access.stores { OperandUse::Read } else { OperandUse::Write };
                for register in &mut lists[access.registers.range()] {
                    self.either(access.bytes == 8, used, &mut register.0);
                }
            }
            TextureAccess::Query { handle, d, .. } => {
                self.rp(handle);
                self.w(d);
            }
        }
    }

    fn mbarrier(&mut self, operation: &mut Mbarrier) {
        match operation {
            Mbarrier::Init { address, count } => {
                self.address(address);
                self.r(count);
            }
            Mbarrier::Invalidate { address } => self.address(address),
            Mbarrier::Arrive { address, d, count, .. } => {
                self.address(address);
                self.r(count);
                self.wp(d);
            }
            Mbarrier::Bytes { address, bytes, .. } => {
                self.address(address);
                self.r(bytes);
            }
            Mbarrier::Wait { address, d, phase, parity, limit, .. } => {
                self.address(address);
                self.either(!*parity, OperandUse::Read, phase);
                self.r(limit);
                self.wq(d);
            }
            Mbarrier::Pending { d, state } => {
                self.rp(state);
                self.w(d);
            }
        }
    }

    fn matrix(&mut self, operation: &mut Matrix, lists: &mut [Word]) {
        match operation {
            Matrix::Load { count, d, address, .. } => {
                self.address(address);
                d[..usize::from(*count)].iter_mut().for_each(|d| self.w(d));
            }
            Matrix::Store { count, a, address, .. } => {
                self.address(address);
                a[..usize::from(*count)].iter_mut().for_each(|a| self.r(a));
            }
            Matrix::Transpose { d, a } => {
                self.r(a);
                self.w(d);
            }
            Matrix::Multiply(multiply) => {
                let [d, ..] = multiply.fragments();
                let (written, read) = lists[multiply.registers.range()].split_at_mut(d.registers());
                for register in read {
                    self.either(d.kind.is_wide(), OperandUse::Read, &mut register.0);
                }
                for register in written {
                    self.either(d.kind.is_wide(), OperandUse::Write, &mut register.0);
                }
            }
            Matrix::Group(product) => {
                let (d, a) = lists[product.registers.range()].split_at_mut(product.d_registers());
                d.iter_mut().for_each(|d| self.call(File::Word, OperandUse::Update, &mut d.0));
                a.iter_mut().for_each(|a| self.r(a));
                self.rp(&mut product.a_at);
                self.rp(&mut product.b_at);
                self.rq(&mut product.adds);
            }
            Matrix::LoadFragment(access) => self.fragment(access, OperandUse::Write, lists),
            Matrix::StoreFragment(access) => self.fragment(access, OperandUse::Read, lists),
        }
    }

    fn fragment(&mut self, access: &mut FragmentAccess, used: OperandUse, lists: &mut [Word]) {
        self.address(&mut access.address);
        self.r(&mut access.stride);
        for register in &mut lists[access.registers.range()] {
            self.either(access.fragment.kind.is_wide(), used, &mut register.0);
        }
    }

    fn r(&mut self, word: &mut Word) {
        self.call(File::Word, OperandUse::Read, &mut word.0);
    }

    fn w(&mut self, word: &mut Word) {
        self.call(File::Word, OperandUse::Write, &mut word.0);
    }

    fn rp(&mut self, pair: &mut Pair) {
        self.call(File::Pair, OperandUse::Read, &mut pair.0);
    }

    fn wp(&mut self, pair: &mut Pair) {
        self.call(File::Pair, OperandUse::Write, &mut pair.0);
    }

    fn rq(&mut self, predicate: &mut Predicate) {
        self.call(File::Predicate, OperandUse::Read, &mut predicate.0);
    }

    fn wq(&mut self, predicate: &mut Predicate) {
        self.call(File::Predicate, OperandUse::Write, &mut predicate.0);
    }

    fn alu(&mut self, alu: &mut Alu) {
        match alu {
            Alu::MoveWord { d, a }
            | Alu::Word1 { d, a, .. }
            | Alu::Float1 { d, a, .. }
            | Alu::Half1 { d, a, .. }
            | Alu::ConvertTf32 { d, a, .. }
            | Alu::ConvertFromBytes { d, a, .. }
            | Alu::Extract { d, a, .. } => {
                self.r(a);
                self.w(d);
            }
            Alu::MovePair { d, a } | Alu::Pair1 { d, a, .. } | Alu::Double1 { d, a, .. } => {
                self.rp(a);
                self.wp(d);
            }
            Alu::MovePredicate { d, a } | Alu::PredicateNot { d, a } => {
                self.rq(a);
                self.wq(d);
            }
            Alu::Word2 { d, a, b, .. }
            | Alu::Float2 { d, a, b, .. }
            | Alu::Half2 { d, a, b, .. }
            | Alu::SetX2 { d, a, b, .. }
            | Alu::ConvertToBytes { d, a, b, .. }
            | Alu::ConvertX2 { d, a, b, .. } => {
                self.r(a);
                self.r(b);
                self.w(d);
            }
            Alu::Word3 { d, a, b, c, .. }
            | Alu::Lop3 { d, a, b, c, .. }
            | Alu::FloatFma { d, a, b, c, .. }
            | Alu::HalfFma { d, a, b, c, .. }
            | Alu::ConvertPack { d, a, b, c, .. }
            | Alu::AbsDifferences { d, a, b, c, .. } => {
                for word in [a, b, c] {
                    self.r(word);
                }
                self.w(d);
            }
            Alu::Bfi { d, a, b, c, e } => {
                for word in [a, b, c, e] {
                    self.r(word);
                }
                self.w(d);
            }
            Alu::PairToWord { d, a, .. } => {
                self.rp(a);
                self.w(d);
            }
            Alu::Pair2 { d, a, b, .. } | Alu::Double2 { d, a, b, .. } => {
                self.rp(a);
                self.rp(b);
                self.wp(d);
            }
            Alu::Pair3 { d, a, b, c, .. } | Alu::DoubleFma { d, a, b, c, .. } => {
                for pair in [a, b, c] {
                    self.rp(pair);
                }
                self.wp(d);
            }
            Alu::PairShift { d, a, b, .. } => {
                self.rp(a);
                self.r(b);
                self.wp(d);
            }
            Alu::PairBfe { d, a, b, c, .. } => {
                self.rp(a);
                self.r(b);
                self.r(c);
                self.wp(d);
            }
            Alu::PairBfi { d, a, b, c, e } => {
                self.rp(a);
                self.rp(b);
                self.r(c);
                self.r(e);
                self.wp(d);
            }
            Alu::PairSlct { d, a, b, c, .. } => {
                self.rp(a);
                self.rp(b);
                self.r(c);
                self.wp(d);
            }
            Alu::MulWide { d, a, b, .. } => {
                self.r(a);
                self.r(b);
                self.wp(d);
            }
            Alu::MadWide { d, a, b, c, .. } => {
                self.r(a);
                self.r(b);
                self.rp(c);
                self.wp(d);
            }
            Alu::AddCarry { d, a, b, carry_in, carry_out, .. } => {
                self.r(a);
                self.r(b);
                self.rq(carry_in);
                self.w(d);
                self.wq(carry_out);
            }
            Alu::PairAddCarry { d, a, b, carry_in, carry_out, .. } => {
                self.rp(a);
                self.rp(b);
                self.rq(carry_in);
                self.wp(d);
                self.wq(carry_out);
            }
            Alu::SetPredicate { kind, d, e, a, b, c, .. } => {
                let wide = matches!(kind, CompareKind::S64 | CompareKind::U64 | CompareKind::F64);
                self.either(wide, OperandUse::Read, a);
                self.either(wide, OperandUse::Read, b);
                self.rq(c);
                self.wq(d);
                self.wq(e);
            }
            Alu::SetPredicateX2 { d, e, a, b, .. } => {
                self.r(a);
                self.r(b);
                self.wq(d);
                self.wq(e);
            }
            Alu::TestClass { double, d, a, .. } => {
                self.either(*double, OperandUse::Read, a);
                self.wq(d);
            }
            Alu::SelectWord { d, a, b, p } => {
                self.r(a);
                self.r(b);
                self.rq(p);
                self.w(d);
            }
            Alu::SelectPair { d, a, b, p } => {
                self.rp(a);
                self.rp(b);
                self.rq(p);
                self.wp(d);
            }
            Alu::Predicate2 { d, a, b, .. } => {
                self.rq(a);
                self.rq(b);
                self.wq(d);
            }
            Alu::Convert { to, from, d, a, .. } => {
                self.either(ConvertKind::is_wide(*from), OperandUse::Read, a);
                self.either(ConvertKind::is_wide(*to), OperandUse::Write, d);
            }
            Alu::PackPair { d, lo, hi } => {
                self.r(lo);
                self.r(hi);
                self.wp(d);
            }
            Alu::UnpackPair { lo, hi, a } => {
                self.rp(a);
                self.w(lo);
                self.w(hi);
            }
            Alu::Insert { d, a, .. } => {
                self.r(a);
                self.call(File::Word, OperandUse::Update, &mut d.0);
            }
        }
    }
}
