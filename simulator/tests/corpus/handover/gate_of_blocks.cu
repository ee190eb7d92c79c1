// A gate that blocks go through together, again and again, by counting who comes and turning a phase.
//@ run --entry rounds --grid 3 --block 32 --cooperative --arg inout:i32:96=iota --arg inout:i32:96=zeros --arg inout:i32:2=zeros
//! clean
//! defect 1: race at step
//! defect 2: race at step
//! defect 3: race at step
//! defect 4: race at come; also=deadlock
extern "C" __global__ void rounds(int* a, int* b, int* gate)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    for (int round = 0; round < 4; ++round) {
        int *from = round % 2 ? b : a, *to = round % 2 ? a : b;
        to[i] = from[(i * 5 + 32) % 96] + from[(i * 7 + 64) % 96]; // <- step
        __syncthreads();
        if (threadIdx.x == 0) {
#if DEFECT == 1
            __threadfence_block();
#elif DEFECT != 2
            __threadfence();
#endif
#if DEFECT == 4
            if (atomicAdd_block(&gate[0], 1) == 2) { // <- come
#else
            if (atomicAdd(&gate[0], 1) == 2) {
#endif
                atomicExch(&gate[0], 0);
                __threadfence();
                atomicAdd(&gate[1], 1);
            } else {
                while (atomicAdd(&gate[1], 0) == round) {}
            }
#if DEFECT != 3
            __threadfence();
#endif
        }
        __syncthreads();
    }
}
//! label 3: was a warning; without its acquire side the data may be read before the flag, so a missing one is an error
