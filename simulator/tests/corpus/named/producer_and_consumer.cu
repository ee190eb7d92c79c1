// One warp fills, another drains: arrive on one side, sync on the other, by barriers 1 and 2.
//@ run --entry pipe --grid 1 --block 64 --arg in:i32:32x3=iota --arg out:i32:32x3 --budget 2000000
//! clean
//! defect 1: race|deadlock at fill|drain|full|empty
//! defect 2: race at fill and drain; also=deadlock
//! defect 3: deadlock at full|empty
extern "C" __global__ void pipe(const int* in, int* out)
{
    __shared__ int s[32];
    int t = threadIdx.x, lane = t % 32;
    for (int k = 0; k < 3; ++k) {
        if (t < 32) {
#if DEFECT != 1
            if (k > 0) asm volatile("bar.sync 2, 64;" ::: "memory"); // <- empty
#endif
            s[lane] = in[k * 32 + lane]; // <- fill
#if DEFECT != 3
            asm volatile("bar.arrive 1, 64;" ::: "memory");
#endif
        } else {
#if DEFECT != 2
            asm volatile("bar.sync 1, 64;" ::: "memory"); // <- full
#endif
            out[k * 32 + lane] = s[31 - lane]; // <- drain
#if DEFECT != 1
            if (k < 2) asm volatile("bar.arrive 2, 64;" ::: "memory");
#endif
        }
    }
}
//! label 1: was a race only; a producer that arrives twice in one phase also spoils the count, and the consumer may wait for ever
//! label 2: named no consequence; a consumer that arrives twice in one phase completes it alone, and the producer waits for ever
