// One result of all threads of a group. Declarations only.
#pragma once
#include <cooperative_groups.h>

namespace cooperative_groups {

template <typename Group, typename T, typename Operation>
__device__ T reduce(const Group &group, T value, Operation &&operation);

}
