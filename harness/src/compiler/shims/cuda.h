// What a kernel may take from <cuda.h>: the types of the driver's handles, and that of tensor maps, which the host makes
// (`cuTensorMapEncodeTiled`) and kernels take as `const __grid_constant__ CUtensorMap`. Only the hardware looks into one.
#pragma once
#define CU_TENSOR_MAP_NUM_QWORDS 16
typedef unsigned int cuuint32_t;
typedef unsigned long long cuuint64_t;
typedef struct CUtensorMap_st {
    alignas(128) cuuint64_t opaque[CU_TENSOR_MAP_NUM_QWORDS];
} CUtensorMap;
typedef unsigned long long CUdeviceptr;
typedef unsigned long long CUtexObject;
typedef unsigned long long CUsurfObject;
