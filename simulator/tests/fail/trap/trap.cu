//@ launch stop grid=1 block=32 in:i32:iota:32
extern "C" __global__ void stop(const int* in) {
    if (in[threadIdx.x] == 7) __trap();
}
