extension Pager {
    func damaged(_ page: UInt64, _ what: String) -> StorageError {
        StorageError(
            .damaged, path: database.path,
            message: "Realm at path '\(database.path)' is damaged: page \(page): \(what).",
            page: page)
    }

    func noSuchObject(_ key: ObjectKey) -> StorageError {
        StorageError(
            .invalidArgument, path: database.path,
            message: "There is no object with key \(key.rawValue).")
    }

    func invalidArgument(_ message: String) -> StorageError {
        StorageError(.invalidArgument, path: database.path, message: message)
    }
}
