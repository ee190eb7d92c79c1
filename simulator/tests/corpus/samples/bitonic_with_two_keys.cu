// Bitonic merge of keys with values; direction by the block's number. The halves of a pair are swapped by one thread.
//@ run --entry merge --grid 2 --block 32 --arg in:i32:128=iota --arg out:i32:128 --arg out:i32:128
//! clean
//! defect 1: race at swap|keep
//! defect 2: race at swap|keep|fetch
//! defect 3: barrier_divergence at meet|done; also=race
extern "C" __global__ void merge(const int* in, int* keys, int* values)
{
    __shared__ int k[64];
    __shared__ int v[64];
    int t = threadIdx.x, base = blockIdx.x * 64;
    bool down = blockIdx.x & 1;
    for (int half = 0; half < 2; ++half) {
        int i = t + half * 32;
        k[i] = (in[base + i] ^ (i & 32 ? 31 : 0)) & 63; // <- keep
        v[i] = base + i;
    }
    for (int stride = 32; stride; stride >>= 1) {
#if DEFECT == 3
        if (t < stride)
#endif
#if DEFECT != 1
        __syncthreads(); // <- meet
#endif
#if DEFECT == 2
        int p = t + (t & ~stride);
#else
        int p = 2 * t - (t & (stride - 1));
#endif
        int a = k[p % 64], b = k[(p + stride) % 64]; // <- fetch
        if ((a > b) != down) {
            k[p % 64] = b; // <- swap
            k[(p + stride) % 64] = a; // <- swap
            int c = v[p % 64];
            v[p % 64] = v[(p + stride) % 64];
            v[(p + stride) % 64] = c;
        }
    }
    __syncthreads(); // <- done
    for (int i = t; i < 64; i += 32) {
        keys[base + i] = k[i];
        values[base + i] = v[i];
    }
}
