// A counting sort: positions of equal digits in order of lanes by match_any, in order of warps by a table of counts by warp and digit.
//@ run --entry sort --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at count and scan
//! defect 2: race at scan and start
//! defect 3: race at clear and count
//! defect 4: race at put
extern "C" __global__ void sort(const int* in, int* out)
{
    __shared__ int counts[4][2];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    if (t < 8) counts[t / 2][t % 2] = 0; // <- clear
#if DEFECT != 3
    __syncthreads();
#endif
    int v = in[t] * 21 % 64, digit = v % 4;
    unsigned peers = __match_any_sync(~0u, digit);
    int before = __popc(peers & (1u << lane) - 1);
    if (before == 0) counts[digit][warp] = __popc(peers); // <- count
#if DEFECT != 1
    __syncthreads();
#endif
    if (t == 0) {
        int sum = 0;
        for (int k = 0; k < 8; ++k) {
            int n = counts[k / 2][k % 2]; // <- scan
            counts[k / 2][k % 2] = sum; // <- scan
            sum += n;
        }
    }
#if DEFECT != 2
    __syncthreads();
#endif
    int at = counts[digit][warp] + before; // <- start
#if DEFECT == 4
    at = counts[digit][0] + before; // <- start
#endif
    out[at] = v; // <- put
}
