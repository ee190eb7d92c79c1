// A minimum in shared memory by atomics; it starts from something, or from what was there.
//@ run --entry least --grid 2 --block 64 --arg in:i32:128=iota --arg out:i32:2
//! clean
//! defect 1: uninitialized_read at lower|put
//! defect 2: race at start and lower
//! defect 3: race at lower and put
template <class T>
struct Limits;
template <>
struct Limits<int> {
    static constexpr int most = 0x7fffffff;
};
extern "C" __global__ void least(const int* in, int* out)
{
    __shared__ int best;
#if DEFECT != 1
    if (threadIdx.x == 0) best = Limits<int>::most; // <- start
#endif
#if DEFECT != 2
    __syncthreads();
#endif
    atomicMin(&best, in[blockIdx.x * 64 + threadIdx.x] ^ 21); // <- lower
#if DEFECT != 3
    __syncthreads();
#endif
    if (threadIdx.x == 63) out[blockIdx.x] = best; // <- put
}
