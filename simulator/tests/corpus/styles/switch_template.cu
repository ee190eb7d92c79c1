// A state machine whose states meet at a barrier of their own.
//@ run --entry states --grid 1 --block 64 --arg out:i32:64
//! clean
//! defect 1: barrier_divergence at even|odd|last; also=race,uninitialized_read
enum class State { Even, Odd };
extern "C" __global__ void states(int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x, v = 0;
    s[t] = t;
    for (int k = 0; k < 4; ++k) {
#if DEFECT
        State state = (k + t / 32) % 2 ? State::Odd : State::Even;
#else
        State state = k % 2 ? State::Odd : State::Even;
#endif
        switch (state) {
        case State::Even:
            __syncthreads(); // <- even
            v += s[63 - t];
            break;
        case State::Odd:
            v += s[63 - t] * 2;
            __syncthreads(); // <- odd
            break;
        }
    }
    __syncthreads(); // <- last
    out[t] = v;
}
//! label 1: named one consequence only; who reads before the barrier may come before anything was written
