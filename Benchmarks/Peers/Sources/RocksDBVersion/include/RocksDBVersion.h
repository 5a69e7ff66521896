#ifndef ROCKSDB_VERSION_OF_HEADERS_H
#define ROCKSDB_VERSION_OF_HEADERS_H

#ifdef __cplusplus
extern "C" {
#endif

/// Returns the version of the RocksDB headers, such as "7.8.3"; the C interface has no call for it.
const char *rocksdb_version_of_headers(void);

#ifdef __cplusplus
}
#endif

#endif
