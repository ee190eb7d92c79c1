// One thread has a box of a tensor of 64 × 64 words copied; the variants say where the box lies, partly outside too, and which way it goes.
// entry: copy
// grid: 1
// block: 32
// arg: tensormap:16x32:inout:i32:64x64=iota
// arg: tensormap:16x32,swizzle=128:inout:i32:64x64=iota
// arg: tensormap:16x32,steps=2x1:inout:i32:64x64=iota
// arg: tensormap:4x4:inout:i32:64x64=iota
// arg: tensormap:16x32:inout:i32:64x4=iota
// arg: tensormap:16x32:inout:i32:64x12=iota
// arg: out:i32:512
// variant: inside = --define X=32 --define Y=16
// variant: swizzled = --define X=32 --define Y=16 --define MAP=swizzled
// variant: steps = --define X=0 --define Y=0 --define MAP=steps --define ROWS=8
// variant: small = --define X=4 --define Y=4 --define MAP=small --define ROWS=4 --define COLUMNS=4
// variant: unaligned = --define X=4 --define Y=5
// variant: half_outside = --define X=48 --define Y=16
// variant: rows_outside = --define X=0 --define Y=56
// variant: before = --define X=-8 --define Y=-4
// variant: all_outside = --define X=64 --define Y=0
// variant: narrow = --define X=0 --define Y=0 --define MAP=narrow
// variant: narrow_rows_outside = --define X=0 --define Y=56 --define MAP=narrow
// variant: narrow_from_4 = --define X=4 --define Y=0 --define MAP=narrow
// variant: three_sixteenths = --define X=0 --define Y=0 --define MAP=twelve
// variant: out_narrow = --define X=0 --define Y=0 --define MAP=narrow --define OUT=1
// variant: out_three_sixteenths = --define X=0 --define Y=0 --define MAP=twelve --define OUT=1
// variant: out_inside = --define X=32 --define Y=16 --define OUT=1
// variant: out_swizzled = --define X=32 --define Y=16 --define MAP=swizzled --define OUT=1
// variant: out_unaligned = --define X=4 --define Y=5 --define OUT=1
// variant: out_half_outside = --define X=48 --define Y=16 --define OUT=1
// variant: add_inside = --define X=32 --define Y=16 --define OUT=2
// variant: add_half_outside = --define X=48 --define Y=16 --define OUT=2

#ifndef MAP
#define MAP plain
#endif
#ifndef ROWS
#define ROWS 16
#endif
#ifndef COLUMNS
#define COLUMNS 32
#endif
#ifndef OUT
#define OUT 0
#endif

#define SHARED(at) ((unsigned)__cvta_generic_to_shared(at))

#ifndef A_MAP
#  define A_MAP
struct alignas(64) Map {
    unsigned long long words[16];
};
#endif

extern "C" __global__ void copy(const __grid_constant__ Map plain, const __grid_constant__ Map swizzled, const __grid_constant__ Map steps,
                                const __grid_constant__ Map small, const __grid_constant__ Map narrow, const __grid_constant__ Map twelve, int* out)
{
    __shared__ __align__(1024) int box[512];
    __shared__ unsigned long long barrier;
    unsigned bar = SHARED(&barrier);
#if OUT == 0
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(bar) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(4 * ROWS * COLUMNS) : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
                         SHARED(box)),
                     "l"(&MAP), "r"(X), "r"(Y), "r"(bar)
                     : "memory");
    }
    __syncthreads();
    asm volatile("{\n.reg .pred p;\nW: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n@!p bra W;\n}" ::"r"(bar) : "memory");
    out[threadIdx.x] = box[threadIdx.x & 15];
#else
    for (int i = threadIdx.x; i < ROWS * COLUMNS; i += 32) box[i] = i;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
#if OUT == 1
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&MAP), "r"(X), "r"(Y),
#else
        asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&MAP), "r"(X), "r"(Y),
#endif
                     "r"(SHARED(box))
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
    }
#endif
}
