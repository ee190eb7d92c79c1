// Each block writes its edge and raises its flag, waits for its neighbours' flags, and reads their edges: all blocks are resident.
//@ run --entry halo --grid 4 --block 32 --arg in:i32:128=iota --arg inout:i32:8=zeros --arg inout:i32:4=zeros --arg out:i32:4
//! clean
//! defect 1: race at edge and left
//! defect 2: race at edge and right
extern "C" __global__ void halo(const int* in, int* edges, int* flag, int* out)
{
    int b = blockIdx.x, t = threadIdx.x;
    int v = in[b * 32 + t];
    if (t == 0 || t == 31) {
        edges[2 * b + t / 31] = v; // <- edge
        __threadfence();
    }
    __syncthreads();
    if (t == 0) {
        atomicExch(&flag[b], 1);
#if DEFECT != 1
        if (b > 0) while (atomicAdd(&flag[b - 1], 0) == 0) {}
#endif
#if DEFECT != 2
        if (b < 3) while (atomicAdd(&flag[b + 1], 0) == 0) {}
#endif
        __threadfence();
        int sum = 0;
        if (b > 0) sum += edges[2 * b - 1]; // <- left
        if (b < 3) sum += edges[2 * b + 2]; // <- right
        out[b] = sum;
    }
}
