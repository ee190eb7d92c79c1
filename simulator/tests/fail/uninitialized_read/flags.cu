//@ launch flags grid=1 block=32 in:i32:iota:32 out:u32:32
extern "C" __global__ void flags(const int* in, unsigned* out) {
    int t = threadIdx.x;
    // Bits that no thread set before are kept by `|=`.
    out[t] |= in[t];
}
