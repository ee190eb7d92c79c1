// What <assert.h> and <cassert> give a kernel: the compiler defines assert itself. Nothing to add.
#pragma once
