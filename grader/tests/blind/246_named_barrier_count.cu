// A named barrier expects 64 threads, only 32 ever come.
//@ run --entry wrong_count --grid 1 --block 96 --arg out:i32:96
// status: unfinished|faulted
// expect: deadlock|barrier_divergence error @ barrier

extern "C" __global__ void wrong_count(int* out)
{
    int t = threadIdx.x;
    out[t] = t;
    if (t < 32) {
        asm volatile("bar.sync 1, 64;" ::: "memory"); // <- barrier
    }
    out[t] += 1;
}
