// Triples in any order: products are added up by atomics, or within a warp where neighbours have the same row.
//@ run --entry coo --grid 2 --block 32 --arg in:i32:64=iota --arg in:i32:64=iota --arg in:f32:64=ones --arg in:f32:64=iota --arg inout:f32:16=zeros --arg i32:64
//! clean
//! defect 1: race at add
//! defect 2: race at carry
//! defect 3: out_of_bounds at look
extern "C" __global__ void coo(const int* row, const int* col, const float* a, const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    int r = row[i] / 6;
    float v = a[i] * x[col[i]];
    for (int d = 1; d < 32; d *= 2) {
        int other = __shfl_up_sync(~0u, r, d);
        float sum = __shfl_up_sync(~0u, v, d);
        if (lane >= d && other == r) v += sum;
    }
#if DEFECT == 3
    bool end = lane == 31 || row[i + 2] / 6 != r; // <- look
    end |= row[i + 1] / 6 != r; // <- look
#else
    bool end = lane == 31 || row[i + 1] / 6 != r;
#endif
#if DEFECT == 1
    if (end) y[r] += v; // <- add
#elif DEFECT == 2
    if (end && lane < 31) y[r] = v; // <- carry
    else if (end) atomicAdd(&y[r], v); // <- carry
#else
    if (end) atomicAdd(&y[r], v);
#endif
}
