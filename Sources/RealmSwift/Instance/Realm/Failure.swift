import StorageEngine

/// Stops the program because of an error in an interface that cannot throw.
func stop(_ error: any Error) -> Never {
    if let error = error as? StorageError { stop(Realm.Error(error).message) }
    stop("\(error)")
}

/// Reads for an interface that cannot throw. An error such as a damaged file stops the program.
///
/// A read may have to complete pending changes first. If these make the open write transaction
/// fail, the read is repeated on the version that the transaction was based on
/// (``RealmInstance/fail(_:)``). `operation` can therefore run twice, and must have no side effects
/// before it succeeds.
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
    /// Whether the cause is the disk, the system or what is in the file, and not a programming
    /// error.
    var isFailureOfEnvironment: Bool {
        switch code {
        case .fileNotFound, .permissionDenied, .fileExists, .alreadyOpen, .fileAccess,
            .fileReplaced, .notADatabase, .unsupportedFormat, .wrongKey, .damaged,
            .incompatibleLockFile, .outOfDiskSpace, .addressSpaceExhausted, .outcomeUnknown,
            .committedUnread, .tooManyReaders, .schemaChanged, .migrationFailed:
            true
        case .valueTooLarge, .readOnly, .usedAfterFork, .duplicateKey, .invalidArgument,
            .interrupted:
            false
        }
    }
}
