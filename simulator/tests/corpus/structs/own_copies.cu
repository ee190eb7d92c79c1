// A structure by value is each call's own: calls of a recursion write into theirs, and the caller's stays as it was.
//@ run --entry walk --grid 1 --block 32 --arg out:i32:32 --arg i32:4
//! clean
//! defect 1: out_of_bounds at push; arg1=i32:10
//! defect 2: uninitialized_read at push; also=out_of_bounds
//! defect 3: out_of_bounds|uninitialized_read at stale|result
//! defect 4: out_of_bounds at reach
struct Path {
    int step[8];
    int length;
};
__device__ __noinline__ int visit(Path path, int at, int depth)
{
    path.step[path.length++] = at; // <- push
    if (depth == 0) {
        int hash = 0;
        for (int k = 0; k < path.length; ++k) hash = hash * 31 + path.step[k];
        return hash;
    }
    const int left = visit(path, 2 * at, depth - 1);
    return left + visit(path, 2 * at + 1, depth - 1);
}
__device__ __noinline__ void last_of(Path path, const int** where) { *where = &path.step[path.length - 1]; }
__device__ __noinline__ int farther(Path path, int by) { return path.step[by]; } // <- reach
extern "C" __global__ void walk(int* out, int depth)
{
    Path path;
    for (int k = 0; k < 8; ++k) path.step[k] = k;
#if DEFECT != 2
    path.length = 0;
#endif
    int hash = visit(path, threadIdx.x + 1, depth);
#if DEFECT == 3
    path.length = 1;
    const int* where;
    last_of(path, &where);
    hash += *where; // <- stale
#elif DEFECT == 4
    hash += farther(path, threadIdx.x * 4);
#else
    hash += path.length + farther(path, threadIdx.x % 8);
#endif
    out[threadIdx.x] = hash; // <- result
}
