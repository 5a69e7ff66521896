import Foundation
import StorageEngine
import Synchronization

/// The Realm instances of the process, by file and thread. Holds them weakly.
enum RealmCache {
    private struct Place: Hashable {
        let path: String
        let thread: UInt
    }

    /// Sendable because only the reference itself is used on other threads: the instance is given
    /// out to its own thread alone.
    private struct Entry: @unchecked Sendable {
        weak var instance: RealmInstance?
        let readOnly: Bool
        let isInMemory: Bool
    }

    private static let entries = Mutex<[Place: Entry]>([:])

    /// The instance of this thread, opened now if there is none.
    static func instance(for configuration: Realm.Configuration) throws -> RealmInstance {
        let path = configuration.path
        let place = Place(path: path, thread: currentThread())
        requireCompatible(configuration, path)
        let schema = SchemaModel.of(configuration)
        let cached = entries.withLock { entries in
            UncheckedTransfer(entries[place]?.instance)
        }.value
        if let cached, cached.schema.covers(schema) { return cached }
        let instance = try RealmInstance.open(configuration, path: path, schema: schema)
        let entry = Entry(
            instance: instance, readOnly: configuration.readOnly,
            isInMemory: configuration.inMemoryIdentifier != nil)
        entries.withLock { entries in
            if entries.count > 64 { entries = entries.filter { $0.value.instance != nil } }
            entries[place] = entry
        }
        return instance
    }

    /// Runs `body` unless the file is open in this process.
    static func whileClosed<Result>(
        path: String, _ body: () throws -> Result
    ) throws -> Result {
        let isOpen = entries.withLock { entries in
            entries.contains { $0.key.path == path && $0.value.instance != nil }
        }
        if isOpen {
            throw Realm.Error(
                .alreadyOpen, path: path,
                message: "Cannot delete files of an open Realm: '\(path)' is still in use.")
        }
        return try body()
    }

    /// Stops if the file is open with settings that exclude each other.
    private static func requireCompatible(
        _ configuration: Realm.Configuration, _ path: String
    ) {
        let isInMemory = configuration.inMemoryIdentifier != nil
        let conflict: String? = entries.withLock { entries in
            for (place, entry) in entries where place.path == path && entry.instance != nil {
                if entry.readOnly != configuration.readOnly { return "read permissions" }
                if entry.isInMemory != isInMemory { return "inMemory settings" }
            }
            return nil
        }
        if let conflict {
            stop("Realm at path '\(path)' already opened with different \(conflict)")
        }
    }
}

/// Carries a reference out of a lock on the thread that the reference belongs to.
private struct UncheckedTransfer<Value>: @unchecked Sendable {
    // Safe because entries are looked up by the calling thread's own identity.
    let value: Value
    init(_ value: Value) { self.value = value }
}
