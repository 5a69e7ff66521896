import CRealmSystem

/// Atomic access to a word of raw memory. All other threads, and processes that map the same
/// memory, must access the word the same way. Read-modify-write operations are sequentially
/// consistent.
extension UnsafeMutablePointer where Pointee == UInt32 {
    @inline(__always) package func loadRelaxed() -> UInt32 { realm_load_relaxed_32(self) }
    @inline(__always) package func loadAcquire() -> UInt32 { realm_load_acquire_32(self) }
    @inline(__always) package func loadSequential() -> UInt32 { realm_load_seq_cst_32(self) }
    @inline(__always) package func storeSequential(_ value: UInt32) {
        realm_store_seq_cst_32(self, value)
    }
    @inline(__always) package func storeRelaxed(_ value: UInt32) {
        realm_store_relaxed_32(self, value)
    }
    @inline(__always) package func storeRelease(_ value: UInt32) {
        realm_store_release_32(self, value)
    }
    /// Sets the word to `desired` if it holds `expected`. Returns whether it did.
    @inline(__always)
    package func compareExchange(expected: UInt32, desired: UInt32) -> Bool {
        realm_compare_exchange_32(self, expected, desired)
    }
    /// Returns the previous value.
    @inline(__always) package func exchange(_ value: UInt32) -> UInt32 {
        realm_exchange_32(self, value)
    }
    /// Returns the previous value.
    @inline(__always) package func fetchAdd(_ value: UInt32) -> UInt32 {
        realm_fetch_add_32(self, value)
    }
}

extension UnsafeMutablePointer where Pointee == UInt64 {
    @inline(__always) package func loadRelaxed() -> UInt64 { realm_load_relaxed_64(self) }
    @inline(__always) package func loadAcquire() -> UInt64 { realm_load_acquire_64(self) }
    @inline(__always) package func loadSequential() -> UInt64 { realm_load_seq_cst_64(self) }
    @inline(__always) package func storeRelaxed(_ value: UInt64) {
        realm_store_relaxed_64(self, value)
    }
    @inline(__always) package func storeRelease(_ value: UInt64) {
        realm_store_release_64(self, value)
    }
    @inline(__always) package func storeSequential(_ value: UInt64) {
        realm_store_seq_cst_64(self, value)
    }
    /// Sets the word to `desired` if it holds `expected`. Returns whether it did.
    @inline(__always)
    package func compareExchange(expected: UInt64, desired: UInt64) -> Bool {
        realm_compare_exchange_64(self, expected, desired)
    }
    /// Returns the previous value.
    @inline(__always) package func exchange(_ value: UInt64) -> UInt64 {
        realm_exchange_64(self, value)
    }
    /// Returns the previous value.
    @inline(__always) package func fetchAdd(_ value: UInt64) -> UInt64 {
        realm_fetch_add_64(self, value)
    }
}
