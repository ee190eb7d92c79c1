// A block for a vertex counts triangles in shared memory; an edge for a thread, two sorted rows are merged.
//@ run --entry triangles --grid 13 --block 64 --arg in:i32:13=values:0,0,9,12,15,19,21,25,27,29,32,33,33 --arg in:i32:33=values:2,3,4,5,6,7,8,9,10,1,3,4,1,2,4,1,2,3,9,1,6,1,5,6,7,1,6,1,9,1,4,8,1 --arg i32:12 --arg inout:i32:1=zeros
//! clean
//! defect 1: race at found
//! defect 2: race at clear and found
//! defect 3: race at found and total
//! defect 4: race at all
//! defect 5: out_of_bounds at merge
extern "C" __global__ void triangles(const int* row, const int* col, int n, int* all)
{
    __shared__ int mine;
    int v = blockIdx.x;
    if (v >= n) return;
    if (threadIdx.x == 0) {
        mine = 0; // <- clear
    }
#if DEFECT != 2
    __syncthreads();
#endif
    for (int j = row[v] + threadIdx.x; j < row[v + 1]; j += blockDim.x) {
        int w = col[j];
        int a = row[v], b = row[w];
#if DEFECT == 5
        while (a < row[v + 1] && b <= row[w + 1]) {
#else
        while (a < row[v + 1] && b < row[w + 1]) {
#endif
            int x = col[a], y = col[b]; // <- merge
            if (x == y) {
#if DEFECT == 1
                mine += 1; // <- found
#else
                atomicAdd(&mine, 1); // <- found
#endif
            }
            a += x <= y;
            b += x >= y;
        }
    }
#if DEFECT != 3
    __syncthreads();
#endif
    if (threadIdx.x == 0) {
        int sum = mine; // <- total
#if DEFECT == 4
        *all += sum; // <- all
#else
        atomicAdd(all, sum);
#endif
    }
}
