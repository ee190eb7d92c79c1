//@ run --entry meet --grid 1 --block 64 --arg out:i32:64
#include <cuda/barrier>
extern "C" __global__ void meet(int* out) {
    __shared__ unsigned long long barrier;
    __shared__ int s[64];
    int t = threadIdx.x;
    unsigned at = (unsigned)__cvta_generic_to_shared(&barrier);
    asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at) : "memory");
    __syncthreads();
    s[t] = t;
    asm volatile("{.reg .b64 token; .reg .pred p; mbarrier.arrive.shared.b64 token, [%0]; again: mbarrier.test_wait.shared.b64 p, [%0], token; @!p bra again;}" ::"r"(at) : "memory");
    out[t] = s[63 - t];
}
