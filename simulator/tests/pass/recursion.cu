//@ run --entry ackermann --grid 1 --block 32 --arg out:i32:32
__device__ int ack(int m, int n) {
    if (m == 0) return n + 1;
    if (n == 0) return ack(m - 1, 1);
    return ack(m - 1, ack(m, n - 1));
}
extern "C" __global__ void ackermann(int* out) { out[threadIdx.x] = ack(threadIdx.x % 3, threadIdx.x % 5); }
