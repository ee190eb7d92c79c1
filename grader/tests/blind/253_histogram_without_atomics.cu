// Shared bins are counted with a plain increment.
//@ run --entry plain_bins --grid 1 --block 128 --arg in:u8:128=const:3 --arg out:u32:16
// expect: race error shared @ count
// allow: race note @ count

extern "C" __global__ void plain_bins(const unsigned char* in, unsigned* out)
{
    __shared__ unsigned bins[16];
    int t = threadIdx.x;
    if (t < 16) bins[t] = 0;
    __syncthreads();
    bins[in[t] % 16]++; // <- count
    __syncthreads();
    if (t < 16) out[t] = bins[t];
}
