//! What lowering decides: joins, barrier sites, parameters in words, source lines,
//! registers that may be undefined.

use proptest::prelude::*;

use super::*;
use crate::ir::{Alu, Function, Op, Pc};

fn program(body: &str) -> Program {
    let text = format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.file 1 \"k.cu\"\n.file 2 \"cuda_fp16.hpp\"\n{body}"
    );
    decode(&text).expect("valid PTX")
}

fn kernel(body: &str) -> Function {
    let registers = ".reg .pred %p<9>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .f32 %f<9>;\n";
    program(&format!(".visible .entry k(.param .u64 k_param_0)\n{{\n{registers}{body}\n}}\n"))
        .functions
        .remove(0)
}

fn branches(function: &Function) -> Vec<(Pc, Pc)> {
    let branch = |op: &Op| if let Op::Branch { target, join } = *op { Some((target, join)) } else { None };
    function.code.iter().filter(|i| i.guard.predicate.is_some()).filter_map(|i| branch(&i.op)).collect()
}

#[test]
fn sides_of_a_branch_join_at_the_post_dominator() {
    let function = kernel(
        "mov.u32 %r1, 1;\n@%p1 bra $A;\nmov.u32 %r1, 2;\nbra.uni $B;\n$A:\nmov.u32 %r1, 3;\n$B:\nst.global.u32 [%rd1], %r1;\nret;",
    );
    assert_eq!(branches(&function), [(4, 5)]);
    assert!(function.code[5].is_join && !function.code[4].is_join);
}

#[test]
fn who_leaves_early_is_not_waited_for() {
    let function = kernel("@%p1 bra $END;\nst.global.u32 [%rd1], %r1;\n$END:\nret;");
    assert_eq!(branches(&function), [(2, 1)], "those who stay go on at once");
    let function = kernel("@%p1 bra $GO;\nret;\n$GO:\nst.global.u32 [%rd1], %r1;\nret;");
    assert_eq!(branches(&function), [(2, 2)]);
    let function = kernel(
        "$L:\nadd.s32 %r1, %r1, 1;\n@%p2 bra $END;\n@%p1 bra $L;\nst.global.u32 [%rd1], %r1;\n$END:\nret;",
    );
    assert_eq!(branches(&function), [(4, 2), (0, 3)], "who finishes the loop waits for the others behind it");
    let function = kernel("$L:\n@%p1 bra $END;\nst.global.u32 [%rd1], %r1;\nbra.uni $L;\n$END:\nret;");
    assert_eq!(branches(&function), [(3, 3)], "behind this loop there is nothing but the end");
}

#[test]
fn a_loop_joins_behind_itself() {
    let function = kernel("$L:\nadd.s32 %r1, %r1, 1;\n@%p1 bra $L;\nst.global.u32 [%rd1], %r1;\nret;");
    assert_eq!(branches(&function), [(0, 2)]);
}

#[test]
fn a_trap_is_no_way_out() {
    let function = kernel("@!%p1 bra $OK;\ntrap;\n$OK:\nst.global.u32 [%rd1], %r1;\nret;");
    assert_eq!(branches(&function), [(2, 2)]);
}

fn past(function: &Function) -> Vec<Option<Pc>> {
    function.barriers.iter().map(|site| site.past).collect()
}

#[test]
fn the_loop_that_ends_the_kernel_is_marked_at_its_head() {
    let heads = |body: &str| -> Vec<usize> {
        let code = kernel(body).code;
        (0..code.len()).filter(|&pc| matches!(code[pc].op, Op::BarrierLoop { site: 0 })).collect()
    };
    let round = "$L:\nadd.s32 %r1, %r1, 1;\n@%p2 bra $N;\nbar.sync 0;\n$N:\n@%p1 bra $L;";
    assert_eq!(heads(&format!("{round}\nret;")), [0]);
    assert_eq!(heads(&format!("@%p3 bra $E;\n{round}\n$E:\nret;")), [1], "not where threads leave before it");
    assert!(
        heads(&format!("{round}\nst.global.u32 [%rd1], %r1;\nret;")).is_empty(),
        "the store lies past it"
    );
    assert!(heads("bar.sync 0;\nret;").is_empty(), "no loop");
}

