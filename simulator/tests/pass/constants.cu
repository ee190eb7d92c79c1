//@ run --entry blend --grid 1 --block 8 --arg out:f32:8
__constant__ float weights[4] = {0.5f, 1.5f, 2.5f, 3.5f};
__device__ int offset = 7;
struct Pair { int a; float b[2]; };
__device__ Pair pair = {3, {0.25f, 4.0f}};
extern "C" __global__ void blend(float* out) {
    int t = threadIdx.x;
    out[t] = weights[t % 4] * pair.b[t % 2] + offset + pair.a;
}
