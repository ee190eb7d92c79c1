// A spin on a flag that nobody ever sets.
//@ run --entry never_set --grid 1 --block 32 --budget 2000000 --arg inout:i32:2=zeros
// status: unfinished|faulted
// expect: deadlock|unfinished error @ spin

extern "C" __global__ void never_set(volatile int* flag)
{
    if (threadIdx.x == 0) {
        while (flag[1] == 0) {} // <- spin
        flag[0] = 1;
    }
}
