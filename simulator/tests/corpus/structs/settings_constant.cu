// Settings that stay where the launch put them; a function reads them through a pointer.
//@ run --entry scale --grid 2 --block 32 --arg bytes:00000040_0000803f_00000040_00004040_00008040 --arg in:f32:64=iota --arg out:f32:64
//! clean
//! defect 1: out_of_bounds at write
//! defect 2: out_of_bounds at read
//! defect 3: barrier_divergence at barrier
struct Settings {
    float scale;
    float values[4];
};
__device__ __noinline__ float value(const Settings* settings, int at) { return settings->values[at] * settings->scale; } // <- read
extern "C" __global__ void scale(const __grid_constant__ Settings settings, const float* in, float* out)
{
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
#if DEFECT == 1
    // It is no thread's own copy, and nobody may write it.
    const_cast<Settings&>(settings).scale = t; // <- write
#endif
    Settings own = settings;
    own.scale += t;
#if DEFECT == 2
    const float factor = value(&settings, t);
#else
    const float factor = value(&settings, t % 4);
#endif
#if DEFECT == 3
    if (settings.values[t % 4] > 2) __syncthreads(); // <- barrier
    else if (t > 100) __syncthreads();
#endif
    out[i] = in[i] * factor + value(&own, t % 4);
#if DEFECT == 3
    __syncthreads(); // <- barrier
#endif
}
