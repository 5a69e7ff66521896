import CCrypto

enum Libcrypto {
    /// Asks libcrypto to stay as it is until the process has ended.
    ///
    /// Else `exit` has it take itself apart while threads of this process still commit, and the next
    /// page that one of them seals or opens ends the process by a signal. Too late where somebody
    /// else in the process used libcrypto first: then nothing is asked any more.
    static func keepUntilProcessEnds() {
        // Fails only without memory, and whoever uses libcrypto next is told so.
        _ = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
    }
}
