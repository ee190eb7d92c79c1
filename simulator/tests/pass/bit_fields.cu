//@ run --entry bit_fields --grid 2 --block 64 --arg in:i32:128=iota --arg out:i32:128 --arg out:u32:128 --arg out:u32:128 --arg inout:u32:128=zeros
// Bit fields are set one after another in words that nothing wrote before: each write reads the whole word, keeps its other
// bits and stores it back. Only what was set is used. The rest of a word may travel, as padding does.
struct Fields {
    unsigned a : 8;
    unsigned b : 8;
    unsigned flag : 1;
    unsigned small : 3;
    int sign : 5;
};

struct Wide {
    unsigned long long low : 20;
    unsigned long long high : 30;
};

struct Padded {
    char tag;
    int value;
};

__device__ __noinline__ void set(Fields* f, int i)
{
    f->b = i + 1;
    f->flag = 1;
    f->small = i;
    f->sign = -i;
}

__device__ Fields kept[128];
__device__ Padded structures[128];

__device__ __noinline__ Padded make(int i)
{
    Padded p;
    p.tag = 't';
    p.value = i;
    return p;
}

extern "C" __global__ void bit_fields(const int* in, int* out, Fields* fresh, unsigned* flags, unsigned* votes)
{
    __shared__ Fields tile[64];
    __shared__ Padded local[64];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    int v = in[i];
    Fields mine;
    set(&mine, v);
    set(&tile[t], v);
    set(&kept[i], v);
    set(&fresh[i], v);
    fresh[i].a = v;
    Wide wide;
    wide.high = v;
    local[t] = make(v);
    structures[i] = local[t];
    __syncthreads();
    Fields other = tile[63 - t];
    int sum = mine.b + mine.small + mine.sign + kept[i].b + fresh[i].sign + other.small + (int)wide.high + structures[i].value;
    if (mine.flag && kept[i].flag) sum += 1000;
    sum += __shfl_xor_sync(0xffffffffu, *(unsigned*)&mine, 1) >> 8 & 0xff;
    if (__any_sync(0xffffffffu, mine.flag != 0)) sum += 10000;
    out[i] = sum;
    // Flags of one word, set by different means.
    __shared__ unsigned word[64];
    unsigned char* bytes = (unsigned char*)&word[t];
    bytes[1] = v;
    atomicOr(&word[t], 0x80u);
    flags[i] = word[t] >> 7 & 0x1ff;
    votes[i] = __ballot_sync(0xffffffffu, other.small & 1);
}
