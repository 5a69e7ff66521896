import StorageEngine
import ToolSupport

/// The changes of one transaction. Each returns what takes it back.
final class EditTransaction {
    private let connection: Connection
    private let objects: ObjectText
    private let writer: NodeWriter
    private let memory = RecordMemory()

    /// The most properties of other objects that a deletion may change.
    static let mostReferrers = 10_000

    init(_ connection: Connection) {
        self.connection = connection
        objects = ObjectText(connection)
        writer = NodeWriter(connection, memory: memory)
        writer.links.knowsOwnKeys = true
        writer.hints = .none
    }

    // MARK: Places

    private struct Place {
        let table: Table
        let key: ObjectKey
        let property: ObjectText.Property

        var column: Int { property.column }
    }

    private func table(_ className: String) throws -> Table {
        if let table = try connection.table(named: className) { return table }
        throw ToolError(.usage, "The file has no class '\(className)'.")
    }

    /// The location of an object; nil if there is none.
    private func location(_ object: ObjectPlace) throws -> (Table, ObjectKey, RowLocation?) {
        guard let number = Int64(object.key) else {
            throw ToolError(.usage, "The key of an object is an integer.")
        }
        let table = try table(object.className)
        let key = ObjectKey(rawValue: number)
        return (table, key, try table.location(of: key))
    }

    /// Returns a property whose value is still what it was when it was seen.
    private func place(
        _ object: ObjectPlace, _ name: String, seen: String
    ) throws -> Place {
        let (table, key, location) = try location(object)
        guard let location else { throw Self.deleted }
        let property = try objects.properties(of: table, named: [name])[0]
        let now = try Fingerprint.of(property, of: table, at: location, objects)
        guard now == seen else {
            throw EditConflict(
                message: "Somebody else has changed '\(name)' meanwhile. Nothing was written.",
                now: try PropertyDraft(property, of: table, at: location, objects))
        }
        return Place(table: table, key: key, property: property)
    }

    /// Returns an object that is still what it was when it was seen.
    private func place(_ object: ObjectPlace, seen: String) throws -> (Table, ObjectKey) {
        let (table, key, location) = try location(object)
        guard let location else { throw Self.deleted }
        guard try Fingerprint.ofObject(in: table, at: location, objects) == seen else {
            throw EditConflict(
                message: "Somebody else has changed the object meanwhile. Nothing was written.",
                now: nil)
        }
        return (table, key)
    }

    private static let deleted = EditConflict(
        message: "Somebody else has deleted the object meanwhile.", now: nil)

    private func fingerprint(_ place: Place) throws -> String {
        guard let location = try place.table.location(of: place.key) else { throw Self.deleted }
        return try Fingerprint.of(place.property, of: place.table, at: location, objects)
    }

    /// The value of a property as it is now, and its bytes.
    private func value(_ place: Place) throws -> (JSONNode, size: Int) {
        guard let location = try place.table.location(of: place.key) else { throw Self.deleted }
        let text = ByteOutput()
        try objects.append(place.property, of: place.table, at: location, to: text)
        return (try JSONNode(json: text.bytes, memory), text.count)
    }

    // MARK: Properties

    func apply(_ edit: ObjectEdit) throws -> Undo {
        let place = try place(edit.object, edit.property, seen: edit.seen)
        func node(_ text: String?, isElement: Bool) throws -> JSONNode {
            try JSONNode(draft: text, of: place.property, isElement: isElement, memory: memory)
        }
        let change: PropertyChange =
            switch edit.change {
            case .set(let text): .set(try node(text, isElement: false))
            case .insert(let text, let position):
                .insert(try node(text, isElement: true), at: position)
            case .remove(let position): .remove(at: position)
            case .move(let from, let to): .move(from: from, to: to)
            }
        let (inverse, size) = try apply(change, place)
        return Undo(
            object: edit.object,
            action: .change(property: edit.property, inverse, left: try fingerprint(place)),
            size: size)
    }

    /// Returns the change that takes this one back, and the bytes of its value.
    private func apply(
        _ change: PropertyChange, _ place: Place
    ) throws -> (PropertyChange, size: Int) {
        switch change {
        case .set(let value):
            let (former, size) = try self.value(place)
            try writer.write(value, place.column, of: place.key, in: place.table, isNew: false)
            return (.set(former), size)
        case .insert(let element, let position):
            let list = try list(place, position, orEnd: true)
            let end = try list.count()
            try writer.append(element, to: list, place.column, in: place.table)
            try list.move(from: end, to: position)
            return (.remove(at: position), 0)
        case .remove(let position):
            let list = try list(place, position)
            let text = ByteOutput()
            try objects.append(try list.value(at: position), place.property, to: text, depth: 0)
            let element = try JSONNode(json: text.bytes, memory)
            try list.remove(at: position)
            return (.insert(element, at: position), text.count)
        case .move(let from, let to):
            _ = try list(place, from)
            try list(place, to).move(from: from, to: to)
            return (.move(from: to, to: from), 0)
        }
    }

    /// The list of a property that has a position.
    private func list(
        _ place: Place, _ position: Int, orEnd: Bool = false
    ) throws -> ListHandle {
        guard place.property.definition.collection == .list else {
            throw ToolError(.usage, "'\(place.property.definition.name)' is no list.")
        }
        let list = place.table.list(place.column, of: place.key)
        let count = try list.count()
        guard position >= 0, position < count + (orEnd ? 1 : 0) else {
            throw ToolError(.usage, "The list has no position \(position).")
        }
        return list
    }

    // MARK: Objects

    func add(to className: String, primaryKey text: String?) throws -> Undo {
        let table = try table(className)
        guard !table.definition.isEmbedded else {
            throw ToolError(
                .usage, "Objects of '\(className)' are embedded: they are made in a property.")
        }
        let key = try insert(into: table) {
            try JSONNode(draft: text, of: $0, isElement: false, memory: self.memory)
        }
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

    // MARK: Taking back

    /// Returns the object, and how many links to it were not set again, because somebody has
    /// changed them since.
    func take(back undo: Undo) throws -> (ObjectPlace, lostLinks: Int) {
        switch undo.action {
        case .change(let property, let change, let left):
            _ = try apply(change, place(undo.object, property, seen: left))
            return (undo.object, 0)
        case .delete(let left):
            let (table, key) = try place(undo.object, seen: left)
            try table.delete(key)
            return (undo.object, 0)
        case .restore(let deleted): return try restore(deleted, undo.object)
        }
    }

    /// Makes a deleted object again, with a new key, and sets the links to it.
    private func restore(
        _ deleted: DeletedObject, _ former: ObjectPlace
    ) throws -> (ObjectPlace, lostLinks: Int) {
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
        return (ObjectPlace(table, key), lost)
    }
}
