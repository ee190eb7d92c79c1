// A function object by value, with its coefficients in it; its derivative is another.
//@ run --entry evaluate --grid 1 --block 64
//@ run --arg bytes:0000803f_00000040_0000803f_0000003f_00000000_00000000_00000000_00000000_03000000 --arg in:f32:64=iota --arg out:f32:64
//! clean
//! defect 1: out_of_bounds at term|derive; arg0=bytes:0000803f_00000040_0000803f_0000003f_00000000_00000000_00000000_00000000_40000000
//! defect 2: uninitialized_read at term|keep|take|result
//! defect 3: race at keep and take
//! defect 4: out_of_bounds at result
struct Polynomial {
    float c[8];
    int degree;
    __device__ float operator()(float x) const
    {
        float sum = 0;
        for (int k = degree; k >= 0; --k) sum = sum * x + c[k]; // <- term
        return sum;
    }
    __device__ __noinline__ Polynomial derivative() const
    {
        Polynomial of;
        for (int k = 0; k < degree; ++k) of.c[k] = (k + 1) * c[k + 1]; // <- derive
#if DEFECT == 2
        of.degree = degree;
#else
        of.degree = degree - 1;
#endif
        return of;
    }
};
template <class F>
__device__ __noinline__ float difference(F f, float x)
{
    return f(x) - f(x - 1);
}
extern "C" __global__ void evaluate(Polynomial f, const float* in, float* out)
{
    __shared__ float kept[64];
    const int t = threadIdx.x;
    const float x = in[t] / 64;
    kept[t] = difference(f, x) + f.derivative()(x); // <- keep
#if DEFECT == 3
    __syncwarp();
#else
    __syncthreads();
#endif
#if DEFECT == 4
    out[t * f.degree] = kept[63 - t]; // <- result
#else
    const float taken = kept[63 - t]; // <- take
    out[t] = taken; // <- result
#endif
}
