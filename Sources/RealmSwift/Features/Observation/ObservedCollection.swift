import StorageEngine

/// A list or set of an object.
class ObservedCollection<Handle: EngineCollection & ComparableHandle>: Observed {
    fileprivate let collection: ManagedCollection<Handle>
    private let elements: Elements

    /// What counts as a modification of an element that stays in its place.
    private enum Elements {
        case objects(ObservedClass)
        case mixed(ObservedLinks)
        case values
    }

    /// `elements`: what counts as a modification of an element; nil if the elements are values.
    init(_ collection: ManagedCollection<Handle>, _ elements: ObservedClass?) {
        self.collection = collection
        self.elements =
            if let elements {
                .objects(elements)
            } else if collection.type == .mixed {
                .mixed(ObservedLinks(collection))
            } else {
                .values
            }
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
            if count == 0 { return (.deletion, .gone) }
            let change = IndexChanges(deletions: Array(0..<count))
            return (try report(change, old: old), .gone)
        }
        var change = IndexChanges()
        if let found = try handle.change(since: old, step.changes(of: collection.owner)) {
            change.deletions = found.deletions.flatMap { $0 }
            change.insertions = found.insertions.flatMap { $0 }
            change.modifications = found.modifications.flatMap { $0 }
        }
        try addModified(old, over: step, to: &change)
        return (change.isEmpty ? nil : try report(change, old: old), .version)
    }

    /// Adds the positions of the elements that were modified and are still in their places.
    private func addModified(
        _ old: Handle, over step: VersionStep, to change: inout IndexChanges
    ) throws {
        guard let isModified = try modificationTest(step, count: old.count()) else { return }
        var modified = Set(change.modifications)
        let deleted = Set(change.deletions)
        var position = 0
        try old.forEachValue { value throws(StorageError) in
            if !deleted.contains(position), try isModified(value) { modified.insert(position) }
            position += 1
            return true
        }
        change.modifications = modified.sorted()
    }

    /// Returns a test of whether an element of the older version that was kept is modified; nil if
    /// none is.
    private func modificationTest(
        _ step: VersionStep, count: Int
    ) throws -> ((Scalar) throws(StorageError) -> Bool)? {
        switch elements {
        case .objects(let elements):
            guard let isAffected = try step.affectedTest(elements, count: count) else {
                return nil
            }
            return { (value: Scalar) throws(StorageError) -> Bool in
                // What was kept exists in the new version.
                guard case .integer(let key) = value else { return false }
                return try isAffected(ObjectKey(rawValue: key))
            }
        case .mixed(let links): return try links.affectedTest(step, count: count)
        case .values: return nil
        }
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
    private let values: any AnySortedValues
    /// What mixed values link to.
    private let links: ObservedLinks?

    init(_ values: any AnySortedValues) {
        self.values = values
        guard case .column(let collection)? = values.source?.kind, collection.type == .mixed else {
            links = nil
            return
        }
        links = ObservedLinks(collection)
    }

    private var isGone: Bool { values.source?.isInvalidated ?? true }

    override func base() -> ObservedBase { isGone ? .gone : .values(values.storedValues()) }

    override func compare(
        _ base: ObservedBase, over step: VersionStep
    ) throws -> (Registration.Report?, ObservedBase) {
        guard case .values(let old) = base else { return (nil, base) }
        if isGone {
            let change = IndexChanges(deletions: Array(old.indices))
            return (old.isEmpty ? .deletion : .collection(change), .gone)
        }
        let new = values.storedValues()
        var isModified: ((OwnedScalar) throws -> Bool)?
        if let isAffected = try links?.affectedTest(step, count: old.count) {
            isModified = { try $0.withScalar(isAffected) }
        }
        let change = try IndexChanges(from: old, to: new, isModified: isModified)
        return (change.isEmpty ? nil : .collection(change), .values(new))
    }
}

/// The objects to which the mixed values of a collection link, also from collections inside of the
/// values.
final class ObservedLinks {
    private let owner: ManagedClass
    private let column: Int
    private let targets: [ObservedClass]

    init(_ collection: any AnyManagedCollection) {
        owner = collection.owner
        column = collection.column
        targets = ObservedClass.everythingLinked(from: collection.realm)
    }

    /// Returns a test of whether a value, which is read in the older version and is in both, leads
    /// to an affected object, to be applied to about `count` values; nil if none does.
    func affectedTest(
        _ step: VersionStep, count: Int
    ) throws -> ((Scalar) throws(StorageError) -> Bool)? {
        guard let table = owner.table, let old = try step.oldTable(of: owner) else { return nil }
        typealias Test = (ObjectKey) throws(StorageError) -> Bool
        var tests: [Int: (targets: Table, isAffected: Test)] = [:]
        for target in targets {
            if let other = target.managedClass.table, table.mayLink(column, to: other.number),
                let isAffected = try step.affectedTest(target, count: count)
            {
                tests[other.number] = (other, isAffected)
            }
        }
        if tests.isEmpty { return nil }
        return { [tests, column] (value: Scalar) throws(StorageError) -> Bool in
            for link in try old.mixedTargets(of: value, in: column) {
                guard let test = tests[link.table], try test.targets.contains(link.key) else {
                    continue
                }
                if try test.isAffected(link.key) { return true }
            }
            return false
        }
    }
}