#[test]
fn a_choice_between_a_barrier_now_and_later_is_marked() {
    let choices = |body: &str| -> Vec<usize> {
        let code = kernel(body).code;
        (0..code.len()).filter(|&pc| matches!(code[pc].op, Op::BarrierChoice { site: 0 })).collect()
    };
    let end = "st.global.u32 [%rd1], %r1;\nret;";
    let chosen = "$L:\nadd.s32 %r1, %r1, 1;\n@%p2 bra $N;\nbar.sync 0;\n$N:\n@%p1 bra $L;";
    assert_eq!(choices(&format!("{chosen}\n{end}")), [0]);
    let guarded = "$L:\nadd.s32 %r1, %r1, 1;\n@%p2 bar.sync 0;\n@%p1 bra $L;";
    assert_eq!(choices(&format!("{guarded}\n{end}")), [0]);
    let outer = "$L:\nadd.s32 %r1, %r1, 1;\n@%p2 bra $N;\n@%p3 bra $N;\nbar.sync 0;\n$N:\n@%p1 bra $L;";
    assert_eq!(choices(&format!("{outer}\n{end}")), [0, 3], "both ways to leave it out");
    let always = "$L:\nbar.sync 0;\n@%p1 bra $L;";
    assert!(choices(&format!("{always}\n{end}")).is_empty(), "who leaves the loop does not come again");
    let beside = "$L:\n$M:\nadd.s32 %r1, %r1, 1;\n@%p2 bra $M;\nbar.sync 0;\n@%p1 bra $L;";
    assert!(choices(&format!("{beside}\n{end}")).is_empty(), "a loop of its own ahead of it is no choice");
    assert!(
        choices("@%p1 bra $B;\nbar.sync 0;\n$B:\nst.global.u32 [%rd1], %r1;\nret;").is_empty(),
        "no loop"
    );
}

#[test]
fn what_lies_past_a_barrier_is_marked() {
    // In a branch: who skips it meets the mark.
    let function = kernel("@%p1 bra $B;\nbar.sync 0;\n$B:\nst.global.u32 [%rd1], %r1;\nret;");
    assert_eq!(past(&function), [Some(2)]);
    assert!(matches!(function.code[2].op, Op::PastBarrier { site: 0 }));
    assert_eq!(branches(&function), [(2, 2)], "a jump over the barrier executes the mark");
    // In a loop: only behind the loop.
    let function = kernel("$L:\nbar.sync 0;\n@%p1 bra $L;\nst.global.u32 [%rd1], %r1;\nret;");
    assert_eq!(past(&function), [Some(2)]);
    // Nothing but the end follows: who skips it leaves the kernel.
    let function = kernel("@%p1 bra $B;\nbar.sync 0;\n$B:\nret;");
    assert_eq!(past(&function), [None]);
    // For everybody.
    let function = kernel("bar.sync 0;\nst.global.u32 [%rd1], %r1;\nret;");
    assert_eq!(past(&function), [None]);
}

const CALLEE: &str = ".func (.param .b64 r) f(.param .b32 a, .param .b64 b, .param .align 4 .b8 c[6])\n{\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n\
    .reg .b16 %rs<9>;\nld.param.u32 %r1, [a];\nld.param.u64 %rd1, [b];\nld.param.s8 %rs1, [c+5];\nst.param.b64 [r+0], %rd1;\nret;\n}\n";

#[test]
fn parameters_of_functions_are_words() {
    let program = program(&format!(
        "{CALLEE}.visible .entry k()\n{{\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .b16 %rs<9>;\n{{\n.param .b32 p0;\nst.param.b32 [p0+0], 7;\n\
         .param .b64 p1;\nst.param.b64 [p1+0], %rd1;\n.param .align 4 .b8 p2[6];\nst.param.b32 [p2+0], %r1;\nst.param.b8 [p2+4], %rs1;\n\
         st.param.b8 [p2+5], %rs2;\n.param .b64 q;\ncall.uni (q), f, (p0, p1, p2);\nld.param.b64 %rd2, [q+0];\n}}\nret;\n}}\n"
    ));
    let callee = &program.functions[0];
    assert_eq!((callee.argument_words, callee.result_words.clone()), (5, 5..7));
    assert!(callee.code.iter().any(|i| matches!(
        i.op,
        Op::Alu(Alu::Extract { signed: true, shift: 8, width: 8, a, .. }) if a.0 == 4
    )));
    assert!(callee.undefined.words.is_empty() && callee.undefined.pairs.is_empty());
    let caller = &program.functions[1];
    let call = caller.code.iter().find_map(|i| match i.op {
        Op::Call { arguments, results, .. } => Some((arguments.len, results.len)),
        _ => None,
    });
    assert_eq!(call, Some((5, 2)));
    assert!(program.unsupported.is_empty(), "{:?}", program.unsupported);
}

