// A quicksort by recursion on slices of shared memory, one thread a slice; slices never meet.
//@ run --entry sort --grid 1 --block 4 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at swap
//! defect 2: out_of_bounds at scan; also=race,uninitialized_read
//! defect 3: stack_overflow at recurse|sort|call|scan
__device__ __noinline__ void quick(int* a, int low, int high) // <- sort
{
    if (low >= high) return;
    int pivot = a[(low + high) / 2], i = low, j = high;
    while (i <= j) {
        while (a[i] < pivot) ++i; // <- scan
        while (a[j] > pivot) --j; // <- scan
        if (i <= j) {
            int v = a[i];
            a[i++] = a[j]; // <- swap
            a[j--] = v; // <- swap
        }
    }
#if DEFECT == 3
    quick(a, low, high); // <- recurse
#else
    quick(a, low, j);
#endif
    quick(a, i, high);
}
extern "C" __global__ void sort(const int* in, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    for (int k = 0; k < 16; ++k) s[t * 16 + k] = in[t * 16 + k] * 13 % 64;
    __syncthreads();
#if DEFECT == 1
    quick(s, t * 16, min(t * 16 + 16, 63)); // <- call
#elif DEFECT == 2
    quick(s, t * 16, t * 16 + 16); // <- call
#else
    quick(s, t * 16, t * 16 + 15); // <- call
#endif
    __syncthreads();
    for (int k = 0; k < 16; ++k) out[t * 16 + k] = s[t * 16 + k];
}
