//@ run --entry chain --grid 64 --block 32 --arg inout:i32:1=zeros
// What a block publishes by an atomic is no number that it drew.
extern "C" __global__ void chain(int* turn) {
    if (threadIdx.x == 0) {
        atomicExch(turn + 0, atomicAdd(turn, 0));
        while (atomicCAS(turn, -1, -1) != blockIdx.x) {}
        atomicExch(turn, blockIdx.x + 1);
    }
}
