#include "CMeasurement.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((noinline, used)) void realm_bench_measured_region(
    void (*_Nonnull body)(void *_Nullable), void *_Nullable context)
{
    body(context);
    // Without this barrier the call could become a tail call, and the region would end at its
    // start.
    __asm__ volatile("" ::: "memory");
}

long realm_bench_status_field(const char *_Nonnull label)
{
    // The file has about 1,500 bytes plus the user's groups.
    char text[16384];
    size_t count = 0;
    int descriptor = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return -1;
    while (count < sizeof text - 1) {
        ssize_t got = read(descriptor, text + count, sizeof text - 1 - count);
        if (got <= 0) break;
        count += (size_t)got;
    }
    close(descriptor);
    text[count] = 0;
    size_t length = strlen(label);
    for (const char *line = text; line;) {
        if (strncmp(line, label, length) == 0) return strtol(line + length, NULL, 10);
        line = strchr(line, '\n');
        if (line) line++;
    }
    return -1;
}

void realm_bench_allocate_byte(void)
{
    // A compiler may leave out memory whose address it can follow.
    void *volatile memory = malloc(1);
    free(memory);
}

void realm_bench_loop(unsigned long steps)
{
    // The barrier keeps the compiler from leaving out steps.
    for (; steps > 0; steps--) __asm__ volatile("");
}

int realm_bench_finish_standard_output(void) {
    int failed = fflush(stdout) != 0 ? errno : 0;
    // What an earlier write could not take is gone, and its code with it.
    if (failed == 0 && ferror(stdout)) failed = -1;
    return failed;
}
