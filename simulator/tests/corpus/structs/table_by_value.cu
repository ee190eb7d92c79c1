// A table in a parameter is indexed by data.
//@ run --entry weigh --grid 2 --block 32 --arg bytes:0000003f_0000803f_00000040_00008040_00000041_05000000_01020300 --arg in:i32:64=iota --arg out:f32:64
//! clean
//! defect 1: out_of_bounds at pick
//! defect 2: out_of_bounds at pick; arg0=bytes:0000003f_0000803f_00000040_00008040_00000041_09000000_01020300
//! defect 3: out_of_bounds at store
//! defect 4: race at store and store
struct Table {
    float weight[5];
    int count;
    char flag[3];
};
extern "C" __global__ void weigh(const Table table, const int* in, float* out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
#if DEFECT == 1
    const float weight = table.weight[in[i]]; // <- pick
#else
    const float weight = table.weight[in[i] % table.count]; // <- pick
#endif
#if DEFECT == 3
    out[i * table.flag[1]] = weight; // <- store
#elif DEFECT == 4
    out[i / table.flag[i % 3]] = weight * i; // <- store
#else
    out[i] = weight * table.flag[i % 3]; // <- store
#endif
}
