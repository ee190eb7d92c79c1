// One block writes, fences and raises a flag for another. A fence for its own block is not enough.
//@ run --entry across --grid 2 --block 32 --arg inout:i32:32=zeros --arg inout:i32:1=zeros --arg out:i32:32
//! clean
//! defect 1: race at write and read
extern "C" __global__ void across(int* data, int* flag, int* out)
{
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        data[t] = t + 1; // <- write
#if DEFECT
        __threadfence_block();
#else
        __threadfence();
#endif
        __syncwarp();
        if (t == 0) atomicExch(flag, 1);
    } else {
        if (t == 0) {
            while (atomicAdd(flag, 0) == 0) {}
        }
        __syncwarp();
        __threadfence();
        out[t] = data[31 - t]; // <- read
    }
}
