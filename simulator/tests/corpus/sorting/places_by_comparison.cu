// Sorting by counting how many are smaller; equal values are kept in their order by their index.
//@ run --entry rank --grid 2 --block 48 --arg in:i32:96=values:5,3,8,1,5,3,8,1,5,3,8,1,5,3,8,1,5,3,8,1,5,3,8,1,5,3,8,1,5,3,8,1,5,3,8,1,5,3,8,1,5,3,8,1,5,3,8,1,5,3,8,1,5,3,8,1,5,3,8,1,5,3,8,1,5,3,8,1,5,3,8,1,5,3,8,1,5,3,8,1,5,3,8,1,5,3,8,1,5,3,8,1,5,3,8,1 --arg out:i32:96 --arg out:i32:96
//! clean
//! defect 1: race at origin
//! defect 2: race at stage and compare
//! defect 3: race at compare and stage
//! defect 4: out_of_bounds at stage
extern "C" __global__ void rank(const int* in, int* out, int* from)
{
    __shared__ int s[48];
    int t = threadIdx.x, i = blockIdx.x * 48 + t, mine = in[i], smaller = 0;
    for (int tile = 0; tile < 2; ++tile) {
#if DEFECT == 4
        s[t] = in[(tile + 1) * 48 + t]; // <- stage
#else
        s[t] = in[tile * 48 + t]; // <- stage
#endif
#if DEFECT != 2
        __syncthreads();
#endif
        for (int k = 0; k < 48; ++k) {
            int j = tile * 48 + k;
#if DEFECT == 1
            smaller += s[k] < mine; // <- compare
#else
            smaller += s[k] < mine || (s[k] == mine && j < i); // <- compare
#endif
        }
#if DEFECT != 3
        __syncthreads();
#endif
    }
    out[smaller] = mine;
    from[smaller] = i; // <- origin
}
