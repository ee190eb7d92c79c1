// Every 32-bit atomic on shared and on global memory; results chosen so that no order of execution matters.
//@ run --entry atomics32 --grid 3 --block 64 --arg in:i32:192=wide_ints.npy
//@ run --arg inout:u32:12=atomic_start.npy --arg out:u32:3x12
// save: 1 2
// reference: atomics32

extern "C" __global__ void atomics32(const int* in, unsigned* global, unsigned* per_block)
{
    __shared__ unsigned local[12];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (t < 12) local[t] = t == 5 || t == 2 ? 0xffffffffu : t == 3 ? 0x7fffffffu : t == 4 ? 0x80000000u : 0u;
    __syncthreads();
    int v = in[i];
    unsigned u = v;
    unsigned* targets[2] = {local, global};
    for (int k = 0; k < 2; ++k) {
        unsigned* m = targets[k];
        atomicAdd(&m[0], u);
        atomicSub(&m[1], u);
        atomicMin(&m[2], u);
        atomicMin((int*)&m[3], v);
        atomicMax((int*)&m[4], v);
        atomicAnd(&m[5], u | 0xf0u);
        atomicOr(&m[6], u & 0xff00u);
        atomicXor(&m[7], u);
        atomicInc(&m[8], 9u);
        atomicDec(&m[9], 6u);
        atomicMax(&m[10], u);
        unsigned seen = m == local ? atomicAdd(&m[11], 0u) : 0u, expected;
        do {
            expected = seen;
            seen = atomicCAS(&m[11], expected, expected + 3u);
        } while (seen != expected);
    }
    __syncthreads();
    if (t < 12) per_block[blockIdx.x * 12 + t] = local[t];
}
