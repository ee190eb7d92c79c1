// Vertices are claimed by an atomic; the claimer alone writes what belongs to the vertex, others read it behind the barrier.
//@ run --entry claim --grid 1 --block 96 --arg in:i32:33=values:1,1,1,1,1,1,1,1,1,2,2,2,3,3,3,4,4,4,4,5,5,6,6,6,6,7,7,8,8,9,9,9,10 --arg in:i32:33=values:2,3,4,5,6,7,8,9,10,1,3,4,1,2,4,1,2,3,9,1,6,1,5,6,7,1,6,1,9,1,4,8,1 --arg i32:33 --arg inout:i32:12=const:-1 --arg out:i32:12 --arg out:i32:33
//! clean
//! defect 1: race at parent
//! defect 2: race at parent and use
//! defect 3: race at owner
extern "C" __global__ void claim(const int* from, const int* to, int edges, int* owner, int* parent, int* out)
{
    int e = threadIdx.x;
    if (e < edges) {
        int v = to[e];
#if DEFECT == 1
        if (*(volatile int*)&owner[v] == -1) {
            *(volatile int*)&owner[v] = e;
            parent[v] = from[e]; // <- parent
        }
#elif DEFECT == 3
        if (owner[v] == -1 && atomicCAS(&owner[v], -1, e) == -1) { // <- owner
            parent[v] = from[e]; // <- parent
        }
#else
        if (atomicCAS(&owner[v], -1, e) == -1) { // <- claim
            parent[v] = from[e]; // <- parent
        }
#endif
    }
#if DEFECT != 2
    __syncthreads();
#endif
    if (e < edges) {
        out[e] = parent[to[e]]; // <- use
    }
}
