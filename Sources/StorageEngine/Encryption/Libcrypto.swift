import CCrypto

enum Libcrypto {
    /// Asks libcrypto not to clean up before the process has ended.
    ///
    /// Otherwise `exit` makes libcrypto clean up while other threads may still commit, and the next
    /// page that one of them seals or opens ends the process by a signal. The request has no effect
    /// if other code of the process has used libcrypto before.
    static func keepUntilProcessEnds() {
        // Fails only for lack of memory, which the next use of libcrypto reports.
        _ = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
    }
}
