// A bitonic sort of 128 keys: distances below a warp's width are shuffles, greater ones go through shared memory.
//@ run --entry sort --grid 1 --block 128 --arg in:i32:128=iota --arg out:i32:128
//! clean
//! defect 1: race at write and read
//! defect 2: race at read and write
//! defect 3: barrier_divergence at meet; also=race,uninitialized_read
//! defect 4: invalid_mask at swap
extern "C" __global__ void sort(const int* in, int* out)
{
    __shared__ int keys[128];
    int t = threadIdx.x, key = (in[t] * 53 + 17) % 128;
    for (int size = 2; size <= 128; size *= 2) {
        for (int distance = size / 2; distance > 0; distance /= 2) {
            int other;
            if (distance >= 32) {
                keys[t] = key; // <- write
#if DEFECT == 1
                __threadfence_block();
#elif DEFECT == 3
                if (t < 64 || distance > 32) __syncthreads(); // <- meet
#else
                __syncthreads(); // <- meet
#endif
                other = keys[t ^ distance]; // <- read
#if DEFECT != 2
                __syncthreads(); // <- meet
#endif
            } else {
#if DEFECT == 4
                other = __shfl_xor_sync(0xffffffffu >> (t & 1), key, distance); // <- swap
#else
                other = __shfl_xor_sync(0xffffffff, key, distance);
#endif
            }
            bool ascending = (t & size) == 0, lower = (t & distance) == 0;
            key = ascending == lower ? min(key, other) : max(key, other);
        }
    }
    out[t] = key;
}
//! label 3: consequences were not allowed: who is a barrier ahead reads what nobody has stored yet
