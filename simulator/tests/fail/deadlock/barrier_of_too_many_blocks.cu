//@ run --entry phases --grid 1000 --block 64 --shared 100000 --arg inout:i32:1=zeros
// Only as many blocks as fit can arrive.
extern "C" __global__ void phases(int* arrived) {
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1);
        while (atomicAdd(arrived, 0) < gridDim.x) {}
    }
}
