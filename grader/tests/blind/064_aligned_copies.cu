// memcpy and memset of structs and arrays, over-aligned types, a constant table of structs with pointers to functions.
//@ run --entry aligned_copies --grid 1 --block 64 --arg in:i32:64x8=small_ints.npy --arg out:i32:64x8
//@ run --arg out:i32:64
// save: 1 2
// reference: aligned_copies

struct __align__(16) Record {
    int values[7];
    short kind;
};

__device__ int first_of(const Record& r) { return r.values[0]; }
__device__ int last_of(const Record& r) { return r.values[6]; }

struct Rule {
    int weight;
    int (*pick)(const Record&);
};
__device__ const Rule rules[3] = {{2, first_of}, {-3, last_of}, {7, first_of}};

extern "C" __global__ void aligned_copies(const Record* in, Record* out, int* scores)
{
    __shared__ Record tile[64];
    int t = threadIdx.x;
    memcpy(&tile[t], &in[t], sizeof(Record));
    __syncthreads();
    Record r = tile[63 - t];
    r.values[3] += t;
    if (t % 8 == 0) memset(r.values, 0xff, 3 * sizeof(int));
    out[t] = r;
    // The two bytes after `kind` are padding as far as C++ is concerned; every word of the output is written all the same.
    reinterpret_cast<int*>(&out[t])[7] = r.kind;
    const Rule& rule = rules[t % 3];
    scores[t] = rule.weight * rule.pick(r);
}
