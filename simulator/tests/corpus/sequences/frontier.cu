// A level of a breadth-first search: whoever marks a node first appends it to the next frontier.
//@ run --entry expand --grid 2 --block 32 --arg in:i32:64=iota --arg inout:i32:64=zeros --arg out:i32:64 --arg inout:i32:1=zeros
//! clean
//! defect 1: race at check and mark
//! defect 2: race at mark2
extern "C" __global__ void expand(const int* in, int* seen, int* next, int* n)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    for (int k = 0; k < 2; ++k) {
        int node = (in[i] * 2 + k) % 48;
#if DEFECT == 1
        if (seen[node]) continue; // <- check
        if (atomicExch(&seen[node], 1) == 0) { // <- mark
#elif DEFECT == 2
        if (seen[node] == 0) {
            seen[node] = i + 1; // <- mark2
#else
        if (atomicExch(&seen[node], 1) == 0) {
#endif
            next[atomicAdd(n, 1)] = node;
        }
    }
}
