import StorageEngine

/// The classes that a Realm stores.
final class SchemaModel: Sendable {
    let classes: [ClassModel]
    private let positions: [ObjectIdentifier: Int]

    /// All model classes of the process. Stops the program if two of them have the same name.
    static let discovered = SchemaModel(SchemaDiscovery.defaultClasses)

    /// The schemas of the lists of classes seen so far, because opening a Realm again looks up its
    /// schema again.
    private static let listed = Locked<[[ObjectIdentifier]: SchemaModel]>(
        heldByForks: [:])

    static func of(_ configuration: Realm.Configuration) -> SchemaModel {
        guard let types = configuration.objectTypes else { return discovered }
        let key = types.map { ObjectIdentifier($0) }
        if let known = listed.withLock({ $0[key] }) { return known }
        // This runs outside of the lock, because examining a class runs its initializer.
        let model = SchemaModel(types)
        return listed.withLock { listed in
            if let other = listed[key] { return other }
            listed[key] = model
            return model
        }
    }

    init(_ types: [ObjectBase.Type]) {
        var models: [ClassModel] = []
        var typesByName: [String: ObjectBase.Type] = [:]
        for type in types {
            let name = type.className()
            if let other = typesByName.updateValue(type, forKey: name) {
                if other == type { continue }
                stop(
                    "Model classes '\(String(reflecting: other))' and "
                        + "'\(String(reflecting: type))' have the same name '\(name)'. List the "
                        + "classes to store in `objectTypes`, or rename one of them, also where "
                        + "`className()` is overridden.")
            }
            models.append(ClassModel.of(type))
        }
        classes = models.sorted { $0.name < $1.name }
        positions = Dictionary(
            uniqueKeysWithValues: classes.enumerated().map { (ObjectIdentifier($1.type), $0) })
        SchemaConsistency(classes: classes.map(\.schema)).require()
    }

    /// Creates a schema of classes that are found only by name, because one Swift class stands for
    /// all of them.
    init(dynamic classes: [ClassModel]) {
        self.classes = classes.sorted { $0.name < $1.name }
        positions = [:]
    }

    /// The schema in the form of the public interface.
    var publicSchema: Schema { Schema(objectSchema: classes.map(\.objectSchema)) }

    func contains(_ type: ObjectBase.Type) -> Bool { positions[ObjectIdentifier(type)] != nil }

    func covers(_ other: SchemaModel) -> Bool {
        self === other || other.classes.allSatisfy { contains($0.type) }
    }

    subscript(type: ObjectBase.Type) -> ClassModel? {
        positions[ObjectIdentifier(type)].map { classes[$0] }
    }

    subscript(name: String) -> ClassModel? { classes.first { $0.name == name } }
}
