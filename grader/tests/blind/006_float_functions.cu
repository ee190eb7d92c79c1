// Elementary single-precision functions, accurate and fast variants, within their documented errors.
//@ run --entry float_functions --grid 4 --block 64 --arg in:f32:256=positive.npy --arg in:f32:256=angles.npy
//@ run --arg out:f32:26x256
// save: 2
// reference: float_functions

extern "C" __global__ void float_functions(const float* positive, const float* angle, float* out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    float p = positive[i], t = angle[i];
    int row = 0;
    auto put = [&](float value) { out[row++ * n + i] = value; };
    put(expf(t));
    put(logf(p));
    put(sinf(t));
    put(cosf(t));
    put(sinf(t * 30000.0f));
    put(powf(p, t));
    put(tanhf(t));
    put(atan2f(t, p));
    put(rsqrtf(p));
    put(exp2f(t));
    put(log2f(p));
    put(log10f(p));
    put(cbrtf(p));
    put(erff(t));
    put(expm1f(t));
    put(log1pf(p));
    put(hypotf(p, t));
    put(fmodf(t * 100.0f, p));
    put(__expf(t));
    put(__logf(p));
    put(__sinf(t));
    put(__cosf(t));
    put(__powf(p, t));
    put(__fdividef(t, p));
    put(floorf(t) + 10.0f * ceilf(t) + 100.0f * truncf(t) + 1000.0f * rintf(t));
    put(roundf(t * 2.0f));
}
