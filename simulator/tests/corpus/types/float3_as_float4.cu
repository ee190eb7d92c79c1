// Triples side by side; storing four words for three spoils the neighbour's first.
//@ run --entry triples --grid 1 --block 32 --arg in:f32:96=iota --arg out:f32:100
//! clean
//! defect 1: race at put
extern "C" __global__ void triples(const float* in, float* out)
{
    int t = threadIdx.x;
    float3 v = make_float3(in[3 * t], in[3 * t + 1], in[3 * t + 2]);
#if DEFECT
    for (int k = 0; k < 4; ++k) {
        out[3 * t + k] = k == 0 ? v.x : k == 1 ? v.y : k == 2 ? v.z : -1.0f; // <- put
    }
#else
    ((float3*)out)[t] = v;
#endif
}
