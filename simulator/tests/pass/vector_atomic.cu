//@ run --entry add --grid 1 --block 32 --arg inout:f32:2=zeros
extern "C" __global__ void add(float2* sum)
{
    atomicAdd(sum, float2{1, 2});
}
