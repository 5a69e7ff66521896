#include "CRealmSystem.h"

uint64_t realm_interceptor_word = 0;
uint64_t realm_counter_syncs = 0;
uint64_t realm_counter_write_calls = 0;
uint64_t realm_counter_bytes_written = 0;

uint64_t realm_fork_generation_word = 0;

// The descriptors that a forked child closes, one bit for each, up to the most that Linux gives a
// process (fs.nr_open). The table is static, because the child must not allocate; untouched parts
// take no memory.
enum { forbidden_capacity = 1 << 20 };
static uint64_t forbidden[forbidden_capacity / 64];
// The index behind the last word of the table that was ever used.
static uint32_t forbidden_limit = 0;

// The mutexes that a fork locks, the outermost first, which is the order in which threads nest
// them.
enum { held_capacity = 64 };
static pthread_mutex_t *held[2][held_capacity];
static pthread_mutex_t held_lock = PTHREAD_MUTEX_INITIALIZER;

static void before_fork(void) {
    pthread_mutex_lock(&held_lock);
    for (int kind = 0; kind < 2; kind += 1) {
        for (int i = 0; i < held_capacity && held[kind][i] != NULL; i += 1) {
            pthread_mutex_lock(held[kind][i]);
        }
    }
}

static void after_fork(void) {
    for (int kind = 1; kind >= 0; kind -= 1) {
        for (int i = 0; i < held_capacity && held[kind][i] != NULL; i += 1) {
            pthread_mutex_unlock(held[kind][i]);
        }
    }
    pthread_mutex_unlock(&held_lock);
}

bool realm_hold_during_forks(pthread_mutex_t *mutex, bool outermost) {
    pthread_mutex_t **table = held[outermost ? 0 : 1];
    bool isHeld = false;
    pthread_mutex_lock(&held_lock);
    for (int i = 0; i < held_capacity && !isHeld; i += 1) {
        if (table[i] != NULL) continue;
        table[i] = mutex;
        isHeld = true;
    }
    pthread_mutex_unlock(&held_lock);
    return isHeld;
}

static void after_fork_in_child(void) {
    __atomic_fetch_add(&realm_fork_generation_word, 1, __ATOMIC_RELAXED);
    uint32_t limit = __atomic_load_n(&forbidden_limit, __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < limit; i += 1) {
        uint64_t word = __atomic_exchange_n(&forbidden[i], 0, __ATOMIC_RELAXED);
        for (; word != 0; word &= word - 1) close((int)(i * 64) + __builtin_ctzll(word));
    }
    after_fork();
}

static void register_fork_handler(void) {
    pthread_atfork(before_fork, after_fork, after_fork_in_child);
}

void realm_watch_forks(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, register_fork_handler);
}

// Watching starts when the library is loaded, so that the child of a parent without an open
// database also counts as forked.
__attribute__((constructor)) static void watch_forks_when_loaded(void) { realm_watch_forks(); }

static uintptr_t main_thread;

// Unless the library is loaded at run time, the main thread loads it.
__attribute__((constructor)) static void note_main_thread(void) {
    if (syscall(SYS_gettid) == getpid()) main_thread = realm_thread_identity();
}

uintptr_t realm_main_thread_identity(void) { return main_thread; }

int32_t realm_processor_count(void) {
    uint64_t allowed[128]; // of 8192 processors, the most that Linux can have
    long bytes = syscall(SYS_sched_getaffinity, 0, sizeof allowed, allowed);
    int32_t count = 0;
    for (long word = 0; word < bytes / 8; word++) count += __builtin_popcountll(allowed[word]);
    return count > 0 ? count : 1;
}

bool realm_close_in_forked_child(int descriptor) {
    realm_watch_forks();
    if (descriptor < 0 || descriptor >= forbidden_capacity) return false;
    uint32_t index = (uint32_t)descriptor / 64;
    // Raised before the bit is set, so that no child misses a bit that is set.
    uint32_t limit = __atomic_load_n(&forbidden_limit, __ATOMIC_RELAXED);
    while (limit <= index
           && !__atomic_compare_exchange_n(&forbidden_limit, &limit, index + 1, false,
                                           __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
    }
    __atomic_fetch_or(&forbidden[index], 1ull << (descriptor % 64), __ATOMIC_SEQ_CST);
    return true;
}

void realm_keep_in_forked_child(int descriptor) {
    if (descriptor < 0 || descriptor >= forbidden_capacity) return;
    __atomic_fetch_and(&forbidden[(uint32_t)descriptor / 64], ~(1ull << (descriptor % 64)),
                       __ATOMIC_SEQ_CST);
}
