@testable import StorageEngine

/// Gives an object values of all types.
struct ValueFiller {
    private let table: Table
    private let key: ObjectKey
    private let number: Int

    init(_ table: Table, _ key: ObjectKey, _ number: Int) {
        self.table = table
        self.key = key
        self.number = number
    }

    /// Fills all properties but the first. Links lead to objects of `named`.
    func fill(_ named: Table) throws {
        for (column, definition) in table.definition.columns.enumerated() where column > 0 {
            switch definition.collection {
            case .none: try fillValue(column, definition, named)
            case .list:
                for position in 0..<length(column) {
                    try append(column, definition, position, named)
                }
            case .set:
                for position in 0..<length(column) {
                    try withValue(definition.type, position, named) {
                        _ = try table.set(column, of: key).insert($0)
                    }
                }
            case .map:
                for position in 0..<length(column) { try put(column, definition, position, named) }
            }
        }
    }

    /// Returns the length of a collection. Some are empty, most are short, some are trees.
    private func length(_ column: Int) -> Int { [0, 3, 60, 3][(number + column) % 4] }

    private func fillValue(_ column: Int, _ definition: ColumnDefinition, _ named: Table) throws {
        if definition.type == .embedded {
            if number % 2 == 0 { _ = try table.createEmbedded(column, of: key, with: part) }
        } else if definition.type == .mixed, number % 4 == 0 {
            try table.setEmpty(.list, column, of: key)
            try fillNested(try table.nestedList(column, of: key)!)
        } else if !definition.isOptional || number % 3 > 0 {
            try withValue(definition.type, number, named) { try table.set(column, of: key, to: $0) }
        }
    }

    private func append(
        _ column: Int, _ definition: ColumnDefinition, _ position: Int, _ named: Table
    ) throws {
        let list = table.list(column, of: key)
        if definition.type == .embedded {
            if position < 3 { _ = try list.insertEmbedded(part, at: position) }
        } else if definition.type == .mixed, position == 1 {
            try list.insertEmpty(.list, at: position)
            try fillNested(try list.nestedList(at: position)!)
        } else {
            try withValue(definition.type, position, named) { try list.insert($0, at: position) }
        }
    }

    private func put(
        _ column: Int, _ definition: ColumnDefinition, _ position: Int, _ named: Table
    ) throws {
        let map = table.map(column, of: key)
        try withText("key \(position)") { text in
            guard case .bytes(let name) = text else { return }
            if definition.type == .embedded {
                if position < 3 { _ = try map.setEmbedded(part, forKey: name) }
            } else if definition.type == .mixed, position == 1 {
                try map.setEmpty(.map, forKey: name)
                try MixedValue.int(5).withScalar {
                    try map.nestedMap(forKey: name)!.set($0, forKey: name)
                }
            } else {
                try withValue(definition.type, position, named) { try map.set($0, forKey: name) }
            }
        }
    }

    private func fillNested(_ list: ListHandle) throws {
        for position in 0..<40 {
            try MixedValue.double(Double(position) / 7).withScalar {
                try list.insert($0, at: position)
            }
        }
        try list.insertEmpty(.list, at: 0)
        try MixedValue.bool(true).withScalar { try list.nestedList(at: 0)!.insert($0, at: 0) }
    }

    private var part: UnsafeBufferPointer<Scalar> { UnsafeBufferPointer(start: nil, count: 0) }

    private func withValue(
        _ type: ValueType, _ position: Int, _ named: Table, _ body: (Scalar) throws -> Void
    ) throws {
        let integer = Int64(position * 31 + number)
        let word = UInt64(bitPattern: integer) &* 0x9E37_79B9_7F4A_7C15
        let target = TypedLink(table: named.number, key: ObjectKey(rawValue: integer % 12))
        switch type {
        case .bool: try body(.integer(integer % 2))
        case .int: try body(.integer(integer))
        case .float: try body(.float(Float(integer) / 3))
        case .double, .date: try body(.double(Double(integer) / 3))
        case .string, .data:
            let length = position % 50 == 7 ? 700 : position
            try withText("\(integer) " + String(repeating: "y", count: length)) { try body($0) }
        case .uuid: try body(.fixed16(word, ~word))
        case .objectID: try body(.fixed12(word, UInt32(position)))
        case .decimal128:
            let decimal = Decimal128(integer)
            try body(.fixed16(decimal.low, decimal.high))
        case .typedLink: try body(target.scalar)
        case .link: try body(.integer(target.key.rawValue))
        case .mixed:
            let value: MixedValue = position % 3 == 0 ? .link(target) : .int(integer)
            try value.withScalar { try body($0) }
        case .embedded: break
        }
    }
}
