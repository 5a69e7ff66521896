import StorageEngine

/// An object.
final class ObservedObject: Observed {
    /// What is told as the change of one property.
    struct Part {
        /// Identifies the part where the handler is called.
        let number: Int
        /// The properties that count.
        let paths: [String]
        /// The position of the property, among the declared ones, whose value before the change is
        /// told; nil if none is.
        let oldPosition: Int?
    }

    private let managedClass: ManagedClass
    private let key: ObjectKey
    private let parts: [(part: Part, observed: ObservedClass)]

    init(_ managedClass: ManagedClass, _ key: ObjectKey, parts: [Part]) {
        self.managedClass = managedClass
        self.key = key
        self.parts = parts.map { ($0, .paths($0.paths, of: managedClass)) }
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
        for (part, observed) in parts where try step.isAffected(key, observed) {
            let old = try table.flatMap { table in
                try part.oldPosition.flatMap { try self.old($0, in: table) }
            }
            changes.properties.append((part.number, old))
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
