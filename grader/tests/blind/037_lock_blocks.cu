// A spin lock among blocks that protects plain reads and writes of one total.
//@ run --entry lock_blocks --grid 40 --block 32 --arg in:i32:40=small_ints.npy --arg inout:i32:2=zeros
// save: 1
// reference: lock_blocks

__device__ int lock;

extern "C" __global__ void lock_blocks(const int* in, int* total)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock, 0, 1) != 0) {}
        __threadfence();
        total[0] += in[blockIdx.x];
        total[1] += 1;
        __threadfence();
        atomicExch(&lock, 0);
    }
}
