//@ run --entry flags --grid 1 --block 32 --arg in:i32:32=iota --arg out:u32:32
extern "C" __global__ void flags(const int* in, unsigned* out) {
    int t = threadIdx.x;
    // Bits that no thread set before are kept by `|=`.
    out[t] |= in[t];
}
