//! What is undefined in a product where an operand is: every number of D that its row of A, its column of B or its number of C
//! takes part in.

use super::{UndefinedWords, all_defined};
use crate::{
    exec::undefined::Undefined,
    ir::{Fragment, MatrixType, Multiply},
};

/// Of a number: what is undefined in its bits.
fn of_number(
    words: &UndefinedWords,
    kind: MatrixType,
    (register, bit, lane): (usize, usize, usize),
) -> Undefined {
    if kind.is_wide() {
        return words[2 * register][lane].merge(words[2 * register + 1][lane]);
    }
    let value = words[register][lane];
    let field = u64::from(u32::MAX) >> (32 - kind.bits()) << bit;
    Undefined { bits: value.bits & field, ..value }
}

/// Of D, by word and lane.
#[cold]
pub fn of_product(multiply: &Multiply, held: &UndefinedWords) -> Box<UndefinedWords> {
    let [d, a, b, c] = multiply.fragments();
    let words = if multiply.d.is_wide() { 2 } else { 1 };
    let (of_a, of_b) = (words * a.registers(), words * b.registers());
    let (rows, depth) = a.sides();
    let (_, columns) = b.sides();
    let mut by_row = vec![Undefined::NONE; rows];
    let mut by_column = vec![Undefined::NONE; columns];
    let mut by_number = vec![Undefined::NONE; rows * columns];
    let note = |fragment: Fragment, words: &UndefinedWords, each: &mut dyn FnMut(usize, Undefined)| {
        fragment.numbers(|at, register, bit, lane| {
            let value = of_number(words, fragment.kind, (register, bit, lane));
            if value.bits != 0 {
                each(at, value);
            }
        });
    };
    note(a, held, &mut |at, value| by_row[at / depth] = by_row[at / depth].merge(value));
    note(b, &held[of_a..], &mut |at, value| by_column[at % columns] = by_column[at % columns].merge(value));
    note(c, &held[of_a + of_b..], &mut |at, value| by_number[at] = value);
    let mut results = all_defined(super::MOST_RESULTS);
    d.numbers(|at, register, bit, lane| {
        let blamed = by_number[at].merge(by_row[at / columns]).merge(by_column[at % columns]);
        if blamed.bits == 0 {
            return;
        }
        let whole = |bits: u64| Undefined { bits, in_place: false, moved: false, ..blamed };
        if d.kind.is_wide() {
            results[2 * register][lane] = whole(u32::MAX.into());
            results[2 * register + 1][lane] = whole(u32::MAX.into());
        } else {
            let field = u64::from(u32::MAX) >> (32 - d.kind.bits()) << bit;
            let word = &mut results[register][lane];
            *word = word.merge(whole(field));
        }
    });
    results
}
