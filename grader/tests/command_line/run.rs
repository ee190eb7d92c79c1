//! What `run` takes, does and refuses.

use std::fs;

use snapbox::file;

use serde_json::Value;

use crate::{
    cli::same,
    support::{Given, Place},
};

const STRIDED: &str = r#"template <int STRIDE>
__global__ void strided(const float *in, float *out) {
    __shared__ float tile[32 * STRIDE];
    for (int i = threadIdx.x; i < 32 * STRIDE; i += blockDim.x) {
        tile[i] = in[i];
    }
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x * STRIDE];
}
__constant__ float scale[2];
extern "C" __global__ void scaled(float *values, int n) {
    if (threadIdx.x == 0) printf("scale %g %g\n", scale[0], scale[1]);
    if (threadIdx.x < n) values[threadIdx.x] = values[threadIdx.x] * scale[0] + scale[1];
}
extern "C" __global__ void beyond(int *p) { p[threadIdx.x + 1] = 1; }
"#;

#[test]
fn run_counts_and_saves() {
    let place = Place::new();
    place.write("strided.cu", STRIDED);
    let launch = ["--grid", "1", "--block", "32"];
    let run = |arguments: &[&str]| place.grader(&[&["run", "strided.cu"], arguments, &launch[..]].concat());
    let strided =
        ["--entry", "strided<8>", "--arg", "in:f32:256=iota", "--arg", "out:f32:32", "--save", "1=out.npy"];
    let given = run(&strided);
    same(given.all(), file!["cli/run.txt"]);
    // 80 bytes of header, padded to 128; the elements are little-endian floats.
    let saved = fs::read(place.path("out.npy")).unwrap();
    let values: Vec<f32> =
        saved[saved.len() - 128..].chunks(4).map(|v| f32::from_le_bytes(v.try_into().unwrap())).collect();
    assert_eq!(values, (0..32).map(|i| (i * 8) as f32).collect::<Vec<_>>());

    let scaled = ["--entry", "scaled", "--arg", "inout:f32:32=ones", "--arg", "i32:32", "--repeat", "2"];
    let global = ["--global", "scale=f32:const:3", "--save", "0=scaled.npy", "--format", "json"];
    let given = run(&[&scaled[..], &global].concat());
    let json: Value = serde_json::from_str(&given.out).unwrap();
    assert_eq!((given.code, json["status"].as_str()), (0, Some("finished")), "{}", given.all());
    assert_eq!(json["printf"], "scale 3 3\nscale 3 3\n");
    let saved = fs::read(place.path("scaled.npy")).unwrap();
    assert_eq!(saved[saved.len() - 4..], 21f32.to_le_bytes());

    let given = run(&["--entry", "beyond", "--arg", "out:i32:32", "--format", "json"]);
    let json: Value = serde_json::from_str(&given.out).unwrap();
    assert_eq!((given.code, json["status"].as_str()), (1, Some("faulted")), "{}", given.all());
    let finding = &json["findings"][0];
    assert_eq!(
        (finding["kind"].as_str(), finding["place"]["line"].as_u64()),
        (Some("out_of_bounds"), Some(15))
    );
    assert_eq!(finding["allocation"]["name"], "p");
}

#[test]
fn a_variable_is_saved_as_it_is_in_the_end() {
    let place = Place::new();
    place.write(
        "k.cu",
        "__device__ int counts[4];\n\
         extern \"C\" __global__ void k() { atomicAdd(&counts[threadIdx.x % 4], (int)threadIdx.x - 16); }\n",
    );
    let launch = ["run", "k.cu", "--entry", "k", "--grid", "1", "--block", "32", "--device", "sim"];
    let options = ["--global", "counts=i32:values:1,2,3,4", "--save", "counts=i32:out.npy"];
    let given = place.grader(&[&launch[..], &options].concat());
    assert_eq!(given.code, 0, "{}", given.all());
    let saved = fs::read(place.path("out.npy")).unwrap();
    let values: Vec<i32> =
        saved[saved.len() - 16..].chunks(4).map(|v| i32::from_le_bytes(v.try_into().unwrap())).collect();
    // Eight threads each, from 0, 1, 2, 3 on.
    assert_eq!(values, [0, 1, 2, 3].map(|first| 1 + first + (0..8).map(|i| first + 4 * i - 16).sum::<i32>()));
    assert!(String::from_utf8_lossy(&saved).contains("'<i4'"));
    let given = place.grader(&[&launch[..], &["--save", "counts=out.npy"]].concat());
    assert_eq!(given.code, 2, "{}", given.all());
    assert!(
        given.all().contains("write the type, for example --save counts=f32:PATH.npy"),
        "{}",
        given.all()
    );
}

