// A structure is handed over by value in shared memory; its address would be of no use, for it names a thread's own memory.
//@ run --entry hand --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at put and take
//! defect 2: out_of_bounds at take
//! defect 3: uninitialized_read at put|take|result
struct Message {
    int key;
    int words[3];
};
extern "C" __global__ void hand(const int* in, int* out)
{
    const int t = threadIdx.x;
    Message mine;
    mine.key = in[t];
#if DEFECT == 3
    for (int k = 0; k < 3; ++k)
        if (k != t % 4) mine.words[k] = t * k;
#else
    for (int k = 0; k < 3; ++k) mine.words[k] = t * k;
#endif
#if DEFECT == 2
    __shared__ Message* box[64];
    box[t] = &mine;
    __syncthreads();
    const Message other = *box[t ^ 1]; // <- take
#else
    __shared__ Message box[64];
    box[t] = mine; // <- put
#if DEFECT != 1
    __syncthreads();
#endif
    const Message other = box[t ^ 1]; // <- take
#endif
    out[t] = other.key + other.words[1] + other.words[2]; // <- result
    __syncthreads();
}
