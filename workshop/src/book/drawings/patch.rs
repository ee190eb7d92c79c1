//! The patch of 4 × 4 elements that a thread of 06's last step transposes in its registers.

use super::super::figure::{Anchor, Figure, INK, LIMIT, MAIN, PALE, SLOW, STEP};

/// The members of a `float4`, in the order in which they lie in memory.
const MEMBERS: [&str; 4] = ["x", "y", "z", "w"];
/// A colour for each row that is loaded.
const ROWS: [&str; 4] = [STEP, MAIN, LIMIT, SLOW];

/// The patch as it is loaded, and as it is stored.
pub fn in_registers() -> String {
    const CELL: [f64; 2] = [62.0, 30.0];
    let mut figure = Figure::new(
        [720.0, 206.0],
        "A thread loads a patch of 4 by 4 elements as four float4s, rows[0] to rows[3]. It stores four float4s again, of which the first has the x of all four rows, the second the y, \
         and so on. No value moves from one register to another.",
    );
    let mut draw = |left: f64, title: &str, is_transposed: bool| {
        figure.text([left, 24.0], Anchor::Start, INK, title);
        for line in 0..4 {
            for place in 0..4 {
                let [row, member] = if is_transposed { [place, line] } else { [line, place] };
                let at = [left + (CELL[0] + 4.0) * place as f64, 36.0 + (CELL[1] + 6.0) * line as f64];
                figure.cell(at, CELL, ROWS[row]);
                let name = format!("rows[{row}].{}", MEMBERS[member]);
                figure.text([at[0] + 0.5 * CELL[0], at[1] + 19.0], Anchor::Middle, "ink small", &name);
            }
        }
    };
    draw(14.0, "loaded: four float4s, each a row of in", false);
    draw(420.0, "stored: four float4s, each a row of out", true);
    figure.line(&[[292.0, 104.0], [402.0, 104.0]], INK);
    figure.line(&[[394.0, 99.0], [402.0, 104.0], [394.0, 109.0]], INK);
    figure.text([347.0, 96.0], Anchor::Middle, "pale small", "other names,");
    figure.text([347.0, 122.0], Anchor::Middle, "pale small", "no moves");
    figure.text(
        [14.0, 196.0],
        Anchor::Start,
        PALE,
        "A line is one access of 16 bytes. Colours are the rows as they were loaded.",
    );
    figure.svg()
}
