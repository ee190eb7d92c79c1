//@ run --entry generic_pointers --grid 1 --block 96 --arg inout:i32:96=iota --arg out:i32:192
// One function, one pointer, three memories: shared, global and local addresses through generic loads and stores.
__device__ __noinline__ void bump(int* p, int by) { *p += by; }
extern "C" __global__ void generic_pointers(int* data, int* out)
{
    __shared__ int tile[96];
    int t = threadIdx.x, n = blockDim.x, own[2] = {1000, 2000};
    tile[t] = 10 * t;
    int* p = t % 3 == 0 ? &tile[t] : t % 3 == 1 ? &data[t] : &own[t & 1];
    bump(p, t + 1);
    bump(&own[0], 5);
    out[t] = *p + own[0] + own[1] + tile[t];
    out[n + t] = (__isShared(p) ? 1 : 0) | (__isGlobal(p) ? 2 : 0) | (__isLocal(p) ? 4 : 0);
}
