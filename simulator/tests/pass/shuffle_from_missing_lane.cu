//@ run --entry sums --grid 1 --block 80 --arg in:i32:80=iota --arg inout:i32:3=zeros
// The last warp has 16 lanes. Its upper ones read lanes that do not exist, and drop what they get.
extern "C" __global__ void sums(const int* in, int* out) {
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int lanes = min(32, (int)blockDim.x - 32 * warp);
    unsigned mask = lanes == 32 ? 0xffffffff : (1u << lanes) - 1;
    int v = in[threadIdx.x];
    for (int offset = 16; offset > 0; offset /= 2) {
        int other = __shfl_down_sync(mask, v, offset);
        if (lane + offset < lanes) v += other;
    }
    if (lane == 0) out[warp] = v;
}
