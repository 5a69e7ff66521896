// Small C functions for what Swift on Linux cannot express: atomics on raw shared memory, the futex
// call, thread identity, and calls and constants that Glibc's Swift module lacks.
#ifndef CREALMSYSTEM_H
#define CREALMSYSTEM_H

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

// MARK: Atomics
//
// They operate on plain words, because the words are in memory that other processes map. The thread
// sanitizer instruments these builtins, so it understands protocols built from them.

#define REALM_DEFINE_ATOMICS(bits)                                                                \
    static inline uint##bits##_t realm_load_relaxed_##bits(const uint##bits##_t *_Nonnull word) { \
        return __atomic_load_n(word, __ATOMIC_RELAXED);                                           \
    }                                                                                             \
    static inline uint##bits##_t realm_load_acquire_##bits(const uint##bits##_t *_Nonnull word) { \
        return __atomic_load_n(word, __ATOMIC_ACQUIRE);                                           \
    }                                                                                             \
    static inline uint##bits##_t realm_load_seq_cst_##bits(const uint##bits##_t *_Nonnull word) { \
        return __atomic_load_n(word, __ATOMIC_SEQ_CST);                                           \
    }                                                                                             \
    static inline void realm_store_relaxed_##bits(                                                \
        uint##bits##_t *_Nonnull word, uint##bits##_t value) {                                    \
        __atomic_store_n(word, value, __ATOMIC_RELAXED);                                          \
    }                                                                                             \
    static inline void realm_store_release_##bits(                                                \
        uint##bits##_t *_Nonnull word, uint##bits##_t value) {                                    \
        __atomic_store_n(word, value, __ATOMIC_RELEASE);                                          \
    }                                                                                             \
    static inline void realm_store_seq_cst_##bits(                                                \
        uint##bits##_t *_Nonnull word, uint##bits##_t value) {                                    \
        __atomic_store_n(word, value, __ATOMIC_SEQ_CST);                                          \
    }                                                                                             \
    /* Read-modify-write operations are sequentially consistent unless named otherwise. */        \
    static inline bool realm_compare_exchange_##bits(                                             \
        uint##bits##_t *_Nonnull word, uint##bits##_t expected, uint##bits##_t desired) {         \
        return __atomic_compare_exchange_n(                                                       \
            word, &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                 \
    }                                                                                             \
    static inline uint##bits##_t realm_exchange_##bits(                                           \
        uint##bits##_t *_Nonnull word, uint##bits##_t value) {                                    \
        return __atomic_exchange_n(word, value, __ATOMIC_SEQ_CST);                                \
    }                                                                                             \
    /* Both return the previous value. */                                                         \
    static inline uint##bits##_t realm_fetch_add_##bits(                                          \
        uint##bits##_t *_Nonnull word, uint##bits##_t value) {                                    \
        return __atomic_fetch_add(word, value, __ATOMIC_SEQ_CST);                                 \
    }                                                                                             \
    static inline uint##bits##_t realm_fetch_add_relaxed_##bits(                                  \
        uint##bits##_t *_Nonnull word, uint##bits##_t value) {                                    \
        return __atomic_fetch_add(word, value, __ATOMIC_RELAXED);                                 \
    }

REALM_DEFINE_ATOMICS(32)
REALM_DEFINE_ATOMICS(64)

