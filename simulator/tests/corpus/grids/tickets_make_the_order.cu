// Blocks number themselves by a ticket and pass a running sum on in that order: each waits only for one that has started.
//@ run --entry order --grid 6 --block 32 --arg in:i32:192=iota --arg inout:i32:1=zeros --arg inout:i32:7=zeros --arg inout:i32:7=values:1,0,0,0,0,0,0 --arg out:i32:192
//! clean
//! defect 1: race at sum and carry
//! defect 2: race at number and mine
//! defect 3: race at sum and carry
extern "C" __global__ void order(const int* in, int* ticket, int* sums, int* flags, int* out)
{
    __shared__ int number, carry;
    int lane = threadIdx.x;
    if (lane == 0) number = atomicAdd(ticket, 1); // <- number
#if DEFECT != 2
    __syncwarp();
#endif
    int mine = number; // <- mine
    int v = in[mine * 32 + lane];
    for (int d = 1; d < 32; d *= 2) {
        int left = __shfl_up_sync(~0u, v, d);
        if (lane >= d) v += left;
    }
    if (lane == 31) {
        while (atomicAdd(&flags[mine], 0) == 0) {}
#if DEFECT != 3
        __threadfence();
#endif
        carry = sums[mine]; // <- carry
        sums[mine + 1] = carry + v; // <- sum
#if DEFECT != 1
        __threadfence();
#endif
        atomicExch(&flags[mine + 1], 1);
    }
    __syncwarp();
    out[mine * 32 + lane] = carry + v;
}
//! label 3: was a warning; without its acquire side the data may be read before the flag, so a missing one is an error
