// Every block writes one element past its own part, which belongs to the next block.
//@ run --entry overlap --grid 3 --block 32 --arg inout:i32:128=zeros
// expect: race error global @ own neighbour

extern "C" __global__ void overlap(int* out)
{
    int t = threadIdx.x, i = blockIdx.x * 32 + t;
    out[i] = i; // <- own
    if (t == 31) {
        out[i + 1] = -i; // <- neighbour
    }
}
