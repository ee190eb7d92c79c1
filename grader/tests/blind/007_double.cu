// Double precision: exact operations bit for bit, functions within two units in the last place (huge angles included).
//@ run --entry doubles --grid 2 --block 96 --arg in:f64:192=double_positive.npy
//@ run --arg in:f64:192=double_any.npy --arg out:f64:24x192
// save: 2
// reference: doubles

extern "C" __global__ void doubles(const double* positive, const double* any, double* out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    double p = positive[i], x = any[i];
    int row = 0;
    auto put = [&](double value) { out[row++ * n + i] = value; };
    put(__dadd_rn(p, x));
    put(__dsub_rn(p, x));
    put(__dmul_rn(p, x));
    put(x / p);
    put(sqrt(p));
    put(__fma_rn(p, x, -1.5));
    put(floor(x));
    put(ceil(x));
    put(trunc(x));
    put(rint(x));
    put(fabs(x));
    put(fmin(p, x));
    put(fmax(p, x));
    put(fmod(x, p));
    put(exp(x));
    put(log(p));
    put(sin(x));
    put(cos(x));
    put(sin(x * 1e9));
    put(pow(p, x));
    put(tanh(x));
    put(atan(x));
    put(rsqrt(p));
    put(1.0 / p);
}
