// Full and empty barriers of three slots, written in PTX as asynchronous pipelines do: each side keeps the parity of the phase that it waits for.
//@ run --entry ring --grid 1 --block 64 --arg in:i32:320=iota --arg out:i32:32 --budget 4000000
//! clean
//! defect 1: race|uninitialized_read|deadlock at fill|drain|wait; also=deadlock
//! defect 2: deadlock at wait
//! defect 3: race|deadlock at drain|fill|wait; also=deadlock,race
//! defect 4: race at init and arrive|wait; also=deadlock,uninitialized_read,unfinished,misaligned,out_of_bounds
__device__ __forceinline__ unsigned at(void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void wait(unsigned long long* b, unsigned parity)
{
    asm volatile( // <- wait
        "{\n.reg .pred p;\nL: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra L;\n}" ::"r"(at(b)), "r"(parity) // <- wait
        : "memory");
}
__device__ __forceinline__ void arrive(unsigned long long* b)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at(b)) : "memory"); // <- arrive
}
extern "C" __global__ void ring(const int* in, int* out)
{
    constexpr int SLOTS = 3;
    __shared__ int slot[SLOTS][32];
    __shared__ unsigned long long full[SLOTS], empty[SLOTS];
    int lane = threadIdx.x % 32, phase = 0, k = 0;
    if (threadIdx.x == 0) {
        for (int i = 0; i < SLOTS; ++i) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 32;" ::"r"(at(&full[i])) : "memory"); // <- init
#if DEFECT == 2
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 33;" ::"r"(at(&empty[i])) : "memory");
#else
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 32;" ::"r"(at(&empty[i])) : "memory"); // <- init
#endif
        }
    }
#if DEFECT != 4
    __syncthreads();
#endif
    if (threadIdx.x < 32) {
        for (int round = 0; round < 10; ++round) {
#if DEFECT == 3
            if (round >= SLOTS) wait(&empty[k], phase);
#else
            wait(&empty[k], phase ^ 1);
#endif
            slot[k][lane] = in[round * 32 + lane]; // <- fill
            arrive(&full[k]);
            if (++k == SLOTS) k = 0, phase ^= 1;
        }
    } else {
        int sum = 0;
        for (int round = 0; round < 10; ++round) {
#if DEFECT == 1
            wait(&full[k], phase ^ 1);
#else
            wait(&full[k], phase);
#endif
            sum += slot[k][31 - lane]; // <- drain
            arrive(&empty[k]);
            if (++k == SLOTS) k = 0, phase ^= 1;
        }
        out[lane] = sum;
    }
}
//! label 1: where the producer comes first, the phase that is waited for has begun and never ends: a deadlock is as right as a race
