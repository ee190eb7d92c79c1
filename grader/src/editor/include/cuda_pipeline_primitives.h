// The header's other name.
#pragma once
#include <cuda_pipeline.h>
