// The level of x86-64 processors with 64-byte vectors and comparisons that yield bit masks.
#include "Levels.h"

#if defined(__x86_64__)
#define KERNELS realm_column_kernels_avx512
#define LEVEL "AVX-512"
#pragma clang attribute push(                                                             \
    __attribute__((target(                                                                \
        "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi,bmi2,popcnt"))),               \
    apply_to = function)
#include "Kernels.h"
#pragma clang attribute pop
#endif
