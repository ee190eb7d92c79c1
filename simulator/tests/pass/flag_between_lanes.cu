//@ run --entry pass_on --grid 1 --block 32 --arg out:i32:1
extern "C" __global__ void pass_on(int* out) {
    __shared__ volatile int flag;
    __shared__ volatile int value;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x == 5) {
        while (flag == 0) {}
        __threadfence_block();
        out[0] = value;
    } else if (threadIdx.x == 9) {
        value = 42;
        __threadfence_block();
        flag = 1;
    }
}
