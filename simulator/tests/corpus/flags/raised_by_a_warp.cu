// Lanes of one warp raise a volatile flag together, asked after the barrier: volatile accesses do not race. Plain ones with one value are a remark.
//@ run --entry raise --grid 2 --block 64 --arg in:i32:128=iota --arg out:i32:2
//! clean
//! defect 1: race note at raise
//! defect 2: race at count
extern "C" __global__ void raise(const int* in, int* out)
{
    __shared__ volatile bool some;
    __shared__ int many;
    int t = threadIdx.x, v = in[blockIdx.x * 64 + t];
    if (t == 0) {
        some = false;
        many = 0;
    }
    __syncthreads();
#if DEFECT == 1
    if (v % 3 == 0) *(bool*)&some = true; // <- raise
#else
    if (v % 3 == 0) some = true;
#endif
#if DEFECT == 2
    if (v % 3 == 0) many++; // <- count
#else
    if (v % 3 == 0) atomicAdd(&many, 1);
#endif
    __syncthreads();
    if (t == 0) out[blockIdx.x] = some ? many : -1;
}
