// Every warp counts into bins of its own, then they are added up.
//@ run --entry bins --grid 1 --block 128 --arg in:i32:512=iota --arg out:i32:16
//! clean
//! defect 1: race at clear and count
//! defect 2: race at count and add
extern "C" __global__ void bins(const int* in, int* out)
{
    __shared__ int bin[4][16];
    int t = threadIdx.x, warp = t / 32;
    if (t < 64) bin[t / 16][t % 16] = 0; // <- clear
#if DEFECT != 1
    __syncthreads();
#endif
    for (int k = t; k < 512; k += 128) {
        atomicAdd(&bin[warp][in[k] % 16], 1); // <- count
    }
#if DEFECT != 2
    __syncthreads();
#endif
    if (t < 16) out[t] = bin[0][t] + bin[1][t] + bin[2][t] + bin[3][t]; // <- add
}
