// The message is the flag: a word that is zero until it has its value, written and read by atomics; nothing else is passed.
//@ run --entry word --grid 3 --block 32 --arg inout:i32:96=zeros --arg out:i32:96
//! clean
//! defect 1: race at tell
//! defect 2: race at ask
extern "C" __global__ void word(int* words, int* out)
{
    int i = blockIdx.x * 32 + threadIdx.x, other = (i + 32) % 96, v;
#if DEFECT == 1
    words[i] = i + 1; // <- tell
#else
    atomicExch(&words[i], i + 1); // <- tell
#endif
    do {
#if DEFECT == 2
        __threadfence();
        v = words[other]; // <- ask
#else
        v = atomicAdd(&words[other], 0); // <- ask
#endif
    } while (v == 0);
    out[i] = v;
}
