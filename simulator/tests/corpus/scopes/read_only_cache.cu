// Each thread writes an element and reads its neighbour's behind a barrier. The read-only cache may be asked only for what nobody writes.
//@ run --entry turn --grid 4 --block 64 --arg in:i32:256=iota --arg out:i32:256 --arg out:i32:256
//! clean
//! defect 1: race at get and put
//! defect 2: race at own and put
extern "C" __global__ void turn(const int* in, int* middle, int* out)
{
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    middle[i] = __ldg(&in[i]) * 3; // <- put
#if DEFECT == 2
    middle[i] += __ldg(&middle[i]); // <- own
#endif
    __syncthreads();
    int from = blockIdx.x * 64 + (t + 1) % 64;
#if DEFECT == 1
    out[i] = __ldg(&middle[from]); // <- get
#else
    out[i] = middle[from]; // <- get
#endif
}
