// The same with a volatile flag: volatile keeps the accesses there but orders nothing around them.
//@ run --entry hand_over --grid 2 --block 32 --arg inout:i32:8=zeros --arg inout:i32:1=zeros --arg out:i32:1
//! clean
//! defect 1: race at publish and consume
//! defect 2: race at publish and consume
extern "C" __global__ void hand_over(int* data, volatile int* flag, int* out)
{
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        for (int k = 0; k < 8; ++k) {
            data[k] = k * k; // <- publish
        }
#if DEFECT != 1
        __threadfence();
#endif
        *flag = 1;
    } else {
        while (*flag == 0) {}
#if DEFECT != 2
        __threadfence();
#endif
        int sum = 0;
        for (int k = 0; k < 8; ++k) {
            sum += data[k]; // <- consume
        }
        *out = sum;
    }
}
//! label 2: was a warning; without its acquire side the data may be read before the flag, so a missing one is an error
