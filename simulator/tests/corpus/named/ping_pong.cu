// A producer warp and a consumer warp hand one buffer to and fro over two named barriers, full and empty.
//@ run --entry ping_pong --grid 1 --block 64 --arg in:i32:128=iota --arg out:i32:128
//! clean
//! defect 1: race at fill and drain; also=deadlock
//! defect 2: race at fill and drain
extern "C" __global__ void ping_pong(const int* in, int* out)
{
    __shared__ int buffer[32];
    int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        for (int k = 0; k < 4; ++k) {
#if DEFECT != 1
            if (k > 0) asm volatile("bar.sync 2, 64;" ::: "memory");
#endif
            buffer[lane] = in[k * 32 + lane]; // <- fill
            asm volatile("bar.arrive 1, 64;" ::: "memory");
        }
    } else {
        for (int k = 0; k < 4; ++k) {
            asm volatile("bar.sync 1, 64;" ::: "memory");
#if DEFECT == 2
            if (k < 3) asm volatile("bar.arrive 2, 64;" ::: "memory");
#endif
            out[k * 32 + lane] = buffer[31 - lane]; // <- drain
#if !DEFECT
            if (k < 3) asm volatile("bar.arrive 2, 64;" ::: "memory");
#elif DEFECT == 1
            asm volatile("bar.sync 3, 32;" ::: "memory");
#endif
        }
    }
}
//! explore 1: 8
