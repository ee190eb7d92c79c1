//! What each family makes of a few lines. A snapshot lists where, and what; texts of mutants are tried where
//! the words don't say all.

use crate::mutate::{
    edit::{Family, Mutant},
    generate,
    reach::Reach,
    source::Source,
};

/// The mutants of a kernel with these lines between its marks.
fn mutants(code: &str) -> Vec<Mutant> {
    let text = format!(
        "extern \"C\" __global__ void k(const int *in, const float *real, int *out, unsigned *flag, int n, int width, \
         int height) {{\n// >>> yours\n{code}\n// <<<\n}}\n"
    );
    let Ok(source) = Source::solution("kernel.cu".into(), text) else { panic!("it has marks") };
    generate::mutants(&source, &Reach::unlimited())
}

/// Those of one family, one on each line.
fn listed(family: Family, code: &str) -> String {
    let all = mutants(code);
    let own = all.iter().filter(|mutant| mutant.family == family);
    own.map(|mutant| format!("{}:{}: {}", mutant.line - 2, mutant.column, mutant.what))
        .collect::<Vec<_>>()
        .join("\n")
}

/// The lines between the marks of the mutant with these words.
fn text_of(code: &str, what: &str) -> String {
    let all = mutants(code);
    let mutant = all.iter().find(|mutant| mutant.what.contains(what)).expect("there is such a mutant");
    mutant
        .text
        .lines()
        .filter(|line| !line.starts_with("// ") && !line.contains("__global__"))
        // Where a comment was there are blanks.
        .map(str::trim_end)
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn barriers_masks_and_waits() {
    let code = "out[n] = 1;\n__syncthreads(); // all\nint a = __shfl_down_sync(0xffffffff, n, 1);\n__threadfence();\nwait_for_groups<0>();\ncooperative_groups::this_grid().sync();\nasm volatile(\"cp.async.wait_group %0;\" ::\"n\"(1) : \"memory\");";
    insta::assert_snapshot!(listed(Family::Synchronization, code));
    insta::assert_snapshot!(text_of(code, "move `__syncthreads();` before `out"), @r#"
    __syncthreads();
    out[n] = 1;
    int a = __shfl_down_sync(0xffffffff, n, 1);
    __threadfence();
    wait_for_groups<0>();
    cooperative_groups::this_grid().sync();
    asm volatile("cp.async.wait_group %0;" ::"n"(1) : "memory");
    }
    "#);
}

#[test]
fn a_barrier_goes_into_the_branch_beside_it() {
    let code = "if (n > 0) {\n    out[n] = 1;\n}\n__syncthreads();";
    insta::assert_snapshot!(text_of(code, "into `if"), @r"
    if (n > 0) {
        out[n] = 1;
    __syncthreads(); }

    }
    ");
}

#[test]
fn atomics_orders_and_the_read_only_path() {
    let code = "volatile int *v = out;\natomicAdd(&out[0], n);\nint old = atomicInc(flag, 7);\nint again = out[n] + in[n];\nunsigned seen = load_acquire(flag);\nstore_release(flag, 1);\ncounter.fetch_add(1, cuda::memory_order_acq_rel);\ncuda::atomic_ref<int, cuda::thread_scope_device> counter(*out);\nasm volatile(\"ld.acquire.gpu.u32 %0, [%1];\");";
    insta::assert_snapshot!(listed(Family::Memory, code));
    insta::assert_snapshot!(text_of("atomicAdd(&out[0], n);", "`atomicAdd(&out[0], n)` becomes"), @r"
    *(&out[0]) = *(&out[0]) + (n);
    }
    ");
    insta::assert_snapshot!(text_of("int a = atomicAdd(flag, 1);", "`atomicAdd(flag, 1)` becomes"), @r"
    int a = [&] { auto old = *(flag); *(flag) = *(flag) + (1); return old; }();
    }
    ");
}

#[test]
fn comparisons_and_guards() {
    let code = "if (n < width && !(n == 0)) { out[0] = n >= 3 ? 1 : 2; }\nwhile (n != width) { ++n; }";
    insta::assert_snapshot!(listed(Family::Condition, code));
}

#[test]
fn indices_and_dimensions() {
    let code = "__shared__ int tile[32][33];\nint row = blockIdx.y * 32 + threadIdx.y;\nint column = 1;\ntile[row][column] = in[row * width + column];\nfor (int i = 0; i < n; i += width) {}";
    insta::assert_snapshot!(listed(Family::Index, code));
}

#[test]
fn terms_and_constants() {
    let code = "float most = fmaxf(real[0], -INFINITY);\nmost += 2.5f * -most;\nbool less = in[0] < in[1];\nlong long far = static_cast<long long>(n) * width;";
    insta::assert_snapshot!(listed(Family::Value, code));
}

#[test]
fn bits() {
    let code = "int sum = in[n];\nfloat x = real[n];\nout[blockIdx.x] = sum;\nint lane = threadIdx.x % 32;\ndouble total = 0.0;";
    insta::assert_snapshot!(listed(Family::Width, code));
    let half = text_of(code, "of `real[n]` only a half");
    assert!(
        half.starts_with("#include <cuda_fp16.h>\n")
            && half.contains("(float)(__half2float(__float2half(real[n])))"),
        "{half}"
    );
}

#[test]
fn statements() {
    insta::assert_snapshot!(listed(
        Family::Removal,
        "int i = 0;\nout[i] = 1;\n++i;\nfor (;;) { break; }\nf(i);\n__syncthreads();\nreturn;"
    ));
}

#[test]
fn some_treated_differently() {
    let code = "__syncthreads();\nout[threadIdx.x] = in[n];\nif (threadIdx.x == 0) { *out = 1; }";
    insta::assert_snapshot!(listed(Family::Special, code));
}

#[test]
fn what_is_no_code_of_a_learners_is_left_alone() {
    assert_eq!(mutants("// if (n < 1) return;\nstatic_assert(1 < 2, \"order\");\n#pragma unroll 4\n"), []);
}

#[test]
fn order_is_that_of_the_text_and_nothing_comes_twice() {
    let all = mutants("out[0] = in[0] + in[0];\nout[0] = in[0] + in[0];");
    assert!(all.is_sorted_by_key(|mutant| mutant.line));
    let texts: std::collections::BTreeSet<&str> = all.iter().map(|mutant| mutant.text.as_str()).collect();
    assert_eq!(texts.len(), all.len());
    // Equal words on equal lines are told apart.
    let keys: std::collections::BTreeSet<_> =
        all.iter().map(|mutant| (&mutant.code, &mutant.what, mutant.number)).collect();
    assert_eq!(keys.len(), all.len());
}
