//@ launch wait grid=1 block=32 inout:i32:zeros:1 inout:i32:zeros:1
extern "C" __global__ void wait(int* flag, int* rounds) {
    int n = 0, stop = 0;
    while (!stop) {
        if (threadIdx.x == 0) stop = atomicAdd(flag, 0);
        stop = __shfl_sync(0xffffffff, stop, 0);
        n++;
    }
    *rounds = n;
}
