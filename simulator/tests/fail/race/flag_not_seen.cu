//@ run --entry pass_on --grid 3 --block 32 --arg inout:i32:4=zeros
extern "C" __global__ void pass_on(int* data) {
    volatile int *flag = &data[0], *go = &data[1];
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        data[2] = 5;
        __threadfence();
        *flag = 1;
        *go = 1;
    } else if (blockIdx.x == 1) {
        while (*go == 0) {}
        // It has no fence: what block 0 handed over ends here.
        *flag = 2;
    } else {
        while (*flag != 2) {}
        __threadfence();
        data[3] = data[2];
    }
}