#[test]
fn a_kernel_may_be_called_like_a_function_of_the_compilers_own() {
    let place = Place::new();
    for name in ["ballot", "shfl", "any", "all", "sync", "reduce", "brev"] {
        place.write(
            "k.cu",
            format!("extern \"C\" __global__ void {name}(int* p) {{ p[threadIdx.x] = 1; }}\n"),
        );
        let launch = ["--grid", "1", "--block", "32", "--device", "sim", "--arg", "out:i32:32"];
        let given = place.grader(&[&["run", "k.cu", "--entry", name], &launch[..]].concat());
        assert_eq!(given.code, 0, "{name}: {}", given.all());
    }
}

/// A library's templates write the same value from many threads, in many lines.
#[test]
fn races_that_change_nothing_are_told_in_one_paragraph() {
    let place = Place::new();
    let lines: String = (0..20).map(|i| format!("    o[{i}] = {i};\n")).collect();
    let again = "    if (threadIdx.x == 0)\n        o[20] = 1;\n    o[21] = 4;\n";
    place.write("k.cu", format!("extern \"C\" __global__ void k(int *o) {{\n{lines}{again}}}\n"));
    let run = |more: &[&str]| {
        let launch = ["run", "k.cu", "--entry", "k", "--grid", "1", "--block", "64", "--arg", "out:i32:32"];
        let given = place.grader(&[&launch[..], &["--device", "sim"], more].concat());
        assert_eq!(given.code, 0, "{}", given.all());
        given.all()
    };
    let folded = run(&[]);
    assert_eq!(folded.matches("note[race]").count(), 1, "{folded}");
    assert!(folded.contains("= at line 2; the same at lines 3 to 21 and 24"), "{folded}");
    assert!(folded.contains("= help: The result does not depend on who is last"), "{folded}");
    let plain = run(&["--plain"]);
    assert!(plain.contains("The same at lines 3 to 21 and 24."), "{plain}");
    assert_eq!(run(&["--verbose"]).matches("note[race]").count(), 21);
}

const ADD_ONE: &str = "extern \"C\" __global__ void add_one(int *p, int n) {\n    \
                       int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) p[i] += 1;\n}\n";

fn run_add_one<'a>(extra: &[&'a str]) -> Vec<&'a str> {
    let given = |name: &str| extra.contains(&name);
    let mut all = vec!["run", "k.cu", "--entry", "add_one"];
    for (name, value) in [("--grid", "1"), ("--block", "32"), ("--device", "sim")] {
        if !given(name) {
            all.extend([name, value]);
        }
    }
    if !given("--arg") {
        all.extend(["--arg", "inout:i32:8=iota", "--arg", "i32:8"]);
    }
    all.extend(extra);
    all
}

#[test]
fn what_cannot_be_launched_is_wrong_usage() {
    let place = Place::new();
    place.write("k.cu", ADD_ONE);
    fs::create_dir(place.path("folder.npy")).unwrap();
    let huge = "4294967295,4294967295,4294967295";
    let cases: &[(&[&str], &str)] = &[
        (&["--grid", huge], "a grid has at most 2147483647 blocks in x"),
        (&["--grid", "1,65536"], "65535 in y and z"),
        (&["--block", huge], "a block has at most 1024 threads"),
        (&["--block", "1,1,65"], "at most 64 in z"),
        (&["--shared", "4294967295"], "sim:h200 gives a block at most 232448 bytes"),
        (&["--shared", "65537", "--device", "sim:t4"], "sim:t4 gives a block at most 65536 bytes"),
        (&["--arch", "100", "--device", "sim:t4"], "sim:t4 has compute capability 7.5"),
        (&["--arg", "i32:8"], "kernel `add_one` takes 2 arguments, found 1"),
        (&["--arg", "inout:i32:8=iota", "--arg", "i64:8"], "takes 4 bytes, found 8"),
        (&["--save", "0=missing/p.npy"], "missing/p.npy: could not write there: not found"),
        (&["--save", "0=/proc/p.npy"], "/proc/p.npy: could not write there"),
        (&["--save", "0=folder.npy"], "it is a folder"),
        (&["--arg", "inout:i32:1000000000=zeros", "--arg", "i32:8", "--save", "0=p.npy"], "GiB"),
        (&["--arg", "in:i8:4000000000=zeros", "--arg", "in:i8:4000000000=zeros"], "it may use 6 GiB"),
    ];
    for (extra, words) in cases {
        let given = place.grader(&run_add_one(extra));
        assert_eq!(given.code, 2, "{extra:?}: {}", given.all());
        assert!(given.err.contains(words), "{extra:?}: {}", given.all());
        assert!(!given.err.contains("panicked"), "{extra:?}: {}", given.all());
    }
}

