// Each block clears its own counter; one that block 0 clears for all is cleared too late for some.
//@ run --entry start --grid 4 --block 32 --arg out:i32:4
//! clean
//! defect 1: race at clear and add; also=uninitialized_read
//! defect 2: uninitialized_read at add
extern "C" __global__ void start(int* n)
{
#if DEFECT == 1
    if (blockIdx.x == 0 && threadIdx.x < 4) n[threadIdx.x] = 0; // <- clear
#elif DEFECT != 2
    if (threadIdx.x == 0) n[blockIdx.x] = 0; // <- clear
#endif
    __syncthreads();
    atomicAdd(&n[blockIdx.x], threadIdx.x); // <- add
}
