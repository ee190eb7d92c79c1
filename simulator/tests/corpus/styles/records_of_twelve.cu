// Records of three words, taken by their parts or, wrongly, as something larger.
//@ run --entry move --grid 1 --block 32 --arg in:f32:96=iota --arg out:f32:96
//! clean
//! defect 1: misaligned|out_of_bounds at cast
//! defect 2: race at put
struct Vec3 {
    float x, y, z;
    __device__ Vec3& operator+=(float d) { x += d, y += d, z += d; return *this; }
};
extern "C" __global__ void move(const Vec3* in, Vec3* out)
{
    Vec3 v = in[threadIdx.x];
#if DEFECT == 1
    float4 wide = *reinterpret_cast<const float4*>(in + threadIdx.x); // <- cast
    v.x = wide.w;
#endif
    v += 1;
#if DEFECT == 2
    reinterpret_cast<Vec3&>(reinterpret_cast<float*>(out)[2 * threadIdx.x]) = v; // <- put
#else
    out[threadIdx.x] = v;
#endif
}
