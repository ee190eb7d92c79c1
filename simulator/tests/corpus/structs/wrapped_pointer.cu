// A pointer in a structure of its own is passed as a pointer is: eight bytes.
//@ run --entry turn --grid 2 --block 32 --arg inout:f32:64=iota --arg in:f32:64=iota
//! clean
//! defect 1: out_of_bounds at load
//! defect 2: race at store and store
//! defect 3: race at load and store; arg1=same:0
struct View {
    const float* data;
    __device__ float operator[](int i) const { return data[i]; } // <- load
};
struct Target {
    float* data;
};
extern "C" __global__ void turn(Target to, View from)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
#if DEFECT == 1
    const float value = from[64 - i];
#else
    const float value = from[63 - i];
#endif
#if DEFECT == 2
    to.data[i / 2] = value; // <- store
#else
    to.data[i] = value; // <- store
#endif
}
