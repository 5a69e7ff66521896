#ifndef CALL_COUNTERS_H
#define CALL_COUNTERS_H

#include <stdint.h>

/// The calls of this process to the operating system so far.
typedef struct {
    /// The number of `fsync`, `fdatasync`, `msync`, and writes through synchronous descriptors.
    uint64_t syncs;
    /// The number of `write`, `pwrite`, `writev` and `pwritev` through descriptors above 2.
    uint64_t write_calls;
    /// The bytes that these calls wrote.
    uint64_t bytes_written;
} call_counts;

/// Returns the counts. May be called on any thread.
call_counts call_counters_read(void);

/// Marks the open descriptors of the file at `path` that have O_DSYNC or O_SYNC, so that each write
/// through them also counts as a sync. Returns the number of marked descriptors. Call it after a
/// library has opened such descriptors, and `call_counters_forget_synchronous` before the library
/// closes them.
int call_counters_mark_synchronous(const char *path);

/// Clears the marks of the descriptors of the file at `path`.
void call_counters_forget_synchronous(const char *path);

#endif
