// Persistent blocks take tasks from a counter, and tasks may add tasks; the work ends when as many are done as were added.
//@ run --entry work --grid 4 --block 32 --arg inout:i32:64=values:5,4,3,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0 --arg inout:i32:64=values:1,1,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0 --arg inout:i32:1=zeros --arg inout:i32:1=const:3 --arg inout:i32:1=const:3 --arg inout:i32:64x32=zeros --budget 6000000
//! clean
//! defect 1: race at add and take; also=uninitialized_read
//! defect 2: race at mine and read; also=out_of_bounds,barrier_divergence
//! defect 3: race at read and mine; also=out_of_bounds,barrier_divergence
//! defect 4: deadlock at wait
//! defect 5: race at add and take
extern "C" __global__ void work(int* task, int* ready, int* next, int* added, int* open, int* out)
{
    __shared__ int number, size;
    int lane = threadIdx.x;
    for (;;) {
        if (lane == 0) {
            number = atomicAdd(next, 1); // <- mine
            size = -1; // <- mine
            for (;;) { // <- wait
                if (number < 64 && atomicAdd(&ready[number], 0) != 0) { // <- wait
#if DEFECT != 5
                    __threadfence();
#endif
                    size = task[number]; // <- take
                    break;
                }
                if (atomicAdd(open, 0) == 0) break; // <- wait
            }
        }
#if DEFECT != 2
        __syncthreads();
#endif
        int n = size, k = number; // <- read
#if DEFECT != 3
        __syncthreads();
#endif
        if (n < 0) return;
        out[k * 32 + lane] = n * 100 + lane;
        if (lane == 0) {
            if (n > 0) {
                int at = atomicAdd(added, 1);
                atomicAdd(open, 1);
                task[at] = n - 1; // <- add
#if DEFECT != 1
                __threadfence();
#endif
                atomicExch(&ready[at], 1);
            }
#if DEFECT == 4
            if (n > 0) atomicSub(open, 1);
#else
            atomicSub(open, 1);
#endif
        }
    }
}
//! label 5: was a warning; without its acquire side the data may be read before the flag, so a missing one is an error
