// Block sum: shuffles inside each warp, one shared word per warp, a partial last warp.
//@ run --entry block_sum --grid 3 --block 80 --arg in:i32:230=small_ints.npy --arg out:i32:3 --arg i32:230
// save: 1
// reference: block_sum
// allow: invalid_mask note @ shuffle

extern "C" __global__ void block_sum(const int* in, int* out, int n)
{
    __shared__ int partial[32];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, lane = t % 32, warp = t / 32;
    int warps = (blockDim.x + 31) / 32;
    unsigned mask = warp == warps - 1 && blockDim.x % 32 ? (1u << blockDim.x % 32) - 1 : 0xffffffffu;
    int v = i < n ? in[i] : 0;
    for (int offset = 16; offset > 0; offset /= 2) {
        int other = __shfl_down_sync(mask, v, offset); // <- shuffle
        if (lane + offset < 32 && (mask >> (lane + offset) & 1)) v += other;
    }
    if (lane == 0) partial[warp] = v;
    __syncthreads();
    if (t == 0) {
        int sum = 0;
        for (int w = 0; w < warps; ++w) sum += partial[w];
        out[blockIdx.x] = sum;
    }
}
