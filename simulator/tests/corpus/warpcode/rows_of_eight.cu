// Tiles of eight lanes by the width of a shuffle; each tile keeps its sum in shared memory for its neighbour tile.
//@ run --entry rows --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32
//! clean
//! defect 1: race at keep and fetch
//! defect 2: race at keep
//! defect 3: invalid_mask at fold; also=race
extern "C" __global__ void rows(const int* in, int* out)
{
    __shared__ int sums[4];
    int lane = threadIdx.x, v = in[lane];
#if DEFECT == 3
    unsigned mask = 0xff << lane / 8 * 8 - (lane / 8 == 2);
#else
    unsigned mask = 0xffu << lane / 8 * 8;
#endif
    for (int d = 4; d; d /= 2) v += __shfl_down_sync(mask, v, d, 8); // <- fold
#if DEFECT == 2
    if (lane % 8 <= 1) sums[lane / 8] = v; // <- keep
#else
    if (lane % 8 == 0) sums[lane / 8] = v; // <- keep
#endif
#if DEFECT == 1
    __syncwarp(mask);
#else
    __syncwarp();
#endif
    out[lane] = sums[(lane / 8 + 1) % 4]; // <- fetch
}
//! label 3: named no consequence; who waits for a lane that has gone on misses the next meeting, too
