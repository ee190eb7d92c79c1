// --global with every FILL, on scalars, arrays, constant memory and several types.
//@ run --entry fills --grid 1 --block 32 --arg out:i64:8x32 --arg out:f32:3x32 --global counted=i32:iota
//@ run --global masks=u8:const:7 --global zeroed=zeros --global big=const:-5000000000
//@ run --global weights=f64:ones --global halves=f16:const:0.5 --global noise=f32:random:3
//@ run --global same_noise=f32:random:3 --global taps=taps.npy
// save: 0 1
// reference: global_fills

#include <cuda_fp16.h>

__device__ int counted[32];
__device__ unsigned char masks[5] = {1, 2, 3, 4, 5};
__device__ short zeroed = 77;
__device__ long long big;
__constant__ double weights[4];
__device__ __half halves[3];
__device__ float noise[32];
__constant__ float same_noise[32];
__constant__ float taps[5];
__device__ int untouched[3] = {11, 22, 33};

extern "C" __global__ void fills(long long* whole, float* real)
{
    int t = threadIdx.x, n = blockDim.x;
    whole[0 * n + t] = counted[t];
    whole[1 * n + t] = masks[t % 5];
    whole[2 * n + t] = zeroed;
    whole[3 * n + t] = big;
    whole[4 * n + t] = (long long)weights[t % 4];
    whole[5 * n + t] = (long long)(__half2float(halves[t % 3]) * 1000.0f);
    whole[6 * n + t] = untouched[t % 3];
    whole[7 * n + t] = noise[t] == same_noise[t];
    real[0 * n + t] = noise[t];
    real[1 * n + t] = same_noise[t];
    real[2 * n + t] = taps[t % 5];
}
