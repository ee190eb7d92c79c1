// --repeat: each launch finds the buffers and the device variables as the one before left them.
//@ run --entry repeated --grid 1 --block 32 --repeat 5 --arg inout:i32:32=iota --arg inout:i32:6x32=const:-1
// save: 0 1
// reference: repeated
// counter: global_store_requests = 15

__device__ int launches;

extern "C" __global__ void repeated(int* running, int* rows)
{
    int t = threadIdx.x, launch = launches;
    running[t] = running[t] * 2 + 1;
    rows[launch * 32 + t] = running[t];
    __syncthreads();
    if (t == 0) launches = launch + 1;
}
