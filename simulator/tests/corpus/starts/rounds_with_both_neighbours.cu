// A ring of resident blocks: in every round each publishes its value, waits for both neighbours' and takes them.
//@ run --entry ring --grid 8 --block 32 --arg inout:i32:8x4=iota --arg inout:u32:8=zeros --arg out:i32:8 --arg i32:4 --budget 6000000
//! clean
//! defect 1: race at publish and take
//! defect 2: race at publish and take
//! defect 3: deadlock warning at left|right; --grid 140 --shared 200000 arg0=inout:i32:560=iota arg1=inout:u32:140=zeros arg2=out:i32:140
extern "C" __global__ void ring(int* value, unsigned* round, int* out, int rounds)
{
    if (threadIdx.x != 0) return;
    int b = blockIdx.x, n = gridDim.x, left = (b + n - 1) % n, right = (b + 1) % n, mine = b;
    for (int k = 0; k < rounds; ++k) {
        value[b * 4 + k] = mine; // <- publish
#if DEFECT != 1
        __threadfence();
#endif
        atomicExch(&round[b], k + 1);
        while (atomicAdd(&round[left], 0u) <= k) {} // <- left
#if DEFECT != 2
        while (atomicAdd(&round[right], 0u) <= k) {} // <- right
#endif
        __threadfence();
        mine += value[left * 4 + k] - value[right * 4 + k]; // <- take
    }
    out[b] = mine;
}
//! label 3: was an error of 5000 blocks; in four rounds only four blocks at each end of those that fit wait for the rest, the others end and let them in. 140 blocks of which 132 fit do
