// Money goes from account to account; nobody may go below zero, so a withdrawal is tried by compare-and-swap.
//@ run --entry transfer --grid 2 --block 32 --arg inout:i32:8=const:50 --arg in:i32:64=iota --arg inout:i32:1=zeros
//! clean
//! defect 1: race at balance and take|give
//! defect 2: race at take and take|give
//! defect 3: race at failed
//! defect 4: out_of_bounds at give
extern "C" __global__ void transfer(int* account, const int* order, int* failures)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int from = order[i] % 8, to = order[i] * 3 % 8, amount = i % 7 + 60 * (i % 5 == 0) + 1;
#if DEFECT == 4
    to = order[i] % 9;
#endif
    bool paid = false;
#if DEFECT == 1
    if (account[from] >= amount) { // <- balance
        atomicSub(&account[from], amount); // <- take
        paid = true;
    }
#elif DEFECT == 2
    if (account[from] >= amount) { // <- take
        account[from] -= amount; // <- take
        paid = true;
    }
#else
    int seen = atomicAdd(&account[from], 0);
    while (seen >= amount && !paid) {
        int before = atomicCAS(&account[from], seen, seen - amount);
        paid = before == seen;
        seen = before;
    }
#endif
    if (paid) {
        atomicAdd(&account[to], amount); // <- give
    } else {
#if DEFECT == 3
        ++*failures; // <- failed
#else
        atomicAdd(failures, 1);
#endif
    }
}
