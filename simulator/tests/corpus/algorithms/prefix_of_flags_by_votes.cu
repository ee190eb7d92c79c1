// Stream compaction of a block with votes: warp counts in shared memory, an offset for each warp, one reservation for the block.
//@ run --entry keep --grid 3 --block 96 --arg in:i32:288=iota --arg out:i32:288 --arg inout:i32:1=zeros
//! clean
//! defect 1: race at base and place
//! defect 2: race at counts and offset
//! defect 3: race at place
extern "C" __global__ void keep(const int* in, int* out, int* total)
{
    __shared__ int counts[3];
    __shared__ int base;
    int t = threadIdx.x, lane = t % 32, warp = t / 32, v = in[blockIdx.x * 96 + t];
    bool kept = v % 5 < 2;
    unsigned votes = __ballot_sync(0xffffffff, kept);
    if (lane == 0) {
        counts[warp] = __popc(votes); // <- counts
    }
#if DEFECT == 2
    __syncwarp();
#else
    __syncthreads();
#endif
    int offset = 0;
    for (int w = 0; w < warp; ++w) {
        offset += counts[w]; // <- offset
    }
    if (t == 95) {
        base = atomicAdd(total, offset + counts[warp]); // <- base
    }
#if DEFECT != 1
    __syncthreads();
#endif
    if (kept) {
#if DEFECT == 3
        out[base + offset - warp + __popc(votes & (1u << lane) - 1)] = v; // <- place
#else
        out[base + offset + __popc(votes & (1u << lane) - 1)] = v; // <- place
#endif
    }
}
