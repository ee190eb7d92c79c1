// A step of k-means: nearest centre from constant memory, sums by shared atomics, then by one atomic a block and centre.
//@ run --entry assign --grid 2 --block 64 --arg in:f32:128=iota --arg inout:f32:4=zeros --arg inout:i32:4=zeros --arg out:u8:128
//! clean
//! defect 1: race at sum
//! defect 2: race at sum and flush
//! defect 3: race at flush
//! defect 4: out_of_bounds at distance
__constant__ float centres[4] = {10, 40, 70, 110};
extern "C" __global__ void assign(const float* points, float* sums, int* counts, unsigned char* labels)
{
    __shared__ float s[4];
    __shared__ int n[4];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (t < 4) s[t] = n[t] = 0;
    __syncthreads();
    float p = points[i], best = 1e30f;
    int which = 0;
#if DEFECT == 4
    for (int c = 0; c <= 4; ++c) {
#else
    for (int c = 0; c < 4; ++c) {
#endif
        float d = fabsf(p - centres[c]); // <- distance
        if (d < best) {
            best = d;
            which = c;
        }
    }
    which &= 3;
    labels[i] = which;
#if DEFECT == 1
    s[which] += p; // <- sum
#else
    atomicAdd(&s[which], p); // <- sum
#endif
    atomicAdd(&n[which], 1);
#if DEFECT != 2
    __syncthreads();
#endif
    if (t < 4) {
#if DEFECT == 3
        sums[t] += s[t]; // <- flush
#else
        atomicAdd(&sums[t], s[t]); // <- flush
#endif
        atomicAdd(&counts[t], n[t]);
    }
}
