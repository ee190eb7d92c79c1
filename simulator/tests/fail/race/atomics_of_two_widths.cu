//@ run --entry widths --grid 1 --block 64 --arg out:u64:1
// One counter, which a warp updates as a word of eight bytes and another as one of four: each update is atomic, but not to the other kind.
extern "C" __global__ void widths(unsigned long long* out)
{
    __shared__ unsigned long long counter;
    unsigned t = threadIdx.x;
    if (t == 0) counter = 0;
    __syncthreads();
    if (t < 32) atomicAdd(&counter, 1ull);
    else atomicAdd(reinterpret_cast<unsigned*>(&counter), 1u);
    __syncthreads();
    if (t == 0) *out = counter;
}
