import StorageEngine
import ToolSupport

/// The changes of one transaction. Each returns what takes it back.
final class EditTransaction {
    let connection: Connection
    let objects: ObjectText
    let writer: NodeWriter
    let memory = RecordMemory()

    init(_ connection: Connection) {
        self.connection = connection
        objects = ObjectText(connection)
        writer = NodeWriter(connection, memory: memory)
        writer.links.knowsOwnKeys = true
        writer.hints = .none
    }

    // MARK: Places

    struct Place {
        let table: Table
        let key: ObjectKey
        let property: ObjectText.Property

        var column: Int { property.column }
    }

    func table(_ className: String) throws -> Table {
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
    func place(
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
    func place(_ object: ObjectPlace, seen: String) throws -> (Table, ObjectKey) {
        let (table, key, location) = try location(object)
        guard let location else { throw Self.deleted }
        guard try Fingerprint.ofObject(in: table, at: location, objects) == seen else {
            throw EditConflict(
                message: "Somebody else has changed the object meanwhile. Nothing was written.",
                now: nil)
        }
        return (table, key)
    }

    static let deleted = EditConflict(
        message: "Somebody else has deleted the object meanwhile.", now: nil)

    func fingerprint(_ place: Place) throws -> String {
        guard let location = try place.table.location(of: place.key) else { throw Self.deleted }
        return try Fingerprint.of(place.property, of: place.table, at: location, objects)
    }

    /// The value of a property as it is now, and its bytes.
    func value(_ place: Place) throws -> (JSONNode, size: Int) {
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
            case .add(let text, let key):
                .add(try node(text, isElement: true), key: key.map { Array($0.utf8) })
            case .replace(let text, let position):
                .replace(try node(text, isElement: true), at: position)
            case .remove(let position): .remove(at: position)
            case .move(let from, let to): .move(from: from, to: to)
            }
        return try undo(of: change, place, edit.object)
    }

    /// Makes a change, and returns what takes it back.
    private func undo(
        of change: PropertyChange, _ place: Place, _ object: ObjectPlace
    ) throws -> Undo {
        let (inverse, size) = try apply(change, place)
        return Undo(
            object: object,
            action: .change(
                property: place.property.definition.name, inverse, left: try fingerprint(place)),
            size: size)
    }

    /// Returns the change that takes this one back, and the bytes of its value.
    func apply(
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
        case .add(let element, let key):
            return (.remove(at: try add(element, key, place)), 0)
        case .replace(let element, let position):
            let (key, former, size) = try self.element(at: position, place)
            if let key {
                let map = place.table.map(place.column, of: place.key)
                let member = JSONNode.Member(name: key, value: element)
                try writer.set(member, in: map, place.column, in: place.table)
            } else {
                let list = try list(place, position)
                try writer.replace(position, of: list, by: element, place.column, in: place.table)
            }
            return (.replace(former, at: position), size)
        case .remove(let position):
            let (key, former, size) = try element(at: position, place)
            return (try remove(former, key, at: position, place), size)
        case .move(let from, let to):
            _ = try list(place, from)
            try list(place, to).move(from: from, to: to)
            return (.move(from: to, to: from), 0)
        }
    }

    // MARK: Taking back

    /// Takes an edit back, or one that took another back.
    ///
    /// - Returns: what takes that back in turn, and how many links to an object that is there again
    ///   were not set, because somebody has changed them since.
    func take(back undo: Undo) throws -> (Undo, lostLinks: Int) {
        switch undo.action {
        case .change(let property, let change, let left):
            let place = try place(undo.object, property, seen: left)
            return (try self.undo(of: change, place, undo.object), 0)
        case .delete(let left): return (try delete(undo.object, seen: left), 0)
        case .restore(let deleted): return try restore(deleted, undo.object)
        }
    }
}
