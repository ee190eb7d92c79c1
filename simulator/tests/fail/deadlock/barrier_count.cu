//@ run --entry three --grid 1 --block 64 --arg out:i32:64
extern "C" __global__ void three(int* out) {
    asm volatile("bar.sync 1, 96;" ::: "memory");
    out[threadIdx.x] = 1;
}
