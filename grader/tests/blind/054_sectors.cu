// Sectors by hand: a stride of eight floats touches 32 sectors, an offset of one float five, one address one.
//@ run --entry sectors --grid 1 --block 32 --arg in:f32:512=uniform.npy --arg out:f32:32
// save: 1
// reference: sectors
// counter: global_load_requests = 3
// counter: global_load_sectors = 38
// counter: global_store_requests = 1
// counter: global_store_sectors = 4

extern "C" __global__ void sectors(const float* in, float* out)
{
    int t = threadIdx.x;
    float strided = in[t * 8];
    float shifted = in[256 + t + 1];
    float same = in[300];
    out[t] = strided - shifted * same;
}
