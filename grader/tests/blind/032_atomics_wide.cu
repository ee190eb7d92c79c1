// 64-bit and floating-point atomics; the floats are small integers, so every order gives the same sum.
//@ run --entry atomics_wide --grid 2 --block 128 --arg in:i32:256=small_ints.npy
//@ run --arg inout:i64:8=atomic_start64.npy --arg inout:f32:2=zeros --arg inout:f64:2=zeros --arg out:i32:256
// save: 1 2 3 4
// reference: atomics_wide

extern "C" __global__ void atomics_wide(const int* in, long long* wide, float* f, double* d, int* tickets)
{
    __shared__ float local_f;
    __shared__ double local_d;
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (t == 0) {
        local_f = 0.0f;
        local_d = 0.0;
    }
    __syncthreads();
    long long v = (long long)in[i] * 4294967311LL;
    unsigned long long u = v;
    unsigned long long* w = (unsigned long long*)wide;
    atomicAdd(&w[0], u);
    atomicMin(&wide[1], v);
    atomicMax(&wide[2], v);
    atomicAnd(&w[3], u | 0xff);
    atomicOr(&w[4], u & 0xff00ff00ff00ULL);
    atomicXor(&w[5], u);
    atomicMax(&w[6], u);
    unsigned long long seen = atomicCAS(&w[7], ~0ULL, ~0ULL), expected;
    do {
        expected = seen;
        seen = atomicCAS(&w[7], expected, expected + 5);
    } while (seen != expected);
    atomicAdd(&f[0], (float)in[i]);
    atomicAdd(&local_f, 2.0f);
    atomicAdd(&d[0], 0.5 * in[i]);
    atomicAdd(&local_d, 0.25);
    __shared__ int order[128];
    __shared__ int next;
    if (t == 0) next = 0;
    order[t] = 0;
    __syncthreads();
    // Every thread draws a different ticket; which one is nobody's business, so only the tickets' set is kept.
    int ticket = atomicAdd(&next, 1);
    atomicExch(&order[ticket], ticket + 1);
    __syncthreads();
    tickets[i] = order[t];
    if (t == 0) {
        atomicAdd(&f[1], local_f);
        atomicAdd(&d[1], local_d);
    }
}
