// Warp 1 waits at a barrier for a word that warp 0 sets only after that barrier... from inside a spin.
//@ run --entry spin_at_barrier --grid 1 --block 64 --budget 2000000 --arg inout:i32:1=zeros
// status: unfinished|faulted
// expect: deadlock|unfinished|barrier_divergence error @ spin|barrier

extern "C" __global__ void spin_at_barrier(int* flag)
{
    if (threadIdx.x < 32) {
        while (atomicAdd(flag, 0) == 0) {} // <- spin
    }
    __syncthreads(); // <- barrier
    if (threadIdx.x == 32) atomicExch(flag, 1);
}
