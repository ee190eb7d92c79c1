// Sums of runs of equal keys: lanes pass their sums on within a run, the last of each run adds to the key's total.
//@ run --entry runs --grid 2 --block 64 --arg in:i32:128=iota --arg inout:i32:40=zeros
//! clean
//! defect 1: race at total
//! defect 2: invalid_mask at next; also=uninitialized_read
//! defect 3: out_of_bounds at total
extern "C" __global__ void runs(const int* in, int* totals)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    int key = in[i] / 5, sum = in[i];
    for (int d = 1; d < 32; d *= 2) {
        int k = __shfl_up_sync(~0u, key, d), v = __shfl_up_sync(~0u, sum, d);
        if (lane >= d && k == key) sum += v;
    }
#if DEFECT == 2
    bool last = lane == 31 || __shfl_down_sync(~0u, key, 1) != key; // <- next
#else
    int next = __shfl_down_sync(~0u, key, 1);
    bool last = lane == 31 || next != key;
#endif
#if DEFECT == 1
    if (last) totals[key] += sum; // <- total
#elif DEFECT == 3
    if (last) atomicAdd(&totals[key * 2], sum); // <- total
#else
    if (last) atomicAdd(&totals[key], sum);
#endif
}
