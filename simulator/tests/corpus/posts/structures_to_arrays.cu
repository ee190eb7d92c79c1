// Points of three floats come in as they lie and are turned round in shared memory: coalesced loads, three arrays out.
//@ run --entry split --grid 2 --block 64 --arg in:f32:384=iota --arg out:f32:128 --arg out:f32:128 --arg out:f32:128
//! clean
//! defect 1: race at load and store
//! defect 2: out_of_bounds at load
//! defect 3: uninitialized_read at store
//! defect 4: race at store
struct Point { float x, y, z; };
extern "C" __global__ void split(const float* in, float* x, float* y, float* z)
{
    __shared__ Point points[64];
    float* flat = reinterpret_cast<float*>(points);
    int t = threadIdx.x;
    in += blockIdx.x * 64 * 3;
#if DEFECT == 2
    for (int k = 0; k < 4; ++k)
#elif DEFECT == 3
    for (int k = 0; k < 2; ++k)
#else
    for (int k = 0; k < 3; ++k)
#endif
        flat[t + k * 64] = in[t + k * 64]; // <- load
#if DEFECT != 1
    __syncthreads();
#endif
#if DEFECT == 4
    int i = t + blockIdx.x * 63;
#else
    int i = t + blockIdx.x * 64;
#endif
    x[i] = points[t].x; // <- store
    y[i] = points[t].y; // <- store
    z[i] = points[t].z; // <- store
}
