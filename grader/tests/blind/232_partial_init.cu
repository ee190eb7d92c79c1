// Half of the tile is initialised, all of it is used.
//@ run --entry partial_init --grid 1 --block 64 --arg in:f32:64=uniform.npy --arg out:f32:64
// expect: uninitialized_read error @ use

extern "C" __global__ void partial_init(const float* in, float* out)
{
    __shared__ float tile[64];
    int t = threadIdx.x;
    if (t < 32) tile[t] = in[t];
    __syncthreads();
    out[t] = tile[t] * 2.0f; // <- use
}
