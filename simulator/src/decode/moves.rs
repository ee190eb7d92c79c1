//! `mov`, `selp`, `slct`, and the names of special registers.

use super::function::{Binding, Lowering, NamedRegister};
use crate::{
    ir::{Alu, Combine, Compare, CompareKind, Op, Predicate, SpecialRegister, Word, Word2, Word3},
    ptx::{Operand, ParsedInstruction, scalar_bytes},
};

/// The special register of that name.
pub fn special_register(name: &str) -> Option<SpecialRegister> {
    use SpecialRegister as S;
    let name = name.strip_prefix('%')?;
    if let Some((base, axis)) = name.split_once('.') {
        let axis = match axis {
            "x" => 0,
            "y" => 1,
            "z" => 2,
            _ => return None,
        };
        return Some(match base {
            "tid" => S::Tid(axis),
            "ntid" => S::Ntid(axis),
            "ctaid" => S::Ctaid(axis),
            "nctaid" => S::Nctaid(axis),
            "cluster_ctaid" => S::ClusterCtaid(axis),
            "cluster_nctaid" => S::ClusterNctaid(axis),
            "clusterid" => S::ClusterId(axis),
            "nclusterid" => S::NClusterId(axis),
            _ => return None,
        });
    }
    Some(match name {
        "laneid" => S::LaneId,
        "warpid" => S::WarpId,
        "nwarpid" => S::NWarpId,
        "smid" => S::SmId,
        "nsmid" => S::NSmId,
        "gridid" => S::GridId,
        "lanemask_eq" => S::LaneMaskEq,
        "lanemask_le" => S::LaneMaskLe,
        "lanemask_lt" => S::LaneMaskLt,
        "lanemask_ge" => S::LaneMaskGe,
        "lanemask_gt" => S::LaneMaskGt,
        "clock" | "clock_lo" => S::Clock,
        "clock_hi" => S::ClockHi,
        "clock64" => S::Clock64,
        "globaltimer" => S::GlobalTimer,
        "globaltimer_lo" => S::GlobalTimerLo,
        "globaltimer_hi" => S::GlobalTimerHi,
        "total_smem_size" => S::TotalSharedSize,
        "dynamic_smem_size" => S::DynamicSharedSize,
        "aggr_smem_size" => S::AggregateSharedSize,
        "cluster_ctarank" => S::ClusterCtaRank,
        "cluster_nctarank" => S::ClusterNctaRank,
        "is_explicit_cluster" => S::IsExplicitCluster,
        _ => S::Environment(name.strip_prefix("envreg")?.parse().ok().filter(|&n| n < 32)?),
    })
}

/// Lowers a move or selection.
pub fn lower(l: &mut Lowering<'_, '_, '_>, i: &ParsedInstruction<'_>) -> Option<()> {
    let kind = *i.modifiers.last()?;
    match i.opcode {
        "mov" => {
            let [d, a] = &i.operands[..] else { return None };
            match i.modifiers[..] {
                ["v2" | "v4", _] => mov_vector(l, kind, d, a),
                _ => mov(l, kind, d, a),
            }
        }
        "selp" => {
            let [d, a, b, p] = &i.operands[..] else { return None };
            let (mut p, negated) = l.predicate(p)?;
            if negated {
                let d = l.new_predicate();
                l.alu(Alu::PredicateNot { d, a: p })?;
                p = d;
            }
            match (scalar_bytes(kind), kind) {
                (8, "f64") => {
                    let (d, a, b) = (l.d_pair(d)?, l.double(a)?, l.double(b)?);
                    l.alu(Alu::SelectPair { d, a, b, p })
                }
                (8, _) => {
                    let (d, a, b) = (l.d_pair(d)?, l.pair(a)?, l.pair(b)?);
                    l.alu(Alu::SelectPair { d, a, b, p })
                }
                (_, "f32") => {
                    let (d, a, b) = (l.d_word(d)?, l.float(a)?, l.float(b)?);
                    l.alu(Alu::SelectWord { d, a, b, p })
                }
                _ => {
                    let (d, a, b) = (l.d_word(d)?, l.word(a)?, l.word(b)?);
                    l.alu(Alu::SelectWord { d, a, b, p })
                }
            }
        }
        _ => slct(l, i),
    }
}

