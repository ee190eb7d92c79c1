// The launch gives 256 bytes of dynamic shared memory, the kernel wants 65 words of it.
//@ run --entry shared_dynamic --grid 1 --block 64 --shared 256 --arg in:i32:64=small_ints.npy
//@ run --arg out:i32:64
// status: finished|faulted
// expect: out_of_bounds error shared @ load
// allow: uninitialized_read error @ load

extern __shared__ int pool[];

extern "C" __global__ void shared_dynamic(const int* in, int* out)
{
    int t = threadIdx.x;
    pool[t] = in[t];
    __syncthreads();
    out[t] = pool[t + 1]; // <- load
}
