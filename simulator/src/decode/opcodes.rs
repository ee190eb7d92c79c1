//! The mnemonics that the decoder knows, and the family that lowers each. Nothing else is decoded, so
//! [`OPCODES`] is what lists of supported instructions are made from.

/// Instructions that one file lowers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// What is executed next, or when.
    Control,
    /// Memory and addresses.
    Memory,
    /// Lanes of a warp together, and hints.
    Warp,
    /// Copies in the background and barriers in shared memory.
    Asynchronous,
    /// Textures and surfaces.
    Texture,
    /// Matrices that a warp holds together.
    Matrix,
    /// Moves and selection.
    Move,
    /// `cvt`.
    Convert,
    /// Comparisons that give predicates or masks.
    Compare,
    /// Arithmetic and logic: the type says of which kind.
    Arithmetic,
}

macro_rules! opcodes {
    ($($family:ident $title:literal: $($name:literal)+;)+) => {
        /// What a family does, and its mnemonics.
        pub const FAMILIES: &[(&str, &[&str])] = &[$(($title, &[$($name),+])),+];

        /// Every mnemonic (the part before the first dot) of which some form is decoded.
        pub const OPCODES: &[&str] = &[$($($name),+),+];

        /// The family of a mnemonic; none for what is not implemented.
        pub fn family(opcode: &str) -> Option<Family> {
            Some(match opcode {
                $($($name)|+ => Family::$family,)+
                _ => return None,
            })
        }
    };
}

opcodes! {
    Control "Control, calls, barriers": "bra" "brx" "call" "ret" "exit" "trap" "brkpt" "bar" "barrier" "membar" "fence";
    Memory "Memory and addresses": "ld" "ldu" "st" "atom" "red" "cvta" "isspacep" "mapa" "getctarank" "alloca" "stacksave" "stackrestore" "prefetch" "prefetchu"
        "discard" "applypriority" "createpolicy";
    Warp "Lanes together, and hints": "shfl" "vote" "match" "redux" "activemask" "elect" "nanosleep" "pmevent" "setmaxnreg" "griddepcontrol";
    Asynchronous "Copies in the background, barriers in shared memory": "cp" "mbarrier";
    Texture "Textures and surfaces, by their handles": "tex" "tld4" "txq" "suld" "sust" "suq";
    Matrix "Matrices of a warp or four": "ldmatrix" "stmatrix" "movmatrix" "mma" "wmma" "wgmma";
    Move "Moves and selection": "mov" "selp" "slct";
    Convert "Conversion": "cvt";
    Compare "Comparison": "setp" "set" "testp";
    Arithmetic "Arithmetic and logic": "add" "sub" "addc" "subc" "mul" "mad" "madc" "mul24" "mad24" "div" "rem" "min" "max" "sad" "and" "or"
        "xor" "not" "cnot" "neg" "abs" "brev" "popc" "clz" "bfind" "shl" "shr" "shf" "prmt" "lop3" "bfe" "bfi" "bmsk"
        "szext" "fns" "dp4a" "dp2a" "vabsdiff2" "vabsdiff4" "fma" "rcp" "sqrt" "rsqrt" "sin" "cos" "lg2" "ex2" "tanh"
        "copysign";
}