/// `slct{.ftz}.dtype.{s32|f32} d, a, b, c`.
fn slct(l: &mut Lowering<'_, '_, '_>, i: &ParsedInstruction<'_>) -> Option<()> {
    let [.., kind, by] = i.modifiers[..] else { return None };
    let [d, a, b, c] = &i.operands[..] else { return None };
    let by_float = by == "f32";
    let ftz = i.modifiers.contains(&"ftz");
    let c = if by_float { l.float(c)? } else { l.word(c)? };
    match kind {
        "f64" => {
            let (d, a, b) = (l.d_pair(d)?, l.double(a)?, l.double(b)?);
            l.alu(Alu::PairSlct { float: by_float, ftz, d, a, b, c })
        }
        "b64" | "u64" | "s64" => {
            let (d, a, b) = (l.d_pair(d)?, l.pair(a)?, l.pair(b)?);
            l.alu(Alu::PairSlct { float: by_float, ftz, d, a, b, c })
        }
        _ => {
            let op = match (by_float, ftz) {
                (false, _) => Word3::SlctS32,
                (true, false) => Word3::SlctF32,
                (true, true) => Word3::SlctF32Ftz,
            };
            let (d, a, b) = (l.d_word(d)?, l.float(a)?, l.float(b)?);
            l.alu(Alu::Word3 { op, d, a, b, c })
        }
    }
}

fn mov(l: &mut Lowering<'_, '_, '_>, kind: &str, d: &Operand<'_>, a: &Operand<'_>) -> Option<()> {
    if kind == "pred" {
        if let Operand::Name(name) = a
            && let Some(register @ SpecialRegister::IsExplicitCluster) = special_register(name)
        {
            let (d, a, b) = (l.d_predicate(d)?, l.new_word().0, l.word_bits(0).0);
            l.emit(Op::Special { register, wide: false, d: a });
            return l.alu(Alu::SetPredicate {
                kind: CompareKind::U32,
                compare: Compare::Ne,
                combine: Combine::And,
                negated: false,
                d,
                e: Predicate::NONE,
                a,
                b,
                c: Predicate::NONE,
            });
        }
        let (d, (a, negated)) = (l.d_predicate(d)?, l.predicate(a)?);
        return l.alu(if negated { Alu::PredicateNot { d, a } } else { Alu::MovePredicate { d, a } });
    }
    let bytes = scalar_bytes(kind);
    if bytes == 16 {
        return mov_quad(l, d, a);
    }
    match (d, a) {
        (Operand::Vector(parts), _) => return split(l, bytes, parts, a),
        (_, Operand::Vector(parts)) => return join(l, bytes, d, parts),
        _ => {}
    }
    // Straight into the destination what would otherwise pass through a temporary.
    if let Some(local) = local_offset(l, a) {
        let (wide, d) = if bytes == 8 { (true, l.d_pair(d)?.0) } else { (false, l.d_word(d)?.0) };
        l.emit(Op::LocalAddress { wide, d, offset: local });
        return Some(());
    }
    if let Operand::Name(name) = a
        && let Some(register) = special_register(name)
        && l.binding(name).is_none()
    {
        let (wide, d) = if bytes == 8 { (true, l.d_pair(d)?.0) } else { (false, l.d_word(d)?.0) };
        l.emit(Op::Special { register, wide, d });
        return Some(());
    }
    match (bytes, l.register(a)) {
        (1 | 2 | 4, Some(NamedRegister::Predicate(_))) => None,
        (8, _) => {
            let (d, a) = (l.d_pair(d)?, l.double(a)?);
            l.alu(Alu::MovePair { d, a })
        }
        (1 | 2 | 4, _) => {
            let (d, a) = (l.d_word(d)?, if kind == "f32" { l.float(a)? } else { l.word(a)? });
            l.alu(Alu::MoveWord { d, a })
        }
        _ => None,
    }
}

/// `mov.v4.f32 {a, b, c, d}, v`: all elements are read before one is written.
fn mov_vector(l: &mut Lowering<'_, '_, '_>, kind: &str, d: &Operand<'_>, a: &Operand<'_>) -> Option<()> {
    let Operand::Vector(targets) = d else { return None };
    let wide = scalar_bytes(kind) == 8;
    let mut values = Vec::new();
    match a {
        Operand::Vector(parts) => {
            for part in parts {
                values.push(if wide {
                    let (d, a) = (l.new_pair(), l.double(part)?);
                    l.alu(Alu::MovePair { d, a })?;
                    NamedRegister::Pair(d)
                } else {
                    let (d, a) = (l.new_word(), l.float(part)?);
                    l.alu(Alu::MoveWord { d, a })?;
                    NamedRegister::Word(d)
                });
            }
        }
        // `%tid` and its like as a whole. The fourth element is 0.
        Operand::Name(name) if !wide => {
            for axis in ["x", "y", "z"] {
                let (register, d) = (special_register(&format!("{name}.{axis}"))?, l.new_word());
                l.emit(Op::Special { register, wide, d: d.0 });
                values.push(NamedRegister::Word(d));
            }
            values.push(NamedRegister::Word(l.word_bits(0)));
        }
        _ => return None,
    }
    if values.len() != targets.len() {
        return None;
    }
    for (target, value) in targets.iter().zip(values) {
        match value {
            NamedRegister::Word(a) => {
                let d = l.d_word(target)?;
                l.alu(Alu::MoveWord { d, a })?;
            }
            NamedRegister::Pair(a) => {
                let d = l.d_pair(target)?;
                l.alu(Alu::MovePair { d, a })?;
            }
            NamedRegister::Predicate(_) => return None,
        }
    }
    Some(())
}

