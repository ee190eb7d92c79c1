//@ run --entry cross --grid 1 --block 64 --arg out:i32:64
extern "C" __global__ void cross(int* out) {
    if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;" ::: "memory");
    else asm volatile("bar.sync 2, 64;" ::: "memory");
    out[threadIdx.x] = 1;
}
