import StorageEngine
import ToolSupport

/// Objects that are added, deleted, and there again.
extension EditTransaction {
    /// The most properties of other objects that a deletion may change.
    static var mostReferrers: Int { 10_000 }

    func add(to className: String, primaryKey text: String?) throws -> Undo {
        let table = try table(className)
        guard !table.definition.isEmbedded else {
            throw ToolError(
                .usage, "Objects of '\(className)' are embedded: they are made in a property.")
        }
        let key = try insert(into: table) {
            try JSONNode(draft: text, of: $0, isElement: false, memory: self.memory)
        }
        return try undo(ofAdding: key, to: table)
    }

    private func undo(ofAdding key: ObjectKey, to table: Table) throws -> Undo {
        guard let location = try table.location(of: key) else { throw Self.deleted }
        let left = try Fingerprint.ofObject(in: table, at: location, objects)
        return Undo(object: ObjectPlace(table, key), action: .delete(left: left), size: 0)
    }

    /// Inserts an object with the values of a new one.
    ///
    /// - Parameter value: returns the value of the primary key.
    private func insert(
        into table: Table, primaryKey value: (ObjectText.Property) throws -> JSONNode
    ) throws -> ObjectKey {
        var values = table.definition.columns.map(\.defaultValue)
        if let column = table.primaryKey {
            let property = try objects.properties(of: table)[column]
            values[column] = try writer.value(value(property), column, in: table) ?? .null
        }
        return try values.withUnsafeBufferPointer { try table.insert($0) }
    }

    func delete(_ object: ObjectPlace, seen: String) throws -> Undo {
        let (table, key) = try place(object, seen: seen)
        guard !table.definition.isEmbedded else {
            throw ToolError(
                .usage,
                "Objects of '\(object.className)' are embedded: they are deleted in the property "
                    + "that holds them.")
        }
        guard let location = try table.location(of: key) else { throw Self.deleted }
        let text = ByteOutput()
        text.append("{")
        try objects.appendMembers(
            try objects.properties(of: table), of: table, at: location, to: text)
        text.append("}")
        var size = text.count
        guard case .object(let members) = try JSONNode(json: text.bytes, memory).value else {
            preconditionFailure("an object is written between { and }")
        }
        let former = try referrers(of: key, in: table).map { place in
            let (value, bytes) = try value(place)
            size += bytes
            return (place, value)
        }
        try table.delete(key)
        let referrers = try former.compactMap { place, value -> DeletedObject.Referrer? in
            // Those that the object owns are deleted with it.
            guard try place.table.contains(place.key) else { return nil }
            return DeletedObject.Referrer(
                object: ObjectPlace(place.table, place.key),
                property: place.property.definition.name, value: value,
                left: try fingerprint(place))
        }
        return Undo(
            object: object,
            action: .restore(DeletedObject(properties: members, referrers: referrers)), size: size)
    }

    /// The properties of other objects that lead to an object.
    private func referrers(of key: ObjectKey, in target: Table) throws -> [Place] {
        var places: [Place] = []
        for definition in try connection.tableDefinitions() {
            let table = try table(definition.name)
            for property in try objects.properties(of: table) {
                func visit(_ origin: ObjectKey) -> Bool {
                    if table.number != target.number || origin != key {
                        places.append(Place(table: table, key: origin, property: property))
                    }
                    return places.count <= Self.mostReferrers
                }
                if property.definition.type == .link, property.target?.number == target.number {
                    try table.forEachReference(to: key, in: property.column) { origin, _ in
                        visit(origin)
                    }
                } else if property.definition.type == .mixed {
                    try table.forEachReference(
                        toAny: TypedLink(table: target.number, key: key), in: property.column,
                        visit)
                }
            }
        }
        guard places.count <= Self.mostReferrers else {
            throw ToolError(
                .usage,
                "More than \(Display.grouped(Self.mostReferrers)) properties lead to the object, "
                    + "so that its deletion could not be taken back. Nothing was changed.")
        }
        return places
    }

    /// Makes a deleted object again, with a new key, and sets the links to it.
    func restore(
        _ deleted: DeletedObject, _ former: ObjectPlace
    ) throws -> (Undo, lostLinks: Int) {
        let table = try table(former.className)
        let values = Dictionary(
            uniqueKeysWithValues: deleted.properties.map {
                (String(decoding: $0.name, as: UTF8.self), $0.value)
            })
        let key = try insert(into: table) { property in
            values[property.definition.name] ?? JSONNode(value: .null, offset: 0)
        }
        if let number = Int64(former.key) {
            writer.links.add(key, of: table, exportedAs: number)
        }
        for (name, value) in values {
            let column = try table.column(named: name)
            guard column != table.primaryKey else { continue }
            try writer.write(value, column, of: key, in: table, isNew: true)
        }
        var lost = 0
        for referrer in deleted.referrers {
            do {
                let place = try place(
                    referrer.object, referrer.property, seen: referrer.left)
                _ = try apply(.set(referrer.value), place)
            } catch is EditConflict { lost += 1 }
        }
        return (try undo(ofAdding: key, to: table), lost)
    }
}
