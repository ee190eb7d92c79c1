// Waits until as many have arrived as there are threads, or one more.
//@ run --entry arrive --grid 1 --block 96 --arg out:i32:1 --budget 2000000
//! clean
//! defect 1: deadlock at wait
extern "C" __global__ void arrive(int* out)
{
    __shared__ int n;
    int t = threadIdx.x;
    if (t == 0) n = 0;
    __syncthreads();
    atomicAdd(&n, 1);
#if DEFECT
    const int all = 97;
#else
    const int all = 96;
#endif
    if (t == 95) {
        while (atomicAdd(&n, 0) < all) {} // <- wait
        *out = 1;
    }
}
