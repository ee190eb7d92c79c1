// Two buffers filled from one seed are equal, another seed differs; the filled input itself can be saved.
//@ run --entry random_fill --grid 1 --block 128 --arg in:f32:128=random:7 --arg in:f32:128=random:7
//@ run --arg in:f32:128=random:8 --arg out:f32:3x128
// save: 0 3
// reference: random_fill

extern "C" __global__ void random_fill(const float* a, const float* b, const float* c, float* out)
{
    int i = threadIdx.x;
    out[i] = a[i];
    out[128 + i] = b[i];
    out[256 + i] = c[i];
}
