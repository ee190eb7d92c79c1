// Uninitialized values are loaded, moved and dropped: padding is copied, an unfilled tail is read and masked out.
//@ run --entry unused --grid 1 --block 64 --arg in:i32:64=small_ints.npy --arg out:i32:64
// save: 1
// reference: unused

struct Padded {
    char tag;
    int value;
    short tail;
};

extern "C" __global__ void unused(const int* in, int* out)
{
    __shared__ Padded from[64];
    __shared__ Padded to[64];
    __shared__ int partial[64];
    int t = threadIdx.x;
    from[t].tag = 't';
    from[t].value = in[t];
    from[t].tail = t;
    if (t < 40) partial[t] = in[t] * 2;
    __syncthreads();
    // The whole struct, padding bytes and all.
    const unsigned* source = reinterpret_cast<const unsigned*>(&from[63 - t]);
    unsigned* target = reinterpret_cast<unsigned*>(&to[63 - t]);
    for (int k = 0; k < 3; ++k) target[k] = source[k];
    int maybe = partial[t];
    int used = t < 40 ? maybe : 0;
    __syncthreads();
    out[t] = to[t].value + to[t].tail + to[t].tag + used;
}
