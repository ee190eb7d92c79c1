// A step of k-means: points find their nearest centre, which lies in constant-like shared memory; sums of a cluster are kept in shared memory by atomics on floats, and added to global ones.
//@ run --entry step --grid 2 --block 64 --arg in:f32:256=iota --arg in:f32:8=iota --arg inout:f32:8=zeros --arg inout:u32:4=zeros --arg out:u8:128
//! clean
//! defect 1: race at centre and nearest; also=uninitialized_read
//! defect 2: race at sum and flush
//! defect 3: out_of_bounds at centre
//! defect 4: race at flush and flush
extern "C" __global__ void step(const float2* points, const float2* centres, float* sums, unsigned* counts, unsigned char* label)
{
#if DEFECT == 3
    __shared__ float2 c[3];
#else
    __shared__ float2 c[4];
#endif
    __shared__ float total[4][2];
    __shared__ unsigned many[4];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    if (t < 4) {
        c[t] = centres[t]; // <- centre
        total[t][0] = total[t][1] = 0;
        many[t] = 0;
    }
#if DEFECT == 1
    __syncwarp();
#else
    __syncthreads();
#endif
    float2 p = points[i];
    int best = 0;
    float least = 1e30f;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        float dx = p.x - c[k].x * 30, dy = p.y - c[k].y * 30, d = dx * dx + dy * dy; // <- nearest
        if (d < least) least = d, best = k;
    }
    label[i] = (unsigned char)best;
    atomicAdd(&total[best][0], p.x); // <- sum
    atomicAdd(&total[best][1], p.y); // <- sum
    atomicAdd(&many[best], 1u); // <- sum
#if DEFECT != 2
    __syncthreads();
#endif
    if (t < 4) {
#if DEFECT == 4
        sums[2 * t] += total[t][0]; // <- flush
        sums[2 * t + 1] += total[t][1]; // <- flush
#else
        atomicAdd(&sums[2 * t], total[t][0]); // <- flush
        atomicAdd(&sums[2 * t + 1], total[t][1]); // <- flush
#endif
        atomicAdd(&counts[t], many[t]); // <- flush
    }
}
