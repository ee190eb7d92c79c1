// A record guarded by versions (a seqlock), its words relaxed atomics: the reader tries again if the version changed. Plain words in it race.
//@ run --entry guarded --grid 2 --block 1 --arg inout:u32:1=zeros --arg inout:i32:2=zeros --arg out:i32:2
//! clean
//! defect 1: race at one and look
//! defect 2: race at version
extern "C" __global__ void guarded(unsigned* version, int* data, int* out)
{
    if (blockIdx.x == 0) {
        for (int k = 1; k <= 3; ++k) {
#if DEFECT == 2
            *version += 1; // <- version
#else
            atomicAdd(version, 1);
#endif
            __threadfence();
#if DEFECT == 1
            data[0] = k; // <- one
            data[1] = -k; // <- one
#else
            atomicExch(&data[0], k); // <- one
            atomicExch(&data[1], -k); // <- one
#endif
            __threadfence();
            atomicAdd(version, 1);
        }
    } else {
        unsigned before, after;
        int a, b;
        do {
            before = atomicAdd(version, 0); // <- ask
            __threadfence();
#if DEFECT == 1
            a = data[0]; // <- look
            b = data[1]; // <- look
#else
            a = atomicAdd(&data[0], 0);
            b = atomicAdd(&data[1], 0);
#endif
            __threadfence();
            after = atomicAdd(version, 0);
        } while (before != after || before % 2);
        out[0] = a;
        out[1] = b;
    }
}
