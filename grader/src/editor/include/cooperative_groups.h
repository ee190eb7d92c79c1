// Groups of threads that work together, as far as kernels of a course use them. Declarations only.
#pragma once

namespace cooperative_groups {

// What every group has.
class thread_group {
  public:
    __device__ unsigned long long size() const;
    __device__ unsigned long long num_threads() const;
    __device__ unsigned long long thread_rank() const;
    __device__ void sync() const;
    __device__ bool is_valid() const;
};

// All threads of the block.
class thread_block : public thread_group {
  public:
    __device__ static void sync();
    __device__ static unsigned int size();
    __device__ static unsigned int num_threads();
    __device__ static unsigned int thread_rank();
    __device__ static dim3 group_index();
    __device__ static dim3 thread_index();
    __device__ static dim3 group_dim();
    __device__ static dim3 dim_threads();
    class arrival_token {};
    __device__ arrival_token barrier_arrive();
    __device__ void barrier_wait(arrival_token &&token);
};

// All threads of the grid; sync() needs a cooperative launch.
class grid_group : public thread_group {
  public:
    __device__ void sync() const;
    __device__ unsigned long long size() const;
    __device__ unsigned long long num_threads() const;
    __device__ unsigned long long thread_rank() const;
    __device__ unsigned long long block_rank() const;
    __device__ unsigned long long num_blocks() const;
    __device__ dim3 block_index() const;
    __device__ dim3 dim_blocks() const;
    __device__ dim3 group_dim() const;
};

// The blocks of a cluster, from compute capability 9.0 on.
class cluster_group {
  public:
    struct arrival_token {};
    __device__ void sync() const;
    __device__ arrival_token barrier_arrive() const;
    __device__ void barrier_wait(arrival_token &&token = {}) const;
    template <typename T> __device__ T *map_shared_rank(T *address, int rank) const;
    __device__ unsigned int query_shared_rank(const void *address) const;
    __device__ unsigned int block_rank() const;
    __device__ unsigned int num_blocks() const;
    __device__ dim3 block_index() const;
    __device__ dim3 dim_blocks() const;
    __device__ unsigned int thread_rank() const;
    __device__ dim3 thread_index() const;
    __device__ unsigned int num_threads() const;
    __device__ dim3 dim_threads() const;
    __device__ unsigned int size() const;
};

// What tiles and coalesced groups have.
class lanes_group : public thread_group {
  public:
    __device__ unsigned int size() const;
    __device__ unsigned int num_threads() const;
    __device__ unsigned int thread_rank() const;
    __device__ unsigned int meta_group_size() const;
    __device__ unsigned int meta_group_rank() const;
    __device__ void sync() const;
    template <typename T> __device__ T shfl(T value, int rank) const;
    template <typename T> __device__ T shfl_up(T value, unsigned int delta) const;
    template <typename T> __device__ T shfl_down(T value, unsigned int delta) const;
    template <typename T> __device__ T shfl_xor(T value, unsigned int ranks) const;
    __device__ int any(int predicate) const;
    __device__ int all(int predicate) const;
    __device__ unsigned int ballot(int predicate) const;
    template <typename T> __device__ unsigned int match_any(T value) const;
    template <typename T> __device__ unsigned int match_all(T value, int &all) const;
};

// The lanes that happen to be here together.
class coalesced_group : public lanes_group {};

// `Size` neighbouring threads of a group.
template <unsigned int Size, typename Parent = void> class thread_block_tile : public lanes_group {
  public:
    template <unsigned int OtherSize, typename OtherParent>
    __device__ thread_block_tile(const thread_block_tile<OtherSize, OtherParent> &other);
};

__device__ thread_block this_thread_block();
__device__ grid_group this_grid();
__device__ cluster_group this_cluster();
__device__ coalesced_group coalesced_threads();
template <unsigned int Size, typename Parent>
__device__ thread_block_tile<Size, Parent> tiled_partition(const Parent &parent);
__device__ thread_group tiled_partition(const thread_group &parent, unsigned int size);
__device__ coalesced_group binary_partition(const coalesced_group &group, bool predicate);
template <unsigned int Size, typename Parent>
__device__ coalesced_group binary_partition(const thread_block_tile<Size, Parent> &group,
                                            bool predicate);
template <typename Group>
__device__ coalesced_group labeled_partition(const Group &group, int label);

template <typename Group> __device__ void sync(const Group &group);
template <typename Group> __device__ unsigned long long thread_rank(const Group &group);
template <typename Group> __device__ unsigned long long group_size(const Group &group);
template <typename Group, typename Function, typename... Arguments>
__device__ auto invoke_one(const Group &, Function &&function, Arguments &&...arguments) {
    // With a body: a function of a lambda may not go without.
    return function(arguments...);
}

// Operations for reduce and the scans.
template <typename T> struct plus {
    __device__ T operator()(T x, T y) const;
};
template <typename T> struct less {
    __device__ T operator()(T x, T y) const;
};
template <typename T> struct greater {
    __device__ T operator()(T x, T y) const;
};
template <typename T> struct bit_and {
    __device__ T operator()(T x, T y) const;
};
template <typename T> struct bit_or {
    __device__ T operator()(T x, T y) const;
};
template <typename T> struct bit_xor {
    __device__ T operator()(T x, T y) const;
};

} // namespace cooperative_groups
