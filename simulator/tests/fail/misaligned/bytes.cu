//@ run --entry odd --grid 1 --block 8 --arg in:u8:64=iota --arg out:i32:8
extern "C" __global__ void odd(const unsigned char* in, int* out) { out[threadIdx.x] = *(const int*)(in + 5 * threadIdx.x); }
