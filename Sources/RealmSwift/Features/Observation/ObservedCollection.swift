import StorageEngine

/// A list or set of an object.
class ObservedCollection<Handle: EngineCollection & ComparableHandle>: Observed {
    fileprivate let collection: ManagedCollection<Handle>
    /// What counts as a modification of an element; nil if the elements are values.
    private let elements: ObservedClass?

    init(_ collection: ManagedCollection<Handle>, _ elements: ObservedClass?) {
        self.collection = collection
        self.elements = elements
    }

    final override func base() throws -> ObservedBase {
        try collection.handle.exists ? .version : .gone
    }

    final override func compare(
        _ base: ObservedBase, over step: VersionStep
    ) throws -> (Registration.Report?, ObservedBase) {
        guard case .version = base, let table = try step.oldTable(of: collection.owner) else {
            return (nil, base)
        }
        let handle = collection.handle
        let old = handle.moved(to: table)
        guard try handle.exists else {
            // All elements went with the collection.
            let count = try old.count()
            if count == 0 { return (nil, .gone) }
            let change = IndexChanges(deletions: Array(0..<count))
            return (try report(change, old: old), .gone)
        }
        var change = IndexChanges()
        if let found = try handle.change(since: old, step.changes(of: collection.owner)) {
            change.deletions = found.deletions.flatMap { $0 }
            change.insertions = found.insertions.flatMap { $0 }
            change.modifications = found.modifications.flatMap { $0 }
        }
        if let elements { try addModified(elements, of: old, over: step, to: &change) }
        return (change.isEmpty ? nil : try report(change, old: old), .version)
    }

    /// Adds the positions of the objects that were modified and are still in their places.
    private func addModified(
        _ elements: ObservedClass, of old: Handle, over step: VersionStep,
        to change: inout IndexChanges
    ) throws {
        guard let isModified = try step.affectedTest(elements, count: old.count()) else { return }
        var modified = Set(change.modifications)
        let deleted = Set(change.deletions)
        var position = 0
        try old.forEachValue { value throws(StorageError) in
            // What was kept exists in the new version.
            if case .integer(let key) = value, !deleted.contains(position),
                try isModified(ObjectKey(rawValue: key))
            {
                modified.insert(position)
            }
            position += 1
            return true
        }
        change.modifications = modified.sorted()
    }

    fileprivate func report(_ change: IndexChanges, old: Handle) throws -> Registration.Report {
        .collection(change)
    }
}

/// A map of an object.
final class ObservedMap: ObservedCollection<MapHandle> {
    fileprivate override func report(
        _ change: IndexChanges, old: MapHandle
    ) throws -> Registration.Report {
        .map(
            MapChanges(
                deletions: try change.deletions.map(old.key),
                insertions: try change.insertions.map(collection.handle.key),
                modifications: try change.modifications.map(old.key)))
    }
}

extension MapHandle {
    fileprivate func key(at position: Int) throws -> String {
        String(decoding: try entry(at: position).key, as: UTF8.self)
    }
}

/// The values of a collection, sorted or without duplicates, compared by value.
final class ObservedValues: Observed {
    private let read: () -> [OwnedScalar]

    init(_ read: @escaping () -> [OwnedScalar]) { self.read = read }

    override func base() -> ObservedBase { .values(read()) }

    override func compare(
        _ base: ObservedBase, over step: VersionStep
    ) throws -> (Registration.Report?, ObservedBase) {
        guard case .values(let old) = base else { return (nil, base) }
        let new = read()
        let change = try IndexChanges(from: old, to: new, isModified: nil)
        return (change.isEmpty ? nil : .collection(change), .values(new))
    }
}
