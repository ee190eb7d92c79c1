// 256 bins with fewer threads than bins; bins of the block first, then those of the grid.
//@ run --entry histogram --grid 2 --block 64 --arg in:i32:512=iota --arg inout:u32:256=zeros --arg i32:512
//! clean
//! defect 1: uninitialized_read at count|merge
//! defect 2: race at clear and count
//! defect 3: race at count and merge
//! defect 4: out_of_bounds at count
//! defect 5: race at merge
extern "C" __global__ void histogram(const int* in, unsigned* bins, int n)
{
    __shared__ unsigned local[256];
#if DEFECT == 1
    if (threadIdx.x < 256) local[threadIdx.x] = 0;
#else
    for (int b = threadIdx.x; b < 256; b += blockDim.x) local[b] = 0; // <- clear
#endif
#if DEFECT != 2
    __syncthreads();
#endif
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
#if DEFECT == 4
        atomicAdd(&local[in[i]], 1u); // <- count
#else
        atomicAdd(&local[in[i] * 5 % 256], 1u); // <- count
#endif
    }
#if DEFECT != 3
    __syncthreads();
#endif
    for (int b = threadIdx.x; b < 256; b += blockDim.x) {
#if DEFECT == 5
        bins[b] += local[b]; // <- merge
#else
        atomicAdd(&bins[b], local[b]); // <- merge
#endif
    }
}
//! label 2: each thread counted only in bins that it had cleared itself, so that nothing raced; bins are spread now
//! label 3: each thread added up only bins that it alone had counted in; the same
