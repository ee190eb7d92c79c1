// Keys are claimed by compare-and-swap, the owner of a slot writes its value; lookups come after the barrier.
//@ run --entry insert --grid 1 --block 64 --arg in:i32:64=iota --arg inout:i32:128=const:-1 --arg inout:i32:128=zeros --arg out:i32:64
//! clean
//! defect 1: race at value
//! defect 2: race at value and lookup
extern "C" __global__ void insert(const int* in, int* keys, int* values, int* out)
{
    int t = threadIdx.x;
#if DEFECT == 1
    int key = in[t] * 11 % 50;
#else
    int key = in[t] * 11;
#endif
    int slot = key % 128;
    while (true) {
        int old = atomicCAS(&keys[slot], -1, key);
        if (old == -1 || old == key) break;
        slot = (slot + 1) % 128;
    }
    values[slot] = t; // <- value
#if DEFECT != 2
    __syncthreads();
#endif
    int other = in[63 - t] * 11;
    int at = other % 128;
#if DEFECT != 1
    while (atomicAdd(&keys[at], 0) != other && atomicAdd(&keys[at], 0) != -1) at = (at + 1) % 128;
#endif
    out[t] = values[at]; // <- lookup
}
