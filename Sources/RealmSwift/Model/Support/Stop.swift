import CRealmSystem

/// Stops the program because of a programming error, or because of a storage error in an interface
/// that cannot throw.
func stop(_ message: String) -> Never {
    fatalError(message)
}

/// Returns the identity of the calling thread.
func currentThread() -> UInt { UInt(realm_thread_identity()) }
