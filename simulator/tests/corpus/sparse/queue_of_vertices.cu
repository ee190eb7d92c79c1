// A breadth-first search in one block: the frontier lies in shared memory, new vertices are claimed by a compare-and-swap and put into the next frontier by a block-wide counter.
//@ run --entry bfs --grid 1 --block 64 --arg in:i32:33=iota --arg in:i32:128=iota --arg inout:i32:32=const:-1 --arg i32:32
//! clean
//! defect 1: race at swap; also=barrier_divergence,unfinished,deadlock
//! defect 2: race at seen and seen
//! defect 3: race at put|swap|take|loop; also=barrier_divergence,unfinished,deadlock
//! defect 4: barrier_divergence at round|loop; also=race,deadlock,unfinished
extern "C" __global__ void bfs(const int* starts, const int* edges, int* level, int n)
{
    __shared__ int queue[2][64], counts[2];
    int t = threadIdx.x, now = 0, depth = 0;
    if (t == 0) {
        queue[0][0] = 0;
        counts[0] = 1;
        counts[1] = 0;
        level[0] = 0;
    }
    __syncthreads();
#if DEFECT == 4
    while (t < 32 ? counts[now] > 0 : depth < 3) { // <- loop
#else
    while (counts[now] > 0) { // <- loop
#endif
        for (int k = t; k < counts[now] * 3; k += blockDim.x) {
            int v = queue[now][k / 3]; // <- take
            int to = (starts[v] * 2 + edges[k % 3] + 1) % n;
#if DEFECT == 2
            if (level[to] < 0) { // <- seen
                level[to] = depth + 1; // <- seen
#else
            if (atomicCAS(&level[to], -1, depth + 1) < 0) {
#endif
                int place = atomicAdd(&counts[now ^ 1], 1);
#if DEFECT == 2
                place %= 64;
#endif
                queue[now ^ 1][place] = to; // <- put
            }
        }
#if DEFECT != 3
        __syncthreads(); // <- round
#endif
        if (t == 0) counts[now] = 0; // <- swap
        now ^= 1;
        ++depth;
#if DEFECT != 1
        __syncthreads(); // <- round
#endif
    }
}
//! label 1: the graph ended after two levels, so that nobody used the counter again
//! label 2: in that graph no vertex was found twice in one level
