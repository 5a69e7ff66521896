// Small C pieces that Swift on Linux cannot express: atomics on raw shared memory, the futex
// call, thread identity, and constants that Glibc's Swift module lacks.
#ifndef CREALMSYSTEM_H
#define CREALMSYSTEM_H

#include <stdint.h>

#endif
