//@ launch locked grid=1 block=64 inout:i32:zeros:2
extern "C" __global__ void locked(int* data) {
    while (atomicCAS(&data[0], 0, 1) != 0) {}
    __threadfence();
    *(volatile int*)&data[1] = *(volatile int*)&data[1] + 1;
    __threadfence();
    atomicExch(&data[0], 0);
}
