// Block 0 makes a table, the others wait for it. While all are resident nobody needs an order of launch; of more than fit, block 0 must be among the first.
//@ run --entry prepare --grid 12 --block 64 --shared 200000 --arg inout:i32:64=zeros --arg inout:u32:1=zeros --arg out:i32:768 --budget 8000000
//! clean
//! defect 1: deadlock warning at wait; --grid 160 arg2=out:i32:10240
//! defect 2: race at make and use
//! defect 3: race at make and use
extern "C" __global__ void prepare(int* table, unsigned* made, int* out)
{
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        table[t] = t * 7 % 31; // <- make
#if DEFECT != 2
        __threadfence();
#endif
        __syncthreads();
        if (t == 0) atomicExch(made, 1u);
    } else {
        if (t == 0) {
            while (atomicAdd(made, 0u) == 0u) __nanosleep(100); // <- wait
#if DEFECT != 3
            __threadfence();
#endif
        }
        __syncthreads();
    }
    out[blockIdx.x * 64 + t] = table[63 - t]; // <- use
}
//! label 3: was a warning; without its acquire side the data may be read before the flag, so a missing one is an error