#[test]
fn a_wrong_number_of_arguments_is_told_with_those_that_fit() {
    let place = Place::new();
    place.write(
        "k.cu",
        "extern \"C\" __global__ void k(float *a, const float *b, int n) {\n    \
         if (threadIdx.x < n) a[threadIdx.x] = b[threadIdx.x];\n}\nextern \"C\" __global__ void none() {}\n",
    );
    let run = |file: &str, entry: &str, arguments: &[&str]| {
        let launch = ["run", file, "--entry", entry, "--grid", "1", "--block", "32", "--device", "sim"];
        place.grader(&[&launch[..], arguments].concat())
    };
    let told = |given: &Given| given.err.split_whitespace().collect::<Vec<_>>().join(" ");
    for given in [&[][..], &["--arg", "i32:1"], &["--arg=null", "--arg=null", "--arg=i32:0", "--arg=i32:0"]] {
        let refused = run("k.cu", "k", given);
        assert_eq!(refused.code, 2, "{}", refused.all());
        let number = given.iter().filter(|word| word.starts_with("--arg")).count();
        let told = told(&refused);
        assert!(told.contains(&format!("kernel `k` takes 3 arguments, found {number}")), "{told}");
        let (_, fitting) = told.split_once("such as ").expect("examples");
        assert_eq!(fitting, "a: --arg inout:f32:1024=zeros; b: --arg in:f32:1024=random:1; n: --arg i32:1");
        let each = fitting.split("--arg ").skip(1);
        let each = each.map(|rest| rest.split([';', ' ']).next().unwrap_or_default());
        let arguments: Vec<&str> = each.flat_map(|each| ["--arg", each]).collect();
        let fits = run("k.cu", "k", &[&arguments[..], &["--ptx", "k.ptx"]].concat());
        assert_eq!(fits.code, 0, "{}", fits.all());
    }
    let told_none = told(&run("k.cu", "none", &["--arg", "i32:1"]));
    assert!(told_none.contains("takes 0 arguments, found 1 next: leave --arg out"), "{told_none}");
    // Of PTX alone only the sizes are known, and what is a float.
    let of_ptx = told(&run("k.ptx", "k", &[]));
    assert!(of_ptx.contains("inout:f32:1024=zeros (or i64:1 of an integer)"), "{of_ptx}");
    assert!(of_ptx.contains("--arg i32:1"), "{of_ptx}");
}

