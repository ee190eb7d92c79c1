// A queue in shared memory that holds as many as it has room for.
//@ run --entry keep --grid 1 --block 96 --arg in:i32:96=iota --arg out:i32:16
//! clean
//! defect 1: out_of_bounds at enter
//! defect 2: race at take
//! defect 3: race at take and size
template <class T, int Room>
struct Queue {
    int used;
    T items[Room];
    __device__ void add(T v)
    {
#if DEFECT == 2
        int at = used++; // <- take
#else
        int at = atomicAdd(&used, 1); // <- take
#endif
#if DEFECT == 1
        if (at <= Room) {
#else
        if (at < Room) {
#endif
            items[at] = v; // <- enter
        }
    }
};
extern "C" __global__ void keep(const int* in, int* out)
{
    __shared__ Queue<int, 16> q;
    int t = threadIdx.x;
    if (t == 0) q.used = 0;
    __syncthreads();
    if (in[t] % 3 == 0) q.add(t);
#if DEFECT != 3
    __syncthreads();
#endif
    int n = min(q.used, 16); // <- size
    __syncthreads();
    if (t < n) out[t] = q.items[t];
}
