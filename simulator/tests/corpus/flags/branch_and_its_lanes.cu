// Lanes in a branch sync among themselves by the mask of those who took it.
//@ run --entry some --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at put and get
//! defect 2: invalid_mask at sync|end
extern "C" __global__ void some(const int* in, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x, first = t & 32, v = in[t];
    unsigned who = __ballot_sync(0xffffffff, v % 5 < 2);
    if (v % 5 < 2) {
        int rank = __popc(who & (1u << t % 32) - 1), count = __popc(who);
        s[first + rank] = v; // <- put
#if DEFECT == 2
        __syncwarp(0xffffffff); // <- sync
#elif !DEFECT
        __syncwarp(who);
#endif
        out[t] = s[first + count - 1 - rank]; // <- get
    } else {
        out[t] = __popc(~who);
    }
    out[t] += __shfl_sync(0xffffffff, v, 31); // <- end
}
