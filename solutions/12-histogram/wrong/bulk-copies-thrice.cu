//! fails: global_load_sectors
//! may fail: speedup
//! why: bulk copies bring the whole input to shared memory three times.

#include <cuda/barrier>
#include <cuda/std/utility>

#include "course.cuh"

// Yours to choose: threads in a block, a multiple of 32 from 64 to 1024, and how many blocks at
// most, from 32 to 4096.
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(MOST_BLOCKS, 1056);

extern "C" __global__ void histogram(const unsigned char *in, unsigned int *bins, int n) {
    // >>> your code: count this block's share in shared memory, then add the counts to `bins`
    constexpr int BINS = 256, CHUNK = 4096;
    __shared__ unsigned int mine[BINS];
    __shared__ alignas(128) unsigned char buf[CHUNK];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x)
        mine[bin] = 0;
    if (threadIdx.x == 0) {
        init(&bar, blockDim.x);
        cuda::device::experimental::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    int whole = n / CHUNK;
    for (int c = blockIdx.x; c < whole; c += gridDim.x)
        for (int pass = 0; pass < 3; ++pass) {
            cuda::barrier<cuda::thread_scope_block>::arrival_token tok;
            if (threadIdx.x == 0) {
                cuda::device::experimental::cp_async_bulk_global_to_shared(
                    buf, in + (size_t)c * CHUNK, CHUNK, bar);
                tok = cuda::device::barrier_arrive_tx(bar, 1, CHUNK);
            } else
                tok = bar.arrive();
            bar.wait(cuda::std::move(tok));
            for (int k = threadIdx.x; k < CHUNK; k += blockDim.x)
                if (buf[k] % 3 == pass)
                    atomicAdd(&mine[buf[k]], 1);
            cuda::device::experimental::fence_proxy_async_shared_cta();
            __syncthreads();
        }
    for (int i = whole * CHUNK + blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x)
        atomicAdd(&mine[in[i]], 1);
    __syncthreads();
    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x)
        atomicAdd(&bins[bin], mine[bin]);
    // <<<
}
