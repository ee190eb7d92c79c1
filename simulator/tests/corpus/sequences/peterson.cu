// Two warps exclude each other by flags and turns, all volatile and with fences; leaving out the look at the other's flag excludes nobody.
//@ run --entry both --grid 1 --block 64 --arg out:i32:1
//! clean
//! defect 1: race at work
extern "C" __global__ void both(int* out)
{
    __shared__ volatile int wants[2];
    __shared__ volatile int turn;
    __shared__ int sum;
    int t = threadIdx.x, me = t / 32, other = 1 - me;
    if (t == 0) wants[0] = wants[1] = turn = sum = 0;
    __syncthreads();
    if (t % 32 == 0) {
        for (int k = 0; k < 4; ++k) {
            wants[me] = 1;
            __threadfence_block();
            turn = other;
            __threadfence_block();
#if !DEFECT
            while (wants[other] && turn == other) {}
#endif
            __threadfence_block();
            sum += 1; // <- work
            __threadfence_block();
            wants[me] = 0;
        }
    }
    __syncthreads();
    if (t == 0) *out = sum;
}
