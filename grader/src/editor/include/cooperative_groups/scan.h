// The results of all threads up to this one (inclusive), or before it (exclusive). Declarations only.
#pragma once
#include <cooperative_groups.h>

namespace cooperative_groups {

template <typename Group, typename T> __device__ T inclusive_scan(const Group &group, T value);
template <typename Group, typename T, typename Operation>
__device__ T inclusive_scan(const Group &group, T value, Operation &&operation);
template <typename Group, typename T> __device__ T exclusive_scan(const Group &group, T value);
template <typename Group, typename T, typename Operation>
__device__ T exclusive_scan(const Group &group, T value, Operation &&operation);

} // namespace cooperative_groups
