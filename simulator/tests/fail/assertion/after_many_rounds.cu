//@ run --entry check --grid 1 --block 64 --arg inout:i32:64=zeros
#include <assert.h>
extern "C" __global__ void check(int* data) {
    for (;;) assert(++data[threadIdx.x] < 50000);
}
