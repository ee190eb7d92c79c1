//@ run --entry locked --grid 64 --block 64 --arg inout:i32:2=zeros
// Who waits for a lock waits for its holder, which is running: no order of blocks is relied on.
extern "C" __global__ void locked(int* data) {
    if (threadIdx.x == 0) {
        while (atomicCAS(&data[0], 0, 1) != 0) {}
        __threadfence();
        int old = *(volatile int*)&data[1];
        for (int i = 0; i < 100; ++i) __nanosleep(10);
        *(volatile int*)&data[1] = old + 1;
        __threadfence();
        atomicExch(&data[0], 0);
    }
}
