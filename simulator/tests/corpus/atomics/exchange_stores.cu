// An exchange whose old value nobody wants is a store: what was there before need not have been written.
//@ run --entry last --grid 2 --block 64 --arg in:i32:128=iota --arg out:i32:2 --arg out:u64:1
//! clean
//! defect 1: uninitialized_read at swap|keep
//! defect 2: uninitialized_read at swap
//! defect 3: uninitialized_read at keep
extern "C" __global__ void last(const int* in, int* out, unsigned long long* some)
{
    __shared__ int found;
    int t = threadIdx.x, v = in[blockIdx.x * 64 + t];
#if DEFECT == 1
    int old = 0;
    if (v % 32 == 7) old = atomicExch(&found, t); // <- swap
    v += old;
    if (v % 32 == 7) out[blockIdx.x] = v; // <- keep
#elif DEFECT == 2
    if (v % 32 == 7) atomicMax(&found, t); // <- swap
#elif DEFECT == 3
    __shared__ int never;
    if (v % 32 == 7) atomicExch(&found, never);
#else
    if (v % 32 == 7) atomicExch(&found, t);
#endif
    __syncthreads();
    if (t == 0) atomicExch(&out[blockIdx.x], found % 32); // <- keep
    if (t == 0) atomicExch(some, 5ull);
}
