// Records of a byte, a short, a float and a double, padded by the compiler; they are copied as words, whose padding nobody ever wrote.
//@ run --entry records --grid 2 --block 32 --arg in:i32:64=iota --arg out:f64:64 --arg out:u32:64
//! clean
//! defect 1: uninitialized_read at check|copy
//! defect 2: race at part and part
//! defect 3: misaligned at copy
struct Record {
    char tag;
    short length;
    float weight;
    double value;
};
extern "C" __global__ void records(const int* in, double* values, unsigned* tags)
{
    __shared__ Record s[32], copy[32];
    int t = threadIdx.x, i = blockIdx.x * 32 + t, v = in[i];
    s[t].tag = (char)v; // <- part
    s[t].length = (short)(v * 3); // <- part
    s[t].weight = v * 0.5f; // <- part
    s[t].value = v * 2.0; // <- part
#if DEFECT == 2
    if (t > 0) s[t - 1].length = (short)t; // <- part
#endif
    __syncwarp();
    const unsigned* from = (const unsigned*)s;
    unsigned* to = (unsigned*)copy;
#if DEFECT == 3
    for (int k = t; k < 60; k += 32) *(double*)(to + 2 * k) = *(const double*)(from + 2 * k + 1); // <- copy
#else
    for (int k = t; k < 128; k += 32) to[k] = from[k]; // <- copy
#endif
    __syncwarp();
    const Record& mine = copy[31 - t];
    values[i] = mine.value + mine.weight + mine.length;
#if DEFECT == 1
    unsigned head = *(const unsigned*)&mine;
    tags[i] = head % 7; // <- check
#else
    tags[i] = (unsigned)mine.tag;
#endif
}
//! label 1: the word was copied as it was, padding and all, as copies of structures are; now it is computed with
//! label 3: was a `uint2`, which the compiler takes apart here, so that nothing in the PTX is misaligned; now it is a double
