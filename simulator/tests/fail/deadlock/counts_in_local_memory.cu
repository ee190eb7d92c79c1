//@ run --entry wait --grid 1 --block 32 --arg inout:i32:1=zeros --arg inout:i32:1=zeros
struct Backoff {
    int rounds = 0;
    unsigned nanoseconds = 8;
    __device__ void pause() {
        ++rounds;
        __nanosleep(nanoseconds);
        if (nanoseconds < 256) nanoseconds *= 2;
    }
};
extern "C" __global__ void wait(int* lock, int* rounds) {
    Backoff backoff;
    while (atomicCAS(lock, 1, 0) != 1) backoff.pause();
    *rounds = backoff.rounds;
}
