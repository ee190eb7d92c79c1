// Ranks are pulled from the neighbours, iteration by iteration, from one array to the other.
//@ run --entry rank --grid 1 --block 64 --arg in:i32:41=values:0,0,2,9,12,17,26,30,35,39,44,46,48,53,55,64,67,73,73,74,76,82,85,92,96,101,103,110,112,115,117,120,122,128,130,134,136,142,144,149,149 --arg in:i32:149=values:4,14,5,9,18,19,23,37,38,14,16,26,1,9,11,22,36,2,8,9,14,16,23,24,30,36,12,25,31,38,7,20,22,32,38,5,12,16,21,2,4,5,16,28,15,36,4,26,6,8,22,27,38,26,32,1,3,5,15,20,21,22,31,34,10,14,22,3,5,8,9,24,28,2,2,26,7,14,24,30,32,33,8,14,38,4,7,12,14,15,25,33,2,5,28,34,5,16,20,26,32,6,22,3,11,13,19,24,30,35,12,36,9,16,23,32,34,5,20,26,6,14,7,13,20,24,29,36,20,22,14,23,29,37,26,36,4,5,10,27,32,35,2,34,2,6,7,12,21 --arg i32:40 --arg inout:f32:40=ones --arg inout:f32:40=zeros
//! clean
//! defect 1: race at pull and put
//! defect 2: race at pull and put
//! defect 3: out_of_bounds at rows
extern "C" __global__ void rank(const int* row, const int* col, int n, float* a, float* b)
{
    float *old = a, *now = b;
    for (int round = 0; round < 4; ++round) {
#if DEFECT == 3
        for (int v = threadIdx.x; v < n + 1; v += blockDim.x) {
#else
        for (int v = threadIdx.x; v < n; v += blockDim.x) {
#endif
            float sum = 0;
            for (int j = row[v]; j < row[v + 1]; ++j) { // <- rows
                int w = col[j];
                sum += old[w] / (row[w + 1] - row[w]); // <- pull
            }
#if DEFECT == 1
            old[v] = 0.15f + 0.85f * sum; // <- put
#else
            now[v] = 0.15f + 0.85f * sum; // <- put
#endif
        }
#if DEFECT != 2
        __syncthreads();
#endif
        float* other = old;
        old = now;
        now = other;
    }
}
