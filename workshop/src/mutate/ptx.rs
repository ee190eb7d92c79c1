//! Whether two kernels are the same code: their PTX without what speaks of source lines.

/// A hash of what PTX does. Where lines, labels and tables for debuggers differ it is the same.
pub fn code(ptx: &str) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    let mut in_section = false;
    for line in ptx.lines().map(str::trim) {
        in_section |= line.starts_with(".section");
        let of_lines =
            [".loc", ".file", "//", "$L__tmp", "$L__info_string"].iter().any(|word| line.starts_with(word));
        if !in_section && !of_lines && !line.is_empty() {
            hasher.update(line.as_bytes());
            hasher.update(b"\n");
        }
        in_section &= line != "}";
    }
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_no_code() {
        let one = ".loc 1 3 5\nadd.s32 %r1, %r2, 1;\n$L__tmp0:\n.section .debug_str\n{\n.b8 1\n}\nret;\n";
        let other = "// a\n.loc 1 4 5\n  add.s32 %r1, %r2, 1;\n\nret;\n";
        assert_eq!(code(one), code(other));
        assert_ne!(code(one), code("add.s32 %r1, %r2, 2;\nret;\n"));
    }
}
