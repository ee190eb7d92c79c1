// Lanes of one warp take a lock in turn: the section and the release stand inside the loop.
//@ run --entry turns --grid 2 --block 32 --arg inout:i32:1=zeros --arg inout:i32:1=zeros
//! clean
//! defect 1: race at section
//! defect 2: race at section
//! defect 3: deadlock at take|again; --budget 3000000
extern "C" __global__ void turns(int* lock, int* sum)
{
    bool done = false;
    while (!done) { // <- again
        if (atomicCAS(lock, 0, 1) == 0) { // <- take
            __threadfence();
            *sum += 1; // <- section
#if DEFECT != 1
            __threadfence();
#endif
#if DEFECT == 2
            if (threadIdx.x == 9) *sum += 1;
            atomicExch(lock, 0);
            *sum -= 1; // <- section
#elif DEFECT == 3
            if (threadIdx.x != 9) atomicExch(lock, 0);
#else
            atomicExch(lock, 0);
#endif
            done = true;
        }
    }
}
