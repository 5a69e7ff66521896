#include "Levels.h"

const struct realm_column_kernels *realm_column_kernels_at_level(unsigned level) {
    switch (level) {
    case 0: return &realm_column_kernels_baseline;
#if defined(__x86_64__)
    case 1:
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi")
            && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt")) {
            return &realm_column_kernels_avx2;
        }
        return NULL;
    case 2:
        if (realm_column_kernels_at_level(1) && __builtin_cpu_supports("avx512f")
            && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq")
            && __builtin_cpu_supports("avx512vl")) {
            return &realm_column_kernels_avx512;
        }
        return NULL;
#endif
    default: return NULL;
    }
}
