//! The words that say what an instruction does. One that no table here knows may change what it does, so that the
//! instruction is refused: `st.async` is no `st`.

use crate::ptx::names_an_operation;

/// True if every modifier that may change what the instruction does is one of those that its lowering looks at.
pub fn knows(opcode: &str, modifiers: &[&str]) -> bool {
    let known: &[&[&str]] = match opcode {
        "ld" | "ldu" => &[&["acquire", "nc", "unified", "ca", "lu", "cv"], ORDERS, SCOPES, CACHED],
        "st" => &[&["release", "unified", "wb", "wt"], ORDERS, SCOPES, CACHED],
        "atom" | "red" => {
            &[&["exch", "cas", "inc", "dec", "acquire", "release", "acq_rel"], ORDERS, SCOPES, SUMS]
        }
        "fence" => &[
            &["sc", "acq_rel", "acquire", "release", "proxy", "alias", "mbarrier_init"],
            &["async", "async::generic", "tensormap::generic"],
            &["sync_restrict::shared::cta", "sync_restrict::shared::cluster"],
            SCOPES,
        ],
        "membar" => &[&["gl", "proxy", "alias", "async"], SCOPES],
        "bar" | "barrier" => {
            &[&["cta", "cluster", "warp", "arrive", "wait", "red", "relaxed", "acquire", "release"]]
        }
        "mbarrier" => &[
            &["init", "inval", "pending_count", "expect_tx", "complete_tx", "arrive", "arrive_drop"],
            &["test_wait", "try_wait", "parity", "noComplete", "relaxed", "acquire", "release"],
            SCOPES,
        ],
        "cp" => &[
            &[
                "async", "bulk", "reduce", "tensor", "prefetch", "L2", "ca", "cg", "mbarrier", "arrive",
                "noinc",
            ],
            &["commit_group", "wait_group", "wait_all", "read", "inc", "dec"],
            SUMS,
        ],
        // Where they lie in caches changes no value.
        "prefetch" | "prefetchu" | "discard" | "applypriority" | "createpolicy" | "pmevent" => return true,
        "cvta" => &[&["to"]],
        "setp" | "set" => &[
            &["eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"],
            &["equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"],
        ],
        "testp" => &[&["finite", "infinite", "number", "notanumber", "normal", "subnormal"]],
        "cvt" => &[&["pack"]],
        "mul" | "mad" | "madc" | "mul24" | "mad24" | "dp2a" => &[&["hi", "lo", "wide", "cc"]],
        "add" | "sub" | "addc" | "subc" => &[&["cc"]],
        "min" | "max" => &[&["NaN", "xorsign", "abs"]],
        "div" | "rcp" | "sqrt" | "rsqrt" | "sin" | "cos" | "lg2" | "ex2" | "tanh" => &[&["approx", "full"]],
        "shf" | "bmsk" | "szext" => &[&["l", "r", "wrap"]],
        "bfind" => &[&["shiftamt"]],
        "prmt" => &[&["f4e", "b4e", "rc8", "ecl", "ecr", "rc16"]],
        "vabsdiff2" | "vabsdiff4" => &[&["add"]],
        "shfl" => &[&["up", "down", "bfly", "idx"]],
        "vote" => &[&["all", "any", "uni", "ballot"]],
        "match" => &[&["all", "any"]],
        "redux" => &[SUMS],
        "setmaxnreg" => &[&["inc", "dec"]],
        "griddepcontrol" => &[&["wait", "launch_dependents"]],
        "bra" | "brx" | "call" | "ret" => &[&["uni", "idx"]],
        // Their lowering takes whole forms.
        "tex" | "tld4" | "txq" | "suld" | "sust" | "suq" | "ldmatrix" | "stmatrix" | "movmatrix" | "mma"
        | "wmma" | "wgmma" => return true,
        _ => &[],
    };
    modifiers
        .iter()
        .filter(|modifier| names_an_operation(modifier))
        .all(|modifier| known.iter().any(|words| words.contains(modifier)))
}

const ORDERS: &[&str] = &["weak", "relaxed", "volatile", "mmio"];
const SCOPES: &[&str] = &["cta", "cluster", "gpu", "sys"];
const CACHED: &[&str] = &["cg", "cs"];
const SUMS: &[&str] = &["add", "min", "max"];
