// Operations are chosen from a table of pointers to device functions, by an opcode of each element; lanes of one warp call different ones.
//@ run --entry apply --grid 2 --block 48 --arg in:i32:96=iota --arg out:i32:96 --arg inout:i32:4=zeros
//! clean
//! defect 1: out_of_bounds at call
//! defect 2: race at tally and tally
//! defect 3: barrier_divergence at inside|after; also=race,uninitialized_read
//! defect 4: race at put and take
__device__ int tallies[4];
__shared__ int s[48];
__device__ __noinline__ int add(int v, int* tally)
{
    atomicAdd(tally, 1);
    return v + 10;
}
__device__ __noinline__ int twice(int v, int* tally)
{
#if DEFECT == 2
    tally[0] += 1; // <- tally
#else
    atomicAdd(tally, 1); // <- tally
#endif
    return v * 2;
}
__device__ __noinline__ int exchange(int v, int* tally)
{
#if DEFECT == 3
    __syncthreads(); // <- inside
#endif
    return v ^ 0x55;
}
typedef int (*Operation)(int, int*);
__device__ Operation table[3] = {add, twice, exchange};
extern "C" __global__ void apply(const int* in, int* out, int* tally)
{
    int t = threadIdx.x, i = blockIdx.x * 48 + t, v = in[i];
#if DEFECT == 1
    int which = v % 95 == 94 ? 3 : v % 3;
#else
    int which = v % 3;
#endif
    int result = table[which](v, &tally[which]); // <- call
    s[t] = result; // <- put
#if DEFECT != 4
    __syncthreads(); // <- after
#endif
    out[i] = s[47 - t]; // <- take
}
//! label 3: consequences were not allowed: who is a barrier ahead reads what nobody has stored yet
