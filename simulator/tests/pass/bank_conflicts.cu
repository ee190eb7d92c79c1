//@ run --entry strides --grid 1 --block 32 --arg out:i32:34
extern "C" __global__ void strides(int* out) {
    __shared__ int data[34 * 32];
    for (int i = threadIdx.x; i < 34 * 32; i += 32) data[i] = i;
    __syncthreads();
    for (int stride = 0; stride < 34; ++stride) {
        volatile int* p = data + threadIdx.x * stride;
        long long before = clock64();
        int value = *p;
        long long after = clock64();
        if (value == -1) __trap();
        if (threadIdx.x == 0) out[stride] = (int)(after - before);
        __syncwarp();
    }
}
