#include "RocksDBVersion.h"

#include <rocksdb/version.h>

#define TEXT_OF(value) #value
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

extern "C" const char *rocksdb_version_of_headers(void) {
    return VERSION_TEXT(ROCKSDB_MAJOR, ROCKSDB_MINOR, ROCKSDB_PATCH);
}
