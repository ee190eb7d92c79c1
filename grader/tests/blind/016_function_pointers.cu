// Indirect calls through a table of device functions, with up to four different targets in one warp.
//@ run --entry function_pointers --grid 2 --block 64 --arg in:i32:128=small_ints.npy --arg out:i32:128
//@ run --arg out:f32:128
// save: 1 2
// reference: function_pointers

typedef int (*Operation)(int, int);

__device__ int plus(int a, int b) { return a + b; }
__device__ int minus(int a, int b) { return a - b; }
__device__ int times(int a, int b) { return a * b; }
__device__ int bigger(int a, int b) { return a > b ? a : b; }

__device__ Operation operations[4] = {plus, minus, times, bigger};

__device__ __noinline__ float apply(float (*f)(float), float x) { return f(x) + 1.0f; }
__device__ float doubled(float x) { return 2.0f * x; }
__device__ float halved(float x) { return 0.5f * x; }

extern "C" __global__ void function_pointers(const int* in, int* out, float* fout)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = operations[i % 4](in[i], i);
    fout[i] = apply(i % 3 ? doubled : halved, (float)in[i]);
}
