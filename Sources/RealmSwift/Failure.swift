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

/// Runs a storage operation on behalf of an interface that cannot throw.
func attempt<Result>(_ operation: () throws -> Result) -> Result {
    do { return try operation() } catch { stop(error) }
}
