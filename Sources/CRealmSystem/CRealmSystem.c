#include "CRealmSystem.h"

#include <pthread.h>

uint64_t realm_interceptor_word = 0;
uint64_t realm_counter_syncs = 0;
uint64_t realm_counter_write_calls = 0;
uint64_t realm_counter_bytes_written = 0;

uint64_t realm_fork_generation_word = 0;

// Descriptors that a forked child closes, each stored plus one so that zero means unused. Three
// for each open database; a fixed table, because the child may not allocate.
enum { forbidden_capacity = 4096 };
static uint32_t forbidden[forbidden_capacity];

static void after_fork_in_child(void) {
    __atomic_fetch_add(&realm_fork_generation_word, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < forbidden_capacity; i += 1) {
        uint32_t entry = __atomic_exchange_n(&forbidden[i], 0, __ATOMIC_RELAXED);
        if (entry != 0) close((int)entry - 1);
    }
}

static void register_fork_handler(void) { pthread_atfork(NULL, NULL, after_fork_in_child); }

void realm_watch_forks(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, register_fork_handler);
}

bool realm_close_in_forked_child(int descriptor) {
    realm_watch_forks();
    for (int i = 0; i < forbidden_capacity; i += 1) {
        if (realm_load_relaxed_32(&forbidden[i]) == 0
            && realm_compare_exchange_32(&forbidden[i], 0, (uint32_t)descriptor + 1)) {
            return true;
        }
    }
    return false;
}

void realm_keep_in_forked_child(int descriptor) {
    for (int i = 0; i < forbidden_capacity; i += 1) {
        if (realm_compare_exchange_32(&forbidden[i], (uint32_t)descriptor + 1, 0)) return;
    }
}
