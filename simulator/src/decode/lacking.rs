//! The parts of PTX that are not executed, by name. Findings say which one a kernel asked for, and the lists
//! of what is supported are made from this table and from [`OPCODES`](super::OPCODES).

/// A part of PTX that is not executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lacking {
    /// What people call it.
    pub name: &'static str,
    /// What instructions of it begin with: a mnemonic, or a mnemonic with its first modifiers.
    pub instructions: &'static [&'static str],
    /// Functions of the CUDA runtime that stand for it.
    pub functions: &'static [&'static str],
    /// An instruction or call as compilers write it.
    pub example: &'static str,
    /// What of it there is all the same, or how to do without.
    pub instead: &'static str,
}

/// Everything that has a name and is lacking. What has none is said to be lacking by its text alone.
pub const LACKING: &[Lacking] = &[
    Lacking {
        name: "tensor memory (capability 10), and sparse products of a warpgroup",
        instructions: &["wgmma.mma_async.sp", "tcgen05"],
        functions: &[],
        example: "tcgen05.fence::before_thread_sync;",
        instead: "`wgmma`, `mma.sync` and `wmma` of dense matrices are executed",
    },
    Lacking {
        name: "sparse and scaled products of matrices",
        instructions: &["mma.sp", "mma.sp::ordered_metadata"],
        functions: &[],
        example: "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r3, %r4}, {%f5, %f6, %f7, %f8}, %r5, 0x0;",
        instead: "`mma` of dense matrices is executed",
    },
    Lacking {
        name: "products of quad pairs (capability 7.0: `m8n8k4` of halves)",
        instructions: &[
            "mma.sync.aligned.m8n8k4.row.row.f16",
            "mma.sync.aligned.m8n8k4.row.col.f16",
            "mma.sync.aligned.m8n8k4.col.row.f16",
            "mma.sync.aligned.m8n8k4.col.col.f16",
            "mma.sync.aligned.m8n8k4.row.row.f32",
            "mma.sync.aligned.m8n8k4.row.col.f32",
            "mma.sync.aligned.m8n8k4.col.row.f32",
            "mma.sync.aligned.m8n8k4.col.col.f32",
        ],
        functions: &[],
        example: "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, {%r1, %r2}, {%r3, %r4}, {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8};",
        instead: "`mma.sync` of `m16n8k8` and `m16n8k16`, which GPUs since capability 8.0 carry out at once",
    },
    Lacking {
        name: "cube maps, multisampled and sparse textures, reductions of surfaces",
        instructions: &[
            "tex.cube",
            "tex.acube",
            "tex.2dms",
            "tex.a2dms",
            "tex.level.cube",
            "tex.level.acube",
            "tex.grad.cube",
            "tex.grad.acube",
            "tld4.r.cube",
            "tld4.r.a2d",
            "suld.p",
            "sust.p",
            "sured",
            "istypep",
        ],
        functions: &[],
        example: "tex.cube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6, %f7, %f7}];",
        instead: "textures and surfaces of one to three dimensions and layers, by the handles of objects (`cudaTextureObject_t`, `cudaSurfaceObject_t`), are executed",
    },
    Lacking {
        name: "dynamic parallelism",
        instructions: &[],
        functions: &[
            "cudaLaunchDevice",
            "cudaLaunchDeviceV2",
            "cudaGetParameterBuffer",
            "cudaGetParameterBufferV2",
            "cudaDeviceSynchronize",
            "__cudaCDP2LaunchDeviceV2",
            "__cudaCDP2GetParameterBufferV2",
        ],
        example: "call.uni (retval0), cudaGetParameterBufferV2, (param0, param1, param2, param3);",
        instead: "a second launch from the host",
    },
    Lacking {
        name: "clusters that take over other clusters' work (capability 10)",
        instructions: &["clusterlaunchcontrol"],
        functions: &[],
        example: "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p1, %rq1;",
        instead: "clusters of up to 8 blocks, `barrier.cluster`, `mapa`, and loads, stores, atomics and `mbarrier.arrive` in another block's shared memory",
    },
    Lacking {
        name: "TMA: bulk copies of columns (im2col) or with reductions between blocks, and tensor maps that kernels change",
        instructions: &["cp.async.bulk", "cp.reduce", "tensormap", "st.async", "st.bulk", "red.async"],
        functions: &[],
        example: "tensormap.replace.tile.global_address.global.b1024.b64 [%rd1], %rd2;",
        instead: "`cp.async.bulk` and `cp.async.bulk.tensor` of tiles, between global memory and the shared memory of a cluster's blocks, and `mbarrier`",
    },
    Lacking {
        name: "out-of-bounds values of tensor maps",
        instructions: &["fma.rn.oob"],
        functions: &[],
        example: "fma.rn.oob.f16 %h1, %h2, %h3, %h4;",
        instead: "tensor maps that fill with zeros; other instructions take values from outside for NaN",
    },
    Lacking {
        name: "multicast",
        instructions: &["multimem"],
        functions: &[],
        example: "multimem.red.relaxed.sys.global.add.u32 [%rd1], %r1;",
        instead: "`red`, `ld` and `st` of one GPU",
    },
    Lacking {
        name: "video instructions",
        instructions: &[
            "vadd", "vsub", "vmin", "vmax", "vabsdiff", "vshl", "vshr", "vmad", "vset", "vadd2", "vsub2",
            "vavrg2", "vmin2", "vmax2", "vset2", "vadd4", "vsub4", "vavrg4", "vmin4", "vmax4", "vset4",
        ],
        functions: &[],
        example: "vadd.u32.u32.u32 %r1, %r2.b0, %r3.b0, %r4;",
        instead: "`vabsdiff2` and `vabsdiff4` are executed; GPUs since Maxwell carry out the others as several instructions, too",
    },
];

/// The part of PTX that an instruction belongs to, if it has a name and is lacking. The text may
/// go on after the mnemonic.
pub fn family(instruction: &str) -> Option<&'static Lacking> {
    let mnemonic = instruction.split([' ', '\t', ';']).next().unwrap_or(instruction);
    let begins =
        |with: &str| mnemonic.strip_prefix(with).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    if begins("call") {
        let words = instruction.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        return words.into_iter().find_map(family_of_call);
    }
    LACKING.iter().find(|part| part.instructions.iter().any(|with| begins(with)))
}

/// The part of CUDA that a function of the runtime stands for, if that is lacking.
pub fn family_of_call(function: &str) -> Option<&'static Lacking> {
    LACKING.iter().find(|part| part.functions.contains(&function))
}
