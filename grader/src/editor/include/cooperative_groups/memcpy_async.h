// Copies that a group starts together and waits for together. Declarations only.
#pragma once
#include <cooperative_groups.h>

namespace cooperative_groups {

template <typename Group, typename To, typename From, typename Size>
__device__ void memcpy_async(const Group &group, To *to, const From *from, const Size &bytes);
template <typename Group> __device__ void wait(const Group &group);
template <unsigned int Stages, typename Group> __device__ void wait_prior(const Group &group);

} // namespace cooperative_groups