static inline void realm_fence_seq_cst(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

/// Tells the processor that this thread is spinning on a word.
static inline void realm_relax_processor(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}

// MARK: Futex
//
// A word in memory that several processes map is `shared`, for waiting and for waking. For other
// words the kernel needs no lookup of the page that contains them.

/// Sleeps while `*word == expected`, at most `nanoseconds` (negative: without limit).
/// Returns 0 after a wake-up, otherwise the error number: EAGAIN, EINTR or ETIMEDOUT.
static inline int realm_futex_wait(
    const uint32_t *_Nonnull word, uint32_t expected, int64_t nanoseconds, bool shared) {
    struct timespec timeout = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    long result = syscall(
        SYS_futex, word, shared ? FUTEX_WAIT : FUTEX_WAIT_PRIVATE, expected,
        nanoseconds < 0 ? NULL : &timeout, NULL, 0);
    return result == 0 ? 0 : errno;
}

/// Wakes at most `count` waiters and returns how many were woken.
static inline int realm_futex_wake(const uint32_t *_Nonnull word, int count, bool shared) {
    return (int)syscall(
        SYS_futex, word, shared ? FUTEX_WAKE : FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

/// One of several words to sleep on: `struct futex_waitv`.
struct realm_futex_waiter {
    uint64_t value;
    uint64_t address;
    uint32_t flags;
    uint32_t reserved;
};

static inline struct realm_futex_waiter realm_futex_waiter_make(
    const uint32_t *_Nonnull word, uint32_t expected, bool shared) {
    struct realm_futex_waiter waiter = {
        expected, (uint64_t)(uintptr_t)word,
        2u /* FUTEX_32 */ | (shared ? 0 : FUTEX_PRIVATE_FLAG), 0};
    return waiter;
}

/// Sleeps while every word holds its expected value, at most `nanoseconds` (negative: without
/// limit). Returns 0 after a wake-up, otherwise the error number, which is ENOSYS before Linux
/// 5.16.
static inline int realm_futex_wait_any(
    struct realm_futex_waiter *_Nonnull waiters, uint32_t count, int64_t nanoseconds) {
    struct timespec end = {0, 0};
    if (nanoseconds >= 0) {
        clock_gettime(CLOCK_MONOTONIC, &end);
        end.tv_sec += nanoseconds / 1000000000;
        end.tv_nsec += nanoseconds % 1000000000;
        if (end.tv_nsec >= 1000000000) {
            end.tv_sec += 1;
            end.tv_nsec -= 1000000000;
        }
    }
    // futex_waitv has this number on every architecture.
    long result = syscall(449, waiters, count, 0u, nanoseconds < 0 ? NULL : &end, CLOCK_MONOTONIC);
    return result >= 0 ? 0 : errno;
}

// MARK: Threads

/// Gives the calling thread a name of at most 15 bytes, which tools show.
static inline void realm_name_thread(const char *_Nonnull name) {
    prctl(PR_SET_NAME, (unsigned long)(uintptr_t)name, 0ul, 0ul, 0ul);
}

/// Returns the number of processors on which the calling thread may run, 1 if that is not known.
int32_t realm_processor_count(void);

// MARK: Identity

/// Returns the thread pointer. `pure` tells Swift that nothing is released here. The volatile
/// assembly keeps the optimizer from reusing the value across a suspension point, where the thread
/// changes (`pthread_self` is declared `const` and does get reused).
__attribute__((pure)) static inline uintptr_t realm_thread_identity(void) {
    uintptr_t identity;
#if defined(__x86_64__)
    __asm__ volatile("movq %%fs:0, %0" : "=r"(identity));
#elif defined(__aarch64__)
    __asm__ volatile("mrs %0, tpidr_el0" : "=r"(identity));
#else
#error "thread identity is not defined for this architecture"
#endif
    return identity;
}

/// Returns the identity of the main thread; 0 if another thread loaded the library.
uintptr_t realm_main_thread_identity(void);

/// Part of Swift's runtime. Its first two arguments are the two words of an
/// `UnownedSerialExecutor`.
extern bool swift_task_isCurrentExecutorWithFlags(
    void *_Nullable identity, uintptr_t implementation, uint64_t flags) __attribute__((swiftcall));

/// Returns whether a serial executor runs the calling task. Without flags the runtime only compares
/// executors, and does not stop the program if they differ.
static inline bool realm_is_current_executor(void *_Nullable identity, uintptr_t implementation) {
    return swift_task_isCurrentExecutorWithFlags(identity, implementation, 0);
}

extern uint64_t realm_fork_generation_word;

/// Returns the number of forks between the process that loaded this library and this one.
static inline uint64_t realm_fork_generation(void) {
    return __atomic_load_n(&realm_fork_generation_word, __ATOMIC_RELAXED);
}

/// Starts watching for forks, as loading the library also does. May be called any number of times,
/// from any thread.
void realm_watch_forks(void);

/// Makes every fork wait until nobody holds the mutex, so that the child finds it free and the
/// guarded value consistent. A thread that holds one such mutex may lock another only if the first
/// is `outermost` and the second is not. The mutex must live as long as the process. Returns false
/// if the table is full.
bool realm_hold_during_forks(pthread_mutex_t *_Nonnull mutex, bool outermost);

/// Makes every child that is forked from now on close `descriptor` first. Locks of an open file
/// description last as long as any process has it open, so a child would otherwise keep the locks
/// of its dead parent. Returns false if the descriptor is outside the table.
bool realm_close_in_forked_child(int descriptor);

/// Undoes `realm_close_in_forked_child`. Must be called before the descriptor is closed.
void realm_keep_in_forked_child(int descriptor);

// MARK: Calls and constants that Glibc's Swift module lacks

enum realm_lock_kind {
    realm_lock_shared = F_RDLCK,
    realm_lock_exclusive = F_WRLCK,
    realm_lock_none = F_UNLCK,
};

/// Linux's F_OFD_GETLK, F_OFD_SETLK and F_OFD_SETLKW, which glibc hides without _GNU_SOURCE.
enum { realm_ofd_getlk = 36, realm_ofd_setlk = 37, realm_ofd_setlkw = 38 };

/// Acquires or releases a byte-range lock that belongs to the open file description.
static inline int realm_ofd_lock(
    int descriptor, int kind, int64_t start, int64_t length, bool waits) {
    struct flock lock = {
        .l_type = (short)kind, .l_whence = SEEK_SET, .l_start = start, .l_len = length};
    return fcntl(descriptor, waits ? realm_ofd_setlkw : realm_ofd_setlk, &lock);
}

/// Looks for a lock of another open file description in the range that conflicts with one of this
/// kind. Returns 1 and the range of one such lock (length 0: to the end), 0 if there is none, and
/// -1 with `errno` set if the call fails. The descriptor need not be open for writing.
static inline int realm_ofd_find_lock(
    int descriptor, int kind, int64_t *_Nonnull start, int64_t *_Nonnull length) {
    struct flock lock = {
        .l_type = (short)kind, .l_whence = SEEK_SET, .l_start = *start, .l_len = *length};
    if (fcntl(descriptor, realm_ofd_getlk, &lock) != 0) return -1;
    *start = lock.l_start;
    *length = lock.l_len;
    return lock.l_type != F_UNLCK;
}

/// A file's identity and number of names, without its times. Since Linux 6.13, querying the times
/// makes the next write update them, and the inode is then written with every sync.
struct realm_file_identity {
    uint64_t device;
    uint64_t inode;
    uint32_t link_count;
};

/// Identifies the file at `path`, relative to `descriptor`, or the open file itself if `path` is
/// empty.
static inline int realm_identify(
    int descriptor, const char *_Nonnull path, struct realm_file_identity *_Nonnull identity) {
    // The kernel's `struct statx`, which glibc hides without _GNU_SOURCE.
    struct {
        uint32_t head[4];
        uint32_t link_count, owner[2];
        uint16_t mode[2];
        uint64_t inode, rest[11];
        uint32_t device_of_file[2], major, minor;
        uint64_t spare[14];
    } status;
    enum { empty_path = 0x1000, type = 1, links = 4, inode = 0x100 };
    _Static_assert(offsetof(__typeof__(status), inode) == 32, "as in the kernel");
    _Static_assert(offsetof(__typeof__(status), major) == 136, "as in the kernel");
    _Static_assert(sizeof(status) == 256, "as in the kernel");
    int result = (int)syscall(
        SYS_statx, descriptor, path, path[0] == 0 ? empty_path : 0, type | links | inode, &status);
    if (result != 0) return result;
    identity->device = makedev(status.major, status.minor);
    identity->inode = status.inode;
    identity->link_count = status.link_count;
    return 0;
}

/// Identifies an open file. A Swift string passed as a C argument would be copied, which allocates.
static inline int realm_identify_open(
    int descriptor, struct realm_file_identity *_Nonnull identity) {
    return realm_identify(descriptor, "", identity);
}

static inline int realm_memfd_create(const char *_Nonnull name) {
    return (int)syscall(SYS_memfd_create, name, 1u /* MFD_CLOEXEC */);
}

/// Renames a file, but never over another one (EEXIST).
static inline int realm_rename_no_replace(const char *_Nonnull from, const char *_Nonnull to) {
    return (int)syscall(
        SYS_renameat2, -100 /* AT_FDCWD */, from, -100, to, 1u /* RENAME_NOREPLACE */);
}

/// Calls `fallocate(2)` itself. The C library's `posix_fallocate` would overwrite the pages of
/// other processes with zeros if the file system cannot allocate.
static inline int realm_fallocate(int descriptor, int mode, int64_t offset, int64_t length) {
    return (int)syscall(SYS_fallocate, descriptor, mode, offset, length);
}

/// Calls `sync_file_range(2)` for a whole file with only SYNC_FILE_RANGE_WRITE, which starts
/// writing and waits for nothing.
static inline int realm_begin_writeback(int descriptor) {
    return (int)syscall(SYS_sync_file_range, descriptor, (int64_t)0, (int64_t)0, 2U);
}

/// Calls `pwritev2(2)` for one buffer with RWF_DSYNC: returns when the bytes are on the disk, and
/// waits for no other bytes of the file.
static inline int64_t realm_write_synced(
    int descriptor, const struct iovec *_Nonnull buffer, int64_t offset) {
    return syscall(
        SYS_pwritev2, descriptor, buffer, 1L, (long)offset, 0L,
        0x2 /* RWF_DSYNC */);
}

// MARK: Words of the system call seam

extern uint64_t realm_interceptor_word;
extern uint64_t realm_counter_syncs;
extern uint64_t realm_counter_write_calls;
extern uint64_t realm_counter_bytes_written;

/// Returns the address of the installed list of interceptors, or 0.
static inline uint64_t realm_interceptor(void) {
    return __atomic_load_n(&realm_interceptor_word, __ATOMIC_ACQUIRE);
}

static inline void realm_set_interceptor(uint64_t address) {
    __atomic_store_n(&realm_interceptor_word, address, __ATOMIC_RELEASE);
}

static inline void realm_count_sync(void) {
    __atomic_fetch_add(&realm_counter_syncs, 1, __ATOMIC_RELAXED);
}

static inline void realm_count_write(uint64_t bytes) {
    __atomic_fetch_add(&realm_counter_write_calls, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&realm_counter_bytes_written, bytes, __ATOMIC_RELAXED);
}

static inline uint64_t realm_counted_syncs(void) {
    return __atomic_load_n(&realm_counter_syncs, __ATOMIC_RELAXED);
}

static inline uint64_t realm_counted_write_calls(void) {
    return __atomic_load_n(&realm_counter_write_calls, __ATOMIC_RELAXED);
}

static inline uint64_t realm_counted_bytes_written(void) {
    return __atomic_load_n(&realm_counter_bytes_written, __ATOMIC_RELAXED);
}

#endif
