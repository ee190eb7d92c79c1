// Static, file-scope and dynamic shared memory together in one kernel.
//@ run --entry three_kinds --grid 3 --block 64 --shared 512 --arg in:i32:192=wide_ints.npy --arg out:i32:192
// save: 1
// reference: three_kinds

__shared__ int at_file_scope[64];
extern __shared__ long long pool[];

__device__ __noinline__ int from_helper(int i) { return at_file_scope[i]; }

extern "C" __global__ void three_kinds(const int* in, int* out)
{
    __shared__ int in_kernel[64];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    in_kernel[t] = in[i];
    at_file_scope[63 - t] = in[i] ^ 0xff;
    pool[t] = (long long)in[i] * 3;
    __syncthreads();
    out[i] = in_kernel[t ^ 1] + from_helper(t) + (int)(pool[(t + 7) % 64] >> 1);
}
