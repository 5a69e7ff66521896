import StorageEngine

/// Stops the program because of a programming error, or because an interface that cannot throw met
/// a storage error.
func stop(_ message: String) -> Never {
    fatalError(message)
}

func stop(_ error: any Error) -> Never {
    if let error = error as? StorageError { stop(Realm.Error(error).message) }
    stop("\(error)")
}

/// Reads on behalf of an interface that cannot throw: damage stops the program.
///
/// What fails because of the open write transaction, whose changes had to be completed first, is
/// read once more, from the version that the transaction was based on (``RealmInstance/fail(_:)``).
/// So `operation` may run twice, and has no effect outside of itself before it ends.
@inline(__always)
func attempt<Result>(_ operation: () throws -> Result) -> Result {
    do { return try operation() } catch { return attemptAgain(operation, after: error) }
}

@inline(never)
private func attemptAgain<Result>(
    _ operation: () throws -> Result, after error: any Error
) -> Result {
    guard RealmCache.isFailureOfTransaction(error) else { stop(error) }
    do { return try operation() } catch { stop(error) }
}

extension StorageError {
    /// True if the disk, the system or the file is to blame; false for a programming error.
    var isFailureOfEnvironment: Bool {
        switch code {
        case .fileNotFound, .permissionDenied, .fileExists, .alreadyOpen, .fileAccess,
            .fileReplaced, .notADatabase, .unsupportedFormat, .wrongKey, .damaged,
            .incompatibleLockFile, .outOfDiskSpace, .addressSpaceExhausted, .outcomeUnknown,
            .tooManyReaders:
            true
        case .valueTooLarge, .readOnly, .usedAfterFork, .duplicateKey, .invalidArgument: false
        }
    }
}
