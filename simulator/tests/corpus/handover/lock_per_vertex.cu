// A lock for each vertex guards its two words; edges are worked on by all blocks.
//@ run --entry join --grid 3 --block 32 --arg in:i32:33=values:1,1,1,1,1,1,1,1,1,2,2,2,3,3,3,4,4,4,4,5,5,6,6,6,6,7,7,8,8,9,9,9,10 --arg in:i32:33=values:2,3,4,5,6,7,8,9,10,1,3,4,1,2,4,1,2,3,9,1,6,1,5,6,7,1,6,1,9,1,4,8,1 --arg i32:33 --arg inout:i32:12=zeros --arg inout:i32:24=zeros
//! clean
//! defect 1: race at sum
//! defect 2: race at sum
//! defect 3: race at sum
//! defect 4: deadlock at take|round
//! defect 5: race at sum
//! defect 6: race at give and take
//! defect 7: race at sum
extern "C" __global__ void join(const int* from, const int* to, int edges, int* locks, int* sums)
{
    for (int e = threadIdx.x * 3 + blockIdx.x; e < edges; e += 96) {
        int v = to[e];
        bool done = false;
        while (!done) { // <- round
#if DEFECT == 7
            if (atomicCAS(&locks[from[e]], 0, 1) == 0) { // <- take
#else
            if (atomicCAS(&locks[v], 0, 1) == 0) { // <- take
#endif
#if DEFECT != 2
                __threadfence();
#endif
                sums[2 * v] += from[e]; // <- sum
                sums[2 * v + 1] += 1; // <- sum
#if DEFECT == 3
                __threadfence_block();
#elif DEFECT != 1
                __threadfence();
#endif
#if DEFECT == 6
                locks[v] = 0; // <- give
#elif DEFECT == 7
                atomicExch(&locks[from[e]], 0);
#elif DEFECT == 5
                atomicExch(&locks[v], 0);
                sums[2 * v + 1] += 1; // <- sum
#elif DEFECT == 4
                if (v != 4) atomicExch(&locks[v], 0);
#else
                atomicExch(&locks[v], 0);
#endif
                done = true;
            }
        }
    }
}
//! label 4: named the attempt only; the loop around it is what goes round forever
//! label 2: was a warning; without its acquire side the data may be read before the flag, so a missing one is an error
