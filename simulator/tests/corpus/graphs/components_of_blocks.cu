// Roots are hooked by compare-and-swap and read as volatile, vertex by warp; flattened after all blocks have arrived.
//@ run --entry components --grid 3 --block 64 --cooperative --arg in:i32:13=values:0,0,9,12,15,19,21,25,27,29,32,33,33 --arg in:i32:33=values:2,3,4,5,6,7,8,9,10,1,3,4,1,2,4,1,2,3,9,1,6,1,5,6,7,1,6,1,9,1,4,8,1 --arg i32:12 --arg inout:i32:12=iota --arg inout:i32:1=zeros --arg out:i32:12
//! clean
//! defect 1: race at climb and hook
//! defect 2: race at hooked
//! defect 3: race at flat and hook
//! defect 4: race at flat and hook
__device__ int root(int* parent, int v)
{
    while (true) {
#if DEFECT == 1
        int up = parent[v]; // <- climb
#else
        int up = *(volatile int*)&parent[v];
#endif
        if (up == v) return v;
        v = up;
    }
}
extern "C" __global__ void components(const int* row, const int* col, int n, int* parent, int* arrived, int* out)
{
    int lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    for (int v = warp; v < n; v += 6) {
        for (int j = row[v] + lane; j < row[v + 1]; j += 32) {
            int a = root(parent, v), b = root(parent, col[j]);
            while (a != b) {
                int high = max(a, b), low = min(a, b);
#if DEFECT == 2
                int old = high;
                if (*(volatile int*)&parent[high] == high) parent[high] = low; // <- hooked
#else
                int old = atomicCAS(&parent[high], high, low); // <- hook
#endif
                if (old == high) break;
                a = root(parent, low);
                b = root(parent, old);
            }
        }
    }
#if DEFECT != 3
    __syncthreads();
    if (threadIdx.x == 0) {
#if DEFECT != 4
        __threadfence();
#endif
        atomicAdd(arrived, 1);
        while (atomicAdd(arrived, 0) < 3) {}
        __threadfence();
    }
    __syncthreads();
#endif
    if (blockIdx.x == 2 && threadIdx.x < n) {
        int v = threadIdx.x;
        while (parent[v] != v) v = parent[v]; // <- flat
        out[threadIdx.x] = v;
    }
}
