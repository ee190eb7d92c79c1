// A lock guards a list's head and its length; a lane that has the lock does its work inside the loop, so that lanes of one warp cannot stand in each other's way.
//@ run --entry push --grid 3 --block 40 --arg inout:i32:1=zeros --arg inout:i32:2=zeros --arg out:i32:120 --budget 8000000
//! clean
//! defect 1: race at head and head
//! defect 2: race at head and head
//! defect 3: deadlock|unfinished at take|again
//! defect 4: race at head and head
class Lock {
    int* word;

public:
    __device__ explicit Lock(int* word) : word(word) {}
    __device__ bool try_take()
    {
        if (atomicCAS(word, 0, 1) != 0) return false; // <- take
#if DEFECT != 2
        __threadfence();
#endif
        return true;
    }
    __device__ void give()
    {
#if DEFECT != 1
        __threadfence();
#endif
        atomicExch(word, 0);
    }
};
extern "C" __global__ void push(int* word, int* list, int* out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Lock lock(word);
    unsigned wait = 8;
    bool done = false;
    while (!done) { // <- again
        if (lock.try_take()) {
            out[i] = list[0]; // <- head
            list[0] = i + 1; // <- head
#if DEFECT == 4
            lock.give();
#endif
            list[1] += 1; // <- head
#if DEFECT == 3
            if (i % 7) lock.give();
#elif DEFECT != 4
            lock.give();
#endif
            done = true;
        } else {
            __nanosleep(wait);
            wait = wait < 256 ? wait * 2 : wait;
        }
    }
}
//! label 2: was a warning; without its acquire side the data may be read before the flag, so a missing one is an error
