//@ run --entry wait --grid 1 --block 32 --arg inout:i32:1=zeros
extern "C" __global__ void wait(int* flag) {
    while (*(volatile int*)flag == 0) {}
    *flag = 2;
}
