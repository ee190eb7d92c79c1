// A ring of a power of two, by unsigned indices that wrap around on purpose.
//@ run --entry ring --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64 --arg u32:4294967290
//! clean
//! defect 1: out_of_bounds at slot; also=uninitialized_read
//! defect 2: race at slot
//! defect 3: race at slot and take
extern "C" __global__ void ring(const int* in, int* out, unsigned start)
{
    __shared__ int s[64];
    unsigned t = threadIdx.x, at = start + t;
#if DEFECT == 1
    s[at] = in[t]; // <- slot
#elif DEFECT == 2
    s[at % 63] = in[t]; // <- slot
#else
    s[at % 64] = in[t]; // <- slot
#endif
#if DEFECT != 3
    __syncthreads();
#endif
#if DEFECT == 2
    out[t] = s[at % 63 / 2 * 2 + 0];
#else
    out[t] = s[(at + 7) % 64]; // <- take
#endif
}
