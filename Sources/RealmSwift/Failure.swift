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
@inline(__always)
func attempt<Result>(_ operation: () throws -> Result) -> Result {
    do { return try operation() } catch { stop(error) }
}

extension StorageError {
    /// True if the disk, the system or the file is to blame; false for a programming error.
    var isFailureOfEnvironment: Bool {
        switch code {
        case .fileNotFound, .permissionDenied, .fileExists, .alreadyOpen, .fileAccess,
            .fileReplaced, .notADatabase, .unsupportedFormat, .wrongKey, .damaged,
            .incompatibleLockFile, .outOfDiskSpace, .addressSpaceExhausted, .outcomeUnknown, .tooManyReaders:
            true
        case .valueTooLarge, .readOnly, .usedAfterFork, .duplicateKey, .invalidArgument: false
        }
    }
}
