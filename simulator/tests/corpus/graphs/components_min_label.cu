// Connected components: labels fall by atomic minimum along edges, then jump to their label's label in another array.
//@ run --entry components --grid 1 --block 96 --arg in:i32:33=values:1,1,1,1,1,1,1,1,1,2,2,2,3,3,3,4,4,4,4,5,5,6,6,6,6,7,7,8,8,9,9,9,10 --arg in:i32:33=values:2,3,4,5,6,7,8,9,10,1,3,4,1,2,4,1,2,3,9,1,6,1,5,6,7,1,6,1,9,1,4,8,1 --arg i32:33 --arg inout:i32:12=iota --arg inout:i32:12=zeros --arg i32:12
//! clean
//! defect 1: race at look and lower
//! defect 2: race at plain
//! defect 3: race at jump and lower
//! defect 4: race at above
//! defect 5: out_of_bounds at ends
//! defect 6: race at back and jump
extern "C" __global__ void components(const int* from, const int* to, int edges, int* label, int* next, int n)
{
    int t = threadIdx.x;
    for (int round = 0; round < 3; ++round) {
#if DEFECT == 5
        for (int e = t; e <= edges; e += blockDim.x) {
#else
        for (int e = t; e < edges; e += blockDim.x) {
#endif
            int a = from[e], b = to[e]; // <- ends
#if DEFECT == 1
            int mine = label[a]; // <- look
#else
            int mine = atomicAdd(&label[a], 0);
#endif
#if DEFECT == 2
            label[b] = min(label[b], mine); // <- plain
#else
            atomicMin(&label[b], mine); // <- lower
#endif
        }
#if DEFECT != 3
        __syncthreads();
#endif
        if (t < n) {
#if DEFECT == 4
            label[t] = label[label[t]]; // <- above
#else
            next[t] = label[label[t]]; // <- jump
#endif
        }
#if DEFECT != 6
        __syncthreads();
#endif
#if DEFECT != 4
        if (t < n) {
            label[t] = next[t]; // <- back
        }
#endif
        __syncthreads();
    }
}
