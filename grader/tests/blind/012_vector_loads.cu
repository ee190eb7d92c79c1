// 16-byte loads and stores: a warp's float4 access is one request of 16 sectors.
//@ run --entry vector_loads --grid 2 --block 64 --arg in:f32:128x4=uniform.npy --arg out:f32:128x4
// save: 1
// reference: vector_loads
// counter: global_load_requests = 4
// counter: global_load_sectors = 64
// counter: global_store_requests = 4
// counter: global_store_sectors = 64

extern "C" __global__ void vector_loads(const float4* in, float4* out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = in[i];
    out[i] = make_float4(v.w, v.x * 2.0f, v.y + 1.0f, -v.z);
}
