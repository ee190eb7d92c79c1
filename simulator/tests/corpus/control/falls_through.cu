// A switch that falls through: the later phases are run after the earlier ones, with their barriers, for the whole block.
//@ run --entry phases --grid 3 --block 64 --arg in:i32:192=iota --arg out:i32:192
//! clean
//! defect 1: race at square and mix
//! defect 2: barrier_divergence at first|second; also=race
extern "C" __global__ void phases(const int* in, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t, v = in[i];
    s[t] = v;
    __syncthreads();
#if DEFECT == 2
    switch ((blockIdx.x + t / 32) % 3) {
#else
    switch (blockIdx.x) {
#endif
    case 0:
        v += s[63 - t];
        __syncthreads(); // <- first
        s[t] = v * v; // <- square
#if DEFECT == 1
    case 1:
        if (blockIdx.x) __syncthreads();
        v -= s[t ^ 1]; // <- mix
        __syncthreads();
#else
        [[fallthrough]];
    case 1:
        __syncthreads(); // <- second
        v -= s[t ^ 1]; // <- mix
        __syncthreads();
#endif
        s[t] = v;
        break;
    default:
        v = -1;
    }
    out[i] = v;
}
