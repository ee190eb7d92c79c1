//! Matrices that a warp holds together: `ldmatrix`, `stmatrix`, `movmatrix`, `mma`, `wmma`.

use super::{
    function::Lowering,
    memory::{elements, space},
};
use crate::{
    ir::{Fragment, FragmentAccess, List, Matrix, MatrixRole, MatrixShape, MatrixType, Multiply, Op, Word},
    ptx::{Operand, ParsedInstruction},
};

/// Lowers an instruction on matrices. Sparse products, and those of formats with a scale beside them, are lacking.
pub fn lower(l: &mut Lowering<'_, '_, '_>, i: &ParsedInstruction<'_>) -> Option<()> {
    let matrix = match i.opcode {
        "ldmatrix" => {
            let (count, transposed) = eights(i)?;
            let mut d = [Word::NONE; 4];
            for (register, operand) in d.iter_mut().zip(elements(i.operands.first()?, count)?) {
                *register = l.d_word(operand)?;
            }
            Matrix::Load { count, transposed, space: space(i), d, address: l.address(i.operands.get(1)?)? }
        }
        "stmatrix" => {
            let (count, transposed) = eights(i)?;
            let mut a = [Word::NONE; 4];
            for (register, operand) in a.iter_mut().zip(elements(i.operands.get(1)?, count)?) {
                *register = l.word(operand)?;
            }
            Matrix::Store { count, transposed, space: space(i), a, address: l.address(i.operands.first()?)? }
        }
        "movmatrix" if i.modifiers == ["sync", "aligned", "m8n8", "trans", "b16"] => {
            Matrix::Transpose { d: l.d_word(i.operands.first()?)?, a: l.word(i.operands.get(1)?)? }
        }
        "mma" => {
            let ["sync", "aligned", shape, "row", "col", rest @ ..] = &i.modifiers[..] else { return None };
            let multiply = product(shape, rest, false)?;
            Matrix::Multiply(with_registers(l, i, multiply)?)
        }
        "wmma" => match i.modifiers.first().copied()? {
            "mma" => {
                let ["mma", "sync", "aligned", shape, "row" | "col", "row" | "col", rest @ ..] =
                    &i.modifiers[..]
                else {
                    return None;
                };
                let mut rest = rest.to_vec();
                // Of halves only the accumulators' types are said.
                if let [d @ ("f16" | "f32"), c @ ("f16" | "f32")] = rest[..] {
                    rest = vec![d, "f16", "f16", c];
                }
                let multiply = product(shape, &rest, true)?;
                Matrix::Multiply(with_registers(l, i, multiply)?)
            }
            "load" => Matrix::LoadFragment(fragment_access(l, i, true)?),
            "store" => Matrix::StoreFragment(fragment_access(l, i, false)?),
            _ => return None,
        },
        _ => return None,
    };
    l.emit(Op::Matrix(matrix));
    Some(())
}

