// A reduction whose last warp goes on alone, without a loop: every step reads, meets and writes.
//@ run --entry reduce --grid 2 --block 128 --shared 512 --arg in:i32:512=iota --arg out:i32:2 --arg i32:512
//! clean
//! defect 1: race at step and step
//! defect 2: race at step|fold and step|fold
//! defect 3: race at fill and fold
//! defect 4: out_of_bounds at fill|fold
extern __shared__ int data[];
__device__ void last_warp(int* s, int t)
{
    int v = s[t];
#if DEFECT == 1
#define MEET
#else
#define MEET __syncwarp();
#endif
    v += s[t + 32]; MEET s[t] = v; MEET // <- step
    v += s[t + 16]; MEET s[t] = v; MEET // <- step
    v += s[t + 8]; MEET s[t] = v; MEET // <- step
    v += s[t + 4]; MEET s[t] = v; MEET // <- step
    v += s[t + 2]; MEET s[t] = v; MEET // <- step
    v += s[t + 1]; MEET s[t] = v; // <- step
}
extern "C" __global__ void reduce(const int* in, int* out, int n)
{
    int t = threadIdx.x, sum = 0;
    for (int i = blockIdx.x * 128 + t; i < n; i += 256) sum += in[i];
#if DEFECT == 4
    data[t + 1] = sum; // <- fill
#else
    data[t] = sum; // <- fill
#endif
#if DEFECT != 3
    __syncthreads();
#endif
    if (t < 64) data[t] += data[t + 64]; // <- fold
#if DEFECT != 2
    __syncthreads();
#endif
    if (t < 32) last_warp(data, t);
    if (t == 0) out[blockIdx.x] = data[0];
}