/// The bits of a float taken for an integer are another number, and nothing else would say so.
#[test]
fn a_number_of_another_kind_is_refused_where_the_source_says_so() {
    let place = Place::new();
    place.write(
        "k.cu",
        "typedef int word; struct S { float x; };\n\
         extern \"C\" __global__ void k(word n, float f, long long l, double d, int *p, S s) {}\n\
         template <typename T> __global__ void t(T value) {}\ntemplate __global__ void t<float>(float);\n",
    );
    let all = ["i32:1", "f32:1", "i64:1", "f64:1", "null", "f32:1"];
    let run = |entry: &str, arguments: &[&str]| {
        let mut call =
            vec!["run", "k.cu", "--entry", entry, "--grid", "1", "--block", "1", "--device", "sim"];
        arguments.iter().for_each(|argument| call.extend(["--arg", argument]));
        place.grader(&call)
    };
    assert_eq!(run("k", &all).code, 0, "{}", run("k", &all).all());
    for (index, argument, words) in [
        (0, "f32:1", "argument 0 is f32, but kernel `k` takes an integer there"),
        (1, "i32:1", "argument 1 is i32, but kernel `k` takes a float there"),
        (1, "u32:1", "write f32: instead of u32:"),
        (2, "f64:1", "argument 2 is f64, but kernel `k` takes a pointer or an integer there"),
        (3, "u64:1", "argument 3 is u64, but kernel `k` takes a double there"),
        (4, "f64:1", "argument 4 is f64, but kernel `k` takes a pointer or an integer there"),
    ] {
        let mut arguments = all;
        arguments[index] = argument;
        let given = run("k", &arguments);
        assert_eq!(given.code, 2, "{}", given.all());
        assert!(given.err.contains(words), "{words}: {}", given.all());
    }
    // Where only bits can be meant, they are: either sign, a pointer as a number, a structure's word.
    for (index, argument) in [(0, "u32:1"), (2, "u64:1"), (4, "u64:0"), (5, "u32:1")] {
        let mut arguments = all;
        arguments[index] = argument;
        assert_eq!(run("k", &arguments).code, 0, "{}", run("k", &arguments).all());
    }
    assert_eq!(run("t<float>", &["i32:1"]).code, 2);
    assert_eq!(run("t<float>", &["f32:1"]).code, 0);
    // PTX of any compiler declares what it likes.
    place.write(
        "k.ptx",
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u32 n)\n{\nret;\n}\n",
    );
    let ptx =
        ["run", "k.ptx", "--entry", "k", "--grid", "1", "--block", "1", "--device", "sim", "--arg", "f32:1"];
    assert_eq!(place.grader(&ptx).code, 0, "{}", place.grader(&ptx).all());
}

/// The PTX that is written runs in the kernel's place, and does the same.
#[test]
fn the_ptx_that_it_was_compiled_to_runs_in_its_place() {
    let place = Place::new();
    place.write("k.cu", "extern \"C\" __global__ void add_one(int *p, int n) { p[threadIdx.x] += n; }\n");
    let run = |file: &str, more: &[&str]| {
        let launch = [
            "--entry",
            "add_one",
            "--grid",
            "1",
            "--block",
            "32",
            "--arg",
            "inout:i32:32=iota",
            "--arg",
            "i32:3",
        ];
        place.grader(&[&["run", file], &launch[..], &["--device", "sim", "--format", "json"], more].concat())
    };
    let counters = |given: &Given| serde_json::from_str::<Value>(&given.out).unwrap()["counters"].clone();
    let source = run("k.cu", &["--ptx", "k.ptx", "--save", "0=a.npy"]);
    assert_eq!(source.code, 0, "{}", source.all());
    let ptx = run("k.ptx", &["--save", "0=b.npy"]);
    assert_eq!(counters(&source), counters(&ptx), "{}", ptx.all());
    assert_eq!(fs::read(place.path("a.npy")).unwrap(), fs::read(place.path("b.npy")).unwrap());
    for (file, path, why) in [
        ("k.ptx", "again.ptx", "a .ptx file is PTX already"),
        ("k.cu", "missing/k.ptx", "--ptx missing/k.ptx: could not write there: not found"),
    ] {
        let given = run(file, &["--ptx", path]);
        assert_eq!(given.code, 2, "{}", given.all());
        assert!(given.err.contains(why), "{}", given.err);
    }
}

#[test]
fn a_kernel_that_faults_saves_nothing_and_says_so() {
    let place = Place::new();
    place.write("k.cu", "extern \"C\" __global__ void add_one(int *p, int n) { p[n] = 1; }\n");
    let given = place.grader(&run_add_one(&["--save", "0=p.npy"]));
    assert_eq!(given.code, 1, "{}", given.all());
    assert!(given.out.contains("nothing was saved"), "{}", given.all());
    assert!(!place.path("p.npy").exists());
}

const POINT: &str = "struct Point { float x; double y; char tag; float *to; };\n\
                     extern \"C\" __global__ void k(int n, Point point, float *out) {\n    \
                     out[0] = point.x; out[1] = point.y; out[2] = point.tag; out[3] = n; if (point.to) *point.to = 9;\n}\n";

/// A `.npy` file of version 1.0 with this header and these bytes.
fn npy(dtype: &str, shape: &str, bytes: &[u8]) -> Vec<u8> {
    let mut header = format!("{{'descr': {dtype}, 'fortran_order': False, 'shape': {shape}, }}");
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let length = u16::try_from(header.len()).unwrap().to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), bytes].concat()
}

