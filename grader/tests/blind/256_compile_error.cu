// A kernel that doesn't compile.
//@ run --entry broken --grid 1 --block 32 --arg out:i32:32
// status: compile_error
// exit: 1
// compiles: no

extern "C" __global__ void broken(int* out)
{
    out[threadIdx.x] = undeclared;
}
