// Producer and consumer roles are chosen by data; exactly one thread of the block has each role.
//@ run --entry roles --grid 2 --block 64 --arg in:i32:64=iota --arg out:i32:2
//! clean
//! defect 1: race at produce
//! defect 2: race at produce and consume
//! defect 3: uninitialized_read at consume
extern "C" __global__ void roles(const int* in, int* out)
{
    __shared__ int slot;
    int v = in[threadIdx.x] * 5 % 64;
#if DEFECT == 1
    if (v == 17 || v == 18) slot = v * 3; // <- produce
#elif DEFECT == 3
    if (v == 64 + 17) slot = v * 3; // <- produce
#else
    if (v == 17) slot = v * 3; // <- produce
#endif
#if DEFECT != 2
    __syncthreads();
#endif
    if (v == 44) out[blockIdx.x] = slot; // <- consume
}
