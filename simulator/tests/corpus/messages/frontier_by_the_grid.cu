// Breadth-first search in one cooperative launch: queues of blocks in shared memory, room in the grid's queue by one atomic a block.
//@ run --entry bfs --grid 3 --block 8 --cooperative --arg in:i32:25=values:0,3,6,9,12,15,18,21,24,27,30,33,36,39,42,45,48,51,54,57,60,63,66,69,72 --arg in:i32:72=values:1,2,3,3,4,5,5,6,7,7,8,9,9,10,11,11,12,13,13,14,15,15,16,17,17,18,19,19,20,21,21,22,23,23,0,1,1,2,3,3,4,5,5,6,7,7,8,9,9,10,11,11,12,13,13,14,15,15,16,17,17,18,19,19,20,21,21,22,23,23,0,1 --arg inout:i32:24=values:0,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1 --arg inout:i32:48=zeros --arg inout:i32:3=values:1,0,0 --budget 6000000
//! clean
//! defect 1: race at put|count|room and get|count; also=barrier_divergence,out_of_bounds
//! defect 2: race at seen; also=out_of_bounds
//! defect 3: race at room and put
//! defect 4: race at local and total|room
//! defect 5: race at count; also=deadlock,barrier_divergence,out_of_bounds
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void bfs(const int* row, const int* col, int* level, int* queue, int* count)
{
    __shared__ int mine[32], n, base;
    auto grid = cg::this_grid();
    int t = threadIdx.x;
    for (int depth = 0;; ++depth) {
        int size = *(volatile int*)&count[depth % 3]; // <- count
        if (size == 0) break;
        int* in = queue + depth % 2 * 24;
        int* out = queue + (depth + 1) % 2 * 24;
        if (t == 0) n = 0; // <- local
        __syncthreads();
        for (int q = grid.thread_rank(); q < size; q += grid.size()) {
            int v = in[q]; // <- get
            for (int e = row[v]; e < row[v + 1]; ++e) {
#if DEFECT == 2
                if (level[col[e]] == -1) { // <- seen
                    level[col[e]] = depth + 1; // <- seen
#else
                if (atomicCAS(&level[col[e]], -1, depth + 1) == -1) {
#endif
                    mine[atomicAdd(&n, 1) & 31] = col[e]; // <- local
                }
            }
        }
#if DEFECT != 4
        __syncthreads();
#endif
        if (t == 0) base = atomicAdd(&count[(depth + 1) % 3], n); // <- room
        int total = n; // <- total
#if DEFECT != 3
        __syncthreads();
#endif
        for (int k = t; k < total; k += 8) out[base + k] = mine[k]; // <- put
        if (grid.thread_rank() == 0) {
#if DEFECT == 5
            count[(depth + 1) % 3] += total < 0; // <- count
#endif
            count[(depth + 2) % 3] = 0; // <- count
        }
#if DEFECT == 1
        __syncthreads();
#else
        grid.sync();
#endif
    }
}
//! label 5: added nought, and the compiler left that out
