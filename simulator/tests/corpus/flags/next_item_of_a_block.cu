// A block draws its next item and tells all its threads through shared memory: a barrier before and behind.
//@ run --entry draw --grid 3 --block 64 --arg in:i32:13=values:0,0,9,12,15,19,21,25,27,29,32,33,33 --arg in:i32:33=values:2,3,4,5,6,7,8,9,10,1,3,4,1,2,4,1,2,3,9,1,6,1,5,6,7,1,6,1,9,1,4,8,1 --arg i32:12 --arg inout:i32:1=zeros --arg inout:i32:12=zeros
//! clean
//! defect 1: race at tell and hear; also=barrier_divergence
//! defect 2: race at tell and hear; also=barrier_divergence
//! defect 3: race at draw
extern "C" __global__ void draw(const int* row, const int* col, int n, int* next, int* sums)
{
    __shared__ int item;
    while (true) {
        if (threadIdx.x == 0) {
#if DEFECT == 3
            int mine = (*next)++; // <- draw
#else
            int mine = atomicAdd(next, 1);
#endif
            item = mine; // <- tell
        }
#if DEFECT == 1
        __syncwarp();
#else
        __syncthreads();
#endif
        int v = item; // <- hear
        if (v >= n) break;
        for (int j = row[v] + threadIdx.x; j < row[v + 1]; j += blockDim.x) atomicAdd(&sums[col[j]], v);
#if DEFECT != 2
        __syncthreads();
#endif
    }
}
