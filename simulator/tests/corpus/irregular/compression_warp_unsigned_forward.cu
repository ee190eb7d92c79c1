// Joins the ends of each edge, and shortens the paths to the roots on the way.
//@ run --entry compression --grid 7 --block 64 --arg in:i32:13=values:0,0,9,12,15,19,21,25,27,29,32,33,33 --arg in:i32:33=values:2,3,4,5,6,7,8,9,10,1,3,4,1,2,4,1,2,3,9,1,6,1,5,6,7,1,6,1,9,1,4,8,1 --arg i32:12 --arg inout:u32:12=iota
//! clean
//! defect 1: race at climb2 and hook|short
//! defect 2: race at shorten
//! defect 3: out_of_bounds at rows
//! defect 4: out_of_bounds at column
//! defect 5: race at set
__device__ unsigned find(unsigned* parent, unsigned at)
{
    while (true) {
#if DEFECT == 1
        unsigned up = parent[at]; // <- climb2
#else
        unsigned up = atomicAdd(&parent[at], (unsigned)0); // <- climb
#endif
        if (up == at) return at;
        unsigned above = atomicAdd(&parent[up], (unsigned)0);
#if DEFECT == 2
        if (above < up) parent[at] = above; // <- shorten
#else
        if (above < up) atomicMin(&parent[at], above); // <- short
#endif
        at = above;
    }
}
extern "C" __global__ void compression(const int* row, const int* col, int n, unsigned* parent)
{
    int lane = threadIdx.x % 32, self = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int v = self;
#if DEFECT == 3
    if (v <= n) {
#else
    if (v < n) {
#endif
        int first = row[v], last = row[v + 1]; // <- rows
#if DEFECT == 4
        for (int j = first + lane; j <= last; j += 32) {
#else
        for (int j = first + lane; j < last; j += 32) {
#endif
            int w = col[j]; // <- column
            unsigned a = find(parent, (unsigned)v), b = find(parent, (unsigned)w);
            while (a != b) {
                unsigned high = max(a, b), low = min(a, b);
#if DEFECT == 5
                unsigned was = parent[high]; // <- get
                if (was == high) parent[high] = low; // <- set
#else
                unsigned was = atomicCAS(&parent[high], high, low); // <- hook
#endif
                if (was == high) break;
                a = find(parent, high);
                b = find(parent, low);
            }
        }
    }
}
