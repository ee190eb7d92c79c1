// All bodies act on all: a tile of positions at a time; new positions go to another buffer than the old.
//@ run --entry step --grid 2 --block 32 --arg inout:f32:256=iota --arg out:f32:256
//! clean
//! defect 1: race at load and use
//! defect 2: race at load and use
//! defect 3: race at load and store
//! defect 4: out_of_bounds at use
extern "C" __global__ void step(float4* old, float4* next)
{
    __shared__ float4 tile[32];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    float4 mine = old[i];
    float3 force = {0, 0, 0};
    for (int first = 0; first < 64; first += 32) {
        tile[t] = old[first + t]; // <- load
#if DEFECT != 1
        __syncthreads();
#endif
#if DEFECT == 4
        for (int j = 0; j <= 32; ++j) {
#else
        for (int j = 0; j < 32; ++j) {
#endif
            float4 other = tile[j]; // <- use
            float dx = other.x - mine.x, dy = other.y - mine.y, dz = other.z - mine.z;
            float f = other.w * rsqrtf(dx * dx + dy * dy + dz * dz + 1);
            force.x += dx * f;
            force.y += dy * f;
            force.z += dz * f;
        }
#if DEFECT != 2
        __syncthreads();
#endif
    }
#if DEFECT == 3
    old[i] = make_float4(force.x, force.y, force.z, mine.w); // <- store
#endif
    next[i] = make_float4(force.x, force.y, force.z, mine.w);
}
