// Positive values are kept: lanes that have one take their places with one atomic of their leader.
//@ run --entry filter --grid 2 --block 64 --arg in:i32:128=iota --arg inout:i32:1=zeros --arg out:i32:96 --arg i32:128
//! clean
//! defect 1: race at claim
//! defect 2: out_of_bounds at keep; arg2=out:i32:80
//! defect 3: race at keep
//! defect 4: invalid_mask note at tell
extern "C" __global__ void filter(const int* in, int* count, int* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int v = in[i];
    if (v % 4 != 0) {
        unsigned active = __activemask();
        int lane = threadIdx.x & 31, leader = __ffs(active) - 1, base = 0;
        if (lane == leader) {
#if DEFECT == 1
            base = *count; // <- claim
            *count = base + __popc(active); // <- claim
#else
            base = atomicAdd(count, __popc(active));
#endif
        }
#if DEFECT == 4
        base = __shfl_sync(0xffffffff, base, leader); // <- tell
#else
        base = __shfl_sync(active, base, leader);
#endif
#if DEFECT == 3
        out[base + __popc(active & (1u << lane) - 1) / 2] = v; // <- keep
#else
        out[base + __popc(active & (1u << lane) - 1)] = v; // <- keep
#endif
    }
}
//! label 4: was an error; CUDA asks only lanes that have not left the kernel to come to any warp-wide operation, the hardware goes on without them, and these left before they worked with another