#[test]
fn a_structure_is_passed_by_its_bytes() {
    let place = Place::new();
    place.write("k.cu", POINT);
    let run = |argument: &str, more: &[&str]| {
        let launch = ["run", "k.cu", "--entry", "k", "--grid", "1", "--block", "1", "--device", "sim"];
        let arguments = ["--arg", "i32:5", "--arg", argument, "--arg", "out:f32:4", "--save", "2=out.npy"];
        place.grader(&[&launch[..], &arguments, more].concat())
    };
    let mut bytes = [0_u8; 32];
    bytes[..4].copy_from_slice(&0.5_f32.to_le_bytes());
    bytes[8..16].copy_from_slice(&(-2.0_f64).to_le_bytes());
    bytes[16] = 7;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    place.write("point.bin", bytes);
    // As NumPy writes a record whose type is made with align=True.
    let aligned = "[('x', '<f4'), ('', '|V4'), ('y', '<f8'), ('tag', '|i1'), ('', '|V7'), ('to', '<u8')]";
    place.write("point.npy", npy(aligned, "(1,)", &bytes));
    place.write("scalar.npy", npy(aligned, "()", &bytes));
    for argument in [
        format!("bytes:{hex}"),
        "bytes:@point.bin".into(),
        "bytes:@point.npy".into(),
        "bytes:@scalar.npy".into(),
    ] {
        let given = run(&argument, &[]);
        assert_eq!(given.code, 0, "{argument}: {}", given.all());
        let out = fs::read(place.path("out.npy")).unwrap();
        let values: Vec<f32> = out[out.len() - 16..]
            .chunks(4)
            .map(|value| f32::from_le_bytes(value.try_into().unwrap()))
            .collect();
        assert_eq!(values, [0.5, -2.0, 7.0, 5.0], "{argument}");
    }
    // The same from PTX, which has names of its own.
    assert_eq!(run("bytes:@point.bin", &["--ptx", "k.ptx"]).code, 0);
    let ptx = ["run", "k.ptx", "--entry", "k", "--grid", "1", "--block", "1", "--device", "sim"];
    let of_ptx = |argument: &str| {
        place.grader(&[&ptx[..], &["--arg", "i32:5", "--arg", argument, "--arg", "out:f32:4"]].concat())
    };
    assert_eq!(of_ptx("bytes:@point.bin").code, 0);
    let packed = "[('x', '<f4'), ('y', '<f8'), ('tag', '|i1'), ('to', '<u8')]";
    place.write("packed.npy", npy(packed, "(1,)", &bytes[..21]));
    place.write("two.npy", npy(aligned, "(2,)", &[bytes, bytes].concat()));
    place.write("big.npy", npy(&aligned.replace("'<f4'", "'>f4'"), "(1,)", &bytes));
    place.write("short.npy", npy("'|V999999999999'", "(1,)", &bytes));
    place.write("object.npy", npy("[('x', '|O')]", "(1,)", &bytes));
    for (argument, words) in [
        ("bytes:0000", "argument 1 (`point`) of kernel `k` takes 32 bytes, but bytes: has 2"),
        ("bytes:@packed.npy", "(`point`) of kernel `k` takes 32 bytes, but packed.npy has 21"),
        ("bytes:@packed.npy", "align=True"),
        ("bytes:@two.npy", "two.npy holds 2 elements, but an argument is one"),
        ("bytes:@big.npy", "GPUs are little-endian"),
        ("bytes:@short.npy", "its header says 999999999999 bytes, and 32 follow"),
        ("bytes:@object.npy", "object.npy"),
        ("bytes:@missing.bin", "argument 1: could not read missing.bin: not found"),
        ("bytes:123", "expected two hexadecimal digits for each"),
    ] {
        let given = run(argument, &[]);
        assert_eq!(given.code, 2, "{argument}: {}", given.all());
        assert!(given.err.contains(words), "{argument}: {}", given.err);
    }
    let given = of_ptx("bytes:00");
    assert!(given.code == 2 && given.err.contains("takes 32 bytes, but bytes: has 1"), "{}", given.err);
    // What no argument can hold: a buffer's address inside a structure. What stands there is no buffer, and it shows.
    let given = run(&format!("bytes:{}1000000000000000", &hex[..48]), &[]);
    assert!(given.code == 1 && given.out.contains("out_of_bounds"), "{}", given.all());
}