#[test]
fn a_call_of_what_is_missing_is_only_an_error_when_executed() {
    let program = program(
        ".extern .func g(.param .b32 a);\n.visible .entry k()\n{\n{\n.param .b32 p;\nst.param.b32 [p+0], 7;\ncall.uni g, (p);\n}\n\
         sured.b.add.2d.u32.trap [%rd1, {%r1, %r2}], %r3;\nret;\n}\n",
    );
    assert_eq!(
        program.unsupported,
        [
            "a call of g, which the module does not define",
            "this instruction: `sured.b.add.2d.u32.trap [%rd1, {%r1, %r2}], %r3;` (cube maps, multisampled and sparse textures, reductions of surfaces). Instead: textures and surfaces of one to three dimensions and layers, by the handles of objects (`cudaTextureObject_t`, `cudaSurfaceObject_t`), are executed"
        ]
    );
}

/// A form of each mnemonic of which other forms are executed, besides those that [`LACKING`] shows.
const LACKING_FORMS: &[&str] = &[
    "mma.sync.aligned.m8n8k4.row.row.f16.f16.f16.f16 {%r1, %r2, %r3, %r4}, {%r1, %r2}, {%r3, %r4}, {%r1, %r2, %r3, %r4}",
    "mma.sync.aligned.m8n8k4.row.row.f32.f16.f16.f32 {%r1, %r2, %r3, %r4}, {%r1, %r2}, {%r3, %r4}, {%r1, %r2, %r3, %r4}",
    "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {%r1, %r2, %r3, %r4}, {%r1, %r2}, {%r3, %r4}, {%r1, %r2, %r3, %r4}",
    "mma.sync.aligned.m8n8k4.col.row.f16.f16.f16.f16 {%r1, %r2, %r3, %r4}, {%r1, %r2}, {%r3, %r4}, {%r1, %r2, %r3, %r4}",
    "mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f32 {%r1, %r2, %r3, %r4}, {%r1, %r2}, {%r3, %r4}, {%r1, %r2, %r3, %r4}",
    "mma.sync.aligned.m8n8k4.col.col.f16.f16.f16.f16 {%r1, %r2, %r3, %r4}, {%r1, %r2}, {%r3, %r4}, {%r1, %r2, %r3, %r4}",
    "mma.sync.aligned.m8n8k4.col.col.f32.f16.f16.f32 {%r1, %r2, %r3, %r4}, {%r1, %r2}, {%r3, %r4}, {%r1, %r2, %r3, %r4}",
    "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd1, %rd2, %r1, 0, 1, 1, 1, 0, 0",
    "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r3, %r4}, {%f5, %f6, %f7, %f8}, %r5, 0x0",
    "tex.acube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %f5, %f6, %f7}]",
    "tex.2dms.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %r2, %r3, %r4}]",
    "tex.a2dms.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %r2, %r3, %r4}]",
    "tex.level.cube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6, %f7, %f7}], %f8",
    "tex.level.acube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %f5, %f6, %f7}], %f8",
    "tex.grad.cube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6, %f7, %f7}], {%f8, %f8, %f8, %f8}, {%f8, %f8, %f8, %f8}",
    "tex.grad.acube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %f6, %f7, %f7}], {%f8, %f8, %f8, %f8}, {%f8, %f8, %f8, %f8}",
    "tld4.r.cube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6, %f7, %f7}]",
    "tld4.r.a2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %f5, %f6, %f7}]",
    "suld.p.1d.v4.f32.trap {%f1, %f2, %f3, %f4}, [%rd1, {%r1}]",
    "sust.p.1d.v4.b32.trap [%rd1, {%r1}], {%f1, %f2, %f3, %f4}",
    "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r2], [%rd1, {%r3, %r3, %r3, %r3}], [%r4], {%rs1, %rs1}",
    "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%r1], [%r2], %r3, [%r4]",
    "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1], %r2, [%r3]",
    "st.bulk.weak.shared::cta [%r1], 64, 0",
    "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r1], %r2, [%r3]",
    "fma.rn.oob.f16x2 %r1, %r2, %r3, %r4",
];

