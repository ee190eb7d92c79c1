//@ launch wait grid=1 block=32 inout:i32:zeros:1
extern "C" __global__ void wait(int* flag) {
    while (*(volatile int*)flag == 0) {}
    *flag = 2;
}
