//@ launch left grid=1 block=32 in:i32:iota:32 out:i32:32
extern "C" __global__ void left(const int* in, int* out) { out[threadIdx.x] = in[(int)threadIdx.x - 1]; }
