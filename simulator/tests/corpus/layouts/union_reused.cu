// One union holds a tile while loading and partial sums afterwards, as block-wide algorithms declare their temporary storage; between the two uses there is a barrier.
//@ run --entry reuse --grid 2 --block 64 --arg in:i32:256=iota --arg out:i32:2
//! clean
//! defect 1: race at read and partial
//! defect 2: race at tile and read
//! defect 3: uninitialized_read at sum|result
//! defect 4: race at partial and sum
union Storage {
    int tile[128];
    struct {
        int warps[2];
        int total;
    } sums;
};
extern "C" __global__ void reuse(const int* in, int* out)
{
    __shared__ Storage storage;
    int t = threadIdx.x, base = blockIdx.x * 128;
    storage.tile[t] = in[base + t]; // <- tile
    storage.tile[t + 64] = in[base + t + 64]; // <- tile
#if DEFECT != 2
    __syncthreads();
#endif
    int v = storage.tile[127 - t] - storage.tile[(t + 33) % 64]; // <- read
#if DEFECT != 1
    __syncthreads();
#endif
    for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(~0u, v, d);
    if (t % 32 == 0) storage.sums.warps[t / 32] = v; // <- partial
#if DEFECT != 4
    __syncthreads();
#endif
    if (t == 0) {
#if DEFECT == 3
        __shared__ int more[3];
        out[blockIdx.x] = storage.sums.warps[0] + storage.sums.warps[1] + more[blockIdx.x]; // <- result
#else
        out[blockIdx.x] = storage.sums.warps[0] + storage.sums.warps[1]; // <- sum
#endif
    }
}
