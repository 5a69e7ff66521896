import StorageEngine
import ToolSupport

/// Changes of lists, sets and maps by their elements.
extension EditTransaction {
    /// The element at a position of a collection, with its key in a map, and its bytes.
    func element(
        at position: Int, _ place: Place
    ) throws -> (key: [UInt8]?, JSONNode, size: Int) {
        let elements = try Elements(
            place.property, of: place.table, place.key, having: position)
        let text = ByteOutput()
        var ownKey: [UInt8]?
        try elements.forEach(in: position..<position + 1) { key, value in
            ownKey = key.map(Array.init)
            try objects.append(value, place.property, to: text, depth: 0)
        }
        return (ownKey, try JSONNode(json: text.bytes, memory), text.count)
    }

    /// Returns the position of an element that is added to a set, or to a map under a key.
    func add(_ element: JSONNode, _ key: [UInt8]?, _ place: Place) throws -> Int {
        let (table, column) = (place.table, place.column)
        let name = place.property.definition.name
        switch (place.property.definition.collection, key) {
        case (.set, nil):
            guard let value = try writer.value(element, column, in: table) else {
                preconditionFailure("links that lead nowhere are refused")
            }
            let set = table.set(column, of: place.key)
            guard try set.insert(value), let position = try set.index(of: value) else {
                throw ToolError(.usage, "'\(name)' has this element already. Nothing was changed.")
            }
            return position
        case (.map, let key?):
            let map = table.map(column, of: place.key)
            let stored = memory.copy(key)
            guard try map.index(ofKey: stored) == nil else {
                throw ToolError(.usage, "'\(name)' has this key already. Nothing was changed.")
            }
            try writer.set(.init(name: key, value: element), in: map, column, in: table)
            guard let position = try map.index(ofKey: stored) else {
                preconditionFailure("a key that was set is there")
            }
            return position
        default:
            throw ToolError(
                .usage, "'\(name)' is no set, or no map to which a key and a value are added.")
        }
    }

    /// Removes an element, and returns the change that brings it back.
    func remove(
        _ element: JSONNode, _ key: [UInt8]?, at position: Int, _ place: Place
    ) throws -> PropertyChange {
        let (table, column) = (place.table, place.column)
        switch place.property.definition.collection {
        case .set:
            let set = table.set(column, of: place.key)
            try set.remove(set.value(at: position))
            return .add(element, key: nil)
        case .map:
            let key = key ?? []
            try table.map(column, of: place.key).removeValue(forKey: memory.copy(key))
            return .add(element, key: key)
        case .list, .none:
            try list(place, position).remove(at: position)
            return .insert(element, at: position)
        }
    }

    /// The list of a property that has a position.
    func list(
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
}
