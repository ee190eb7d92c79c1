//@ run --entry k --grid 1,1,1 --block 32,1,1 --arg out:f32:256 --arg out:f32:64 --arg out:f64:256 --arg out:f64:64
// The library's functions, whose slow paths are loops, calls and integer tricks. Checked against Python's: within the
// errors that the CUDA guide lists.
extern "C" __global__ void k(float* single, float* singles, double* out, double* outs) {
    int t = threadIdx.x;
    float a = (t - 11) * 1.37f, b = t * 0.4f + 0.3f;
    double x = (t - 11) * 1.37, y = t * 0.4 + 0.3;
    single[t] = sinf(a * 1000.0f);
    single[32 + t] = expf(a);
    single[64 + t] = logf(b);
    single[96 + t] = powf(b, a);
    single[128 + t] = tanhf(a);
    single[160 + t] = erff(a * 0.2f);
    single[192 + t] = a / b;
    single[224 + t] = sqrtf(b);
    singles[t] = fmodf(a * 100.0f, b);
    singles[32 + t] = rintf(a) + floorf(b);
    out[t] = cos(x * 1000.0);
    out[32 + t] = exp(x);
    out[64 + t] = log(y);
    out[96 + t] = pow(y, x);
    out[128 + t] = atan2(x, y);
    out[160 + t] = erfc(y);
    out[192 + t] = x / y;
    out[224 + t] = sqrt(y);
    outs[t] = fmod(x * 100.0, y);
    outs[32 + t] = 1.0 / x;
}
