// One pass of a radix sort: lanes of the same digit rank themselves by matching, warps one after another by a table that is scanned.
//@ run --entry pass --grid 1 --block 128 --arg in:i32:128=iota --arg out:i32:128
//! clean
//! defect 1: race at rank and scan
//! defect 2: race at scan and base
//! defect 3: race at put and get
//! defect 4: uninitialized_read at scan|base|put; also=race,out_of_bounds
extern "C" __global__ void pass(const int* in, int* out)
{
    __shared__ int count[4][16], sorted[128];
    int t = threadIdx.x, warp = t / 32, lane = t % 32;
    int value = 127 - in[t], digit = value / 8 % 16;
#if DEFECT != 4
    for (int k = lane; k < 16; k += 32) count[warp][k] = 0; // <- rank
    __syncwarp();
#endif
    unsigned same = __match_any_sync(0xffffffffu, digit);
    int before = __popc(same & ((1u << lane) - 1));
    if (before == 0) count[warp][digit] = __popc(same); // <- rank
#if DEFECT != 1
    __syncthreads();
#endif
    if (t < 32) {
        int start = 0;
        for (int w = 0; w < 4 && t < 16; ++w) start += count[w][t]; // <- scan
        int sum = start;
        for (int step = 1; step < 16; step *= 2) {
            int other = __shfl_up_sync(0xffffffffu, sum, step);
            if (t >= step) sum += other;
        }
        sum -= start;
        for (int w = 0; w < 4 && t < 16; ++w) {
            int here = count[w][t]; // <- scan
            count[w][t] = sum; // <- scan
            sum += here;
        }
    }
#if DEFECT != 2
    __syncthreads();
#endif
    int place = count[warp][digit] + before; // <- base
    sorted[place] = value; // <- put
#if DEFECT != 3
    __syncthreads();
#endif
    out[t] = sorted[t]; // <- get
}
