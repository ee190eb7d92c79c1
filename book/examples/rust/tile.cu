// Every block of n floats turned round through shared memory, in CUDA C++. `tile.rs` beside it is the same in Rust.

// ANCHOR: static
extern "C" __global__ void reverse_static(const float *input, float *output, unsigned n) {
    __shared__ float tile[256];
    unsigned thread = threadIdx.x;
    unsigned first = blockIdx.x * 256;
    unsigned count = min(n - first, 256u);
    if (thread < count) {
        tile[thread] = input[first + thread];
    }
    __syncthreads();
    if (thread < count) {
        output[first + thread] = tile[count - 1 - thread];
    }
}
// ANCHOR_END: static

// ANCHOR: dynamic
extern __shared__ float pool[];

extern "C" __global__ void reverse_dynamic(const float *input, float *output, unsigned n) {
    unsigned thread = threadIdx.x;
    unsigned first = blockIdx.x * blockDim.x;
    unsigned count = min(n - first, blockDim.x);
    if (thread < count) {
        pool[thread] = input[first + thread];
    }
    __syncthreads();
    if (thread < count) {
        output[first + thread] = pool[count - 1 - thread];
    }
}
// ANCHOR_END: dynamic
