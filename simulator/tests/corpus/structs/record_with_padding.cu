// A record is set member by member and copied as a whole; nobody sets the padding between its members, and nobody has to.
//@ run --entry records --grid 2 --block 32 --arg in:i32:64=iota --arg out:f64:64x3
//! clean
//! defect 1: uninitialized_read at copy
//! defect 2: uninitialized_read at copy
//! defect 3: race at copy and copy
//! defect 4: uninitialized_read at copy
//! defect 5: out_of_bounds at copy
struct Record {
    char tag;
    int key;
    short parts[3];
    double value;
};
extern "C" __global__ void records(const int* in, Record* out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
    Record record;
    record.tag = 'a' + v % 26;
#if DEFECT != 1
    record.key = v;
#endif
#if DEFECT == 2
    for (int k = 0; k < 2; ++k) record.parts[k] = v * k;
#else
    for (int k = 0; k < 3; ++k) record.parts[k] = v * k;
#endif
#if DEFECT == 4
    if (v % 2)
#endif
        record.value = 0.5 * v;
#if DEFECT == 3
    out[i & ~1] = record; // <- copy
#elif DEFECT == 5
    out[i + 1] = record; // <- copy
#else
    out[i] = record; // <- copy
#endif
}
