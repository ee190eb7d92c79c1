//@ run --entry stop --grid 1 --block 32 --arg in:i32:32=iota
extern "C" __global__ void stop(const int* in) {
    if (in[threadIdx.x] == 7) __trap();
}
