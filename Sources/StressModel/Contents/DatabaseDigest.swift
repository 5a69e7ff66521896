import StorageEngine

/// A number that is equal for two databases with the same tables, objects, values and collections.
package struct DatabaseDigest {
    package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    package init() {}

    package mutating func add(_ word: UInt64) {
        value = (value ^ word) &* 0x9E37_79B9_7F4A_7C15
        value ^= value >> 29
    }

    package mutating func add(_ bytes: UnsafeRawBufferPointer) {
        add(UInt64(bytes.count))
        var offset = 0
        while offset + 8 <= bytes.count {
            add(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        while offset < bytes.count {
            add(UInt64(bytes[offset]))
            offset += 1
        }
    }

    package mutating func add(_ scalar: Scalar) {
        switch scalar {
        case .null: add(1)
        case .integer(let value):
            add(2)
            add(UInt64(bitPattern: value))
        case .float(let value):
            add(3)
            add(UInt64(value.bitPattern))
        case .double(let value):
            add(4)
            add(value.bitPattern)
        case .bytes(let bytes):
            add(5)
            add(bytes)
        case .fixed16(let first, let second):
            add(6)
            add(first)
            add(second)
        case .fixed12(let first, let second):
            add(7)
            add(first)
            add(UInt64(second))
        }
    }

    package mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
    }
}

extension DatabaseDigest {
    /// Returns the digest of everything that the connection's version holds.
    package static func of(_ connection: Connection, skipping skipped: Set<String> = []) throws
        -> UInt64
    {
        var digest = DatabaseDigest()
        for definition in try connection.tableDefinitions()
        where !skipped.contains(definition.name) {
            digest.add(definition.name)
            try digest.add(connection.table(named: definition.name)!)
        }
        return digest.value
    }

    package mutating func add(_ table: Table) throws {
        let columns = table.definition.columns
        let count = try table.count()
        add(UInt64(count))
        for position in 0..<count {
            let location = try table.location(at: position)
            let key = table.key(at: location)
            add(UInt64(bitPattern: key.rawValue))
            for column in columns.indices {
                switch columns[column].collection {
                case .list where columns[column].type == .mixed:
                    try add(table.list(column, of: key))
                case .list: try add(valuesOf: table.list(column, of: key))
                case .set:
                    let set = table.set(column, of: key)
                    add(UInt64(try set.count()))
                    // swift-format-ignore: ReplaceForEachWithForLoop
                    try set.forEach {
                        add($0)
                        return true
                    }
                case .map where columns[column].type == .mixed:
                    try add(table.map(column, of: key))
                case .map: try add(valuesOf: table.map(column, of: key))
                case .none where columns[column].type == .mixed: try add(table, column, key)
                case .none: add(try table.value(column, at: location))
                }
            }
        }
    }

    private mutating func add(_ table: Table, _ column: Int, _ key: ObjectKey) throws {
        if let list = try table.nestedList(column, of: key) {
            try add(list)
        } else if let map = try table.nestedMap(column, of: key) {
            try add(map)
        } else {
            add(try table.value(column, of: key))
        }
    }

    /// Adds a list whose elements are not collections, in one walk over its leaves.
    private mutating func add(valuesOf list: ListHandle) throws {
        add(UInt64(try list.count()))
        // swift-format-ignore: ReplaceForEachWithForLoop
        try list.forEach {
            add($0)
            return true
        }
    }

    /// Adds a map whose values are not collections, in one walk over its leaves.
    private mutating func add(valuesOf map: MapHandle) throws {
        add(UInt64(try map.count()))
        // swift-format-ignore: ReplaceForEachWithForLoop
        try map.forEach { key, value in
            add(key)
            add(value)
            return true
        }
    }

    /// Adds a list whose elements may be collections: these follow the others.
    private mutating func add(_ list: ListHandle) throws {
        add(UInt64(try list.count()))
        var (position, nested) = (0, [Int]())
        // swift-format-ignore: ReplaceForEachWithForLoop
        try list.forEach {
            if $0.isNestedCollection { nested.append(position) } else { add($0) }
            position += 1
            return true
        }
        for position in nested {
            add(UInt64(position))
            if let list = try list.nestedList(at: position) {
                try add(list)
            } else if let map = try list.nestedMap(at: position) {
                try add(map)
            }
        }
    }

    /// Adds a map whose values may be collections: these follow the others.
    private mutating func add(_ map: MapHandle) throws {
        add(UInt64(try map.count()))
        var nested: [[UInt8]] = []
        // swift-format-ignore: ReplaceForEachWithForLoop
        try map.forEach { key, value in
            add(key)
            if value.isNestedCollection { nested.append(Array(key)) } else { add(value) }
            return true
        }
        for key in nested {
            try key.withUnsafeBytes {
                add($0)
                if let list = try map.nestedList(forKey: $0) {
                    try add(list)
                } else if let map = try map.nestedMap(forKey: $0) {
                    try add(map)
                }
            }
        }
    }
}
