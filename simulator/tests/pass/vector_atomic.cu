//@ launch add grid=1 block=32 inout:f32:zeros:2
extern "C" __global__ void add(float2* sum)
{
    atomicAdd(sum, float2{1, 2});
}
