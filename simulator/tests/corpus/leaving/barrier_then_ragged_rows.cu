// A block loads a table together. Then each warp works on a row; the last row is shorter, and its lanes beyond the end are named by no mask.
//@ run --entry rows --grid 1 --block 96 --arg in:i32:64=iota --arg out:i32:80 --arg i32:80
//! clean
//! defect 1: invalid_mask warning at meet
//! defect 2: invalid_mask warning at swap
extern "C" __global__ void rows(const int* in, int* out, int n)
{
    __shared__ int table[64], s[96];
    int t = threadIdx.x, lane = t & 31;
    if (t < 64) table[t] = in[t];
    __syncthreads();
    unsigned mask = __ballot_sync(0xffffffff, t < n);
    if (t >= n) return;
#if DEFECT == 2
    int v = __shfl_xor_sync(0xffffffff, table[t % 64], 1); // <- swap
#else
    int v = __shfl_xor_sync(mask, table[t % 64], 1);
#endif
    s[t] = v;
#if DEFECT == 1
    __syncwarp(); // <- meet
#else
    __syncwarp(mask);
#endif
    out[t] = s[t - lane + (lane * 3 & 15)];
}
//! label 2: was an error; CUDA asks only lanes that have not left the kernel to come to any warp-wide operation, the hardware goes on without them
