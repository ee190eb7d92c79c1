// Sample sort: a search among splitters in shared memory, counts of the block, then one atomic a bucket for room in the output.
//@ run --entry bucket --grid 2 --block 64 --arg in:i32:128=iota --arg in:i32:7=values:15,30,50,64,80,99,110 --arg inout:i32:8=zeros --arg out:i32:512
//! clean
//! defect 1: race at split and search
//! defect 2: race at room and put
//! defect 3: race at number and room
//! defect 4: out_of_bounds at search
//! defect 5: race at room
extern "C" __global__ void bucket(const int* in, const int* splitters, int* used, int* out)
{
    __shared__ int splitter[8], count[8], base[8];
    int t = threadIdx.x, v = in[blockIdx.x * 64 + t];
    if (t < 7) splitter[t] = splitters[t]; // <- split
    if (t < 8) count[t] = 0;
#if DEFECT != 1
    __syncthreads();
#endif
    int b = 0;
#if DEFECT == 4
    while (v >= splitters[b]) ++b; // <- search
#else
    while (b < 7 && v >= splitter[b]) ++b; // <- search
#endif
    int number = atomicAdd(&count[b & 7], 1); // <- number
#if DEFECT != 3
    __syncthreads();
#endif
#if DEFECT == 5
    if (t < 8) {
        base[t] = used[t]; // <- room
        used[t] = base[t] + count[t]; // <- room
    }
#else
    if (t < 8) base[t] = atomicAdd(&used[t], count[t]); // <- room
#endif
#if DEFECT != 2
    __syncthreads();
#endif
    out[(b & 7) * 64 + base[b & 7] + number] = v; // <- put
}
