// The clock never runs backwards, and printing disturbs neither results nor the report.
//@ run --entry clock_printf --grid 1 --block 64 --arg in:f32:64=uniform.npy --arg out:i32:64
// save: 1
// reference: clock_printf

extern "C" __global__ void clock_printf(const float* in, int* out)
{
    long long start = clock64();
    float v = in[threadIdx.x];
    for (int k = 0; k < 10; ++k) v = v * 0.5f + 1.0f;
    if (threadIdx.x % 32 == 7) printf("thread %d: %s %5.2f %lld %%\n", threadIdx.x, "value", v, 1234567890123LL);
    long long stop = clock64();
    out[threadIdx.x] = stop > start && v > 0.0f;
}
