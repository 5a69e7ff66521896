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
        requireConsistency()
    }

    func contains(_ type: ObjectBase.Type) -> Bool { positions[ObjectIdentifier(type)] != nil }

    func covers(_ other: SchemaModel) -> Bool {
        self === other || other.classes.allSatisfy { contains($0.type) }
    }

    subscript(type: ObjectBase.Type) -> ClassModel? {
        positions[ObjectIdentifier(type)].map { classes[$0] }
    }

    subscript(name: String) -> ClassModel? { classes.first { $0.name == name } }

    /// Stops the program if the schema is inconsistent. Every linked class must be part of the
    /// schema, every origin property of linking objects must link to their class, and the
    /// declarations of embedded objects must be valid.
    private func requireConsistency() {
        var problems: [String] = []
        for model in classes {
            for property in model.properties {
                guard let target = property.shape.linkedClass, !contains(target) else { continue }
                let kind = property.shape.collection.elementsName ?? "object"
                problems.append(
                    "- Property '\(model.name).\(property.name)' of type '\(kind)' has unknown "
                        + "object type '\(target.className())'")
            }
        }
        problems += classes.flatMap(problemsOfEmbedding)
        problems += classes.flatMap { model in
            model.computed.compactMap { problem(withOriginOf: $0, in: model) }
        }
        if !problems.isEmpty {
            stop(
                "Schema validation failed due to the following errors:\n"
                    + problems.joined(separator: "\n"))
        }
    }

    /// Returns the invalid declarations of embedded objects. An embedded object has no primary key
    /// and no place in a set, because it is found only through its owner, in a place of its own.
    private func problemsOfEmbedding(_ model: ClassModel) -> [String] {
        var problems: [String] = []
        if model.isEmbedded && model.primaryKey != nil {
            problems.append("- Embedded object type '\(model.name)' cannot have a primary key.")
        }
        for property in model.properties
        where property.shape.type == .embedded && property.shape.collection == .set {
            problems.append(
                "- Set property '\(model.name).\(property.name)' cannot contain embedded objects.")
        }
        return problems
    }

    private func problem(
        withOriginOf property: PropertyModel, in model: ClassModel
    ) -> String? {
        guard let originClass = property.shape.linkedClass,
            let originName = property.linkOriginPropertyName
        else { return nil }
        let name = "\(model.name).\(property.name)"
        guard let originModel = self[originClass] else {
            return "- Property '\(name)' of type 'linking objects' has unknown object type "
                + "'\(originClass.className())'"
        }
        let declaration =
            "- Property '\(originModel.name).\(originName)' declared as origin of linking objects "
            + "property '\(name)'"
        guard let origin = originModel.properties.first(where: { $0.name == originName }) else {
            return "\(declaration) does not exist"
        }
        guard let target = origin.shape.linkedClass else { return "\(declaration) is not a link" }
        if target == model.type { return nil }
        return "\(declaration) links to type '\(target.className())'"
    }
}
