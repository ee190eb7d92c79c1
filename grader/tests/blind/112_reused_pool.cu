// One pool of shared memory holds ints, then doubles, then bytes, with a barrier between the lives.
//@ run --entry reused_pool --grid 2 --block 64 --shared 512 --arg in:i32:128=small_ints.npy --arg out:f64:128
// save: 1
// reference: reused_pool

extern __shared__ double pool[];

extern "C" __global__ void reused_pool(const int* in, double* out)
{
    int* ints = reinterpret_cast<int*>(pool);
    unsigned char* bytes = reinterpret_cast<unsigned char*>(pool);
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    ints[t] = in[i];
    __syncthreads();
    int a = ints[63 - t];
    __syncthreads();
    pool[t] = a * 0.5;
    __syncthreads();
    double b = pool[t ^ 5];
    __syncthreads();
    bytes[t] = (unsigned char)(a + 100);
    __syncthreads();
    out[i] = b + bytes[(t + 1) % 64];
}
