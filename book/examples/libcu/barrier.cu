// cuda::barrier: arriving and waiting apart.

#include <cuda/barrier>

// The barrier has no constructor to run: `init` makes it.
#pragma nv_diag_suppress static_var_with_dynamic_init

using Barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int SIZE = 256;

// ANCHOR: barrier
// Every block reverses its elements and counts the even ones among them.
extern "C" __global__ void reverse(const int *in, int *out, int *even) {
    __shared__ Barrier barrier;
    __shared__ int tile[SIZE];
    int t = threadIdx.x;
    if (t == 0) {
        init(&barrier, blockDim.x);
    }
    __syncthreads(); // The barrier itself must be there first.

    int mine = in[blockIdx.x * SIZE + t];
    tile[t] = mine;
    auto token = barrier.arrive(); // My element is in the tile.
    if (mine % 2 == 0) {           // This needs no other thread's element.
        atomicAdd(even, 1);
    }
    barrier.wait(cuda::std::move(token)); // So are all the others.
    out[blockIdx.x * SIZE + t] = tile[SIZE - 1 - t];
}
// ANCHOR_END: barrier

// The same without the wait.
extern "C" __global__ void reverse_too_early(const int *in, int *out, int *even) {
    __shared__ Barrier barrier;
    __shared__ int tile[SIZE];
    int t = threadIdx.x;
    if (t == 0) {
        init(&barrier, blockDim.x);
    }
    __syncthreads();

    int mine = in[blockIdx.x * SIZE + t];
    tile[t] = mine;
    (void)barrier.arrive();
    if (mine % 2 == 0) {
        atomicAdd(even, 1);
    }
    out[blockIdx.x * SIZE + t] = tile[SIZE - 1 - t];
}