/// How many 8 × 8 matrices of 16 bits, and whether they are turned.
fn eights(i: &ParsedInstruction<'_>) -> Option<(u8, bool)> {
    let ["sync", "aligned", "m8n8", count, rest @ ..] = &i.modifiers[..] else { return None };
    let count = match *count {
        "x1" => 1,
        "x2" => 2,
        "x4" => 4,
        _ => return None,
    };
    let (transposed, rest) = match rest {
        ["trans", rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    matches!(rest, ["shared" | "shared::cta", "b16"] | ["b16"]).then_some((count, transposed))
}

pub(super) fn shape(text: &str) -> Option<MatrixShape> {
    let (m, rest) = text.strip_prefix('m')?.split_once('n')?;
    let (n, k) = rest.split_once('k')?;
    Some(MatrixShape { m: m.parse().ok()?, n: n.parse().ok()?, k: k.parse().ok()? })
}

pub(super) fn kind(text: &str) -> Option<MatrixType> {
    Some(match text {
        "f16" => MatrixType::F16,
        "bf16" => MatrixType::Bf16,
        "tf32" => MatrixType::Tf32,
        "e4m3" => MatrixType::E4m3,
        "e5m2" => MatrixType::E5m2,
        "f32" => MatrixType::F32,
        "f64" => MatrixType::F64,
        "u8" => MatrixType::U8,
        "s8" => MatrixType::S8,
        "u4" => MatrixType::U4,
        "s4" => MatrixType::S4,
        "b1" => MatrixType::B1,
        "s32" => MatrixType::S32,
        _ => return None,
    })
}

/// The product that shape and types name, if there is one. `rest` is what follows the layouts or the shape.
fn product(shape_name: &str, rest: &[&str], is_wmma: bool) -> Option<Multiply> {
    let (mut saturates, mut is_and) = (false, false);
    let mut types = Vec::new();
    for modifier in rest {
        match *modifier {
            "satfinite" => saturates = true,
            "and" => is_and = true,
            // The only rounding there is, and what goes without saying.
            "xor" | "popc" | "rn" => {}
            name => types.push(kind(name)?),
        }
    }
    let [d, a, b, c] = types[..] else { return None };
    let shape = shape(shape_name)?;
    let sides = (shape.m, shape.n, shape.k);
    use MatrixType::{B1, Bf16, E4m3, E5m2, F16, F32, F64, S4, S8, S32, Tf32, U4, U8};
    let exists = match (a, b, d, c) {
        (F16, F16, F16 | F32, F16 | F32) if is_wmma => is_wmma_side(sides),
        (F16, F16, F16, F16) | (F16, F16, F32, F32) => matches!(sides, (16, 8, 8 | 16)),
        (Bf16, Bf16, F32, F32) if is_wmma => is_wmma_side(sides),
        (Bf16, Bf16, F32, F32) => matches!(sides, (16, 8, 8 | 16)),
        (Tf32, Tf32, F32, F32) if is_wmma => sides == (16, 16, 8),
        (Tf32, Tf32, F32, F32) => matches!(sides, (16, 8, 4 | 8)),
        (E4m3 | E5m2, E4m3 | E5m2, F16, F16) | (E4m3 | E5m2, E4m3 | E5m2, F32, F32) if !is_wmma => {
            matches!(sides, (16, 8, 16 | 32))
        }
        (F64, F64, F64, F64) => sides == (8, 8, 4) || !is_wmma && matches!(sides, (16, 8, 4 | 8 | 16)),
        (U8 | S8, U8 | S8, S32, S32) if is_wmma => a == b && is_wmma_side(sides),
        (U8 | S8, U8 | S8, S32, S32) => matches!(sides, (8, 8, 16) | (16, 8, 16 | 32)),
        (U4 | S4, U4 | S4, S32, S32) if is_wmma => a == b && sides == (8, 8, 32),
        (U4 | S4, U4 | S4, S32, S32) => matches!(sides, (8, 8, 32) | (16, 8, 32 | 64)),
        (B1, B1, S32, S32) => sides == (8, 8, 128) || !is_wmma && matches!(sides, (16, 8, 128 | 256)),
        _ => false,
    };
    let registers = List::default();
    exists.then_some(Multiply { shape, a, b, c, d, is_wmma, is_group: false, saturates, is_and, registers })
}

fn is_wmma_side(sides: (u16, u16, u16)) -> bool {
    matches!(sides, (16, 16, 16) | (8, 32, 16) | (32, 8, 16))
}

/// The registers of all four fragments.
fn with_registers(
    l: &mut Lowering<'_, '_, '_>,
    i: &ParsedInstruction<'_>,
    multiply: Multiply,
) -> Option<Multiply> {
    if i.operands.len() != 4 {
        return None;
    }
    let mut registers = Vec::new();
    for (index, (operand, fragment)) in i.operands.iter().zip(multiply.fragments()).enumerate() {
        registers.extend(fragment_registers(l, operand, fragment, index == 0)?);
    }
    Some(Multiply { registers: l.list(registers)?, ..multiply })
}

/// The registers of a fragment, of which pairs are named like words.
fn fragment_registers(
    l: &mut Lowering<'_, '_, '_>,
    operand: &Operand<'_>,
    fragment: Fragment,
    is_written: bool,
) -> Option<Vec<Word>> {
    let mut registers = Vec::new();
    for operand in elements(operand, fragment.registers() as u8)? {
        registers.push(match (fragment.kind, is_written) {
            (MatrixType::F64, true) => Word(l.d_pair(operand)?.0),
            (MatrixType::F64, false) => Word(l.double(operand)?.0),
            (_, true) => l.d_word(operand)?,
            (MatrixType::F32, false) => l.float(operand)?,
            (_, false) => l.word(operand)?,
        });
    }
    Some(registers)
}

/// `wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {…}, [address], stride`, and `wmma.store.d`.
fn fragment_access(
    l: &mut Lowering<'_, '_, '_>,
    i: &ParsedInstruction<'_>,
    loads: bool,
) -> Option<FragmentAccess> {
    let [_, role, "sync", "aligned", shape_name, layout, .., kind_name] = &i.modifiers[..] else {
        return None;
    };
    let role = match (*role, loads) {
        ("a", true) => MatrixRole::A,
        ("b", true) => MatrixRole::B,
        ("c", true) | ("d", false) => MatrixRole::Accumulator,
        _ => return None,
    };
    let row_major = match *layout {
        "row" => true,
        "col" => false,
        _ => return None,
    };
    let (shape, kind) = (shape(shape_name)?, kind(kind_name)?);
    if !wmma_has(role, kind, (shape.m, shape.n, shape.k)) {
        return None;
    }
    let fragment = Fragment { role, shape, kind, is_wmma: true };
    let (registers, address) = if loads { (0, 1) } else { (1, 0) };
    let registers = fragment_registers(l, i.operands.get(registers)?, fragment, loads)?;
    let address = l.address(i.operands.get(address)?)?;
    let stride = match i.operands.get(2) {
        Some(operand) => l.word(operand)?,
        None => Word::NONE,
    };
    Some(FragmentAccess {
        fragment,
        row_major,
        space: space(i),
        registers: l.list(registers)?,
        address,
        stride,
    })
}

/// Whether `wmma` has fragments of these numbers for this product.
fn wmma_has(role: MatrixRole, kind: MatrixType, sides: (u16, u16, u16)) -> bool {
    use MatrixType::{B1, Bf16, F16, F32, F64, S4, S8, S32, Tf32, U4, U8};
    match (role, kind) {
        (MatrixRole::Accumulator, F16) => is_wmma_side(sides),
        (MatrixRole::Accumulator, F32) => is_wmma_side(sides) || sides == (16, 16, 8),
        (MatrixRole::Accumulator, S32) => is_wmma_side(sides) || matches!(sides, (8, 8, 32 | 128)),
        (_, F64) => sides == (8, 8, 4),
        (MatrixRole::Accumulator, _) => false,
        (_, F16 | Bf16 | U8 | S8) => is_wmma_side(sides),
        (_, Tf32) => sides == (16, 16, 8),
        (_, U4 | S4) => sides == (8, 8, 32),
        (_, B1) => sides == (8, 8, 128),
        _ => false,
    }
}
