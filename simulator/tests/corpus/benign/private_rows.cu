// A thread walks along its own row of a shared matrix, or down a column that belongs to all.
//@ run --entry rows --grid 1 --block 32 --arg out:i32:32
//! clean
//! defect 1: race at fill
extern "C" __global__ void rows(int* out)
{
    __shared__ int m[32][33];
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < 32; ++k) {
#if DEFECT
        m[k][(t + k) / 2] = t * k; // <- fill
#else
        m[t][k] = t * k;
#endif
    }
    __syncwarp();
    for (int k = 0; k < 16; ++k) {
#if DEFECT
        sum += m[k][(t + k) / 2];
#else
        sum += m[t][k];
#endif
    }
    out[t] = sum;
}
