import StorageEngine
import ToolSupport

/// The list, set or map that an object has in a property.
struct Elements {
    let property: ObjectText.Property
    private let table: Table
    private let key: ObjectKey

    init(_ property: ObjectText.Property, of table: Table, _ key: ObjectKey) {
        self.property = property
        self.table = table
        self.key = key
    }

    /// - Throws: if the property is no collection, or has no element at a position.
    init(
        _ property: ObjectText.Property, of table: Table, _ key: ObjectKey, having position: Int
    ) throws {
        self.init(property, of: table, key)
        let name = property.definition.name
        guard property.definition.collection != .none else {
            throw ToolError(.usage, "'\(name)' is no list, set or map.")
        }
        guard position >= 0, try position < count() else {
            throw ToolError(.usage, "'\(name)' has no element at position \(position).")
        }
    }

    var isMap: Bool { property.definition.collection == .map }

    func count() throws -> Int {
        switch property.definition.collection {
        case .list: try table.list(property.column, of: key).count()
        case .set: try table.set(property.column, of: key).count()
        case .map, .none: try table.map(property.column, of: key).count()
        }
    }

    /// Visits the elements, those of a map with their keys, until `body` returns false.
    func forEach(
        _ body: (_ key: UnsafeRawBufferPointer?, Scalar) -> Bool
    ) throws {
        switch property.definition.collection {
        case .list: try table.list(property.column, of: key).forEach { body(nil, $0) }
        case .set: try table.set(property.column, of: key).forEach { body(nil, $0) }
        case .map, .none: try table.map(property.column, of: key).forEach { body($0, $1) }
        }
    }

    /// Visits the elements at some positions, which must exist.
    func forEach(
        in range: Range<Int>,
        _ body: (_ key: UnsafeRawBufferPointer?, Scalar) throws -> Void
    ) throws {
        for position in range {
            switch property.definition.collection {
            case .list: try body(nil, try table.list(property.column, of: key).value(at: position))
            case .set: try body(nil, try table.set(property.column, of: key).value(at: position))
            case .map, .none:
                let entry = try table.map(property.column, of: key).entry(at: position)
                try body(entry.key, entry.value)
            }
        }
    }
}
