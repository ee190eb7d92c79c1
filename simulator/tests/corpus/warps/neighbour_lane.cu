// A lane reads what its neighbour wrote: only __syncwarp orders that.
//@ run --entry neighbour --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at store and load
//! defect 2: race at store and load
extern "C" __global__ void neighbour(const int* in, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x, base = t / 32 * 32, lane = t % 32;
    s[t] = in[t]; // <- store
#if DEFECT == 2
    __syncwarp(lane < 16 ? 0x0000ffff : 0xffff0000);
#elif !DEFECT
    __syncwarp();
#endif
    out[t] = s[base + (lane + 16) % 32]; // <- load
}
