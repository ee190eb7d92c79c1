// Particles with vectors as members lie in shared memory; each looks at the next.
//@ run --entry move --grid 1 --block 64 --arg in:f32:64x4=iota --arg out:f32:64x4
//! clean
//! defect 1: race at load and look
//! defect 2: misaligned at wide
//! defect 3: uninitialized_read at look|result
//! defect 4: out_of_bounds at look
//! defect 5: misaligned at load
struct Particle {
    float4 place;
    float3 speed;
    int id;
};
extern "C" __global__ void move(const float* in, float4* out)
{
    __shared__ Particle all[64];
    const int t = threadIdx.x;
#if DEFECT == 5
    all[t].place = *(const float4*)(in + (4 * t + 2) % 253); // <- load
#else
    all[t].place = *(const float4*)(in + 4 * t); // <- load
#endif
#if DEFECT != 3
    all[t].speed = make_float3(t, 0.5f * t, 1); // <- load
#endif
    all[t].id = t; // <- load
#if DEFECT != 1
    __syncthreads();
#endif
#if DEFECT == 4
    const Particle next = all[t + 1]; // <- look
#else
    const Particle next = all[(t + 1) % 64]; // <- look
#endif
    float4 sum = all[t].place;
    sum.x += next.place.x + next.speed.x;
    sum.y += next.place.y + next.speed.y;
    sum.z += next.place.z + next.speed.z;
    sum.w = next.id;
#if DEFECT == 2
    sum.w += *(const double*)&all[t].speed.y; // <- wide
#endif
    out[t] = sum; // <- result
}
