//@ launch wait grid=1 block=32 in:i32:zeros:1 inout:i32:zeros:1
extern "C" __global__ void wait(volatile int* flag, int* rounds) {
    int n = 0;
    while (*flag == 0) n++;
    *rounds = n;
}
