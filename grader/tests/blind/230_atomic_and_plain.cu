// The bins are cleared by plain stores while other warps already count with atomics.
//@ run --entry atomic_and_plain --grid 1 --block 128 --arg in:u8:128=byte_values.npy --arg out:u32:32
// expect: race error shared @ clear count
// allow: uninitialized_read error @ count store

extern "C" __global__ void atomic_and_plain(const unsigned char* in, unsigned* out)
{
    __shared__ unsigned bins[32];
    int t = threadIdx.x;
    if (t >= 96) {
        bins[t - 96] = 0; // <- clear
    } else {
        atomicAdd(&bins[in[t] % 32], 1u); // <- count
    }
    __syncthreads();
    if (t < 32) out[t] = bins[t]; // <- store
}
