// Barriers in a loop that is made of goto; all threads jump on the same word.
//@ run --entry retry --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64 --budget 300000
//! clean
//! defect 1: race at add and decide; also=barrier_divergence,unfinished
//! defect 2: race at clear and decide; also=barrier_divergence
//! defect 3: barrier_divergence at first|meet|done; also=race
extern "C" __global__ void retry(const int* in, int* out)
{
    __shared__ int sum;
    int t = threadIdx.x, round = 0;
again:
    if (t == 0) sum = 0; // <- clear
    __syncthreads(); // <- first
    atomicAdd(&sum, in[t] >> round); // <- add
#if DEFECT != 1
    __syncthreads(); // <- meet
#endif
    ++round;
#if DEFECT == 3
    if (in[t] >> round > 10) goto again;
#else
    int seen = sum; // <- decide
#if DEFECT != 2
    __syncthreads();
#endif
    if (seen > 100) goto again;
#endif
    __syncthreads(); // <- done
    out[t] = round;
}
//! label 1: named one consequence only; the warp that goes on alone never sees the sum cleared and goes round forever
