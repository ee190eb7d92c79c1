// Edges are hung into lists of their vertices by atomic exchange of the heads; the lists are walked behind a barrier.
//@ run --entry build --grid 1 --block 64 --arg in:i32:33=values:1,1,1,1,1,1,1,1,1,2,2,2,3,3,3,4,4,4,4,5,5,6,6,6,6,7,7,8,8,9,9,9,10 --arg in:i32:33=values:2,3,4,5,6,7,8,9,10,1,3,4,1,2,4,1,2,3,9,1,6,1,5,6,7,1,6,1,9,1,4,8,1 --arg i32:33 --arg inout:i32:12=const:-1 --arg out:i32:33 --arg out:i32:12
//! clean
//! defect 1: race at hang
//! defect 2: race at hang and start
//! defect 3: race at link and walk
//! defect 4: race at old and hang
extern "C" __global__ void build(const int* from, const int* to, int edges, int* head, int* next, int* out)
{
    int t = threadIdx.x;
    for (int e = t; e < edges; e += blockDim.x) {
#if DEFECT == 1
        next[e] = head[from[e]];
        head[from[e]] = e; // <- hang
#elif DEFECT == 4
        next[e] = head[from[e]]; // <- old
        atomicExch(&head[from[e]], e); // <- hang
#else
        int old = atomicExch(&head[from[e]], e); // <- hang
        next[e] = old; // <- link
#endif
    }
#if DEFECT == 3
    if (t < 12) {
        int sum = 0;
        for (int e = atomicAdd(&head[t], 0); e >= 0; e = next[e]) { // <- walk
            sum += to[e];
            if (sum > 1000) break;
        }
        out[t] = sum;
    }
#else
#if DEFECT != 2
    __syncthreads();
#endif
    if (t >= 52) {
        int sum = 0;
        for (int e = head[63 - t]; e >= 0; e = next[e]) { // <- start
            sum += to[e];
        }
        out[63 - t] = sum;
    }
#endif
}