/// One product of ones by a warpgroup, in a function that says of no side whom it is for.
const PRODUCT: &str = r#"unsigned long long described(const void *tile) {
    return (__cvta_generic_to_shared(tile) >> 4 & 0x3FFF) | 8ull << 16 | 16ull << 32;
}
extern "C" __global__ void product(float *out) {
    __shared__ alignas(128) unsigned short a[1024], b[128];
    for (int i = threadIdx.x; i < 1024; i += 128) a[i] = 0x3C00;
    b[threadIdx.x] = 0x3C00;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    float c[4] = {};
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "l"(described(a)), "l"(described(b)));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    for (int i = 0; i < 4; ++i) out[4 * threadIdx.x + i] = c[i];
}
"#;

#[test]
fn a_product_of_a_warpgroup_needs_its_architecture() {
    let place = Place::new();
    place.write("product.cu", PRODUCT);
    let launch =
        ["run", "product.cu", "--entry", "product", "--grid", "1", "--block", "128", "--device", "sim"];
    let run = |more: &[&str]| {
        let save = ["--arg", "out:f32:512", "--save", "0=out.npy"];
        place.grader(&[&launch[..], &save, more].concat())
    };
    let given = run(&["--arch", "90a", "--default-device"]);
    assert_eq!(given.code, 0, "{}", given.all());
    let out = fs::read(place.path("out.npy")).unwrap();
    let values =
        out[out.len() - 4 * 512..].chunks(4).map(|value| f32::from_le_bytes(value.try_into().unwrap()));
    assert!(values.into_iter().all(|value| value == 16.0));
    let given = run(&["--default-device"]);
    assert!(given.code == 1 && given.all().contains("--arch 90a"), "{}", given.all());
    let given = run(&["--arch", "90a"]);
    assert!(given.code == 1 && given.all().contains("__device__"), "{}", given.all());
    let given = run(&["--arch", "ninety"]);
    assert!(given.code == 2 && given.err.contains("such as 90 or 90a"), "{}", given.all());
}

#[test]
fn a_texture_and_a_surface_are_made_for_a_kernel() {
    let place = Place::new();
    place.write(
        "blur.cu",
        "extern \"C\" __global__ void blur(cudaTextureObject_t from, cudaSurfaceObject_t to) {\n    const int t = threadIdx.x;\n    \
         surf2Dwrite(tex2D<float>(from, t % 8, t / 8 + 0.5f), to, 4 * (t % 8), t / 8);\n}\n",
    );
    let launch = ["run", "blur.cu", "--entry", "blur", "--grid", "1", "--block", "32", "--device", "sim"];
    let run = |arguments: &[&str]| place.grader(&[&launch[..], arguments].concat());
    let texture = ["--arg", "texture:f32:4x8=iota,linear", "--arg", "surface:f32:4x8"];
    let given = run(&[&texture[..], &["--save", "1=out.npy"]].concat());
    assert_eq!(given.code, 0, "{}", given.all());
    let saved = fs::read(place.path("out.npy")).unwrap();
    let values: Vec<f32> =
        saved[saved.len() - 128..].chunks(4).map(|v| f32::from_le_bytes(v.try_into().unwrap())).collect();
    // Half of each texel and of its left neighbour; at the edge twice the same.
    let blurred = |i: u8| if i.is_multiple_of(8) { f32::from(i) } else { f32::from(i) - 0.5 };
    assert_eq!(values, (0..32).map(blurred).collect::<Vec<_>>());

    let given = run(&["--arg", "texture:i32:4x8=iota", "--arg", "surface:f32:4x8"]);
    assert_eq!(given.code, 1, "{}", given.all());
    assert!(given.all().contains("reads floats, but the texture gives integers"), "{}", given.all());

    // As CUDA's own: without normalised coordinates nothing repeats.
    let given = run(&[
        "--arg",
        "texture:f32:4x8=iota,wrap,linear",
        "--arg",
        "surface:f32:4x8",
        "--save",
        "1=wrap.npy",
    ]);
    assert_eq!(given.code, 0, "{}", given.all());
    assert_eq!(fs::read(place.path("wrap.npy")).unwrap(), saved);
}
