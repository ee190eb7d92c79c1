// Shortest paths by a queue that all take from and add to; an entry is published by itself, and a count of what is open ends the work.
//@ run --entry sssp --grid 2 --block 32 --arg in:i32:13=values:0,0,9,12,15,19,21,25,27,29,32,33,33 --arg in:i32:33=values:2,3,4,5,6,7,8,9,10,1,3,4,1,2,4,1,2,3,9,1,6,1,5,6,7,1,6,1,9,1,4,8,1 --arg i32:12 --arg in:i32:33=values:1,8,6,4,2,9,7,5,3,1,8,6,4,2,9,7,5,3,1,8,6,4,2,9,7,5,3,1,8,6,4,2,9 --arg inout:i32:12=const:100000 --arg inout:i32:1024=const:-1 --arg inout:i32:3=zeros
//! clean
//! defect 1: race at put and get
//! defect 2: race at tail; also=deadlock,unfinished
//! defect 3: race at poll and put; also=deadlock,unfinished
extern "C" __global__ void sssp(const int* row, const int* col, int n, const int* weight, int* distance, int* queue, int* state)
{
    int* head = &state[0];
    int* tail = &state[1];
    int* open = &state[2];
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        atomicExch(&distance[1], 0);
        atomicAdd(open, 1);
        atomicExch(&queue[atomicAdd(tail, 1)], 1);
        atomicAdd(open, 1 << 20);
    }
    int v, at = atomicAdd(head, 1);
    while (true) {
#if DEFECT == 3
        v = queue[at]; // <- poll
#else
        v = atomicAdd(&queue[at], 0); // <- get
#endif
        if (v < 0) {
            if (atomicAdd(open, 0) == 1 << 20) break;
            continue;
        }
        int mine = atomicAdd(&distance[v], 0);
        for (int j = row[v]; j < row[v + 1]; ++j) {
            int to = mine + weight[j];
            if (atomicMin(&distance[col[j]], to) <= to) continue;
            atomicAdd(open, 1);
#if DEFECT == 2
            int slot = (*tail)++; // <- tail
#else
            int slot = atomicAdd(tail, 1);
#endif
#if DEFECT == 1
            queue[slot] = col[j]; // <- put
#else
            atomicExch(&queue[slot], col[j]); // <- put
#endif
        }
        atomicSub(open, 1);
        at = atomicAdd(head, 1);
    }
}
