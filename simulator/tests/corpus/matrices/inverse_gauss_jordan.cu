// The inverse of a small matrix by Gauss and Jordan with a search for the pivot; every block has a matrix of its own, held with the identity beside it in dynamic shared memory.
//@ run --entry invert --grid 2 --block 12 --shared 300 --arg in:f32:72=iota --arg out:f32:72
//! clean
//! defect 1: race at pick and use
//! defect 2: race at eliminate|pick and search|use|swap
//! defect 3: out_of_bounds|race at fill; also=race,uninitialized_read,out_of_bounds
//! defect 4: race at eliminate and factor
extern "C" __global__ void invert(const float* in, float* out)
{
    extern __shared__ float m[];
    int* pivot = (int*)(m + 72);
    int stride = 12;
    int t = threadIdx.x;
    for (int r = 0; r < 6; ++r) {
        float v = t < 6 ? in[blockIdx.x * 36 + r * 6 + t] * ((r * 5 + t * 3) % 7) + (r == t) * 50.0f : (t - 6 == r ? 1.0f : 0.0f);
#if DEFECT == 3
        int skew = r;
#else
        int skew = 0;
#endif
        m[r * stride + t + skew] = v; // <- fill
    }
    __syncthreads();
    for (int k = 0; k < 6; ++k) {
        if (t == 0) {
            int best = k;
            for (int r = k + 1; r < 6; ++r)
                if (fabsf(m[r * stride + k]) > fabsf(m[best * stride + k])) best = r; // <- search
            *pivot = best; // <- pick
        }
#if DEFECT != 1
        __syncthreads();
#else
        __threadfence_block();
#endif
        int p = *pivot; // <- use
#if DEFECT == 2
        __threadfence_block();
#endif
        float high = m[p * stride + t], low = m[k * stride + t];
        m[p * stride + t] = low; // <- swap
        m[k * stride + t] = high; // <- swap
        __syncthreads();
        float d = m[k * stride + k];
        __syncthreads();
        m[k * stride + t] /= d; // <- eliminate
        __syncthreads();
        for (int r = 0; r < 6; ++r) {
            float f = m[r * stride + k]; // <- factor
#if DEFECT != 4
            __syncthreads();
#endif
            if (r != k) m[r * stride + t] -= f * m[k * stride + t]; // <- eliminate
        }
#if DEFECT != 2
        __syncthreads();
#endif
    }
    if (t >= 6)
        for (int r = 0; r < 6; ++r) out[blockIdx.x * 36 + r * 6 + t - 6] = m[r * stride + t];
}
