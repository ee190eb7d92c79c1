// Four stages of asynchronous copies; rounds without a copy still commit, so that the count of groups means the same to the end.
//@ run --entry stages --grid 1 --block 64 --arg in:i32:640=iota --arg out:i32:64
//! clean
//! defect 1: race at copy and use
//! defect 2: race at copy and use
//! defect 3: race at copy and use
extern "C" __global__ void stages(const int* in, int* out)
{
    constexpr int STAGES = 4, ROUNDS = 10;
    __shared__ int s[STAGES][64];
    int t = threadIdx.x, sum = 0;
    auto fetch = [&](int round) {
        if (round < ROUNDS) {
            unsigned to = (unsigned)__cvta_generic_to_shared(&s[round % STAGES][t]);
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + round * 64 + t) : "memory"); // <- copy
#if DEFECT == 1
            asm volatile("cp.async.commit_group;" ::: "memory");
#endif
        }
#if DEFECT != 1
        asm volatile("cp.async.commit_group;" ::: "memory");
#endif
    };
    for (int k = 0; k < STAGES - 1; ++k) fetch(k);
    for (int k = 0; k < ROUNDS; ++k) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
#if DEFECT != 2
        __syncthreads();
#endif
#if DEFECT == 3
        fetch(k + STAGES);
        sum += s[k % STAGES][63 - t]; // <- use
#else
        sum += s[k % STAGES][63 - t]; // <- use
        fetch(k + STAGES - 1);
#endif
    }
    out[t] = sum;
}
