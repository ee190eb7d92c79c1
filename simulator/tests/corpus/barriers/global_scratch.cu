// A block passes values through global memory: a barrier orders that for the block's own threads, too.
//@ run --entry pass --grid 2 --block 64 --arg in:i32:128=iota --arg inout:i32:128=zeros --arg out:i32:128
//! clean
//! defect 1: race at store and load
//! defect 2: race at store and load
extern "C" __global__ void pass(const int* in, int* scratch, int* out)
{
    int t = threadIdx.x, first = blockIdx.x * 64;
    scratch[first + t] = in[first + t] * 2; // <- store
#if DEFECT == 2
    __threadfence_block();
#elif DEFECT != 1
    __syncthreads();
#endif
    out[first + t] = scratch[first + 63 - t]; // <- load
}
