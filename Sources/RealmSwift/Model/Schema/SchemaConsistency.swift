/// What the classes of a schema must be to each other.
struct SchemaConsistency {
    let classes: [ClassSchema]

    private subscript(type: ObjectIdentifier) -> ClassSchema? {
        classes.first { $0.type == type }
    }

    /// Stops the program if the schema is inconsistent. Every linked class must be part of the
    /// schema, every origin property of linking objects must link to their class, and the
    /// declarations of embedded objects must be valid.
    func require() {
        var problems: [String] = []
        for model in classes {
            for property in model.properties {
                guard let target = property.linkedClass, self[target] == nil else { continue }
                let kind = property.collection.elementsName ?? "object"
                problems.append(
                    "- Property '\(model.name).\(property.name)' of type '\(kind)' has unknown "
                        + "object type '\(property.linkedClassName ?? "")'")
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
    private func problemsOfEmbedding(_ model: ClassSchema) -> [String] {
        var problems: [String] = []
        if model.isEmbedded && model.primaryKey != nil {
            problems.append("- Embedded object type '\(model.name)' cannot have a primary key.")
        }
        for property in model.properties
        where property.type == .embedded && property.collection == .set {
            problems.append(
                "- Set property '\(model.name).\(property.name)' cannot contain embedded objects.")
        }
        return problems
    }

    private func problem(
        withOriginOf property: PropertySchema, in model: ClassSchema
    ) -> String? {
        guard let originClass = property.linkedClass,
            let originName = property.linkOriginPropertyName
        else { return nil }
        let name = "\(model.name).\(property.name)"
        guard let originModel = self[originClass] else {
            return "- Property '\(name)' of type 'linking objects' has unknown object type "
                + "'\(property.linkedClassName ?? "")'"
        }
        let declaration =
            "- Property '\(originModel.name).\(originName)' declared as origin of linking objects "
            + "property '\(name)'"
        guard let origin = originModel.properties.first(where: { $0.name == originName }) else {
            return "\(declaration) does not exist"
        }
        guard let target = origin.linkedClass else { return "\(declaration) is not a link" }
        if target == model.type { return nil }
        return "\(declaration) links to type '\(origin.linkedClassName ?? "")'"
    }
}
