// A producer warp fills two slots; full and empty barriers with the library's names for the instructions.
//@ run --entry ring --grid 1 --block 64 --arg in:i32:192=iota --arg out:i32:32 --budget 4000000
//! clean
//! defect 1: race at fill and drain; also=deadlock
//! defect 2: race|deadlock at fill|wait|drain; also=deadlock
//! defect 3: deadlock at wait
#include <cuda/ptx>
#include <cuda/std/cstdint>
namespace ptx = cuda::ptx;
extern "C" __global__ void ring(const int* in, int* out)
{
    __shared__ int slot[2][32];
    __shared__ cuda::std::uint64_t full[2], empty[2];
    int lane = threadIdx.x % 32;
    if (threadIdx.x < 2) {
        ptx::mbarrier_init(&full[threadIdx.x], 32);
#if DEFECT == 3
        ptx::mbarrier_init(&empty[threadIdx.x], 64);
#else
        ptx::mbarrier_init(&empty[threadIdx.x], 32);
#endif
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        for (int k = 0; k < 6; ++k) {
#if DEFECT != 2
            while (!ptx::mbarrier_try_wait_parity(&empty[k % 2], (k / 2 & 1) ^ 1)) {} // <- wait
#endif
            slot[k % 2][lane] = in[32 * k + lane]; // <- fill
            ptx::mbarrier_arrive(&full[k % 2]);
        }
    } else {
        int sum = 0;
        for (int k = 0; k < 6; ++k) {
#if DEFECT == 1
            if (k != 3)
#endif
            while (!ptx::mbarrier_try_wait_parity(&full[k % 2], k / 2 & 1)) {} // <- wait
            sum += slot[k % 2][31 - lane]; // <- drain
            ptx::mbarrier_arrive(&empty[k % 2]);
        }
        out[lane] = sum;
    }
}
//! label 2: it was a race; a producer that nothing holds back may pass the phase that the consumer waits for, and then a deadlock is as right
