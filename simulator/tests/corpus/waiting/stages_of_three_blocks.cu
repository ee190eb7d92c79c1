// Three blocks, each with a part of its own: the first makes values, the second changes them, the third writes them. They wait in one
// function, all are resident, and it ends with the third: no order of launch is needed.
//@ run --entry stages --grid 3 --block 32 --arg inout:i32:64=zeros --arg inout:u32:2=zeros --arg out:i32:32 --budget 4000000
//! clean
//! defect 1: race at make|change and change|use
//! defect 2: race at make|change and change|use
//! defect 3: deadlock at wait
__device__ __noinline__ void wait_for(unsigned* flag)
{
    if (threadIdx.x == 0) {
        while (atomicAdd(flag, 0u) == 0u) {} // <- wait
#if DEFECT != 2
        __threadfence();
#endif
    }
    __syncwarp();
}
__device__ __noinline__ void raise(unsigned* flag)
{
#if DEFECT != 1
    __threadfence();
#endif
    __syncwarp();
#if DEFECT == 3
    if (threadIdx.x == 0 && blockIdx.x == 0) atomicExch(flag, 1u);
#else
    if (threadIdx.x == 0) atomicExch(flag, 1u);
#endif
}
extern "C" __global__ void stages(int* data, unsigned* flags, int* out)
{
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        int v = t;
        for (int k = 0; k < 200; ++k) v = v * 5 % 1021;
        data[t] = v; // <- make
        raise(&flags[0]);
    } else if (blockIdx.x == 1) {
        wait_for(&flags[0]);
        data[32 + t] = data[31 - t] + 1; // <- change
        raise(&flags[1]);
    } else {
        wait_for(&flags[1]);
        out[t] = data[63 - t]; // <- use
    }
}
//! label 2: was a warning; without its acquire side the data may be read before the flag, so a missing one is an error
