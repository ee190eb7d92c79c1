// A ticket lock between blocks: a leader draws a number and waits until it is served; the block works on shared state in its turn, behind barriers.
//@ run --entry turns --grid 4 --block 32 --arg inout:u32:2=zeros --arg inout:i32:32=zeros --arg out:i32:4 --budget 8000000
//! clean
//! defect 1: race at state and state
//! defect 2: race at state and state
//! defect 3: deadlock at served
//! defect 4: race at mine and mine
extern "C" __global__ void turns(unsigned* tickets, int* state, int* out)
{
    int t = threadIdx.x;
    __shared__ unsigned number;
    if (t == 0) {
        number = atomicAdd(&tickets[0], 1u); // <- mine
#if DEFECT == 3
        while (*(volatile unsigned*)&tickets[1] != number + 1) { // <- served
#else
        while (*(volatile unsigned*)&tickets[1] != number) { // <- served
#endif
        }
        __threadfence();
    }
#if DEFECT != 2
    __syncthreads();
#endif
    int other = state[t ^ 1]; // <- state
    __syncwarp();
    state[t] = other + t; // <- state
#if DEFECT == 1
    __syncwarp();
#else
    __threadfence();
    __syncthreads();
#endif
#if DEFECT == 4
    number += 1; // <- mine
    if (t == 0) atomicAdd(&tickets[1], 1u);
#else
    if (t == 0) atomicAdd(&tickets[1], 1u);
#endif
    if (t == 0) out[blockIdx.x] = number; // <- mine
}
