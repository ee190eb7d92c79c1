// A histogram with a copy of the bins for each warp, merged by the block and added to the whole; unsigned short counters in pairs are added as words.
//@ run --entry histogram --grid 2 --block 96 --arg in:i32:384=iota --arg inout:u32:16=zeros --arg i32:384
//! clean
//! defect 1: race at clear and add
//! defect 2: race at add and merge
//! defect 3: race at whole and whole
//! defect 4: race at add and add
//! defect 5: out_of_bounds|race at clear
extern "C" __global__ void histogram(const int* in, unsigned* whole, int n)
{
    __shared__ unsigned bins[3][8];
    int t = threadIdx.x, warp = t / 32;
#if DEFECT == 5
    for (int b = t % 32; b <= 8; b += 32) bins[warp][b] = 0; // <- clear
#else
    for (int b = t % 32; b < 8; b += 32) bins[warp][b] = 0; // <- clear
#endif
#if DEFECT == 1
    asm volatile("" ::: "memory");
#else
    __syncwarp();
#endif
    for (int i = blockIdx.x * 96 + t; i < n; i += gridDim.x * 96) {
        int bin = in[i] * 7 % 16;
        unsigned one = bin & 1 ? 0x10000u : 1u;
#if DEFECT == 4
        bins[warp][bin / 2] += one; // <- add
#else
        atomicAdd(&bins[warp][bin / 2], one); // <- add
#endif
    }
#if DEFECT != 2
    __syncthreads();
#endif
    if (t < 16) {
        unsigned sum = 0;
        for (int w = 0; w < 3; ++w) sum += bins[w][t / 2] >> t % 2 * 16 & 0xffff; // <- merge
#if DEFECT == 3
        whole[t] += sum; // <- whole
#else
        atomicAdd(&whole[t], sum); // <- whole
#endif
    }
}
