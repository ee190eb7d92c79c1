//@ run --entry wait --grid 1 --block 32 --arg inout:i32:1=zeros --arg inout:i32:1=zeros
extern "C" __global__ void wait(int* flag, int* rounds) {
    int n = 0, stop = 0;
    while (!stop) {
        if (threadIdx.x == 0) stop = atomicAdd(flag, 0);
        stop = __shfl_sync(0xffffffff, stop, 0);
        n++;
    }
    *rounds = n;
}
