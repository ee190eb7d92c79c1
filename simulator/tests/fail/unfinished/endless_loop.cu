//@ budget 100000
//@ launch endless grid=1 block=32 inout:i32:zeros:32
extern "C" __global__ void endless(int* out) {
    for (unsigned i = 1; i != 0; i += 2) out[threadIdx.x] = i;
}
