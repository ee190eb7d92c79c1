// Chained buckets: a lock for each bucket, a list that grows at its head, nodes from a pool.
//@ run --entry insert --grid 3 --block 32 --arg in:i32:96=iota --arg inout:i32:8=zeros --arg inout:i32:8=const:-1 --arg inout:i32:96=zeros --arg inout:i32:96=zeros --arg inout:i32:1=zeros --budget 8000000
//! clean
//! defect 1: race at link
//! defect 2: race at link
//! defect 3: deadlock at lock
//! defect 4: race at link
//! defect 5: out_of_bounds at node; arg3=inout:i32:90=zeros
extern "C" __global__ void insert(const int* keys, int* lock, int* head, int* key, int* next, int* used)
{
    int k = keys[blockIdx.x * 32 + threadIdx.x], b = k * 5 % 8;
#if DEFECT == 4
    int node = *used; // <- link
    *used = node + 1; // <- link
    node = k;
#else
    int node = atomicAdd(used, 1);
#endif
    key[node] = k; // <- node
    bool done = false;
    while (!done) { // <- lock
#if DEFECT == 1
        if (atomicAdd(&lock[b], 1) >= 0) { // <- lock
#else
        if (atomicCAS(&lock[b], 0, 1) == 0) { // <- lock
#endif
            __threadfence();
            next[node] = head[b]; // <- link
            head[b] = node; // <- link
#if DEFECT != 2
            __threadfence();
#endif
#if DEFECT == 3
            if (k != 40) atomicExch(&lock[b], 0);
#else
            atomicExch(&lock[b], 0);
#endif
            done = true;
        }
    }
}
