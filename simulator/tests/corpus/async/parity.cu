// The barriers' primitives: tokens, pending counts, parities.
//@ run --entry parity --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64 --budget 2000000
//! clean
//! defect 1: race at store and load; also=deadlock
//! defect 2: deadlock at poll
#include <cuda_awbarrier_primitives.h>
extern "C" __global__ void parity(const int* in, int* out)
{
    __shared__ int s[64];
    __shared__ __mbarrier_t all;
    int t = threadIdx.x, sum = 0;
    if (t == 0) __mbarrier_init(&all, 64);
    __syncthreads();
    for (int k = 0; k < 3; ++k) {
        s[t] = in[t] + k; // <- store
        __mbarrier_token_t token = __mbarrier_arrive(&all);
        sum += __mbarrier_token_pending_count(token) > 64u;
#if DEFECT == 1
        while (!__mbarrier_test_wait_parity(&all, 1)) { }
#else
        while (!__mbarrier_test_wait_parity(&all, 0)) { }
#endif
        sum += s[63 - t]; // <- load
#if DEFECT == 2
        while (k == 2 && !__mbarrier_test_wait_parity(&all, 1)) { } // <- poll
#endif
        token = __mbarrier_arrive(&all);
        while (!__mbarrier_test_wait(&all, token)) { }
    }
    out[t] = sum;
}
//! label 1: a deadlock was not allowed as a consequence; threads that are not held up arrive in phases of others, which then lack them
