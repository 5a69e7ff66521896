// Counts the calls that write files or make them durable, from any code in the process. The
// executable defines these functions itself, and the dynamic linker prefers its definitions to
// those of the C library even for calls from shared libraries. Each function passes its arguments
// to the kernel and counts the calls that succeed.
//
// Not counted are calls that the C library makes internally (stdio, eventfd_write), other ways to
// write (mapped memory, copy_file_range, sendfile, ftruncate, fallocate), and sync_file_range,
// which makes nothing durable.

#define _GNU_SOURCE
#include "CallCounters.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static _Atomic uint64_t syncs;
static _Atomic uint64_t write_calls;
static _Atomic uint64_t bytes_written;

enum { MARKED_DESCRIPTORS = 1024 };
static _Atomic bool synchronous[MARKED_DESCRIPTORS];

static void count(_Atomic uint64_t *counter, uint64_t amount) {
    atomic_fetch_add_explicit(counter, amount, memory_order_relaxed);
}

static int counted_sync(long result) {
    if (result == 0) count(&syncs, 1);
    return (int)result;
}

static ssize_t counted_write(int descriptor, long result) {
    if (result >= 0 && descriptor > STDERR_FILENO) {
        count(&write_calls, 1);
        count(&bytes_written, (uint64_t)result);
        if (descriptor < MARKED_DESCRIPTORS
            && atomic_load_explicit(&synchronous[descriptor], memory_order_relaxed)) {
            count(&syncs, 1);
        }
    }
    return result;
}

int fsync(int descriptor) { return counted_sync(syscall(SYS_fsync, descriptor)); }

int fdatasync(int descriptor) { return counted_sync(syscall(SYS_fdatasync, descriptor)); }

int msync(void *address, size_t length, int flags) {
    return counted_sync(syscall(SYS_msync, address, length, flags));
}

ssize_t write(int descriptor, const void *bytes, size_t length) {
    return counted_write(descriptor, syscall(SYS_write, descriptor, bytes, length));
}

ssize_t pwrite(int descriptor, const void *bytes, size_t length, off_t offset) {
    return counted_write(descriptor, syscall(SYS_pwrite64, descriptor, bytes, length, offset));
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t length, off64_t offset) {
    return counted_write(descriptor, syscall(SYS_pwrite64, descriptor, bytes, length, offset));
}

ssize_t writev(int descriptor, const struct iovec *parts, int parts_count) {
    return counted_write(descriptor, syscall(SYS_writev, descriptor, parts, parts_count));
}

// The kernel takes the offset in two words; on 64-bit machines the first word holds all of it.
ssize_t pwritev(int descriptor, const struct iovec *parts, int parts_count, off_t offset) {
    return counted_write(
        descriptor, syscall(SYS_pwritev, descriptor, parts, parts_count, offset, 0));
}

ssize_t pwritev64(int descriptor, const struct iovec *parts, int parts_count, off64_t offset) {
    return counted_write(
        descriptor, syscall(SYS_pwritev, descriptor, parts, parts_count, offset, 0));
}

_Static_assert(sizeof(long) == 8, "offsets are passed in one word");

call_counts call_counters_read(void) {
    return (call_counts){
        .syncs = atomic_load_explicit(&syncs, memory_order_relaxed),
        .write_calls = atomic_load_explicit(&write_calls, memory_order_relaxed),
        .bytes_written = atomic_load_explicit(&bytes_written, memory_order_relaxed),
    };
}

// Sets or clears the marks of a file's descriptors. Returns how many marks were set.
static int mark(const char *path, bool setting) {
    struct stat wanted;
    if (stat(path, &wanted) != 0) return 0;
    int marked = 0;
    for (int descriptor = 0; descriptor < MARKED_DESCRIPTORS; descriptor++) {
        struct stat found;
        if (fstat(descriptor, &found) != 0) continue;
        if (found.st_dev != wanted.st_dev || found.st_ino != wanted.st_ino) continue;
        // O_SYNC contains the bit of O_DSYNC.
        bool is_synchronous = setting && (fcntl(descriptor, F_GETFL) & O_DSYNC) != 0;
        atomic_store_explicit(&synchronous[descriptor], is_synchronous, memory_order_relaxed);
        marked += is_synchronous;
    }
    return marked;
}

int call_counters_mark_synchronous(const char *path) { return mark(path, true); }

void call_counters_forget_synchronous(const char *path) { (void)mark(path, false); }
