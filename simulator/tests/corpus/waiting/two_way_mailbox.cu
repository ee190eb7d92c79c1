// Two warps of one block exchange requests and answers through volatile shared words; fences order the data behind each flag.
//@ run --entry mailbox --grid 1 --block 64 --arg in:i32:32=iota --arg out:i32:32 --budget 4000000
//! clean
//! defect 1: race at request and serve
//! defect 2: race at serve and receive|request
//! defect 3: deadlock at ask|poll
//! defect 4: race at flag and poll
extern "C" __global__ void mailbox(const int* in, int* out)
{
    __shared__ int data;
    __shared__ int asked_word, answered_word;
    volatile int* asked = &asked_word;
    volatile int* answered = &answered_word;
    int t = threadIdx.x;
    if (t == 0) asked_word = answered_word = 0;
    __syncthreads();
    if (t == 0) {
        for (int k = 1; k <= 8; ++k) {
            data = in[k]; // <- request
#if DEFECT != 1
            __threadfence_block();
#endif
#if DEFECT == 4
            asked_word = k; // <- flag
            asm volatile("" ::: "memory");
#else
            *asked = k; // <- flag
#endif
#if DEFECT == 3
            while (*answered != k + 1) { // <- ask
#else
            while (*answered != k) { // <- ask
#endif
            }
#if DEFECT != 2
            __threadfence_block();
#endif
            out[k] = data; // <- receive
        }
    } else if (t == 32) {
        for (int k = 1; k <= 8; ++k) {
            while (*asked != k) { // <- poll
            }
            __threadfence_block();
            data = data * data + k; // <- serve
            __threadfence_block();
            *answered = k;
        }
    }
}
//! label 2: was a warning; without its acquire side the data may be read before the flag, so a missing one is an error
