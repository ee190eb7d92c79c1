// A state machine: the block goes from state to state together, by a switch with barriers in its cases; which state is next, one thread decides.
//@ run --entry machine --grid 1 --block 40 --arg in:i32:40=iota --arg out:i32:40
//! clean
//! defect 1: barrier_divergence at add|turn|next|store; also=race,uninitialized_read,deadlock,unfinished
//! defect 2: race at decide and read; also=barrier_divergence,deadlock,unfinished
extern "C" __global__ void machine(const int* in, int* out)
{
    __shared__ int state, s[40];
    int t = threadIdx.x, v = in[t], rounds = 0;
    if (t == 0) state = 1;
    __syncthreads(); // <- next
    while (true) {
        int now = state; // <- read
#if DEFECT == 1
        if (t > 31 && rounds == 1) now = 2;
#endif
        if (now == 0 || rounds == 9) break;
        switch (now) {
        case 1:
            s[t] = v;
            __syncthreads(); // <- add
            v += s[39 - t];
            break;
        case 2:
            s[t] = v + rounds;
            __syncthreads(); // <- turn
            v = s[(t + 1) % 40];
            break;
        default:
            v *= 3;
        }
        ++rounds;
#if DEFECT != 2
        __syncthreads(); // <- next
#endif
        if (t == 0) state = 1 + (state * 2 + rounds) % 3; // <- decide
        __syncthreads(); // <- next
    }
    out[t] = v; // <- store
}
//! label 2: a consequence was not allowed: threads that read different states go to different barriers
