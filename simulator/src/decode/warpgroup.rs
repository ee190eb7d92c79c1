//! Products of matrices by four warps in the background: `wgmma`.

use super::{function::Lowering, function::NamedRegister, memory::elements};
use crate::{
    ir::{GROUP_A_REGISTERS, GroupMultiply, List, Matrix, MatrixType, Op, Pair, Predicate, Warpgroup},
    ptx::{Operand, ParsedInstruction},
};

/// Lowers `wgmma`. Products of sparse matrices are lacking.
pub fn lower(l: &mut Lowering<'_, '_, '_>, i: &ParsedInstruction<'_>) -> Option<()> {
    let operation = match (&i.modifiers[..], &i.operands[..]) {
        (["fence", "sync", "aligned"], []) => Warpgroup::Fence,
        (["commit_group", "sync", "aligned"], []) => Warpgroup::Commit,
        (["wait_group", "sync", "aligned"], [Operand::Integer(groups)]) => {
            Warpgroup::Wait { groups: u32::try_from(*groups).unwrap_or(u32::MAX) }
        }
        (["mma_async", "sync", "aligned", shape, rest @ ..], [d, a, b, adds, more @ ..]) => {
            let product = product(shape, rest)?;
            let product = with_operands(l, product, [d, a, b, adds], more)?;
            l.emit(Op::Matrix(Matrix::Group(product)));
            return Some(());
        }
        _ => return None,
    };
    l.emit(Op::Warpgroup(operation));
    Some(())
}

/// The product that shape and types name, if there is one.
fn product(shape: &str, rest: &[&str]) -> Option<GroupMultiply> {
    use MatrixType::{B1, Bf16, E4m3, E5m2, F16, F32, S8, S32, Tf32, U8};
    let (mut saturates, mut types) = (false, Vec::new());
    for modifier in rest {
        match *modifier {
            "satfinite" => saturates = true,
            "and" | "popc" => {}
            name => types.push(super::matrix::kind(name)?),
        }
    }
    let [d, a, b] = types[..] else { return None };
    let shape = super::matrix::shape(shape)?;
    let exists = match (a, b, d) {
        (F16, F16, F16 | F32) | (Bf16, Bf16, F32) | (Tf32, Tf32, F32) => true,
        (E4m3 | E5m2, E4m3 | E5m2, F16 | F32) => true,
        (U8 | S8, U8 | S8, S32) | (B1, B1, S32) => shape.n <= 24 || shape.n.is_multiple_of(16),
        _ => false,
    };
    let fits = shape.m == 64 && shape.n.is_multiple_of(8) && (8..=256).contains(&shape.n);
    (exists && fits && usize::from(shape.k) * a.bits() == 256).then_some(GroupMultiply {
        n: shape.n,
        a,
        b,
        d,
        a_at: Pair::NONE,
        b_at: Pair::NONE,
        adds: Predicate::NONE,
        adds_negated: false,
        negates: [false; 2],
        transposed: [false; 2],
        saturates,
        registers: List::default(),
    })
}

fn with_operands(
    l: &mut Lowering<'_, '_, '_>,
    mut product: GroupMultiply,
    [d, a, b, adds]: [&Operand<'_>; 4],
    more: &[Operand<'_>],
) -> Option<GroupMultiply> {
    let mut registers = Vec::new();
    for operand in elements(d, u8::try_from(product.d_registers()).ok()?)? {
        registers.push(l.d_word(operand)?);
    }
    match l.register(a) {
        Some(NamedRegister::Pair(pair)) => product.a_at = pair,
        _ => {
            for operand in elements(a, GROUP_A_REGISTERS as u8)? {
                registers.push(l.word(operand)?);
            }
        }
    }
    product.b_at = l.pair(b)?;
    (product.adds, product.adds_negated) = l.predicate(adds)?;
    // Two that negate, then one or two that transpose: A in registers has no order in memory.
    let mut numbers = Vec::new();
    for operand in more {
        let Operand::Integer(number) = operand else { return None };
        numbers.push(*number as i64);
    }
    let in_registers = !product.a_at.is_some();
    match numbers[..] {
        [] => {}
        [a, b, ref transposed @ ..] => {
            product.negates = [a == -1, b == -1];
            match *transposed {
                [] => {}
                [b] if in_registers => product.transposed = [false, b == 1],
                [a, b] if !in_registers => product.transposed = [a == 1, b == 1],
                _ => return None,
            }
        }
        _ => return None,
    }
    // Only numbers of 16 bits can lie the other way round.
    let may_turn = product.a.bits() == 16;
    product.registers = l.list(registers)?;
    (may_turn || product.transposed == [false; 2]).then_some(product)
}
