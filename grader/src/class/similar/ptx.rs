//! PTX without what a copy can change for nothing: names of registers, labels and symbols, numbers, addresses, lines.
//!
//! An instruction keeps its operation and what kind each operand is. The special registers keep their names, since
//! another one is another program.

/// The instructions of all functions, in order.
pub fn instructions(ptx: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let mut all = Vec::new();
    for line in ptx.lines() {
        let line = line.split("//").next().unwrap_or_default().trim();
        match line {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            // Directives, and labels.
            _ if depth == 0 || line.is_empty() || line.starts_with(['.', '$']) => {}
            _ => all.extend(instruction(line.trim_end_matches(';'))),
        }
    }
    all
}

fn instruction(line: &str) -> Option<String> {
    let (guard, rest) = match line.strip_prefix('@') {
        Some(rest) => ("@", rest.split_once(char::is_whitespace)?.1.trim_start()),
        None => ("", line),
    };
    let (operation, operands) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    Some(format!("{guard}{operation} {}", kinds(operands)))
}

const SPECIAL: [&str; 5] = ["tid", "ctaid", "ntid", "nctaid", "laneid"];

/// Of each operand what it is.
fn kinds(operands: &str) -> String {
    let is_of_a_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$' || c == '.';
    let mut out = String::new();
    let mut rest = operands;
    while let Some(first) = rest.chars().next() {
        let length = |from: &str| from.find(|c| !is_of_a_word(c)).unwrap_or(from.len());
        let taken = match first {
            '[' => {
                out.push('m');
                rest.find(']').map_or(rest.len(), |end| end + 1)
            }
            '%' => {
                let end = 1 + length(&rest[1..]);
                let name = rest[1..end].split('.').next().unwrap_or_default();
                out.push_str(if SPECIAL.contains(&name) { name } else { "r" });
                end
            }
            '-' | '0'..='9' => {
                out.push('#');
                1 + length(&rest[1..])
            }
            '$' => {
                out.push('L');
                length(rest)
            }
            c if is_of_a_word(c) => {
                out.push('s');
                length(rest)
            }
            c => {
                if !c.is_whitespace() {
                    out.push(c);
                }
                c.len_utf8()
            }
        };
        rest = &rest[taken..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instruction_keeps_what_it_does() {
        let ptx = ".visible .entry k(\n\t.param .u64 k_param_0\n)\n{\n\t.reg .b32 \t%r<3>;\n\t.loc\t1 3 5\n\
            \tmov.u32 \t%r1, %tid.x;\n$L__BB0_1:\n\t@%p1 bra \t$L__BB0_1;\n\tadd.s32 \t%r2, %r1, -16;  // so\n\
            \tld.shared.f32 \t%f1, [%r2+4];\n\tmov.f32 %f2, 0f3F800000;\n\tmov.u32 %r4, tile;\n\
            \tfma.rn.f32 {%f1, %f2}, %f2;\n\tret;\n}\nret;\n";
        let expected = [
            "mov.u32 r,tid",
            "@bra L",
            "add.s32 r,r,#",
            "ld.shared.f32 r,m",
            "mov.f32 r,#",
            "mov.u32 r,s",
            "fma.rn.f32 {r,r},r",
            "ret ",
        ];
        assert_eq!(instructions(ptx), expected);
    }
}
