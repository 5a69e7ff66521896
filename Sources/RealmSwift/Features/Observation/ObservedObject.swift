import StorageEngine

/// An object.
final class ObservedObject: Observed {
    private let managedClass: ManagedClass
    private let key: ObjectKey
    /// What counts as a modification, for each declared property.
    private let properties: [(position: Int, observed: ObservedClass)]

    /// - Parameter keyPaths: Nil for all properties of the object itself.
    init(_ managedClass: ManagedClass, _ key: ObjectKey, keyPaths: [String]?) {
        self.managedClass = managedClass
        self.key = key
        let declared = managedClass.model.declared
        var paths: [Int: [String]] = [:]
        for keyPath in keyPaths ?? managedClass.model.properties.map(\.name) {
            let name = keyPath.prefix { $0 != "." }
            // An unknown name stops the program below.
            let position = declared.firstIndex { $0.name == name } ?? -1
            paths[position, default: []].append(keyPath)
        }
        properties = paths.sorted { $0.key < $1.key }.map {
            ($0.key, ObservedClass.paths($0.value, of: managedClass))
        }
    }

    override func base() throws -> ObservedBase { try exists ? .version : .gone }

    private var exists: Bool {
        get throws { try managedClass.table?.contains(key) == true }
    }

    override func compare(
        _ base: ObservedBase, over step: VersionStep
    ) throws -> (Registration.Report?, ObservedBase) {
        guard case .version = base else { return (nil, base) }
        if try !exists { return (.deletion, .gone) }
        let table = try step.oldTable(of: managedClass)
        var changes = ObjectChanges(properties: [])
        for (position, observed) in properties where try step.isAffected(key, observed) {
            changes.properties.append((position, try table.flatMap { try old(position, in: $0) }))
        }
        return (changes.properties.isEmpty ? nil : .object(changes), .version)
    }

    private func old(_ position: Int, in table: Table) throws -> OwnedScalar? {
        let stored = managedClass.model.properties
        guard position < stored.count, stored[position].shape.collection == .none,
            try table.contains(key)
        else { return nil }
        let value = OwnedScalar(try table.value(managedClass.columns[position], of: key))
        return value
    }
}
