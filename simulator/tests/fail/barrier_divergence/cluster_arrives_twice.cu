//@ run --entry twice --grid 2 --block 32 --cluster 2 --arg out:i32:64
extern "C" __global__ void twice(int* out)
{
    __cluster_barrier_arrive();
    if (blockIdx.x == 1) __cluster_barrier_arrive();
    __cluster_barrier_wait();
    out[blockIdx.x * 32 + threadIdx.x] = 1;
}
