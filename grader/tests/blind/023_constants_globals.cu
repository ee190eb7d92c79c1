// Constant memory and device variables: some set from the command line, some keeping their initialisers.
//@ run --entry constants --grid 1 --block 64 --arg in:f32:64=uniform.npy --arg out:f32:3x64
//@ run --global taps=taps.npy --global gain=const:2.5
// save: 1
// reference: constants

__constant__ float taps[5];
__device__ float gain;
__device__ int lookup[8] = {3, 1, 4, 1, 5, 9, 2, 6};
__constant__ short deltas[3] = {-5, 0, 7};
__device__ const char* const word = "warp";
__device__ int scratch[64];

extern "C" __global__ void constants(const float* in, float* out)
{
    int i = threadIdx.x, n = blockDim.x;
    float sum = 0.0f;
    for (int k = 0; k < 5; ++k) sum += taps[k] * in[(i + k) % n];
    out[i] = sum * gain;
    scratch[i] = lookup[i % 8] + deltas[i % 3];
    out[n + i] = (float)scratch[i];
    out[2 * n + i] = (float)word[i % 4];
}