#[test]
fn every_part_that_is_lacking_is_named() {
    for part in LACKING {
        let said = format!("({}). Instead: {}", part.name, part.instead);
        let begins_with = |form: &str, mnemonic: &str| {
            form.strip_prefix(mnemonic).is_some_and(|rest| rest.starts_with(['.', ' ', ';']))
        };
        let of_part = |form: &&&str| part.instructions.iter().any(|mnemonic| begins_with(form, mnemonic));
        let others: Vec<&str> = LACKING_FORMS.iter().filter(of_part).copied().collect();
        for form in others.iter().chain([&part.example]) {
            let found = alone(form.trim_end_matches(';'), "").unsupported;
            assert_eq!(found.len(), 1, "{form}: {found:?}");
            assert!(found[0].ends_with(&said), "{form}: {found:?}");
        }
        for mnemonic in part.instructions {
            let (opcode, more) = mnemonic.split_once('.').unwrap_or((mnemonic, ""));
            assert!(!more.is_empty() || !OPCODES.contains(&opcode), "{mnemonic} is executed");
            let has_form = others.iter().chain([&part.example]).any(|form| begins_with(form, mnemonic));
            assert!(has_form || !OPCODES.contains(&opcode), "{mnemonic} needs a form among LACKING_FORMS");
        }
    }
    assert_eq!(program(".visible .entry k()\n{\nret;\n}\n").unsupported, [""; 0]);
}

/// Forms of many instructions: the mnemonic, the operands, and the mnemonic in other orders.
fn forms() -> impl Iterator<Item = (&'static str, &'static str, impl Iterator<Item = &'static str>)> {
    include_str!("orders.txt").lines().filter(|line| !line.starts_with('#')).map(|form| {
        let (usual, orders) = form.split_once(" | ").expect("a form and its orders");
        let (mnemonic, operands) = usual.split_once(' ').unwrap_or((usual, ""));
        (mnemonic, operands, orders.split(' '))
    })
}

/// One instruction among registers of all widths.
fn alone(mnemonic: &str, operands: &str) -> Program {
    program(&format!(
        ".shared .align 128 .b8 s[4096];\n.visible .entry k(.param .u64 o)\n{{\n.reg .pred %p<99>;\n.reg .b16 %rs<99>;\n.reg .b16 %h<99>;\n\
         .reg .b32 %r<99>;\n.reg .f32 %f<99>;\n.reg .f64 %fd<99>;\n.reg .b64 %rd<99>;\n{mnemonic} {operands};\nret;\n}}\n"
    ))
}

#[test]
fn modifiers_mean_the_same_in_every_order_that_ptxas_takes() {
    let lowered = |mnemonic, operands| {
        let program = alone(mnemonic, operands);
        assert_eq!(program.unsupported, [""; 0]);
        format!("{:?}", program.functions[0].code)
    };
    for (mnemonic, operands, orders) in forms() {
        for order in orders {
            assert_eq!(lowered(order, operands), lowered(mnemonic, operands), "{order} for {mnemonic}");
        }
    }
}

#[test]
fn a_modifier_that_no_table_knows_is_refused() {
    for (mnemonic, operands, _) in forms().filter(|(mnemonic, ..)| !mnemonic.starts_with("prefetch")) {
        let found = alone(&format!("{mnemonic}.unheard_of"), operands).unsupported;
        assert_eq!(found.len(), 1, "{mnemonic}.unheard_of: {found:?}");
    }
}

#[test]
fn a_kernel_says_which_clusters_it_is_for() {
    let cluster = |directives: &str| {
        let program = program(&format!(".visible .entry k()\n{directives}\n{{\nret;\n}}\n"));
        let kernel = &program.functions[0];
        (kernel.required_cluster, kernel.needs_cluster, kernel.max_cluster)
    };
    assert_eq!(cluster(".explicitcluster\n.reqnctapercluster 2, 1, 1"), (Some([2, 1, 1]), true, None));
    assert_eq!(cluster(".explicitcluster .maxntid 32, 1, 1 .maxclusterrank 4"), (None, true, Some(4)));
    assert_eq!(cluster(""), (None, false, None));
}

#[test]
fn places_are_the_learners() {
    let program = program(
        ".visible .entry k()\n{\n.loc 1 0 0\n.loc 1 7 3\nbar.sync 0;\n.loc 2 90 5, function_name $L, inlined_at 1 8 9\nbar.sync 0;\n\
         .loc 2 55 1, function_name $L, inlined_at 2 90 5\nbar.sync 0;\n.loc 1 0 0\nret;\n}\n",
    );
    let lines: Vec<_> = program.functions[0]
        .code
        .iter()
        .map(|i| program.sources.place(i.source).map(|place| (place.line, place.column)))
        .collect();
    assert_eq!(lines, [Some((7, 3)), Some((8, 9)), Some((8, 9)), Some((8, 9))]);
    let deepest = program.sources.chain(program.functions[0].code[2].source);
    assert_eq!(deepest.iter().map(|place| place.line).collect::<Vec<_>>(), [55, 90, 8]);
}

