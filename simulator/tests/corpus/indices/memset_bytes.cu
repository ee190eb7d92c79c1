// Clears as many bytes as there are elements: a quarter of the array.
//@ run --entry clear --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32
//! clean
//! defect 1: uninitialized_read at add|store
extern "C" __global__ void clear(const int* in, int* out)
{
    int count[16];
#if DEFECT
    memset(count, 0, 16);
#else
    memset(count, 0, sizeof(count));
#endif
    int t = threadIdx.x;
    for (int k = 0; k < 4; ++k) {
        count[(in[t] + 5 * k) % 16] += 1; // <- add
    }
    out[t] = count[t % 16] + count[in[t] % 16]; // <- store
}
