// What CUDA C++ has without any #include, declared for clangd on a machine that has no CUDA: an editor
// that reads these knows the names, completes them and finds a typo.
//
// These are declarations, and no program links them. The judge compiles with NVIDIA's own compiler, never with these.
// What needs it has it already: no editor is to include it.
// IWYU pragma: private, include "course.cuh"
#pragma once

#include "language/keywords.h"
#include "language/types.h"
#include "language/threads.h"
#include "language/memory.h"
#include "language/atomics.h"
#include "language/arithmetic.h"
#include "language/names.h"
