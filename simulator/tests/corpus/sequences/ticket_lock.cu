// Lanes of one warp and two blocks take numbers and are served in order.
//@ run --entry serve --grid 2 --block 8 --arg inout:i32:2=zeros --arg inout:i32:1=zeros
//! clean
//! defect 1: race at work
//! defect 2: race at work
extern "C" __global__ void serve(int* lock, int* sum)
{
#if DEFECT == 2
    int mine = atomicAdd_block(&lock[0], 1);
    mine = 0;
#else
    int mine = atomicAdd(&lock[0], 1);
#endif
    while (*(volatile int*)&lock[1] < mine) {}
    __threadfence();
    *sum += mine + 1; // <- work
#if DEFECT != 1
    __threadfence();
#endif
    atomicAdd(&lock[1], 1);
}
