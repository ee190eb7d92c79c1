//@ run --entry quantum --grid 1 --block 32 --arg out:i32:32
extern "C" __global__ void quantum(int* out) {
    if (threadIdx.x < 4) asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
    out[threadIdx.x] = 1;
}
