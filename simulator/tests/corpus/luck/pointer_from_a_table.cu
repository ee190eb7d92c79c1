// Pointers to shared arrays in a local table, chosen by the round; the pointer of one round is the other's source.
//@ run --entry table --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at step
//! defect 2: out_of_bounds at step
extern "C" __global__ void table(const int* in, int* out)
{
    __shared__ int a[64], b[64], c[64];
    int* of[3] = {a, b, c};
    int t = threadIdx.x;
    a[t] = in[t];
    __syncthreads();
    for (int k = 0; k < 5; ++k) {
#if DEFECT == 1
        of[k % 2 ? 1 : (k + 1) % 3][t] = of[k % 3][(t + 9) % 64]; // <- step
#elif DEFECT == 2
        of[(k + 1) % 3][t] = of[k % 3][t + (k == 4)]; // <- step
#else
        of[(k + 1) % 3][t] = of[k % 3][(t + 9) % 64]; // <- step
#endif
        __syncthreads();
    }
    out[t] = of[2][t];
}
