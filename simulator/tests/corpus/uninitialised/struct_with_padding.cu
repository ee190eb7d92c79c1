// A struct with padding is copied whole: the padding has no value and needs none. A forgotten field does.
//@ run --entry make --grid 1 --block 32 --arg in:i32:32=iota --arg out:u8:384
//! clean
//! defect 1: uninitialized_read at copy|store
struct Entry {
    char kind;
    int key;
    short weight;
};
extern "C" __global__ void make(const int* in, Entry* out)
{
    __shared__ Entry s[32];
    int t = threadIdx.x;
    s[t].kind = t % 3;
#if DEFECT
    if (t != 9) s[t].key = in[t];
#else
    s[t].key = in[t];
#endif
    s[t].weight = t;
    __syncthreads();
    Entry e = s[31 - t]; // <- copy
    out[t] = e; // <- store
}
