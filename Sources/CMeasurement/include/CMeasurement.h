#ifndef C_MEASUREMENT_H
#define C_MEASUREMENT_H

/// Calls `body` with `context`. The function is never inlined and does not return before `body`
/// does, so that `callgrind --toggle-collect=realm_bench_measured_region` counts exactly the work
/// of `body`. Calls must not nest, because the inner call would switch counting off.
void realm_bench_measured_region(void (*_Nonnull body)(void *_Nullable), void *_Nullable context);

/// Tells the compiler that memory may have changed. It has to read values again, so that it cannot
/// fold repeated loops over the same values into one pass.
static inline void realm_bench_forget_memory(void) { __asm__ volatile("" ::: "memory"); }

/// Returns the number after `label`, such as "Threads:", in `/proc/self/status`, or -1 if there is
/// none. It does not allocate, because it is called while allocations are counted.
long realm_bench_status_field(const char *_Nonnull label);

/// Allocates one byte and frees it.
void realm_bench_allocate_byte(void);

/// Counts down from `steps`, by two instructions or more for each.
void realm_bench_loop(unsigned long steps);

/// Writes what the C library has buffered for standard output. Returns 0 if everything that was
/// ever written to it has arrived, else the error code, or -1 if the code is not known any more.
int realm_bench_finish_standard_output(void);

/// Demangles a symbol of Swift; a function of Swift's runtime. Returns memory to be freed, or NULL
/// for what is no such symbol.
char *_Nullable swift_demangle(
    const char *_Nonnull name, unsigned long length, char *_Nullable buffer,
    unsigned long *_Nullable size, unsigned int flags);

#endif
