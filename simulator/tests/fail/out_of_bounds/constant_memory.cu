//@ run --entry put --grid 1 --block 32 --arg out:i32:32
__constant__ int table[32];
extern "C" __global__ void put(int* out) {
    *(volatile int*)const_cast<int*>(&table[threadIdx.x]) = 1;
    const_cast<int*>(table)[threadIdx.x] = 2;
    out[threadIdx.x] = table[0];
}
