// Producer and consumer warps hand over a two-slot pipeline with named barriers (arrive on one side, sync on the other).
//@ run --entry named_barriers --grid 2 --block 64 --arg in:i32:2x320=small_ints.npy --arg out:i32:2x320
// save: 1
// reference: named_barriers

__device__ __forceinline__ void wait(int id) { asm volatile("bar.sync %0, 64;" ::"r"(id) : "memory"); }
__device__ __forceinline__ void arrive(int id) { asm volatile("bar.arrive %0, 64;" ::"r"(id) : "memory"); }

extern "C" __global__ void named_barriers(const int* in, int* out)
{
    __shared__ int slot[2][32];
    int lane = threadIdx.x % 32, base = blockIdx.x * 320;
    // Barriers 1 and 2: slot is full. Barriers 3 and 4: slot is empty.
    if (threadIdx.x < 32) {
        for (int k = 0; k < 10; ++k) {
            int s = k % 2;
            if (k >= 2) wait(3 + s);
            slot[s][lane] = in[base + k * 32 + lane] * 2;
            arrive(1 + s);
        }
    } else {
        for (int k = 0; k < 10; ++k) {
            int s = k % 2;
            wait(1 + s);
            out[base + k * 32 + lane] = slot[s][31 - lane] + 1;
            if (k < 8) arrive(3 + s);
        }
    }
}
