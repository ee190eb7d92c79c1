// The header's other name.
#pragma once
#include <cuda_pipeline_primitives.h>
