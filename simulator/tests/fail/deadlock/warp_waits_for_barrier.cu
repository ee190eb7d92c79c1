//@ run --entry handshake --grid 1 --block 64 --arg out:i32:1
extern "C" __global__ void handshake(int* out) {
    __shared__ volatile int flag;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        while (flag == 0) {}
        __syncthreads();
    } else {
        __syncthreads();
        flag = 1;
    }
    out[0] = flag;
}
