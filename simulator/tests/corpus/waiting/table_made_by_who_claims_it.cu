// Who claims a table first makes it for all, in steps with barriers; the others wait for its flag, and it is running for certain: no order
// is needed, however many blocks there are. Waiting for a certain block to claim it is another thing.
//@ run --entry lazy --grid 150 --block 64 --shared 200000 --arg inout:u32:1=zeros --arg inout:u32:1=zeros --arg inout:i32:64=zeros --arg out:i32:150 --budget 8000000
//! clean
//! defect 1: deadlock warning at wait
//! defect 2: race at make and use
extern "C" __global__ void lazy(unsigned* claimed, unsigned* made, int* table, int* out)
{
    __shared__ bool mine;
    int t = threadIdx.x;
#if DEFECT == 1
    if (t == 0) mine = blockIdx.x == 0;
#else
    if (t == 0) mine = atomicCAS(claimed, 0u, 1u) == 0u;
#endif
    __syncthreads();
    if (mine) {
        table[t] = t; // <- make
        for (int k = 0; k < 8; ++k) {
            __syncthreads();
            int v = table[(t + 1) % 64];
            __syncthreads();
            table[t] = v * 3 % 101; // <- make
        }
#if DEFECT != 2
        __threadfence();
#endif
        __syncthreads();
        if (t == 0) atomicExch(made, 1u);
    } else if (t == 0) {
        while (atomicAdd(made, 0u) == 0u) {} // <- wait
        __threadfence();
    }
    __syncthreads();
    if (t == 0) out[blockIdx.x] = table[blockIdx.x % 64]; // <- use
}
