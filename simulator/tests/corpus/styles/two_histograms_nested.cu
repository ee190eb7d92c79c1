// A histogram of pairs by nested structs with overloaded operators, added to the whole by one warp.
//@ run --entry pairs --grid 2 --block 64 --arg in:u8:256=iota --arg inout:u32:4x4=zeros
//! clean
//! defect 1: race at bump
//! defect 2: race at bump and sum
struct Counter {
    unsigned n;
    __device__ void operator++(int)
    {
#if DEFECT == 1
        n += 1; // <- bump
#else
        atomicAdd(&n, 1u); // <- bump
#endif
    }
    __device__ operator unsigned() const { return n; } // <- sum
};
struct Table {
    Counter cells[4][4];
    __device__ Counter* operator[](int row) { return cells[row]; }
};
extern "C" __global__ void pairs(const uchar2* in, unsigned* out)
{
    __shared__ Table table;
    if (threadIdx.x < 16) (&table[0][0])[threadIdx.x].n = 0;
    __syncthreads();
    uchar2 v = in[blockIdx.x * 64 + threadIdx.x];
    table[v.x >> 6][v.y % 4]++;
#if DEFECT != 2
    __syncthreads();
#endif
    if (threadIdx.x >= 48) {
        int k = threadIdx.x - 48;
        atomicAdd(&out[k], unsigned(table[k / 4][k % 4]));
    }
}
