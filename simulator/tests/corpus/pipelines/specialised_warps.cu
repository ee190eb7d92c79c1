// Warp specialisation over named barriers: one warp loads tiles, two warps work on them and a fourth writes results, each pair of roles with barriers of its own.
//@ run --entry roles --grid 1 --block 128 --arg in:i32:256=iota --arg out:i32:256
//! clean
//! defect 1: race at load and work; also=deadlock
//! defect 2: race at work and write; also=deadlock
//! defect 3: deadlock at full|done|room|taken|sync
//! defect 4: race|deadlock at load|work|sync; also=deadlock,race
template <int ID, int THREADS>
__device__ __forceinline__ void sync()
{
    asm volatile("bar.sync %0, %1;" ::"n"(ID), "n"(THREADS) : "memory"); // <- sync
}
template <int ID, int THREADS>
__device__ __forceinline__ void arrive()
{
    asm volatile("bar.arrive %0, %1;" ::"n"(ID), "n"(THREADS) : "memory");
}
enum { FULL = 1, ROOM = 2, DONE = 3, TAKEN = 4 };
extern "C" __global__ void roles(const int* in, int* out)
{
    __shared__ int tile[64], result[64];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (warp == 0) {
        for (int k = 0; k < 4; ++k) {
#if DEFECT != 4
            if (k > 0) sync<ROOM, 96>(); // <- room
#endif
            tile[lane] = in[k * 64 + lane]; // <- load
            tile[lane + 32] = in[k * 64 + 32 + lane]; // <- load
#if DEFECT == 3
            arrive<FULL, 128>(); // <- full
#else
            arrive<FULL, 96>();
#endif
        }
    } else if (warp < 3) {
        int t = threadIdx.x - 32;
        for (int k = 0; k < 4; ++k) {
#if DEFECT == 1
            sync<FULL + 4, 64>();
#elif DEFECT == 3
            sync<FULL, 128>(); // <- full
#else
            sync<FULL, 96>(); // <- full
#endif
            int v = tile[63 - t] * 2; // <- work
#if DEFECT == 4
            asm volatile("" ::: "memory");
#else
            if (k < 3) arrive<ROOM, 96>();
#endif
            if (k > 0) sync<TAKEN, 96>(); // <- taken
            result[t] = v; // <- work
            arrive<DONE, 96>();
        }
    } else {
        for (int k = 0; k < 4; ++k) {
#if DEFECT != 2
            sync<DONE, 96>(); // <- done
#endif
            out[k * 64 + lane] = result[63 - lane]; // <- write
            out[k * 64 + 32 + lane] = result[31 - lane]; // <- write
            if (k < 3) arrive<TAKEN, 96>();
        }
    }
}
//! label 3: the place is the line in the function, not that of its call
//! label 4: where the loader comes first, its own arrivals end a round, and the workers wait in vain: a deadlock is as right as a race
