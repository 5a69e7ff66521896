// The level that every processor of the architecture has: SSE2 on x86-64, NEON on AArch64.
#include "Levels.h"

#define KERNELS realm_column_kernels_baseline
#define LEVEL "baseline"
#include "Kernels.h"
