// Votes of warps, one result a warp: any, all, and how many in the block.
//@ run --entry votes --grid 1 --block 96 --arg in:i32:96=iota --arg out:i32:9
//! clean
//! defect 1: race at any
//! defect 2: invalid_mask at all
//! defect 3: barrier_divergence at count|end
extern "C" __global__ void votes(const int* in, int* out)
{
    int t = threadIdx.x, warp = t / 32, v = in[t];
    int any = __any_sync(~0u, v > 70);
#if DEFECT == 1
    out[warp] = any + t; // <- any
#else
    out[warp] = any;
#endif
#if DEFECT == 2
    if (v % 2) out[3 + warp] = __all_sync(~0u, v > 40); // <- all
#else
    int all = __all_sync(~0u, v > 40);
    if (v % 2 && t % 32 == 1) out[3 + warp] = all;
#endif
#if DEFECT == 3
    int many = 0;
    if (any) many = __syncthreads_count(v % 3 == 0); // <- count
#else
    int many = __syncthreads_count(v % 3 == 0);
#endif
    __syncthreads(); // <- end
    if (t % 32 == 7) out[6 + warp] = many;
}