/// `mov.b128`, of which one side may be two pairs.
fn mov_quad(l: &mut Lowering<'_, '_, '_>, d: &Operand<'_>, a: &Operand<'_>) -> Option<()> {
    let from = match a {
        Operand::Vector(parts) => {
            let [lo, hi] = &parts[..] else { return None };
            [l.pair(lo)?, l.pair(hi)?]
        }
        Operand::Name("_") => return None,
        _ => l.quad(a)?,
    };
    let to = match d {
        Operand::Vector(parts) => {
            let [lo, hi] = &parts[..] else { return None };
            [l.d_pair(lo)?, l.d_pair(hi)?]
        }
        _ => l.quad(d)?,
    };
    for (d, a) in to.into_iter().zip(from) {
        l.alu(Alu::MovePair { d, a })?;
    }
    Some(())
}

/// The offset of a local variable in its frame.
fn local_offset(l: &Lowering<'_, '_, '_>, operand: &Operand<'_>) -> Option<u32> {
    let (name, add) = match operand {
        Operand::Name(name) => (name, 0),
        Operand::Offset(name, offset) => (name, *offset),
        _ => return None,
    };
    match l.binding(name)? {
        Binding::Local { offset } => u32::try_from(i64::from(offset) + add).ok(),
        _ => None,
    }
}

/// `{a, b, …} = source`
fn split(
    l: &mut Lowering<'_, '_, '_>,
    bytes: u32,
    parts: &[Operand<'_>],
    source: &Operand<'_>,
) -> Option<()> {
    let sink = Operand::Name("_");
    match (bytes, parts.len()) {
        (8, 2) => {
            let a = l.pair(source)?;
            let part = |l: &mut Lowering<'_, '_, '_>, operand: &Operand<'_>| {
                if *operand == sink { Some(Word::NONE) } else { l.d_word(operand) }
            };
            let (lo, hi) = (part(l, &parts[0])?, part(l, &parts[1])?);
            l.alu(Alu::UnpackPair { lo, hi, a })
        }
        (8, 4) => {
            let a = l.pair(source)?;
            let (lo, hi) = (l.new_word(), l.new_word());
            l.alu(Alu::UnpackPair { lo, hi, a })?;
            fields(l, &parts[..2], lo, 16)?;
            fields(l, &parts[2..], hi, 16)
        }
        (4, 2) => {
            let a = l.word(source)?;
            fields(l, parts, a, 16)
        }
        (4, 4) | (2, 2) => {
            let a = l.word(source)?;
            fields(l, parts, a, 8)
        }
        _ => None,
    }
}

fn fields(l: &mut Lowering<'_, '_, '_>, parts: &[Operand<'_>], a: Word, width: u8) -> Option<()> {
    // A destination may be the source's own register: take the fields from a copy.
    let copy = l.new_word();
    l.alu(Alu::MoveWord { d: copy, a })?;
    for (index, part) in parts.iter().enumerate() {
        if *part != Operand::Name("_") {
            let d = l.d_word(part)?;
            l.alu(Alu::Extract { signed: false, shift: index as u8 * width, width, d, a: copy })?;
        }
    }
    Some(())
}

/// `d = {a, b, …}`
fn join(l: &mut Lowering<'_, '_, '_>, bytes: u32, d: &Operand<'_>, parts: &[Operand<'_>]) -> Option<()> {
    match (bytes, parts) {
        (8, [lo, hi]) => {
            let (d, lo, hi) = (l.d_pair(d)?, l.float(lo)?, l.float(hi)?);
            l.alu(Alu::PackPair { d, lo, hi })
        }
        (8, [a, b, c, e]) => {
            let (lo, hi) = (l.new_word(), l.new_word());
            let (a, b) = (l.word(a)?, l.word(b)?);
            l.alu(Alu::Word2 { op: Word2::Pack16, d: lo, a, b })?;
            let (a, b) = (l.word(c)?, l.word(e)?);
            l.alu(Alu::Word2 { op: Word2::Pack16, d: hi, a, b })?;
            let d = l.d_pair(d)?;
            l.alu(Alu::PackPair { d, lo, hi })
        }
        (4, [a, b]) => {
            let (d, a, b) = (l.d_word(d)?, l.word(a)?, l.word(b)?);
            l.alu(Alu::Word2 { op: Word2::Pack16, d, a, b })
        }
        (4, [_, _, _, _]) | (2, [_, _]) => {
            let made = l.new_word();
            let zero = l.word_bits(0);
            l.alu(Alu::MoveWord { d: made, a: zero })?;
            for (index, part) in parts.iter().enumerate() {
                let a = l.word(part)?;
                l.alu(Alu::Insert { shift: index as u8 * 8, width: 8, d: made, a })?;
            }
            let d = l.d_word(d)?;
            l.alu(Alu::MoveWord { d, a: made })
        }
        _ => None,
    }
}
