//@ run --entry locked --grid 1 --block 64 --arg inout:i32:2=zeros
extern "C" __global__ void locked(int* data) {
    while (atomicCAS(&data[0], 0, 1) != 0) {}
    __threadfence();
    *(volatile int*)&data[1] = *(volatile int*)&data[1] + 1;
    __threadfence();
    atomicExch(&data[0], 0);
}
