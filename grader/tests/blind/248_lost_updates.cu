// Blocks count with a plain increment.
//@ run --entry lost_updates --grid 20 --block 32 --arg inout:i32:1=zeros
// expect: race error global @ increment
// allow: race note @ increment

extern "C" __global__ void lost_updates(int* count)
{
    if (threadIdx.x == 0) {
        count[0] += 1; // <- increment
    }
}
