//! The kernel that computes one form, one set of operands per thread.
//!
//! Its parameters are three addresses: of the operands (all threads' first operands, then all
//! second ones, …), of the results (likewise), and of 16 bytes of scratch memory per thread. The
//! grid is threads ÷ 128 blocks.

use std::fmt::Write as _;

use crate::table::{Form, Operand};

/// Threads of a block.
pub const BLOCK: usize = 128;
/// The kernel's name.
pub const ENTRY: &str = "form";

fn bits(operand: &Operand) -> usize {
    8 * operand.bytes()
}

/// The module's text; `threads` is a multiple of [`BLOCK`].
pub fn ptx(form: &Form, threads: usize) -> String {
    let mut text = String::from(".version 9.0\n.target sm_90\n.address_size 64\n\n");
    let _ = writeln!(text, "// {}", form.name);
    let _ = writeln!(
        text,
        ".visible .entry {ENTRY}(.param .u64 operands, .param .u64 results, .param .u64 scratch)\n{{"
    );
    for operand in form.results.iter().chain(&form.operands) {
        let kind = if operand.kind == "pred" { "pred".into() } else { format!("b{}", bits(operand)) };
        let _ = writeln!(text, ".reg .{kind} %{};", operand.name);
    }
    text += ".reg .b32 %t<4>, %thread, %in_block, %block, %byte;\n.reg .b64 %u<4>, %in, %out, %at, %cell, %index;\n";
    text += ".reg .b16 %h<8>;\n.reg .pred %p<4>, %member;\n";
    if form.body.contains("%y") {
        text += ".reg .b8 %y<8>;\n";
    }
    if form.body.contains("%w") {
        text += ".reg .b128 %w<2>;\n";
    }
    text += "ld.param.u64 %in, [operands];\ncvta.to.global.u64 %in, %in;\n";
    text += "ld.param.u64 %out, [results];\ncvta.to.global.u64 %out, %out;\n";
    let _ = writeln!(text, "mov.u32 %in_block, %tid.x;\nmov.u32 %block, %ctaid.x;");
    let _ = writeln!(text, "mad.lo.u32 %thread, %block, {BLOCK}, %in_block;\ncvt.u64.u32 %index, %thread;");
    cell(form, &mut text);
    let mut offset = 0;
    for operand in &form.operands {
        let (name, bytes) = (&operand.name, operand.bytes());
        let _ = writeln!(text, "mad.lo.u64 %at, %index, {bytes}, %in;");
        if operand.kind == "pred" {
            let _ = writeln!(text, "ld.global.u8 %byte, [%at+{offset}];\nsetp.ne.u32 %{name}, %byte, 0;");
        } else {
            let _ = writeln!(text, "ld.global.b{} %{name}, [%at+{offset}];", bits(operand));
        }
        offset += threads * bytes;
    }
    if form.body.contains("%member") {
        text += "mov.u32 %t0, %lanemask_eq;\nand.b32 %t0, %t0, %m;\nsetp.ne.u32 %member, %t0, 0;\n";
        for result in &form.results {
            if result.kind == "pred" {
                let _ = writeln!(text, "setp.ne.u32 %{}, %t0, %t0;", result.name);
            } else {
                let _ = writeln!(text, "mov.b{} %{}, 0;", bits(result), result.name);
            }
        }
    }
    let body = form.body.replace("%carryadd", "0xffffffff").replace("%carrysub", "0");
    for statement in body.split_inclusive("; ") {
        let _ = writeln!(text, "{}", statement.trim_end());
    }
    let mut offset = 0;
    for result in &form.results {
        let (name, bytes) = (&result.name, result.bytes());
        let _ = writeln!(text, "mad.lo.u64 %at, %index, {bytes}, %out;");
        if result.kind == "pred" {
            let _ = writeln!(text, "selp.u32 %byte, 1, 0, %{name};\nst.global.u8 [%at+{offset}], %byte;");
        } else {
            let _ = writeln!(text, "st.global.b{} [%at+{offset}], %{name};", bits(result));
        }
        offset += threads * bytes;
    }
    text + "ret;\n}\n"
}

/// `%cell`: 16 bytes of this thread, in the state space that the form names.
fn cell(form: &Form, text: &mut String) {
    if !form.body.contains("%cell") {
        return;
    }
    *text += if form.name.contains(".shared") {
        ".shared .align 16 .b8 cells[2048];\nmul.wide.u32 %cell, %in_block, 16;\nmov.u64 %at, cells;\nadd.u64 %cell, %cell, %at;\n"
    } else if form.name.contains(".local") {
        ".local .align 16 .b8 cells[16];\nmov.u64 %cell, cells;\n"
    } else {
        "ld.param.u64 %at, [scratch];\ncvta.to.global.u64 %at, %at;\nmad.lo.u64 %cell, %index, 16, %at;\n"
    };
}
