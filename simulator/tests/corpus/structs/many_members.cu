// More than forty members by value, to the kernel and on to functions, and back.
//@ run --entry many --grid 1 --block 64 --arg out:i32:64
//@ run --arg bytes:01000000_02000000_03000000_04000000_05000000_06000000_07000000_08000000_09000000_0a000000_0b000000_0c000000_0d000000_0e000000_0f000000_10000000_11000000_12000000_13000000_14000000_15000000_16000000_17000000_18000000_19000000_1a000000_1b000000_1c000000_1d000000_1e000000_1f000000_20000000_21000000_22000000_23000000_24000000_25000000_26000000_27000000_28000000_07000900
//! clean
//! defect 1: race at keep and take
//! defect 2: uninitialized_read at total|keep|take
//! defect 3: out_of_bounds at pick
//! defect 4: race at take and take
struct Many {
    int a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39;
    short low, high;
};
__device__ __noinline__ Many changed(Many many, int by)
{
    Many made;
    const int* from = (const int*)&many;
    int* to = (int*)&made;
#if DEFECT == 2
    for (int k = 0; k < 39; ++k) to[k] = from[k] * by;
#else
    for (int k = 0; k < 40; ++k) to[k] = from[k] * by;
#endif
    made.low = many.high;
    made.high = by;
    return made;
}
__device__ __noinline__ int total(Many of) { return of.a0 + of.a17 * of.a31 + of.a32 + of.a39 + of.low + of.high; } // <- total
__device__ __noinline__ int picked(Many of, int at) { return (&of.a0)[at]; } // <- pick
extern "C" __global__ void many(int* out, Many many)
{
    __shared__ int kept[64];
    const int t = threadIdx.x;
    const Many mine = changed(many, t);
#if DEFECT == 3
    kept[t] = total(mine) + picked(mine, t);
#else
    kept[t] = total(mine) + picked(mine, t % 40); // <- keep
#endif
#if DEFECT != 1
    __syncthreads();
#endif
#if DEFECT == 4
    out[many.a3 * t % 64 / 2] = kept[63 - t]; // <- take
#else
    out[t] = kept[63 - t]; // <- take
#endif
}
