// A Bloom filter in shared memory: bits set by atomicOr, asked after a barrier.
//@ run --entry filter --grid 1 --block 96 --arg in:i32:96=iota --arg out:u8:96
//! clean
//! defect 1: race at set
//! defect 2: race at set and ask
//! defect 3: race at clear and set
//! defect 4: out_of_bounds at set
extern "C" __global__ void filter(const int* in, unsigned char* out)
{
    __shared__ unsigned bits[16];
    int t = threadIdx.x;
    if (t < 16) bits[t] = 0; // <- clear
#if DEFECT != 3
    __syncthreads();
#endif
    auto first = [](int v) { return unsigned(v) * 2654435761u >> 23; };
    auto second = [](int v) { return unsigned(v) * 40503u % 509; };
    int v = in[t] * 17 + 3;
    unsigned both[2] = {first(v), second(v)};
    for (unsigned h : both) {
#if DEFECT == 1
        bits[h / 32] |= 1u << h % 32; // <- set
#elif DEFECT == 4
        atomicOr(&bits[h / 16], 1u << h % 32); // <- set
#else
        atomicOr(&bits[h / 32], 1u << h % 32); // <- set
#endif
    }
#if DEFECT != 2
    __syncthreads();
#endif
    int w = t * 29;
    bool maybe = (bits[first(w) / 32] >> first(w) % 32 & 1) && (bits[second(w) / 32] >> second(w) % 32 & 1); // <- ask
    out[t] = maybe;
}
