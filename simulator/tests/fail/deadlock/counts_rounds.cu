//@ run --entry wait --grid 1 --block 32 --arg in:i32:1=zeros --arg inout:i32:1=zeros
extern "C" __global__ void wait(volatile int* flag, int* rounds) {
    int n = 0;
    while (*flag == 0) n++;
    *rounds = n;
}