#[test]
fn registers_that_nothing_wrote_are_known() {
    let function = kernel("@%p1 bra $A;\nmov.u32 %r1, 2;\n$A:\nst.global.u32 [%rd1], %r1;\nret;");
    let undefined = &function.undefined;
    assert_eq!((undefined.words.len(), undefined.pairs.len(), undefined.predicates.len()), (1, 1, 1));
    let function =
        kernel("ld.param.u64 %rd1, [k_param_0];\nmov.u32 %r1, 2;\nst.global.u32 [%rd1], %r1;\nret;");
    assert_eq!(function.undefined, crate::ir::EntryRegisters::default());
}

#[test]
fn values_that_do_not_meet_share_a_register() {
    let adds: String = (1..200).map(|i| format!("add.s32 %r{}, %r{i}, 1;\n", i + 1)).collect();
    let text = format!(
        ".visible .entry k()\n{{\n.reg .b32 %r<300>;\n.reg .b64 %rd<2>;\nmov.u32 %r1, 1;\n{adds}st.global.u32 [%rd1], %r200;\nret;\n}}\n"
    );
    assert!(program(&text).functions[0].words <= 2);
}

/// A module that uses most of the language.
const MODULE: &str = ".global .align 8 .u64 table[3] = {1, generic(table)+8, f};\n.shared .align 4 .b8 s[64];\n\
    .visible .entry k(.param .u64 k_param_0, .param .align 8 .b8 k_param_1[20])\n.maxntid 128, 1, 1\n{\n.local .align 8 .b8 depot[48];\n\
    .reg .pred %p<4>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .b16 %rs<5>;\n.reg .f32 %f<5>;\n.reg .f64 %fd<5>;\n\
    mov.u64 %rd1, depot;\ncvta.local.u64 %rd2, %rd1;\nld.param.u64 %rd3, [k_param_0];\nld.param.v2.u32 {%r1, %r2}, [k_param_1+8];\n\
    mov.u32 %r3, %tid.x;\nsetp.lt.s32 %p1|%p2, %r3, 40;\n@%p1 bra $A;\nbar.sync 0;\n$A:\nld.shared.v4.f32 {%f1, %f2, _, %f3}, [s+16];\n\
    atom.global.add.u32 %r4, [%rd3+4], 1;\nshfl.sync.down.b32 %r5|%p3, %r4, 1, 31, -1;\nmov.b64 {%r6, %r7}, %rd3;\n\
    selp.f64 %fd1, 0d3FF0000000000000, %fd2, %p3;\n{\n.param .b32 p0;\nst.param.b8 [p0+0], %rs1;\n.param .b64 q;\ncall.uni (q), f, (p0);\n\
    ld.param.b64 %rd4, [q+0];\n}\nbrx.idx %r5, $T;\n$T: .branchtargets $A, $B;\n$B:\ncvt.rn.f16.f32 %rs2, %f1;\nst.global.u16 [%rd3], %rs2;\nret;\n}\n\
    .func (.param .b64 r) f(.param .b32 a)\n{\n.reg .b32 %r<3>;\nld.param.u32 %r1, [a];\nst.param.b32 [r+4], %r1;\nret;\n}\n";

#[test]
fn the_module_of_the_property_is_valid() {
    assert_eq!(program(MODULE).unsupported, [""; 0]);
}

proptest! {
    /// Broken modules give errors or unsupported instructions, never a panic.
    #[test]
    fn never_panics(
        edits in prop::collection::vec((0usize..4, any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..8),
    ) {
        let split = |text: &str| -> Vec<String> {
            let mut tokens = vec![String::new()];
            for c in text.chars() {
                let word = c.is_ascii_alphanumeric() || "_$%.".contains(c);
                if !word || tokens.last().is_some_and(|last| last.chars().last().is_some_and(|c| !(c.is_ascii_alphanumeric() || "_$%.".contains(c)))) {
                    tokens.push(String::new());
                }
                tokens.last_mut().expect("never empty").push(c);
            }
            tokens
        };
        let mut tokens = split(MODULE);
        for (what, a, b) in edits {
            let (a, b) = (a.index(tokens.len()), b.index(tokens.len()));
            match what {
                0 => _ = tokens.remove(a),
                1 => tokens[a] = tokens[b].clone(),
                2 => tokens.swap(a, b),
                _ => tokens[a] = ["4294967295", "-1", "99999999999", "_", "%r1", "%rd1", "k", "f", "s"][b % 9].to_owned(),
            }
        }
        let text = format!(".version 9.0\n.target sm_90\n.address_size 64\n{}", tokens.concat());
        let _ = decode(&text);
    }
}
