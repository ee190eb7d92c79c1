// Tasks that make tasks, in a queue that many take from and put to; a task is ready when its own flag says so.
//@ run --entry tasks --grid 2 --block 32 --arg inout:i32:64=zeros --arg inout:i32:64=zeros --arg inout:i32:3=values:0,1,1 --arg inout:i32:64=zeros
//! clean
//! defect 1: race at put and get
//! defect 2: race at put and get
//! defect 3: race at done
extern "C" __global__ void tasks(int* task, int* ready, int* ends, int* done)
{
    if (threadIdx.x % 16) return;
    // ends: next to take, next to put, tasks not yet done; task 0 is the first, of size 31
    for (;;) {
        if (atomicAdd(&ends[2], 0) == 0) break;
        int k = atomicAdd(&ends[0], 0);
        if (k >= atomicAdd(&ends[1], 0)) continue;
        if (atomicCAS(&ends[0], k, k + 1) != k) continue;
        int size = 31;
        if (k > 0) {
            while (atomicAdd(&ready[k], 0) == 0) {}
#if DEFECT != 2
            __threadfence();
#endif
            size = task[k]; // <- get
        }
#if DEFECT == 3
        done[size] += 1; // <- done
#else
        atomicAdd(&done[size], 1);
#endif
        for (int half = 0; half < 2 && size > 1; ++half) {
            atomicAdd(&ends[2], 1);
            int at = atomicAdd(&ends[1], 1);
            task[at] = size / 2; // <- put
#if DEFECT != 1
            __threadfence();
#endif
            atomicExch(&ready[at], 1);
        }
        atomicSub(&ends[2], 1);
    }
}
//! label 2: was a warning; without its acquire side the data may be read before the flag, so a missing one is an error
