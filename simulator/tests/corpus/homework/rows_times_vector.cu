// Matrix times vector, a block a row; the vector is kept in dynamic shared memory behind the partial sums.
//@ run --entry matvec --grid 6 --block 32 --shared 288 --arg in:i32:6x40=iota --arg in:i32:40=ones --arg out:i32:6 --arg i32:40
//! clean
//! defect 1: out_of_bounds at keep; --shared 256 also=uninitialized_read
//! defect 2: race at keep and part
//! defect 3: race at sum and keep|part
//! defect 4: race at sum and total
extern __shared__ int pool[];
extern "C" __global__ void matvec(const int* m, const int* x, int* y, int n)
{
    int* partial = pool;
#if DEFECT == 3
    int* vector = pool + 31;
#else
    int* vector = pool + 32;
#endif
    int t = threadIdx.x, sum = 0;
    for (int i = t; i < n; i += 32) vector[i] = x[i]; // <- keep
#if DEFECT != 2
    __syncthreads();
#endif
    for (int i = t; i < n; i += 32) sum += m[blockIdx.x * n + i] * vector[n - 1 - i]; // <- part
    partial[t] = sum; // <- sum
#if DEFECT == 4
    if (t == 0) {
#else
    __syncthreads();
    if (t == 0) {
#endif
        int all = 0;
        for (int k = 0; k < 32; ++k) all += partial[k]; // <- total
        y[blockIdx.x] = all;
    }
}
